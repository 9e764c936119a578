import { cutJson } from '../events/cut-record.ts';
import type { EventRecord } from '../events/event.ts';
import { cutText } from '../outcome/bounded.ts';

/** Small enough for a page that can be attached to an issue and opens immediately. */
const mostBytes = 16 * 1024 * 1024;
/** The limit for one text, of which the beginning and the end are kept. */
const longestText = 64 * 1024;

/** Stands in a page for the records that are not in it; its sequence is that of the first of them. */
export interface LeftOut {
  type: 'records.left_out';
  sequence: number;
  timestamp: string | null;
  last_sequence: number;
  /** The time of the first record after them. */
  until: string | null;
  count: number;
}

interface Held {
  text: string;
  bytes: number;
  sequence: number;
  timestamp: string | null;
}

/**
 * The records of a run for a page in one file: the beginning and end of long texts, and if there are too many records, the
 * first and the last ones. Memory does not grow with the run.
 */
export class ReportRecords {
  readonly #escape: (json: string) => string;
  readonly #half: number;
  #headBytes = 0;
  #isHeadFull = false;
  #tail: Held[] = [];
  #tailFrom = 0;
  #tailBytes = 0;
  #leftOut: LeftOut | undefined;

  constructor(escape: (json: string) => string, most: number = mostBytes) {
    this.#escape = escape;
    this.#half = most / 2;
  }

  /** The record as text, if it can be written immediately; records kept for the end are returned by `end`. */
  push(record: EventRecord): string | undefined {
    const held = this.#hold(record);
    if (held === undefined) return undefined;
    this.#isHeadFull ||= this.#headBytes + held.bytes > this.#half;
    if (!this.#isHeadFull) {
      this.#headBytes += held.bytes;
      return held.text;
    }
    this.#tail.push(held);
    this.#tailBytes += held.bytes;
    while (this.#tailBytes > this.#half && this.#tail.length - this.#tailFrom > 1) this.#leaveOut();
    return undefined;
  }

  /** The placeholder for the records that are left out, and the last records. */
  end(): string[] {
    const last = this.#tail.slice(this.#tailFrom);
    const texts = last.map(({ text }) => text);
    if (this.#leftOut === undefined) return texts;
    return [this.#escape(JSON.stringify({ ...this.#leftOut, until: last[0]?.timestamp ?? null })), ...texts];
  }

  /** Undefined: it is nested too deeply to be written. */
  #hold(record: EventRecord): Held | undefined {
    const { sequence, timestamp } = record;
    const json = cutJson(record, longestText, cutText);
    if (json === undefined) return undefined;
    const text = this.#escape(json);
    return { text, bytes: Buffer.byteLength(text), sequence, timestamp };
  }

  #leaveOut(): void {
    const oldest = this.#tail[this.#tailFrom];
    if (oldest === undefined) return;
    const { sequence, timestamp, bytes } = oldest;
    this.#leftOut ??= { type: 'records.left_out', sequence, timestamp, last_sequence: sequence, until: null, count: 0 };
    this.#leftOut.last_sequence = sequence;
    this.#leftOut.count += 1;
    this.#tailBytes -= bytes;
    this.#tailFrom += 1;
    if (this.#tailFrom * 2 < this.#tail.length) return;
    this.#tail = this.#tail.slice(this.#tailFrom);
    this.#tailFrom = 0;
  }
}
