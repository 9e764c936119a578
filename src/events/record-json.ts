import { unlessTooLarge } from '../json/unless-too-large.ts';
import type { EventRecord } from './event.ts';

/** The last fields of a record, the same for most records of a thread. */
type Belonging = Pick<EventRecord, 'thread_id' | 'source' | 'synthetic'>;

/** How lines of records end, from the last comma on: written and encoded once for all of them. */
export class LineEnd {
  readonly text: string;
  readonly bytes: Uint8Array;

  constructor(belonging?: Belonging) {
    this.text = `${belonging === undefined ? '' : `,${JSON.stringify(belonging).slice(1, -1)}`}}\n`;
    this.bytes = new TextEncoder().encode(this.text);
  }
}

const plainEnd = new LineEnd();

/** V8 makes no longer text. */
const longestText = 2 ** 29 - 24;

/** The line of a record in two parts, which are only joined if somebody asks for the text. */
export class RecordLine {
  /** A whole object; the end replaces its last brace. */
  readonly beginning: string;
  readonly end: LineEnd;

  constructor(beginning: string, end: LineEnd) {
    this.beginning = beginning;
    this.end = end;
  }

  get length(): number {
    return this.beginning.length - 1 + this.end.text.length;
  }

  /** Without the line break. */
  get json(): string {
    return this.end === plainEnd ? this.beginning : this.toString().slice(0, -1);
  }

  toString(): string {
    return this.beginning.slice(0, -1) + this.end.text;
  }
}

/** A part of a text on its way out. Pieces can be joined. */
export type Piece = string | RecordLine;

/** The record that was asked for last: stdout, tapes and the ledger receive each record one after the other. */
let latest: object | undefined;
/** Undefined: the record cannot be written. */
let line: RecordLine | undefined;
let json: string | undefined;

/** For a record that is going to be written and lacks only the fields of `end`, which it gets right after this call. */
export function beginJson(record: object, end: LineEnd): void {
  latest = record;
  json = undefined;
  const beginning = unlessTooLarge(() => JSON.stringify(record));
  line =
    beginning === undefined || beginning.length + end.text.length > longestText
      ? undefined
      : new RecordLine(beginning, end);
}

/** For a record that was read from a line, and is passed on right after this call: the line is its JSON already. */
export function keepJson(record: EventRecord, text: string): void {
  latest = record;
  json = text;
  line = new RecordLine(text, plainEnd);
}

/** The line of a record; undefined: the record cannot be written. */
export function recordLine(record: EventRecord): RecordLine | undefined {
  if (record !== latest) beginJson(record, plainEnd);
  return line;
}

/** A record as JSON; undefined: the record cannot be written. */
export function recordJson(record: EventRecord): string | undefined {
  const made = recordLine(record);
  json ??= made?.json;
  return json;
}
