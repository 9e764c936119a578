import type { EventRecord } from './event.ts';

/** The last fields of a record. */
type Place = Pick<EventRecord, 'timestamp' | 'thread_id' | 'source' | 'synthetic'>;

/** The end of a line: everything after the last value of the event itself. */
class LineEnd {
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly #place: Place | undefined;

  constructor(place?: Place) {
    this.#place = place;
    this.text = `${place === undefined ? '' : `,${JSON.stringify(place).slice(1, -1)}`}}\n`;
    this.bytes = new TextEncoder().encode(this.text);
  }

  isOf({ timestamp, thread_id, source, synthetic }: Place): boolean {
    const place = this.#place;
    return place?.timestamp === timestamp && place.thread_id === thread_id && place.source === source && place.synthetic === synthetic;
  }
}

/** The line of a record in two parts: many records in a row share the same end, which is then serialized only once. */
export class RecordLine {
  /** A complete JSON object; the end replaces its closing brace. */
  readonly beginning: string;
  readonly end: LineEnd;

  constructor(beginning: string, end: LineEnd) {
    this.beginning = beginning;
    this.end = end;
  }

  get length(): number {
    return this.beginning.length - 1 + this.end.text.length;
  }

  toString(): string {
    return this.beginning.slice(0, -1) + this.end.text;
  }
}

/** A piece of output text. Pieces can be joined. */
export type Piece = string | RecordLine;

/** The record that was requested last: stdout, tapes and the ledger all ask for the same one in turn. */
let latest: object | undefined;
/** Its JSON without the place; undefined: the record already had its place when its JSON was first requested. */
let beginning: string | undefined;
let whole: string | undefined;

/** For code that makes records to be written: the record is complete except for its place, which is added after this call, as its last fields. */
export function beginJson(record: object): void {
  latest = record;
  whole = undefined;
  beginning = jsonOf(record);
}

/** A record as JSON; undefined: it cannot be written. */
export function recordJson(record: EventRecord): string | undefined {
  if (record !== latest) {
    latest = record;
    beginning = undefined;
    whole = undefined;
  }
  whole ??= beginning === undefined ? jsonOf(record) : new RecordLine(beginning, endOf(record)).toString().slice(0, -1);
  return whole;
}

/** Undefined: it cannot be written. */
export function recordLine(record: EventRecord): RecordLine | undefined {
  if (record === latest && beginning !== undefined) return new RecordLine(beginning, endOf(record));
  const json = recordJson(record);
  return json === undefined ? undefined : new RecordLine(json, plainEnd);
}

const plainEnd = new LineEnd();
/** The latest end of the agent's own records, and that of synthetic ones. */
const ends = [plainEnd, plainEnd] as [LineEnd, LineEnd];

function endOf({ timestamp, thread_id, source, synthetic }: EventRecord): LineEnd {
  const place = { timestamp, thread_id, source, synthetic };
  const slot = synthetic ? 1 : 0;
  return ends[slot].isOf(place) ? ends[slot] : (ends[slot] = new LineEnd(place));
}

/** Undefined if nested too deeply: JSON.parse reads any depth but JSON.stringify overflows the stack, and one absurd value must not fail the run. */
export function jsonOf(value: object, indent?: number): string | undefined {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}
