import type { Json } from '../../json/json.ts';
import type { Call } from '../calls.ts';

/** A session, as far as the file tells. */
export interface Session {
  id: string;
  /** The folder that it worked in. */
  project?: string;
  /** The sub-agent whose calls these are: they belong to the session. */
  subAgent?: string;
}

/** Where a reader puts what it found. */
export interface Found {
  /** The place of a session among those of the file; the same one is known again by its id and sub-agent. */
  session(session: Session): number;
  call(call: Call): void;
  /** A line or an entry that could not be read. */
  damaged(): void;
}

/** Reads one file, or what was added to it since: `state` is what it must know of what came before. */
export interface LineReader {
  line(bytes: Buffer, from: number, to: number): void;
  /** Whether it still has to see every line; from then on, only those with a mark. */
  readonly wantsAll: boolean;
  /** The file ends here for now. */
  end(): void;
  readonly state: Json;
}

/** A file of lines, read by its usage lines alone. */
export interface LineFormat {
  readonly kind: 'lines';
  /** Bytes that a line must have, one of them, to matter. */
  readonly marks: readonly string[];
  /** The same for lines that matter only if no line with one of those marks follows. */
  readonly lastMarks?: readonly string[];
  reader(file: FileFacts, found: Found, state: Json | undefined): LineReader;
}

/** A file that is rewritten as a whole, or a database: it is read anew when it has changed. */
export interface WholeFormat {
  readonly kind: 'whole';
  read(file: FileFacts, found: Found): void;
}

export type Format = LineFormat | WholeFormat;

export interface FileFacts {
  path: string;
  /** When it was last written (ms since the epoch), for what has no time of its own. */
  at: number;
}
