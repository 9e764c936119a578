import type { JsonObject } from '../dialect.ts';
import { compact, count } from '../read.ts';

/** Tokens as our events count them: input with the cache in it. */
export interface Tokens {
  input_tokens?: number;
  output_tokens?: number;
  reasoning_tokens?: number;
  cache_read_tokens?: number;
  cache_write_tokens?: number;
  cost_usd?: number;
}

const fields = ['input_tokens', 'output_tokens', 'reasoning_tokens', 'cache_read_tokens', 'cache_write_tokens', 'cost_usd'] as const;

/** Usage as the Messages API writes it: `input_tokens` leaves the cache out. */
export function readUsage(wire: JsonObject): Tokens {
  return withCache(
    count(wire.input_tokens),
    count(wire.output_tokens),
    count(wire.cache_read_input_tokens),
    count(wire.cache_creation_input_tokens),
  );
}

/** One model of `result.modelUsage`; a cost of 0 for tokens that were used is not a price. */
export function readModelUsage(wire: JsonObject): Tokens {
  const tokens: Tokens = {
    ...withCache(
      count(wire.inputTokens) ?? count(wire.input_tokens),
      count(wire.outputTokens) ?? count(wire.output_tokens),
      count(wire.cacheReadInputTokens) ?? count(wire.cache_read_input_tokens),
      count(wire.cacheCreationInputTokens) ?? count(wire.cache_creation_input_tokens),
    ),
    ...compact({ reasoning_tokens: count(wire.thinkingTokens) }),
  };
  const cost = count(wire.costUSD);
  return cost ? { ...tokens, cost_usd: cost } : tokens;
}

function withCache(input: number | undefined, output: number | undefined, read: number | undefined, written: number | undefined): Tokens {
  return compact({
    input_tokens:
      input === undefined && read === undefined && written === undefined ? undefined : (input ?? 0) + (read ?? 0) + (written ?? 0),
    output_tokens: output,
    cache_read_tokens: read,
    cache_write_tokens: written,
  });
}

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

export function plus(left: Tokens, right: Tokens): Tokens {
  const sum: Tokens = { ...left };
  for (const field of fields) {
    const value = right[field];
    if (value !== undefined) sum[field] = exact((sum[field] ?? 0) + value);
  }
  return sum;
}

/** What `now` has more than `before`; fields that did not grow are left out. */
export function growth(now: Tokens, before: Tokens): Tokens {
  const more: Tokens = {};
  for (const field of fields) {
    const value = now[field];
    if (value === undefined) continue;
    const known = before[field];
    if (known === undefined) more[field] = value;
    else if (value > known) more[field] = exact(value - known);
  }
  return more;
}

/** `left` without what `right` has of it. */
export function minus(left: Tokens, right: Tokens): Tokens {
  const rest: Tokens = { ...left };
  for (const field of fields) {
    const value = rest[field];
    if (value !== undefined) rest[field] = exact(Math.max(0, value - (right[field] ?? 0)));
  }
  return rest;
}

/** Differences of dollar amounts must not show the noise of binary fractions. */
function exact(value: number): number {
  return Number.isInteger(value) ? value : Math.round(value * 1e12) / 1e12;
}

export function isAny(tokens: Tokens): boolean {
  return fields.some((field) => (tokens[field] ?? 0) > 0);
}
