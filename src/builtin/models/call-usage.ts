import type { LanguageModelUsage, ProviderMetadata } from 'ai';
import { fieldOf } from '../../json/field-of.ts';
import { present } from '../../json/present.ts';
import { tierOfMessages } from '../../outcome/service-tier.ts';
import type { Tokens } from '../../outcome/tokens.ts';

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
  const inRaw = (...path: readonly string[]): unknown => path.reduce(fieldOf, usage.raw as unknown);
  return present({
    input,
    output,
    reasoning: counted(outputTokenDetails.reasoningTokens),
    cacheRead: counted(inputTokenDetails.cacheReadTokens),
    cacheWrite: counted(inputTokenDetails.cacheWriteTokens),
    cacheWriteHour: counted(inRaw('cache_creation', 'ephemeral_1h_input_tokens')) || undefined,
    webSearches: counted(inRaw('server_tool_use', 'web_search_requests')) || undefined,
    serviceTier: tierOfMessages(usage.raw ?? {}) ?? named(fieldOf(metadata?.['openai'], 'serviceTier')),
  });
}

/** Ignores impossible counts: a server that reports -5000 would reduce the run's cost. */
function counted(tokens: unknown): number | undefined {
  return typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : undefined;
}

function named(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
