import { z } from 'zod';

const rpc = { jsonrpc: z.literal('2.0') };
const id = z.union([z.string(), z.int(), z.null()]);
const sessionId = z.string();
const content = z.looseObject({ type: z.enum(['text', 'image', 'audio', 'resource_link', 'resource']) });
const nullable = <T extends z.ZodType>(schema: T) => schema.nullable().optional();

const toolContent = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('content'), content }),
  z.looseObject({ type: z.literal('diff'), path: z.string(), oldText: nullable(z.string()), newText: z.string() }),
  z.looseObject({ type: z.literal('terminal'), terminalId: z.string() }),
]);
const tool = {
  toolCallId: z.string(),
  kind: nullable(z.string()),
  status: nullable(z.enum(['pending', 'in_progress', 'completed', 'failed'])),
  content: nullable(z.array(toolContent)),
  locations: nullable(z.array(z.looseObject({ path: z.string() }))),
  rawInput: z.json().optional(),
  rawOutput: z.json().optional(),
};
const chunk = { content, messageId: nullable(z.string()) };
const update = <Name extends string>(name: Name, shape: z.ZodRawShape = {}) =>
  z.looseObject({ sessionUpdate: z.literal(name), ...shape });

const Update = z.discriminatedUnion('sessionUpdate', [
  update('user_message_chunk', chunk),
  update('agent_message_chunk', chunk),
  update('agent_thought_chunk', chunk),
  update('tool_call', { ...tool, title: z.string() }),
  update('tool_call_update', { ...tool, title: nullable(z.string()) }),
  update('plan', {
    entries: z.array(z.looseObject({ content: z.string(), priority: z.string(), status: z.string() })),
  }),
  update('available_commands_update', { availableCommands: z.array(z.looseObject({ name: z.string() })) }),
  update('current_mode_update', { currentModeId: z.string() }),
  update('config_option_update', { configOptions: z.array(z.looseObject({ id: z.string() })) }),
  update('session_info_update'),
  update('usage_update', { used: z.number(), size: z.number() }),
  update('notice', { severity: z.string(), title: z.string() }),
  update('compaction_update', { compactionId: z.string(), status: z.string() }),
  update('compaction_summary_chunk', { compactionId: z.string() }),
]);

/** One message of ACP version 1, on a single line. */
export const Message = z.union([
  z.looseObject({
    ...rpc,
    method: z.literal('session/update'),
    params: z.looseObject({ sessionId, update: Update }),
  }),
  z.looseObject({
    ...rpc,
    id,
    method: z.literal('session/request_permission'),
    params: z.looseObject({
      sessionId,
      toolCall: z.looseObject(tool),
      options: z.array(z.looseObject({ optionId: z.string(), name: z.string(), kind: z.string() })),
    }),
  }),
  z.looseObject({
    ...rpc,
    id,
    method: z.literal('session/prompt'),
    params: z.looseObject({ sessionId, prompt: z.array(content) }),
  }),
  z.looseObject({
    ...rpc,
    id: id.optional(),
    method: z
      .string()
      .refine((method) => !['session/update', 'session/request_permission', 'session/prompt'].includes(method)),
    params: z.json().optional(),
  }),
  z.looseObject({ ...rpc, id, result: z.json(), method: z.undefined().optional() }),
  z.looseObject({
    ...rpc,
    id,
    error: z.looseObject({ code: z.int(), message: z.string() }),
    method: z.undefined().optional(),
  }),
]);
