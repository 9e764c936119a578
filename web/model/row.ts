import type { EventRecord, ItemKind, ItemStatus } from '../../src/events/event.ts';
import type { LeftOut } from '../../src/reports/report-records.ts';

export const rowKinds = ['prompt', 'text', 'reasoning', 'tool', 'notice', 'log', 'turn', 'end', 'gap'] as const;
export type RowKind = (typeof rowKinds)[number];
export const tones = ['info', 'good', 'warn', 'bad'] as const;
type Tone = (typeof tones)[number];

/** A record as the page gets it: a cut text comes with the number of missing characters, and records left out of a report with a placeholder. */
export type SentRecord = (EventRecord | LeftOut) & { cut?: Readonly<Record<string, number>> };

export interface FileEdit {
  path: string;
  operation: 'created' | 'modified' | 'deleted';
  seq: number;
  additions?: number | undefined;
  deletions?: number | undefined;
  /** Present only while the row that made the edit is at hand. */
  diff?: string | undefined;
  /** The row of the call that made the edit. */
  call?: number | undefined;
}

export interface ToolPart {
  name: string;
  kind: ItemKind;
  args: unknown;
  about: string;
  /** How many characters of the input are missing. */
  omitted: number;
  /** Absent: it is still running, or how it ended is not known here. */
  status?: ItemStatus;
  exitCode?: number | undefined;
  durationMs?: number | undefined;
  error?: string | undefined;
  files: FileEdit[];
}

/** One line of the transcript: a call and its result are one. */
export interface Row {
  /** Its place among all rows. */
  index: number;
  kind: RowKind;
  /** The event that began it, the one that reports how it ended, and the last one that belongs to it. */
  seq: number;
  endSeq: number;
  lastSeq: number;
  /** Milliseconds since the epoch. */
  at?: number | undefined;
  endAt?: number | undefined;
  isNested: boolean;
  text: string;
  /** How many characters are missing because the text is too long. */
  omitted: number;
  label: string;
  tone: Tone;
  isOpen: boolean;
  /** A pause before the next attempt. */
  isPause: boolean;
  /** Its output came only piece by piece, never as a whole. */
  isPieces: boolean;
  /** The turn number, in the row that begins a turn. */
  turn?: number;
  tool?: ToolPart;
}
