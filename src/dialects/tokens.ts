import type { Json } from './dialect.ts';
import { compact, count } from './read.ts';

/** Tokens as our events count them: input with the cache in it, output with the reasoning. */
export interface Tokens {
  input_tokens?: number;
  output_tokens?: number;
  reasoning_tokens?: number;
  cache_read_tokens?: number;
  cache_write_tokens?: number;
  cost_usd?: number;
}

/** For wires that count cached tokens beside the fresh ones: ours holds both. Undefined: all zero, so nobody counted. */
export function tokensBesideCache(fresh?: Json, output?: Json, cacheRead?: Json, cacheWrite?: Json): Tokens | undefined {
  const [input, said, read, write] = [count(fresh), count(output), count(cacheRead), count(cacheWrite)];
  if (!input && !said && !read && !write) return undefined;
  return compact({
    input_tokens: input === undefined ? undefined : input + (read ?? 0) + (write ?? 0),
    output_tokens: said,
    cache_read_tokens: read,
    cache_write_tokens: write,
  });
}
