import type { Json } from './json.ts';

/** A value nested deeper than this counts as too long: recursion must not follow it. */
const maxDepth = 100;

/** The approximate length of a value as JSON; counting stops at a limit. */
export function sizeOf(value: Json, limit: number, depth = 0): number {
  if (typeof value === 'string') return value.length + 3;
  if (typeof value !== 'object' || value === null) return 5;
  if (depth > maxDepth) return limit + 1;
  let size = 2;
  if (Array.isArray(value)) {
    for (const each of value) {
      size += sizeOf(each, limit - size, depth + 1);
      if (size > limit) return size;
    }
    return size;
  }
  for (const key in value) {
    size += key.length + 3 + sizeOf(value[key] ?? null, limit - size, depth + 1);
    if (size > limit) return size;
  }
  return size;
}
