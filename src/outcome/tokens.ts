import type { EventOf } from '../events/event.ts';
import type { Requests } from './requests.ts';

/** Input includes the cache, output includes reasoning. */
export interface Tokens {
  input?: number;
  output?: number;
  reasoning?: number;
  cacheRead?: number;
  cacheWrite?: number;
  /** The part of the cache writes that is kept for an hour; the rest is kept for five minutes. */
  cacheWriteHour?: number;
  webSearches?: number;
  /** In USD. */
  cost?: number;
}

/** What a model used, and the model calls behind it as far as each was reported. */
export interface Used extends Tokens {
  /** How much of the input came from a cache is not told. */
  isCacheUnknown?: boolean | undefined;
  /** Of a total: the price list that its model calls were billed by, where none of them is reported. */
  serviceTier?: string | undefined;
  /** When it was reported last (ms since the epoch), if known. */
  at?: number | undefined;
  requests?: Requests;
  /** Where a part of it came with its cost: the part that came without. */
  unpaid?: Used;
}

/** What no reported cost is for; undefined: nothing. */
export function unpaidOf(used: Used): Used | undefined {
  return used.cost === undefined ? used : used.unpaid;
}

export type ByModel = Map<string, Used>;

const fields = [
  'input',
  'output',
  'reasoning',
  'cacheRead',
  'cacheWrite',
  'cacheWriteHour',
  'webSearches',
  'cost',
] as const;

export function tokensIn(usage: EventOf<'usage.reported'>): Tokens {
  const tokens: Tokens = {};
  if (usage.input_tokens !== undefined) tokens.input = usage.input_tokens;
  if (usage.output_tokens !== undefined) tokens.output = usage.output_tokens;
  if (usage.reasoning_tokens !== undefined) tokens.reasoning = usage.reasoning_tokens;
  if (usage.cache_read_tokens !== undefined) tokens.cacheRead = usage.cache_read_tokens;
  if (usage.cache_write_tokens !== undefined) tokens.cacheWrite = usage.cache_write_tokens;
  if (usage.cache_write_1h_tokens !== undefined) tokens.cacheWriteHour = usage.cache_write_1h_tokens;
  if (usage.web_searches !== undefined) tokens.webSearches = usage.web_searches;
  if (usage.cost_usd !== undefined) tokens.cost = usage.cost_usd;
  return tokens;
}

export function addTokens(sum: Tokens, more: Tokens): void {
  for (const field of fields) {
    const value = more[field];
    if (value !== undefined) sum[field] = (sum[field] ?? 0) + value;
  }
}

/** `tokens` less `taken`, never below zero; fields that `tokens` does not have stay absent. */
export function without(tokens: Tokens, taken: Tokens): Tokens {
  const rest: Tokens = {};
  for (const field of fields) {
    const value = tokens[field];
    if (value !== undefined) rest[field] = Math.max(0, value - (taken[field] ?? 0));
  }
  return rest;
}

const parts = ['input', 'output', 'cacheRead', 'cacheWrite', 'cacheWriteHour', 'webSearches'] as const;

/** Whether `part` may be a part of `whole`: nothing that the whole counts is more in the part. */
export function isWithin(part: Tokens, whole: Tokens): boolean {
  return parts.every((field) => whole[field] === undefined || (part[field] ?? 0) <= (whole[field] ?? 0));
}

/** Whether there is anything that is paid for. */
export function isBillable(tokens: Tokens): boolean {
  return parts.some((field) => (tokens[field] ?? 0) > 0);
}
