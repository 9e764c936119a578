import type { EventOf } from '../../../events/event.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import type { JsonObject } from '../../dialect.ts';

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

/** The usage of an assistant message. */
export function writeUsage(totals: Readonly<Totals>): JsonObject {
  const total = totals.input + totals.output;
  return {
    cost: totals.cost,
    tokens: {
      // The documented total is input + output, so both are written with all they hold; this field tells a reader so.
      ...(total === 0 ? {} : { total }),
      input: totals.input,
      output: totals.output,
      reasoning: totals.reasoning,
      cache: { read: totals.cacheRead, write: totals.cacheWrite },
    },
  };
}

/** What the steps of a run used, told once with the message that they belong to. */
export class Tally {
  #untold: Totals = { ...noTokens };
  #told: Totals = { ...noTokens };

  get isEmpty(): boolean {
    return Object.values(this.#untold).every((value) => value <= 0);
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

  /** What is left to tell so that all adds up to the outcome's totals. */
  missing({ metrics }: RunOutcome): Totals | 'too much' | undefined {
    if (metrics.tokens_used === undefined) return undefined;
    const totals: Totals = {
      input: metrics.input_tokens ?? 0,
      output: metrics.output_tokens ?? 0,
      reasoning: metrics.reasoning_tokens ?? 0,
      cacheRead: metrics.cache_read_tokens ?? 0,
      cacheWrite: metrics.cache_write_tokens ?? 0,
      cost: metrics.cost_source === 'reported' ? (metrics.cost ?? 0) : 0,
    };
    const missing = addTotals(totals, this.#told, -1);
    // Sums of fractions differ in their last digits.
    if (Math.abs(missing.cost) < 1e-9) missing.cost = 0;
    const values = Object.values(missing);
    if (values.some((value) => value < 0)) return 'too much';
    return values.some((value) => value > 0) ? missing : undefined;
  }
}
