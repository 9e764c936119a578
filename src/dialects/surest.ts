import type { JsonObject } from './dialect.ts';

/** The surest that any of the first lines makes a dialect. */
export function surest(head: readonly JsonObject[], sure: (wire: JsonObject) => number): number {
  let best = 0;
  for (const wire of head) best = Math.max(best, sure(wire));
  return best;
}
