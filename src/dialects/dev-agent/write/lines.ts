import type { EventRecord } from '../../../events/event.ts';
import type { EncoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';

/** How many lines a message may hold back; after that it counts no more calls. */
const maxHeld = 1000;

/** Every line has the same envelope: a number, a time and the thread. */
export class Lines {
  readonly #sink: EncoderSink;
  #sequence = 0;
  #thread = '';
  #time: string | null = null;
  #lastTime = '1970-01-01T00:00:00Z';
  /** A line that waits for the next one, or for the end, which may still complete it. */
  #deferred: JsonObject | undefined;
  #held: { message: JsonObject; calls: number; lines: JsonObject[] } | undefined;

  constructor(sink: EncoderSink) {
    this.#sink = sink;
  }

  /** Everything written from now on belongs to this record. */
  at({ thread_id, timestamp }: EventRecord): void {
    this.#thread = thread_id;
    this.#time = timestamp;
    if (timestamp !== null) this.#lastTime = timestamp;
  }

  get time(): string | null {
    return this.#time;
  }

  write(type: string, fields: JsonObject): void {
    this.#settle();
    const wire = this.#enveloped(type, fields);
    if (this.#held === undefined) return this.#sink.line(wire);
    this.#held.lines.push(wire);
    if (this.#held.lines.length > maxHeld) this.release();
  }

  /** A message that calls tools waits until all of them have started, so that it can give their number. */
  hold(type: string, fields: JsonObject): void {
    this.#settle();
    const wire = this.#enveloped(type, fields);
    this.#held = { message: wire, calls: 0, lines: [wire] };
  }

  /** A line that may still be changed until the next one is written. */
  defer(type: string, fields: JsonObject): JsonObject {
    this.#settle();
    this.#deferred = this.#enveloped(type, fields);
    return this.#deferred;
  }

  isDeferred(wire: JsonObject | undefined): wire is JsonObject {
    return wire !== undefined && wire === this.#deferred;
  }

  #settle(): void {
    if (this.#deferred !== undefined) this.#sink.line(this.#deferred);
    this.#deferred = undefined;
  }

  countCall(): void {
    if (this.#held !== undefined) this.#held.calls += 1;
  }

  get isHolding(): boolean {
    return this.#held !== undefined;
  }

  release(): void {
    if (this.#held === undefined) return;
    const { message, calls, lines } = this.#held;
    this.#held = undefined;
    message.tool_call_count = calls;
    for (const wire of lines) this.#sink.line(wire);
  }

  #enveloped(type: string, fields: JsonObject): JsonObject {
    if (this.#time === null) this.#sink.lose('time');
    this.#sequence += 1;
    return { type, timestamp: this.#lastTime, sequence: this.#sequence, thread_id: this.#thread, ...fields };
  }
}
