/** A file that differs from a commit: its mode and what git calls its content, or null where it is gone. */
export type FileState = readonly [path: string, content: string | null];
