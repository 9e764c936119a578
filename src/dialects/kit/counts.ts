import type { RunOutcome } from '../../outcome/outcome.ts';
import type { SparseTokens } from './tokens.ts';

/** Tokens on a wire where every count is required; 0 stands for a count that nobody reported. */
export interface Counts {
  readonly input: number;
  readonly output: number;
  readonly reasoning: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cost: number;
}

export const noCounts: Counts = { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0, cost: 0 };

export function countsOf(usage: SparseTokens): Counts {
  return {
    input: usage.input_tokens ?? 0,
    output: usage.output_tokens ?? 0,
    reasoning: usage.reasoning_tokens ?? 0,
    cacheRead: usage.cache_read_tokens ?? 0,
    cacheWrite: usage.cache_write_tokens ?? 0,
    cost: usage.cost_usd ?? 0,
  };
}

/** The totals of a run; a cost that the agent did not report is not written. */
export function totalCounts({ cost, cost_source, ...tokens }: RunOutcome['metrics']): Counts {
  return countsOf({ ...tokens, cost_usd: cost_source === 'reported' ? cost : undefined });
}

export function addCounts(left: Counts, right: Counts, sign: 1 | -1 = 1): Counts {
  return {
    input: left.input + sign * right.input,
    output: left.output + sign * right.output,
    reasoning: left.reasoning + sign * right.reasoning,
    cacheRead: left.cacheRead + sign * right.cacheRead,
    cacheWrite: left.cacheWrite + sign * right.cacheWrite,
    cost: left.cost + sign * right.cost,
  };
}
