import { z } from 'zod';

const Result = z.looseObject({ status: z.string(), response: z.string().optional(), error: z.string().optional() });

/** One line of stream-json, or the one object of `json`. */
export const Line = z.union([
  z.looseObject({ event: z.literal('init'), conversation_id: z.string(), init: z.looseObject({}) }),
  z.looseObject({ event: z.literal('step_update'), step_update: z.looseObject({ state: z.string().optional() }) }),
  z.looseObject({ event: z.literal('result'), result: Result }),
  Result.extend({ conversation_id: z.string() }),
]);
