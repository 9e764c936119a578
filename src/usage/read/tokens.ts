import type { Tokens } from '../../dialects/kit/tokens.ts';
import type { Call } from '../calls.ts';

/** Tokens as the readers of the dialects count them. */
export function counted(tokens: Tokens): Partial<Call> {
  return {
    input: tokens.input_tokens,
    output: tokens.output_tokens,
    reasoning: tokens.reasoning_tokens,
    cacheRead: tokens.cache_read_tokens,
    cacheWrite: tokens.cache_write_tokens,
    cacheWriteHour: tokens.cache_write_1h_tokens,
    webSearches: tokens.web_searches,
    cost: tokens.cost_usd,
  };
}
