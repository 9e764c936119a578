/** Clocks differ by so much, and a message takes its time. */
const lateMs = 60_000;
/** No plan has a longer window than a week; a month is for people to decide. */
const farthestMs = 8 * 86_400_000;

/** It was named when it had passed already. */
export function isOver(at: number, now: number): boolean {
  return at < now - lateMs;
}

export function isTooFar(at: number, now: number): boolean {
  return !(at <= now + farthestMs);
}
