import { z } from 'zod';

const session_id = z.string();
const message = z.looseObject({ role: z.string(), content: z.array(z.looseObject({ type: z.string() })) });

/** One line of stream-json; the object of `json` is a `result` line. */
export const Line = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('system'), subtype: z.literal('init'), session_id, apiKeySource: z.string(), model: z.string() }),
  z.looseObject({ type: z.literal('user'), session_id, message }),
  z.looseObject({ type: z.literal('assistant'), session_id, message }),
  z.looseObject({ type: z.literal('thinking'), session_id, subtype: z.enum(['delta', 'completed']), text: z.string().optional() }),
  z.looseObject({
    type: z.literal('tool_call'),
    session_id,
    subtype: z.enum(['started', 'completed']),
    call_id: z.string(),
    tool_call: z.record(z.string(), z.json()),
  }),
  z.looseObject({ type: z.literal('result'), session_id, subtype: z.string(), is_error: z.boolean(), result: z.string() }),
]);
