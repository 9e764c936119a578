import type { EncoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';

/** The events of one run: each has its time, and ids that start with the run's. */
export class Events {
  readonly #sink: EncoderSink;
  threadId = '';
  runId = '';
  timestamp: string | null = null;
  #count = 0;

  constructor(sink: EncoderSink) {
    this.#sink = sink;
  }

  /** An id that no other run of the thread has: front ends keep the messages of all of them. */
  newId(word: string): string {
    this.#count += 1;
    return `${this.runId}:${word}_${this.#count}`;
  }

  write(type: string, fields: JsonObject): void {
    const ms = this.timestamp === null ? Number.NaN : Date.parse(this.timestamp);
    this.#sink.line(Number.isNaN(ms) ? { type, ...fields } : { type, timestamp: ms, ...fields });
  }
}
