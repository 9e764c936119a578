import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { Json } from '../../../json/json.ts';
import { object } from '../../../json/read.ts';
import { growth, isAny, plus, type Tokens } from '../../kit/tokens.ts';
import { tokensOf } from './usage.ts';

/** Session files have running totals, and beside each the tokens of the latest model call: both are needed, because each call has its own price. */
export class SessionUsage {
  readonly #sink: DecoderSink;
  #total: Tokens = {};
  /** What was used before this thread began. */
  #before: Tokens = {};
  /** What was reported call by call. */
  #steps: Tokens = {};
  #isTold = true;

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  /** A total that the thread did not use itself. */
  begin(total: Json | undefined): void {
    const now = tokensOf(object(total));
    if (isAny(now)) this.#before = this.#total = now;
  }

  /** A total that has not grown is the same one again. */
  count(total: Json | undefined, last: Json | undefined, model: string | undefined): void {
    const now = tokensOf(object(total));
    if (!isAny(now)) return;
    const more = growth(now, this.#total);
    this.#total = now;
    this.#isTold = false;
    if (!isAny(more)) return;
    const call = tokensOf(object(last));
    // Without the latest call nothing tells how many there were: only the total is known.
    if (!isAny(call) || !isWithin(call, more)) return this.tell();
    this.#steps = plus(this.#steps, call);
    this.#sink.emit({ type: 'usage.reported', scope: 'step', ...present({ model }), ...call });
  }

  /** The total, if the calls do not add up to it. */
  tell(): void {
    const own = isAny(this.#before) ? growth(this.#total, this.#before) : this.#total;
    const isWhole = !isAny(growth(own, this.#steps)) && !isAny(growth(this.#steps, own));
    if (!this.#isTold && !isWhole) this.#sink.emit({ type: 'usage.reported', scope: 'thread', ...own });
    this.#isTold = true;
  }
}

function isWithin(call: Tokens, more: Tokens): boolean {
  return !isAny(growth(call, { ...noTokens, ...more }));
}

const noTokens: Tokens = {
  input_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
};
