import { z } from 'zod';

const count = z.int().nonnegative();
const envelope = { timestamp: z.iso.datetime(), sequence: z.int().positive(), thread_id: z.string().min(1) };

/** One line of `--stream-json`. */
export const Line = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('thread.started'),
    ...envelope,
    task: z.string(),
    project_name: z.string(),
    parent_branch_id: z.string(),
    headless: z.boolean(),
  }),
  z.looseObject({
    type: z.literal('turn.started'),
    ...envelope,
    turn_id: z.string(),
    iteration: count,
    message_count: count,
    tool_count: count,
  }),
  z.looseObject({
    type: z.literal('assistant.message'),
    ...envelope,
    turn_id: z.string(),
    preview: z.string(),
    tool_call_count: count,
  }),
  z.looseObject({
    type: z.literal('turn.completed'),
    ...envelope,
    turn_id: z.string(),
    iteration: count,
    tool_call_count: count,
    has_final_report: z.boolean(),
  }),
  z.looseObject({
    type: z.literal('item.started'),
    ...envelope,
    item_id: z.string(),
    kind: z.string(),
    name: z.string(),
    args: z.record(z.string(), z.json()),
  }),
  z.looseObject({
    type: z.literal('item.completed'),
    ...envelope,
    item_id: z.string(),
    status: z.string(),
    duration_ms: z.number().nonnegative(),
    branch_id: z.string().optional(),
    summary: z.string().optional(),
  }),
  z.looseObject({
    type: z.literal('error'),
    ...envelope,
    scope: z.string(),
    message: z.string(),
    iteration: count.optional(),
    item_id: z.string().optional(),
    fatal: z.boolean().optional(),
  }),
  // The program leaves out an empty summary, and the report after a fatal error.
  z.looseObject({
    type: z.literal('thread.completed'),
    ...envelope,
    status: z.string(),
    summary: z.string().optional(),
    final_report: z.record(z.string(), z.json()).optional(),
  }),
]);
