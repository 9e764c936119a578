import { setTimeout as sleep } from 'node:timers/promises';

const longestMs = 60_000;

/** How long to wait before retry number `attempt` (from 1): doubled each time, a part of it by chance, never above a minute. */
export function backoffMs(attempt: number, firstMs: number, askedMs?: number, random: () => number = Math.random): number {
  if (askedMs !== undefined) return Math.min(Math.round(askedMs), longestMs);
  const whole = Math.min(firstMs * 2 ** (attempt - 1), longestMs);
  return Math.round(whole * (0.5 + random() / 2));
}

/** Whether the whole time passed; false when the signal came first. */
export async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal });
    return true;
  } catch {
    return false;
  }
}
