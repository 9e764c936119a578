import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { count } from '../../../json/read.ts';
import { isGuess } from '../../kit/tokens.ts';

/** Tokens are reported only for model calls that end a turn, without cached ones; the cost of the whole run is reported at its end. */
export class Usage {
  readonly #sink: DecoderSink;
  #counted = 0;
  #input = 0;
  #output = 0;

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  readTurn(wire: JsonObject): void {
    const input_tokens = count(wire.input_tokens) ?? 0;
    const output_tokens = count(wire.output_tokens) ?? 0;
    if (input_tokens + output_tokens === 0) return;
    this.#counted += 1;
    this.#input += input_tokens;
    this.#output += output_tokens;
    this.#sink.emit({
      type: 'usage.reported',
      scope: 'step',
      input_tokens,
      output_tokens,
      cache_is: 'unknown',
      ...price(wire, wire.cost_usd),
    });
  }

  readTotal(wire: JsonObject, turns: number): void {
    if (this.#counted > 0 && this.#counted < turns)
      this.#sink.note('guessed', 'tokens of some model calls are not on this wire');
    const cost = price(wire, wire.total_cost_usd);
    if (cost.cost_usd === undefined) return;
    const tokens = this.#counted === 0 ? {} : { input_tokens: this.#input, output_tokens: this.#output };
    this.#sink.emit({ type: 'usage.reported', scope: 'thread', ...tokens, ...cost });
  }
}

/** Models without a known price are listed at 0, which is not a price. */
function price(wire: JsonObject, usd: JsonObject[string] | undefined): { cost_usd?: number } {
  return present({ cost_usd: isGuess(wire) ? undefined : count(usd) || undefined });
}
