import type { FileOperation } from '../events/event.ts';

/** The repository before and after a run, as git tells it: the facts of the grade `state`. */
export interface RepositoryState {
  /** Both sides were looked at, as in a private copy; otherwise a fact that is missing here may still be true. */
  isComplete: boolean;
  /** The commit that the run began from, and the one it ended on. */
  base?: string;
  head?: string;
  branch?: string;
  /** What differs between the base and the end, committed or not. */
  files?: readonly ChangedFile[];
  /** Commits between the base and the head, newest first. */
  commits?: readonly { hash: string; subject?: string }[];
  /** Remote-tracking branches: `origin/main` and the commit that it points to. */
  remotes?: readonly { name: string; commit: string }[];
  /** How many files are changed and not committed at the end. */
  uncommitted?: number;
}

export interface ChangedFile {
  path: string;
  operation: FileOperation;
  additions?: number;
  deletions?: number;
}
