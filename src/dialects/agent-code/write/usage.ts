import type { EventOf } from '../../../events/event.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import { addCounts, type Counts, countsOf, noCounts } from '../../kit/counts.ts';
import type { EncoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';

/** The usage written with each turn, so that the turns add up to the totals. */
export class Usage {
  readonly #sink: EncoderSink;
  /** What this turn has used so far. */
  #turn = noCounts;
  /** What has been written with earlier turns. */
  #written = noCounts;

  constructor(sink: EncoderSink) {
    this.#sink = sink;
  }

  see(event: EventOf<'usage.reported'>): void {
    if (event.scope === 'turn') this.#turn = countsOf(event);
    if (event.scope === 'step') this.#turn = addCounts(this.#turn, countsOf(event));
  }

  writeTurn(counts = this.#turn): JsonObject {
    this.#written = addCounts(this.#written, counts);
    this.#turn = noCounts;
    return { input_tokens: counts.input, output_tokens: counts.output, cost_usd: counts.cost };
  }

  /** What earlier turns have not reported, for the last turn; lost if there is none. */
  rest(metrics: RunOutcome['metrics'], hasTurn: boolean): Counts {
    const { input_tokens, output_tokens, cost = 0 } = metrics;
    const input = (input_tokens ?? 0) - this.#written.input;
    const output = (output_tokens ?? 0) - this.#written.output;
    const isKnown = input_tokens !== undefined || output_tokens !== undefined;
    const isHalfKnown = (input_tokens === undefined) !== (output_tokens === undefined);
    if (isKnown && (isHalfKnown || input < 0 || output < 0 || (!hasTurn && input + output > 0)))
      this.#sink.lose('usage');
    if ((metrics.reasoning_tokens ?? metrics.cache_read_tokens ?? metrics.cache_write_tokens) !== undefined)
      this.#sink.lose('token_split');
    return {
      ...noCounts,
      input: Math.max(0, input),
      output: Math.max(0, output),
      cost: Math.max(0, cost - this.#written.cost),
    };
  }
}
