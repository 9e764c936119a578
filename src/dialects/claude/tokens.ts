import type { Tokens } from '../tokens.ts';

const fields = ['input_tokens', 'output_tokens', 'reasoning_tokens', 'cache_read_tokens', 'cache_write_tokens', 'cost_usd'] as const;

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
