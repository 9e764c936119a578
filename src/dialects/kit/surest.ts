import type { JsonObject } from '../../json/json.ts';

/** The highest certainty that any of the first lines gives. */
export function surest(head: readonly JsonObject[], sure: (wire: JsonObject) => number): number {
  let best = 0;
  for (const wire of head) best = Math.max(best, sure(wire));
  return best;
}
