import type { JsonObject } from '../../dialect.ts';
import { compact } from '../../read.ts';
import type { Tokens } from '../tokens.ts';

export function writeUsage(tokens: Tokens): JsonObject {
  return {
    input_tokens: uncached(tokens),
    ...compact({ cache_creation_input_tokens: tokens.cache_write_tokens, cache_read_input_tokens: tokens.cache_read_tokens }),
    output_tokens: tokens.output_tokens ?? 0,
  };
}

export function writeModelUsage(tokens: Tokens): JsonObject {
  return {
    inputTokens: uncached(tokens),
    outputTokens: tokens.output_tokens ?? 0,
    ...compact({
      cacheReadInputTokens: tokens.cache_read_tokens,
      cacheCreationInputTokens: tokens.cache_write_tokens,
      thinkingTokens: tokens.reasoning_tokens,
    }),
    webSearchRequests: 0,
    costUSD: tokens.cost_usd ?? 0,
  };
}

function uncached({ input_tokens = 0, cache_read_tokens = 0, cache_write_tokens = 0 }: Tokens): number {
  return Math.max(0, input_tokens - cache_read_tokens - cache_write_tokens);
}
