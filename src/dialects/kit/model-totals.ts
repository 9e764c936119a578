import type { ModelUsage, RunOutcome } from '../../outcome/outcome.ts';
import { type SparseTokens, type Tokens, tokensOf } from './tokens.ts';

/**
 * The totals of each model as the agent reported them, if they add up to those of the outcome. They do not where several runs are
 * written as one, or a session is resumed: then the outcome's totals, without a name if a single model was used but not named.
 */
export function totalsByModel(
  usages: ReadonlyMap<string, SparseTokens>,
  outcome: RunOutcome,
): ReadonlyMap<string, Tokens> {
  const { metrics, usage_by_model } = outcome;
  let sum = 0;
  for (const { input_tokens = 0, output_tokens = 0 } of usages.values()) sum += input_tokens + output_tokens;
  if (metrics.tokens_used === undefined || sum === metrics.tokens_used)
    return new Map([...usages].map(([model, tokens]) => [model, tokensOf(tokens)]));
  const models = usage_by_model ?? [metrics];
  return new Map(
    models.map((each) => [each.model_name ?? metrics.model_name ?? '', totalTokens(each, metrics.cost_source)]),
  );
}

/** A cost that the agent did not report is not written. */
export function totalTokens(sum: Omit<ModelUsage, 'model_name'>, source: RunOutcome['metrics']['cost_source']): Tokens {
  return tokensOf({ ...sum, cost_usd: source === 'reported' ? sum.cost : undefined });
}
