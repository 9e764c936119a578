/** A first reservation, when nobody knows yet what a model call takes: this share of the budget. */
const firstShare = 1 / 100;

/** What a run that starts may have of what is free; 0: nothing is left. `step`: the dearest model call so far. */
export function firstGrant(limit: number, free: number, step = 0): number {
  return Math.max(0, Math.min(Math.max(step, limit * firstShare), free / 2));
}

/** What a run may have that took so much: room for one more step, as far as there is room; no more than it took: it must stop. */
export function nextGrant(spent: number, step: number, room: number): number {
  // What was taken is taken, whether or not there was room for it.
  return Math.max(spent, Math.min(spent + step, room));
}
