import { z } from 'zod';

const count = z.int();
const text = z.string();

/** The queue of a fleet, as `/api/queue` answers. */
export const QueueState = z.object({
  figures: z.object({
    jobs: z.object({ waiting: count, queued: count, due: count, running: count, dead: count }),
    oldest_wait_ms: z.number(),
    workers: z.object({ working: count, draining: count, silent: count }),
    slots: count,
    paused: z.boolean(),
  }),
  workers: z.array(
    z.object({
      name: text,
      state: z.enum(['working', 'draining', 'silent']),
      running: count,
      slots: count,
      labels: z.array(text),
      version: text,
      started_at: text,
      heard_at: text,
    }),
  ),
  paused: z.object({ by: text, reason: text, at: text }).optional(),
  jobs: z.array(z.looseObject({ run: text, state: text, title: text })),
  dead: z.array(z.looseObject({ run: text, state: text, title: text })),
});

export type QueueFigures = z.infer<typeof QueueState>['figures'];

/** How the server looks at the queue beside its ledger; undefined: nothing was ever queued there. */
export interface QueueWindow {
  figures(): Promise<QueueFigures | undefined>;
  /** As in `QueueState`. */
  overview(): Promise<object | undefined>;
}
