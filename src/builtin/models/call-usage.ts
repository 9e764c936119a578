import type { LanguageModelUsage, ProviderMetadata } from 'ai';
import type { Json } from '../../dialects/dialect.ts';
import { count, filled, object } from '../../dialects/read.ts';
import type { Tokens } from '../../outcome/tokens.ts';
import { present } from '../../present.ts';

/** What one model call used. */
export interface CallUsage extends Tokens {
  /** `batch`, `priority` and the like, as the provider names it. */
  serviceTier?: string;
}

/** Undefined: the provider reports no usage. */
export function usageOf(usage: LanguageModelUsage, metadata?: ProviderMetadata): CallUsage | undefined {
  const { inputTokens, inputTokenDetails, outputTokens, outputTokenDetails } = usage;
  const [input, output] = [counted(inputTokens), counted(outputTokens)];
  if (input === undefined && output === undefined) return undefined;
  // What decides the price besides the counts, in the words of Anthropic; OpenAI names its tier beside the usage.
  const raw = object(usage.raw as Json | undefined);
  const { serviceTier } = object(metadata?.openai as Json | undefined);
  return present({
    input,
    output,
    reasoning: counted(outputTokenDetails.reasoningTokens),
    cacheRead: counted(inputTokenDetails.cacheReadTokens),
    cacheWrite: counted(inputTokenDetails.cacheWriteTokens),
    cacheWriteHour: count(object(raw.cache_creation).ephemeral_1h_input_tokens) || undefined,
    webSearches: count(object(raw.server_tool_use).web_search_requests) || undefined,
    serviceTier: filled(raw.service_tier) ?? filled(serviceTier),
  });
}

/** Ignores impossible counts: a server that reports -5000 would reduce the run's cost. */
function counted(tokens: number | undefined): number | undefined {
  return tokens !== undefined && Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : undefined;
}
