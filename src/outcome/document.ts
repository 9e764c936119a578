import type { EventOf } from '../events/event.ts';
import { present } from '../json/present.ts';
import type { RunOutcome } from './outcome.ts';
import type { Shortener } from './shortener.ts';
import type { Tokens } from './tokens.ts';

// Parts of the RunOutcome as a document: what the fold knows, under the names and in the order of the format.

export function statusOf(verdict: RunOutcome['verdict']['class']): RunOutcome['status'] {
  if (verdict === 'success' || verdict === 'cancelled' || verdict === 'incomplete') return verdict;
  return 'error';
}

export function tokenMetrics({ input, output, reasoning, cacheRead, cacheWrite }: Tokens) {
  return {
    tokens_used: input === undefined && output === undefined ? undefined : (input ?? 0) + (output ?? 0),
    input_tokens: input,
    output_tokens: output,
    reasoning_tokens: reasoning,
    cache_read_tokens: cacheRead,
    cache_write_tokens: cacheWrite,
  };
}

/** What the runs below a run used. */
interface ChildrenReport extends Omit<NonNullable<RunOutcome['children']>, 'cost'> {
  cost_usd?: number | undefined;
}

export function childrenOf(report: ChildrenReport): RunOutcome['children'] {
  const { runs, tokens_used, input_tokens, output_tokens, cost_usd: cost, cost_known, cost_is } = report;
  if (runs === 0) return undefined;
  return { runs, ...present({ tokens_used, input_tokens, output_tokens, cost }), cost_known, ...present({ cost_is }) };
}

export function publishOf(
  published: EventOf<'branch.published'> | undefined,
  short: Pick<Shortener, 'text'>,
): RunOutcome['publish'] {
  if (published === undefined) return undefined;
  const { branch_id, status, remote, ref, commit, url, dry_run, message: reason } = published;
  const message = reason === undefined ? undefined : short.text(reason);
  return { branch_id, status, ...present({ remote, ref, commit, url, dry_run, message }) };
}

/** What an agent had used before this run. */
export function usedBefore(event: EventOf<'thread.started'>): Tokens {
  return present({
    input: event.earlier_input_tokens,
    output: event.earlier_output_tokens,
    reasoning: event.earlier_reasoning_tokens,
    cacheRead: event.earlier_cache_read_tokens,
  });
}

export function aboveZero<T extends Record<string, number>>(counts: T): Partial<T> {
  return Object.fromEntries(Object.entries(counts).filter(([, value]) => value > 0)) as Partial<T>;
}
