import type { ModelUsage, RunOutcome } from '../../../outcome/outcome.ts';
import { present } from '../../../json/present.ts';
import type { JsonObject } from '../../../json/json.ts';

/** One entry for each model; as in our events, the totals include cached and reasoning tokens. */
export function writeUsage({ metrics, usage_by_model }: RunOutcome): JsonObject[] {
  if (metrics.tokens_used === undefined) return [];
  return (usage_by_model ?? [metrics]).map(entryOf);
}

function entryOf(tokens: Omit<ModelUsage, 'cost'>): JsonObject {
  const [input, output] = [rounded(tokens.input_tokens), rounded(tokens.output_tokens)];
  return present({
    model: tokens.model_name,
    inputTokens: input,
    outputTokens: output,
    totalTokens: input === undefined || output === undefined ? undefined : rounded(input + output),
    reasoningTokens: rounded(tokens.reasoning_tokens),
    cachedInputTokens: rounded(tokens.cache_read_tokens),
    cacheWriteInputTokens: rounded(tokens.cache_write_tokens),
  });
}

function rounded(tokens: number | undefined): number | undefined {
  return tokens === undefined ? undefined : Math.min(Math.round(tokens), Number.MAX_SAFE_INTEGER);
}
