import type { z } from 'zod';
import type { RowKit } from './row.ts';

/** The fields of one of several attempts at a run; the last one is the run's outcome. */
export function attemptShape({ z, outcome }: RowKit) {
  const amount = z.number().nonnegative().optional();
  return {
    number: z.int(),
    status: outcome.shape.status,
    class: outcome.shape.verdict.shape.class,
    session_id: z.string().optional(),
    started_at: z.number().optional(),
    duration_ms: amount,
    tokens_used: amount,
    cost: amount,
    /** Why it was retried. */
    reason: z.string().optional(),
  };
}

type Given = z.infer<z.ZodObject<ReturnType<typeof attemptShape>>>;
/** One of several attempts at a run. */
export type Attempt = { [Name in keyof Given]: Exclude<Given[Name], undefined> };
