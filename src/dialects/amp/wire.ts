import { z } from 'zod';

const session_id = z.string();
const tokens = z.int().nonnegative();
const usage = z.looseObject({ input_tokens: tokens, output_tokens: tokens });
const block = z.looseObject({ type: z.string() });
const result = {
  type: z.literal('result'),
  session_id,
  usage: usage.optional(),
  permission_denials: z.array(z.string()).optional(),
};

/** One line of `amp --stream-json`. */
export const Line = z.union([
  z.looseObject({ type: z.literal('system'), subtype: z.literal('init'), session_id, cwd: z.string(), tools: z.array(z.string()) }),
  z.looseObject({
    type: z.literal('assistant'),
    session_id,
    message: z.looseObject({ role: z.literal('assistant'), content: z.array(block), usage: usage.nullable().optional() }),
  }),
  z.looseObject({
    type: z.literal('user'),
    session_id,
    message: z.looseObject({ role: z.literal('user'), content: z.union([z.string(), z.array(block)]) }),
  }),
  z.looseObject({ ...result, subtype: z.literal('success'), is_error: z.literal(false), result: z.string() }),
  z.looseObject({
    ...result,
    subtype: z.enum(['error_during_execution', 'error_max_turns']),
    is_error: z.literal(true),
    error: z.string(),
  }),
]);
