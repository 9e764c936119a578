import { tokenFields } from '../../outcome/token-fields.ts';
import type { Json, JsonObject } from '../../json/json.ts';

/** Tokens as our events count them: input includes the cache, output includes the reasoning. */
export interface Tokens {
  input_tokens?: number;
  output_tokens?: number;
  reasoning_tokens?: number;
  cache_read_tokens?: number;
  cache_write_tokens?: number;
  /** The part of the cache writes that is kept for an hour. */
  cache_write_1h_tokens?: number;
  web_searches?: number;
  cost_usd?: number;
}

/** The same fields on an event or an outcome, among others. */
export type SparseTokens = { readonly [Field in keyof Tokens]?: Tokens[Field] | undefined };

const fields = [...tokenFields, 'cache_write_1h_tokens', 'web_searches', 'cost_usd'] as const;

/** Only the token fields of an event or an outcome. */
export function tokensOf(usage: SparseTokens): Tokens {
  const tokens: Tokens = {};
  for (const field of fields) {
    const value = usage[field];
    if (value !== undefined) tokens[field] = value;
  }
  return tokens;
}

export function plus(left: Tokens, right: SparseTokens): Tokens {
  const sum: Tokens = { ...left };
  for (const field of fields) {
    const value = right[field];
    if (value !== undefined) sum[field] = exact((sum[field] ?? 0) + value);
  }
  return sum;
}

/** By how much `now` exceeds `before`; fields that did not grow are left out. */
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

/** `left` less `right`, never below zero. */
export function minus(left: Tokens, right: Tokens): Tokens {
  const rest: Tokens = { ...left };
  for (const field of fields) {
    const value = rest[field];
    if (value !== undefined) rest[field] = exact(Math.max(0, value - (right[field] ?? 0)));
  }
  return rest;
}

/** Words for the origin of a cost that its agent does not know. */
const guesses: ReadonlySet<Json | undefined> = new Set(['unknown', 'guess', 'guessed', 'fallback', 'default']);

/** Whether the agent itself says that it does not know the prices behind a cost: then the cost is no fact. */
export function isGuess({ costBasis, cost_basis, hasUnknownModelCost, has_unknown_model_cost }: JsonObject): boolean {
  return guesses.has(costBasis ?? cost_basis) || (hasUnknownModelCost ?? has_unknown_model_cost) === true;
}

/** Differences between dollar amounts must not show the noise of binary fractions. */
function exact(value: number): number {
  return Number.isInteger(value) ? value : Math.round(value * 1e12) / 1e12;
}

export function isAny(tokens: Tokens): boolean {
  return fields.some((field) => (tokens[field] ?? 0) > 0);
}
