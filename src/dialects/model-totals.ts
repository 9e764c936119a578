import type { EventOf } from '../events/event.ts';
import type { ModelUsage, RunOutcome } from '../outcome/outcome.ts';
import { present } from '../present.ts';
import type { Tokens } from './tokens.ts';

type Told = Pick<EventOf<'usage.reported'>, keyof Tokens>;

/**
 * The totals of each model as the agent told them, where they come to what the outcome says. They do not where several runs are
 * told as one, or a session is resumed: then those of the outcome, without a name where only one model is known, and not which.
 */
export function totalsByModel(told: ReadonlyMap<string, Told>, outcome: RunOutcome): ReadonlyMap<string, Tokens> {
  const { metrics, usage_by_model } = outcome;
  let sum = 0;
  for (const { input_tokens = 0, output_tokens = 0 } of told.values()) sum += input_tokens + output_tokens;
  if (metrics.tokens_used === undefined || sum === metrics.tokens_used)
    return new Map([...told].map(([model, tokens]) => [model, counted(tokens)]));
  const models = usage_by_model ?? [metrics];
  return new Map(models.map((each) => [each.model_name ?? metrics.model_name ?? '', tokensOf(each, metrics.cost_source)]));
}

function counted({ input_tokens, output_tokens, reasoning_tokens, cache_read_tokens, cache_write_tokens, cost_usd }: Told): Tokens {
  return present({ input_tokens, output_tokens, reasoning_tokens, cache_read_tokens, cache_write_tokens, cost_usd });
}

type Sum = Omit<ModelUsage, 'model_name'> & { model_name?: string | undefined };

function tokensOf(sum: Sum, source: RunOutcome['metrics']['cost_source']): Tokens {
  return counted({ ...sum, cost_usd: source === 'reported' ? sum.cost : undefined });
}
