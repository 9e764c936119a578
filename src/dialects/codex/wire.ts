import { z } from 'zod';

const nullable = <T extends z.ZodType>(schema: T) => schema.nullable().optional();
const tokens = z.number().int().nonnegative();
const status = z.enum(['in_progress', 'completed', 'failed', 'declined']);
const message = z.looseObject({ message: z.string() });

const items = [
  z.looseObject({ id: z.string(), type: z.literal('agent_message'), text: z.string() }),
  z.looseObject({ id: z.string(), type: z.literal('reasoning'), text: z.string() }),
  z.looseObject({
    id: z.string(),
    type: z.literal('command_execution'),
    command: z.string(),
    aggregated_output: z.string().optional(),
    exit_code: nullable(z.int()),
    status: status.optional(),
  }),
  z.looseObject({
    id: z.string(),
    type: z.literal('file_change'),
    changes: z.array(z.looseObject({ path: z.string(), kind: z.enum(['add', 'delete', 'update']) })),
    status,
  }),
  z.looseObject({
    id: z.string(),
    type: z.literal('mcp_tool_call'),
    server: z.string(),
    tool: z.string(),
    arguments: z.json().optional(),
    result: nullable(z.json()),
    error: nullable(message),
    status,
  }),
  z.looseObject({
    id: z.string(),
    type: z.literal('collab_tool_call'),
    tool: z.string(),
    sender_thread_id: z.string().optional(),
    receiver_thread_ids: z.array(z.string()).optional(),
    prompt: nullable(z.string()),
    agents_states: z.record(z.string(), z.json()).optional(),
    status,
  }),
  z.looseObject({ id: z.string(), type: z.literal('web_search'), query: z.string(), action: z.json().optional() }),
  z.looseObject({
    id: z.string(),
    type: z.literal('todo_list'),
    items: z.array(z.looseObject({ text: z.string(), completed: z.boolean() })),
  }),
  z.looseObject({ id: z.string(), type: z.literal('error'), message: z.string() }),
] as const;
const Item = z.discriminatedUnion('type', items);

/** One line of `codex exec --json`, 0.44 and later. */
const Current = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('thread.started'), thread_id: z.string() }),
  z.looseObject({ type: z.literal('turn.started') }),
  z.looseObject({
    type: z.literal('turn.completed'),
    usage: z.looseObject({
      input_tokens: tokens,
      cached_input_tokens: tokens.optional(),
      cache_write_input_tokens: tokens.optional(),
      output_tokens: tokens,
      reasoning_output_tokens: tokens.optional(),
    }),
  }),
  z.looseObject({ type: z.literal('turn.failed'), error: message }),
  z.looseObject({ type: z.literal('item.started'), item: Item }),
  z.looseObject({ type: z.literal('item.updated'), item: Item }),
  z.looseObject({ type: z.literal('item.completed'), item: Item }),
  z.looseObject({ type: z.literal('error'), message: z.string() }),
]);

/** 0.42 and 0.43: items tagged by `item_type`, the thread called a session. */
const Renamed = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('session.created'), session_id: z.string() }),
  ...(['item.started', 'item.updated', 'item.completed'] as const).map((type) =>
    z.looseObject({ type: z.literal(type), item: z.looseObject({ id: z.string(), item_type: z.string() }) }),
  ),
]);

/** Before 0.43: config summary, prompt, `{id, msg}`. */
const Legacy = z.union([
  z.looseObject({ id: z.string(), msg: z.looseObject({ type: z.string() }) }),
  z.looseObject({ prompt: z.string() }),
  z.looseObject({ workdir: z.string(), model: z.string(), sandbox: z.string() }),
]);

/** A line of a session file. */
const Rollout = z.looseObject({ timestamp: z.string(), type: z.string(), payload: z.looseObject({}) });

export const Line = z.union([Current, Renamed, Legacy, Rollout]);
