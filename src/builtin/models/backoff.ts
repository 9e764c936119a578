const longestMs = 60_000;

/** How long to wait before retry number `attempt` (from 1): doubled each time, with jitter, never above a minute. */
export function backoffMs(
  attempt: number,
  firstMs: number,
  askedMs?: number,
  random: () => number = Math.random,
): number {
  if (askedMs !== undefined) return Math.min(Math.round(askedMs), longestMs);
  const whole = Math.min(firstMs * 2 ** (attempt - 1), longestMs);
  return Math.round(whole * (0.5 + random() / 2));
}
