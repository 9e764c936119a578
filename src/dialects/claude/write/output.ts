import { present } from '../../../json/present.ts';
import type { EncoderSink, Loss } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';

/** Where the lines of a run go, each with its own uuid. In the variant `json` only the result is kept. */
export class Output {
  readonly isPartial: boolean;
  readonly isResultAlone: boolean;
  /** Of the record that is being written. */
  time: string | null = null;
  readonly #sink: EncoderSink;
  #session = '';
  #opening: JsonObject | undefined;
  #lines = 0;
  #result: JsonObject | undefined;
  #last: JsonObject | undefined;

  constructor(sink: EncoderSink, variant: string) {
    this.#sink = sink;
    this.isPartial = variant === 'partial';
    this.isResultAlone = variant === 'json';
  }

  /** The first line waits for a second: nothing is written for a run that printed nothing. */
  open(session: string, first: JsonObject): void {
    this.#session = session;
    this.#opening = first;
  }

  get lines(): number {
    return this.#lines;
  }

  /** Someone who reads only up to here takes the run for a success. */
  get endsWell(): boolean {
    const last = this.isResultAlone ? this.#result : this.#last;
    return last?.type === 'result' && last.is_error === false;
  }

  get isWithoutResult(): boolean {
    return this.isResultAlone && this.#result === undefined;
  }

  line(wire: JsonObject): void {
    this.#introduce();
    if (!isBeside(wire)) this.#last = wire;
    if (!this.isResultAlone) return this.#sink.line(this.#identified(wire));
    if (wire.type === 'result') this.#result = this.#identified(wire);
    else this.#leaveOut(wire);
  }

  /** A line of a conversation; `parent`: the call that started the sub-agent. */
  spoken(parent: string | undefined, wire: JsonObject): void {
    this.line({ ...wire, parent_tool_use_id: parent ?? null, ...present({ timestamp: this.time ?? undefined }) });
  }

  streamed(parent: string | undefined, event: JsonObject): void {
    this.line({ type: 'stream_event', event, parent_tool_use_id: parent ?? null });
  }

  /** Writes a line of this same dialect unchanged. */
  pass(wire: JsonObject): void {
    if (this.isResultAlone) return this.lose('unknown_line');
    this.#introduce();
    this.#last = wire;
    this.#sink.line(wire);
  }

  lose(what: Loss): void {
    this.#sink.lose(what);
  }

  end(): void {
    if (this.#result !== undefined) this.#sink.line(this.#result);
  }

  #introduce(): void {
    if (this.#opening === undefined) return;
    const first = this.#opening;
    this.#opening = undefined;
    this.line(first);
  }

  /** The uuid is new for every line, but counted: an encoder has no randomness. */
  #identified(wire: JsonObject): JsonObject {
    this.#lines += 1;
    return {
      ...wire,
      session_id: this.#session,
      uuid: `00000000-0000-4000-8000-${this.#lines.toString(16).padStart(12, '0')}`,
    };
  }

  /** Counts as lost what the result object alone cannot hold, unless another rule counts it. */
  #leaveOut(wire: JsonObject): void {
    if (wire.type === 'rate_limit_event') this.lose('rate_limit');
    else if (wire.type === 'control_request') this.lose('permission');
    else if (wire.subtype === 'api_retry') this.lose('retry');
    else if (wire.subtype === 'informational' || wire.subtype === 'model_fallback') this.lose('log');
  }
}

/** It belongs to no turn: after a result, it does not take back what the result says. */
function isBeside({ type, subtype }: JsonObject): boolean {
  return type === 'rate_limit_event' || (type === 'system' && subtype !== 'init');
}
