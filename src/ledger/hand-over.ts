import type { LedgerOutcome, RunStore } from '../stores/run-store.ts';
import { sessionLabel } from './one-run.ts';

/** What a copy of a session counted before its original was known, in the original's own words. */
export interface Shared {
  requests: readonly string[];
  outcome: LedgerOutcome;
}

/** Model calls that a run has from a copy of another's session go to the run that made them. */
export async function handOver(store: RunStore, from: string, to: string, shared: Shared): Promise<void> {
  const copy = await store.get(from);
  // What was seen as it happened is nobody else's.
  if (copy?.outcome === undefined || copy.ended_at === undefined || copy.labels[sessionLabel] === undefined) return;
  const isAll = (await store.requestsOf(from)).length <= shared.requests.length;
  const { outcome, ended_at, last_sequence, attempts } = copy;
  await store.handOver(
    from,
    to,
    shared.requests,
    isAll ? undefined : { outcome: without(outcome, shared.outcome), ended_at, last_sequence, attempts },
  );
}

const counts = [
  'tokens_used',
  'input_tokens',
  'output_tokens',
  'reasoning_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'cost',
] as const;
type Counts = Partial<Record<(typeof counts)[number], number | undefined>>;

function without(outcome: LedgerOutcome, shared: LedgerOutcome): LedgerOutcome {
  const { metrics } = outcome;
  const { api_calls_count: modelCalls, tool_calls_count: toolCalls } = metrics;
  const models = modelsOf(shared);
  // Which part of it is whose is not known.
  const { usage_over_time: _parts, ...others } = outcome;
  return {
    ...others,
    metrics: {
      ...less(metrics, shared.metrics),
      turns: Math.max(0, metrics.turns - shared.metrics.turns),
      ...(modelCalls === undefined ? {} : { api_calls_count: rest(modelCalls, shared.metrics.api_calls_count) }),
      ...(toolCalls === undefined ? {} : { tool_calls_count: rest(toolCalls, shared.metrics.tool_calls_count) }),
    },
    ...(outcome.usage_by_model === undefined
      ? {}
      : {
          usage_by_model: outcome.usage_by_model.map((each) =>
            less(each, models.find(({ model_name }) => model_name === each.model_name) ?? {}),
          ),
        }),
    tool_calls: ownCalls(outcome.tool_calls, shared.tool_calls),
  };
}

function modelsOf({
  usage_by_model,
  metrics,
}: LedgerOutcome): readonly (Counts & { model_name?: string | undefined })[] {
  return usage_by_model ?? [metrics];
}

function less<From extends Counts>(from: From, shared: Counts): From {
  const left = { ...from };
  for (const name of counts) {
    const value = from[name];
    if (value !== undefined) left[name] = rest(value, shared[name]) as From[typeof name];
  }
  return left;
}

function rest(value: number, shared = 0): number {
  return Math.max(0, value - shared);
}

/** A copy begins with what it shares, so that the first tool calls of a name are the shared ones. */
function ownCalls(
  calls: LedgerOutcome['tool_calls'],
  shared: readonly { name: string }[],
): LedgerOutcome['tool_calls'] {
  const left = new Map<string, number>();
  for (const { name } of shared) left.set(name, (left.get(name) ?? 0) + 1);
  return calls.filter(({ name }) => {
    const count = left.get(name) ?? 0;
    if (count > 0) left.set(name, count - 1);
    return count === 0;
  });
}
