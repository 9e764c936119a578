import type { ProcessEnd } from '../../pipeline/thread.ts';

/** What may become a run: a stream, and what else is known of it. */
export interface StoredRun {
  name: string;
  /** When it was last written: the end of a run whose lines carry no times. */
  at: number;
  /** Where something else than its lines knows. */
  startedAt?: number;
  stdout: () => AsyncIterable<Uint8Array>;
  stderr?: () => AsyncIterable<Uint8Array>;
  process?: ProcessEnd;
  /** How long the process ran, where the folder tells. */
  wallMs?: number;
  /** A session that may grow, and is then read again; absent: its first lines tell. */
  isSession?: boolean;
  /** Absent: nothing tells whether it is the same the next time. */
  origin?: Origin;
}

/** A file, or a folder of one run, as it was when it was found. */
export interface Origin {
  path: string;
  /** Another one when something in it, or in what belongs to it, has changed. */
  stamp: string;
}

/** What is known already, and was not opened. */
export interface Unchanged {
  name: string;
  unchanged: Origin;
}

export interface Unreadable {
  name: string;
  why: string;
}

export type ReadFile = (path: string) => AsyncIterable<Uint8Array>;
