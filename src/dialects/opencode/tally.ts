import type { EventOf } from '../../events/event.ts';
import type { JsonObject } from '../dialect.ts';
import { object } from '../read.ts';

export interface Totals {
  input: number;
  output: number;
  reasoning: number;
  cacheRead: number;
  cacheWrite: number;
  cost: number;
}
export const noTokens: Readonly<Totals> = { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0, cost: 0 };

export function addTotals(left: Readonly<Totals>, right: Readonly<Totals>, sign: 1 | -1 = 1): Totals {
  return {
    input: left.input + sign * right.input,
    output: left.output + sign * right.output,
    reasoning: left.reasoning + sign * right.reasoning,
    cacheRead: left.cacheRead + sign * right.cacheRead,
    cacheWrite: left.cacheWrite + sign * right.cacheWrite,
    cost: left.cost + sign * right.cost,
  };
}

/** What the steps of a run used, told once with the message that they belong to. */
export class Tally {
  #untold: Totals = { ...noTokens };
  #told: Totals = { ...noTokens };

  get holds(): boolean {
    return Object.values(this.#untold).some((value) => value > 0);
  }

  count(usage: EventOf<'usage.reported'>): void {
    // Totals of a turn or of the thread are made good at the end, from the outcome.
    if (usage.scope !== 'step') return;
    this.#untold = addTotals(this.#untold, {
      input: usage.input_tokens ?? 0,
      output: usage.output_tokens ?? 0,
      reasoning: usage.reasoning_tokens ?? 0,
      cacheRead: usage.cache_read_tokens ?? 0,
      cacheWrite: usage.cache_write_tokens ?? 0,
      cost: usage.cost_usd ?? 0,
    });
  }

  take(): Totals {
    const totals = this.#untold;
    this.#told = addTotals(this.#told, totals);
    this.#untold = { ...noTokens };
    return totals;
  }

  /** What is left to tell so that all adds up to these totals. */
  missing(totals: Readonly<Totals>): Totals | 'too much' | undefined {
    const missing = addTotals(totals, this.#told, -1);
    // Sums of fractions differ in their last digits.
    if (Math.abs(missing.cost) < 1e-9) missing.cost = 0;
    const values = Object.values(missing);
    if (values.some((value) => value < 0)) return 'too much';
    return values.some((value) => value > 0) ? missing : undefined;
  }
}

/** The totals of a RunOutcome; undefined when it knows none. */
export function totalsOf(report: JsonObject): Totals | undefined {
  const metrics = object(report.metrics);
  if (metrics.tokens_used === undefined) return undefined;
  const value = (field: string): number => {
    const number = metrics[field];
    return typeof number === 'number' ? number : 0;
  };
  return {
    input: value('input_tokens'),
    output: value('output_tokens'),
    reasoning: value('reasoning_tokens'),
    cacheRead: value('cache_read_tokens'),
    cacheWrite: value('cache_write_tokens'),
    cost: metrics.cost_source === 'reported' ? value('cost') : 0,
  };
}
