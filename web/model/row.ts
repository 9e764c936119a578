import type { EventRecord, ItemKind, ItemStatus } from '../../src/events/event.ts';
import type { LeftOut } from '../../src/reports/report-records.ts';

export const rowKinds = ['prompt', 'text', 'reasoning', 'tool', 'notice', 'log', 'turn', 'end', 'gap'] as const;
export type RowKind = (typeof rowKinds)[number];
export const tones = ['info', 'good', 'warn', 'bad'] as const;
type Tone = (typeof tones)[number];

/** A record as a page gets it: of a text that was cut, how many characters are missing; of records that a report has not, what stands for them. */
export type SentRecord = (EventRecord | LeftOut) & { cut?: Readonly<Record<string, number>> };

export interface FileEdit {
  path: string;
  operation: 'created' | 'modified' | 'deleted';
  seq: number;
  additions?: number | undefined;
  deletions?: number | undefined;
  /** Only while the row that made it is at hand. */
  diff?: string | undefined;
  /** The row of the call that made it. */
  call?: number | undefined;
}

export interface ToolPart {
  name: string;
  kind: ItemKind;
  args: unknown;
  about: string;
  /** Characters of the input that are not here. */
  omitted: number;
  /** Absent: it goes on, or how it ended is not here. */
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
  /** The event that began it, the one that tells how it ended, and the last one that belongs to it. */
  seq: number;
  endSeq: number;
  lastSeq: number;
  /** Milliseconds since the epoch. */
  at?: number | undefined;
  endAt?: number | undefined;
  isNested: boolean;
  text: string;
  /** Characters that are not here, because there are too many. */
  omitted: number;
  label: string;
  tone: Tone;
  isOpen: boolean;
  /** A pause before the next try. */
  isPause: boolean;
  /** Its output came piece by piece, and never as a whole. */
  isPieces: boolean;
  /** Of the line that begins a turn. */
  turn?: number;
  tool?: ToolPart;
}
