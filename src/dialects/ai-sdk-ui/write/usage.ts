import type { RunOutcome } from '../../../outcome/outcome.ts';
import { present } from '../../../json/present.ts';
import type { JsonObject } from '../../../json/json.ts';

/** Undefined: nothing was counted. */
export function writeUsage(metrics: RunOutcome['metrics']): JsonObject | undefined {
  const usage = present({
    inputTokens: metrics.input_tokens,
    outputTokens: metrics.output_tokens,
    totalTokens: metrics.tokens_used,
    reasoningTokens: metrics.reasoning_tokens,
    cachedInputTokens: metrics.cache_read_tokens,
    cacheWriteTokens: metrics.cache_write_tokens,
  });
  return Object.keys(usage).length === 0 ? undefined : usage;
}
