import { z } from 'zod';

const session_id = z.string();

const Event = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('system'), subtype: z.literal('init'), session_id }),
  z.looseObject({ type: z.literal('message'), role: z.enum(['user', 'assistant']), text: z.string(), session_id }),
  z.looseObject({ type: z.literal('reasoning'), text: z.string() }),
  z.looseObject({ type: z.literal('tool_call'), toolId: z.string(), toolName: z.string(), parameters: z.json() }),
  z.looseObject({ type: z.literal('tool_result'), toolId: z.string(), isError: z.boolean() }),
  z.looseObject({ type: z.literal('error'), message: z.string() }),
  z.looseObject({ type: z.literal('completion'), finalText: z.string(), session_id }),
  z.looseObject({ type: z.literal('result'), subtype: z.string(), is_error: z.boolean(), result: z.string(), session_id }),
]);

/** One line of stream-json (the object of `json` is a `result`), or a log line of a failed start. */
export const Line = z.union([Event, z.looseObject({ level: z.string() })]);
