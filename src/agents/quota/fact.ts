import { z } from 'zod';

/** How much of something that a provider limits was used up, when somebody said so. */
export const QuotaFact = z.object({
  agent: z.string(),
  /** The provider whose headers said it, where they passed through the wire. */
  provider: z.string().optional(),
  /** What is limited: `five_hour`, `primary`, `requests`, … */
  window: z.string(),
  /** How long the window is, if that was said. */
  window_minutes: z.number().optional(),
  /** 0 to 1. */
  used: z.number(),
  resets_at_ms: z.number().optional(),
  /** When it was said. */
  seen_at_ms: z.number(),
  /** Who said it: a run, a session file of the agent, its status line. */
  from: z.enum(['run', 'session', 'status_line']),
  run_id: z.string().optional(),
});
export type QuotaFact = z.infer<typeof QuotaFact>;

/** The headers of a plan call its windows by their length, its programs by words. */
const sameWindow: Readonly<Record<string, string>> = { '5h': 'five_hour', '7d': 'seven_day' };

export const windowName = (window: string): string => sameWindow[window] ?? window;

/** A fact that does not say when it ends, such as that of a minute's requests, says little for long. */
const unboundedMs = 5 * 60_000;

/** Whether it still holds: the window has not begun anew since. */
export function isInForce({ resets_at_ms: resets, seen_at_ms: seen }: QuotaFact, now: number): boolean {
  return resets === undefined ? now - seen < unboundedMs : resets > now;
}

/** The newest fact of each window. */
export function newestOf(facts: readonly QuotaFact[]): QuotaFact[] {
  const newest = new Map<string, QuotaFact>();
  for (const fact of facts) {
    const key = JSON.stringify([fact.agent, fact.provider, fact.window]);
    const known = newest.get(key);
    if (known === undefined || known.seen_at_ms <= fact.seen_at_ms) newest.set(key, fact);
  }
  return [...newest.values()];
}
