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

interface Written {
  record: object;
  /** Undefined: the record cannot be written. */
  line: RecordLine | undefined;
  json?: string | undefined;
}

/** The record that was asked for last: stdout, tapes and the ledger receive each record one after the other. */
let latest: Written | undefined;

/** For a record that is going to be written and lacks only the fields of `end`, which it gets right after this call. */
export function beginJson(record: object, end: LineEnd): void {
  latest = { record, line: lineOf(record, end) };
}

/** The line of a record; undefined: the record cannot be written. */
export function recordLine(record: EventRecord): RecordLine | undefined {
  return written(record).line;
}

/** A record as JSON; undefined: the record cannot be written. */
export function recordJson(record: EventRecord): string | undefined {
  const made = written(record);
  made.json ??= made.line?.json;
  return made.json;
}

function written(record: EventRecord): Written {
  if (latest?.record !== record) latest = { record, line: lineOf(record, plainEnd) };
  return latest;
}

function lineOf(record: object, end: LineEnd): RecordLine | undefined {
  const beginning = unlessTooLarge(() => JSON.stringify(record));
  if (beginning === undefined || beginning.length + end.text.length > longestText) return undefined;
  return new RecordLine(beginning, end);
}

/**
 * Undefined: it is nested too deeply, or too long. JSON.parse reads any depth, but JSON.stringify needs the stack, and no text can be longer than
 * V8 allows; one absurd record must not cost the run.
 */
export function unlessTooLarge<Text>(write: () => Text): Text | undefined {
  try {
    return write();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}
