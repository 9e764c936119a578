import { z } from 'zod';

const turn = z.int().nonnegative();
const tokens = z.int().nonnegative();
const usd = z.number().nonnegative();

/** One line of `--output-format json`; version 0.16 had only the first eight. */
export const Line = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('session_start'),
    session_id: z.string(),
    model: z.string(),
    timestamp: z.iso.datetime({ offset: true }),
    cwd: z.string().optional(),
    os: z.string().optional(),
    arch: z.string().optional(),
    agent_version: z.string().optional(),
  }),
  z.looseObject({ type: z.literal('text_delta'), content: z.string(), turn }),
  z.looseObject({ type: z.literal('thinking'), content: z.string(), turn }),
  z.looseObject({ type: z.literal('tool_call'), tool: z.string(), input: z.json(), turn }),
  z.looseObject({ type: z.literal('tool_result'), tool: z.string(), output: z.string(), is_error: z.boolean(), turn }),
  z.looseObject({ type: z.literal('turn_complete'), turn, input_tokens: tokens, output_tokens: tokens, cost_usd: usd }),
  z.looseObject({ type: z.literal('error'), message: z.string(), turn }),
  z.looseObject({
    type: z.literal('session_end'),
    turns: turn,
    total_cost_usd: usd,
    exit_code: z.int().min(0).max(255),
  }),
  z.looseObject({ type: z.literal('turn_start'), turn }),
  z.looseObject({ type: z.literal('warning'), message: z.string(), turn }),
  z.looseObject({ type: z.literal('compact'), freed_tokens: z.int().nonnegative(), turn }),
  z.looseObject({ type: z.literal('permission_denied'), tool: z.string(), reason: z.string(), turn }),
]);
