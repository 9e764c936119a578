import { z } from 'zod';

const tokens = z.number().nonnegative();
const envelope = { uuid: z.string(), session_id: z.string() };
const place = { ...envelope, parent_tool_use_id: z.string().nullable().optional() };

const Usage = z.looseObject({
  input_tokens: tokens,
  output_tokens: tokens,
  cache_read_input_tokens: tokens.optional(),
  total_tokens: tokens.optional(),
});

const Block = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string().optional() }),
  z.looseObject({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: z.json() }),
]);

const UserBlock = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({
    type: z.literal('tool_result'),
    tool_use_id: z.string(),
    is_error: z.boolean(),
    content: z.json().optional(),
  }),
]);

const Event = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('message_start'),
    message: z.looseObject({ id: z.string(), role: z.literal('assistant') }),
  }),
  z.looseObject({ type: z.literal('content_block_start'), index: z.int(), content_block: Block }),
  z.looseObject({
    type: z.literal('content_block_delta'),
    index: z.int(),
    delta: z.discriminatedUnion('type', [
      z.looseObject({ type: z.literal('text_delta'), text: z.string() }),
      z.looseObject({ type: z.literal('thinking_delta'), thinking: z.string() }),
      z.looseObject({ type: z.literal('input_json_delta'), partial_json: z.string() }),
    ]),
  }),
  z.looseObject({ type: z.literal('content_block_stop'), index: z.int() }),
  z.looseObject({ type: z.literal('message_stop') }),
  z.looseObject({
    type: z.literal('tool_progress'),
    tool_use_id: z.string(),
    content: z.looseObject({ type: z.string() }),
  }),
  z.looseObject({ type: z.literal('goal_state') }),
  z.looseObject({ type: z.literal('active_goal') }),
]);

const System = z.union([
  z.looseObject({
    type: z.literal('system'),
    subtype: z.literal('init'),
    ...envelope,
    cwd: z.string(),
    tools: z.array(z.string()),
    mcp_servers: z.array(z.looseObject({ name: z.string(), status: z.string() })),
    model: z.string(),
    permission_mode: z.string(),
    slash_commands: z.array(z.string()),
    qwen_code_version: z.string(),
  }),
  z.looseObject({
    type: z.literal('system'),
    subtype: z.string().regex(/^(?!init$)/),
    ...place,
    data: z.looseObject({}).optional(),
  }),
]);

const ending = {
  type: z.literal('result'),
  ...envelope,
  duration_ms: z.number().nonnegative(),
  duration_api_ms: z.number().nonnegative(),
  num_turns: z.int().nonnegative(),
  usage: Usage,
  permission_denials: z.array(
    z.looseObject({ tool_name: z.string(), tool_use_id: z.string(), tool_input: z.record(z.string(), z.json()) }),
  ),
};
const Result = z.union([
  z.looseObject({ ...ending, subtype: z.literal('success'), is_error: z.literal(false), result: z.string() }),
  z.looseObject({
    ...ending,
    subtype: z.enum(['error_during_execution', 'error_max_turns']),
    is_error: z.literal(true),
    error: z.looseObject({ message: z.string() }).optional(),
  }),
]);

const Control = z.union([
  z.looseObject({
    type: z.literal('control_request'),
    request_id: z.string(),
    request: z.looseObject({ subtype: z.string() }),
  }),
  z.looseObject({
    type: z.literal('control_response'),
    response: z.looseObject({ subtype: z.enum(['success', 'error']), request_id: z.string() }),
  }),
  z.looseObject({ type: z.literal('control_cancel_request'), request_id: z.string() }),
]);

/** Before 0.3: the document of Gemini CLI. */
const Old = z.looseObject({
  type: z.undefined().optional(),
  response: z.string(),
  stats: z.looseObject({ models: z.looseObject({}) }),
});

/** A line of a session file. */
const Session = z.union([
  z.looseObject({
    type: z.enum(['user', 'assistant', 'tool_result']),
    sessionId: z.string(),
    message: z.looseObject({ parts: z.array(z.looseObject({})) }),
  }),
  z.looseObject({ type: z.literal('tool_result'), sessionId: z.string(), toolCallResult: z.looseObject({}) }),
  z.looseObject({ type: z.literal('system'), sessionId: z.string(), systemPayload: z.looseObject({}) }),
]);

/** One line of `--output-format stream-json`, or one element of the array of `--output-format json`. */
export const Line = z.union([
  System,
  z.looseObject({
    type: z.literal('assistant'),
    ...place,
    message: z.looseObject({
      id: z.string(),
      type: z.literal('message'),
      role: z.literal('assistant'),
      model: z.string(),
      content: z.array(Block),
      stop_reason: z.string().nullable().optional(),
      usage: Usage,
    }),
  }),
  z.looseObject({
    type: z.literal('user'),
    ...place,
    message: z.looseObject({ role: z.literal('user'), content: z.union([z.string(), z.array(UserBlock)]) }),
  }),
  Result,
  z.looseObject({ type: z.literal('stream_event'), ...place, event: Event }),
  Control,
  Old,
  Session,
]);
