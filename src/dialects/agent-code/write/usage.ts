import type { EventOf } from '../../../events/event.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import type { EncoderSink, JsonObject } from '../../dialect.ts';

interface Tokens {
  input: number;
  output: number;
  cost: number;
}

const none: Tokens = { input: 0, output: 0, cost: 0 };

const sum = (a: Tokens, b: Tokens): Tokens => ({ input: a.input + b.input, output: a.output + b.output, cost: a.cost + b.cost });

/** What each turn is written with, so that the turns add up to the totals. */
export class Usage {
  readonly #sink: EncoderSink;
  /** What this turn has used so far. */
  #turn = none;
  /** What the turns before have been written with. */
  #written = none;

  constructor(sink: EncoderSink) {
    this.#sink = sink;
  }

  report({ scope, input_tokens = 0, output_tokens = 0, cost_usd = 0 }: EventOf<'usage.reported'>): void {
    const tokens = { input: input_tokens, output: output_tokens, cost: cost_usd };
    if (scope === 'turn') this.#turn = tokens;
    if (scope === 'step') this.#turn = sum(this.#turn, tokens);
  }

  writeTurn(tokens: Tokens = this.#turn): JsonObject {
    this.#written = sum(this.#written, tokens);
    this.#turn = none;
    return { input_tokens: tokens.input, output_tokens: tokens.output, cost_usd: tokens.cost };
  }

  /** The last turn takes what the others have not told; undefined: there is none to take it. */
  rest(metrics: RunOutcome['metrics'], hasTurn: boolean): Tokens {
    const { input_tokens, output_tokens, cost = 0 } = metrics;
    const input = (input_tokens ?? 0) - this.#written.input;
    const output = (output_tokens ?? 0) - this.#written.output;
    const isKnown = input_tokens !== undefined || output_tokens !== undefined;
    const isHalfKnown = (input_tokens === undefined) !== (output_tokens === undefined);
    if (isKnown && (isHalfKnown || input < 0 || output < 0 || (!hasTurn && input + output > 0))) this.#sink.lose('usage');
    if ((metrics.reasoning_tokens ?? metrics.cache_read_tokens ?? metrics.cache_write_tokens) !== undefined) this.#sink.lose('token_split');
    return { input: Math.max(0, input), output: Math.max(0, output), cost: Math.max(0, cost - this.#written.cost) };
  }
}
