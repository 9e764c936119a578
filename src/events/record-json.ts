import type { EventRecord } from './event.ts';

/** The last fields of a record. */
type Place = Pick<EventRecord, 'timestamp' | 'thread_id' | 'source' | 'synthetic'>;

/** How a line ends: all that follows the last value before it. */
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

/** The line of a record in two parts: many in a row end alike, and then that part is written once for all of them. */
export class RecordLine {
  /** A whole object, whose last brace the end takes the place of. */
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

/** A part of a text on its way out. They can be joined. */
export type Piece = string | RecordLine;

/** What was asked for last: stdout, tapes and the ledger are told of a record one after the other. */
let latest: object | undefined;
/** Up to its place; undefined: that was there before anybody asked. */
let beginning: string | undefined;
let whole: string | undefined;

/** For who makes records that are going to be written: this one has all but its place, which it gets after this, at its end. */
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
/** Of what was said, and of what was added. */
const ends = [plainEnd, plainEnd] as [LineEnd, LineEnd];

function endOf({ timestamp, thread_id, source, synthetic }: EventRecord): LineEnd {
  const place = { timestamp, thread_id, source, synthetic };
  const slot = synthetic ? 1 : 0;
  return ends[slot].isOf(place) ? ends[slot] : (ends[slot] = new LineEnd(place));
}

/** Undefined: JSON.parse reads any depth, JSON.stringify ends with the stack, and one absurd value must not cost the run. */
export function jsonOf(value: object, indent?: number): string | undefined {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}
