import { z } from 'zod';

/** The answer that Continue had to wrap, one of its notes, or whatever JSON object the model answered. */
export const Line = z.union([
  z.strictObject({ response: z.string(), status: z.literal('success'), note: z.string() }),
  z.strictObject({
    status: z.enum(['info', 'success', 'warning', 'error']),
    message: z.string(),
    contextUsage: z.json().optional(),
    historyLength: z.json().optional(),
  }),
  z.record(z.string(), z.json()),
]);
