/** The share of the budget for a first reservation, when it is not yet known what a model call takes. */
const firstShare = 1 / 100;

/** How much of the free budget a new run may have; 0: nothing is left. `step`: the most expensive model call so far. */
export function firstGrant(limit: number, free: number, step = 0): number {
  return Math.max(0, Math.min(Math.max(step, limit * firstShare), free / 2));
}

/** What a run that has spent this much may have: room for one more step, if there is any; if it equals what was spent, the run must stop. */
export function nextGrant(spent: number, step: number, room: number): number {
  // What was spent stays spent, whether or not there was room for it.
  return Math.max(spent, Math.min(spent + step, room));
}

/** Sums of dollars have noise in their last digits. */
export function isRoomFor(amount: number, room: number): boolean {
  return amount <= room + Math.abs(amount) * 1e-12;
}
