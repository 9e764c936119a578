import { z } from 'zod';
import { bookkeeping } from './words.ts';

const tokens = z.number().int().nonnegative();
const text = z.string();
const parent = z.string().nullable().optional();
const strings = z.array(z.string());

const Usage = z.looseObject({
  input_tokens: tokens.nullable().optional(),
  output_tokens: tokens.nullable().optional(),
  cache_creation_input_tokens: tokens.nullable().optional(),
  cache_read_input_tokens: tokens.nullable().optional(),
});

const Block = z.looseObject({ type: text });

const system = <Subtype extends string, Fields extends z.core.$ZodLooseShape>(subtype: Subtype, fields: Fields) =>
  z.looseObject({ type: z.literal('system'), subtype: z.literal(subtype), ...fields });

const hook = { hook_id: text, hook_name: text, hook_event: text };

const System = z.discriminatedUnion('subtype', [
  // The first versions printed fewer fields.
  system('init', {
    session_id: text,
    cwd: text.optional(),
    model: text.optional(),
    permissionMode: text.optional(),
    apiKeySource: text.optional(),
    tools: strings.optional(),
    mcp_servers: z.array(z.looseObject({ name: text, status: text })).optional(),
    claude_code_version: text.optional(),
    output_style: text.optional(),
    slash_commands: strings.optional(),
    skills: strings.optional(),
    plugins: z.array(z.looseObject({ name: text })).optional(),
  }),
  system('status', { status: text.nullable() }),
  system('compact_boundary', { compact_metadata: z.looseObject({ trigger: text, pre_tokens: tokens.optional() }) }),
  system('api_retry', {
    error: text,
    error_status: z.int().nullable(),
    attempt: z.int().optional(),
    max_retries: z.int().optional(),
  }),
  system('permission_denied', { tool_name: text, tool_use_id: text, message: text }),
  system('model_refusal_fallback', { trigger: text, content: text.optional() }),
  system('model_refusal_no_fallback', { trigger: text, content: text.optional() }),
  system('model_fallback', {}),
  system('task_started', { task_id: text, description: text }),
  system('task_progress', { task_id: text, description: text }),
  system('task_updated', { task_id: text, patch: z.looseObject({}) }),
  system('task_notification', { task_id: text, status: text, summary: text.optional() }),
  system('background_tasks_changed', { tasks: z.array(z.json()) }),
  system('hook_started', hook),
  system('hook_progress', { ...hook, stdout: text, stderr: text }),
  system('hook_response', { ...hook, stdout: text, stderr: text, outcome: text }),
  system('session_state_changed', { state: text }),
  system('thinking_tokens', { estimated_tokens: z.number() }),
  system('informational', { content: text, level: text }),
  system('local_command_output', { content: text }),
  system('notification', { key: text, text }),
  system('files_persisted', { files: z.array(z.json()), failed: z.array(z.json()) }),
  system('memory_recall', { mode: text, memories: z.array(z.json()) }),
  system('plugin_install', { status: text }),
  system('commands_changed', { commands: z.array(z.json()) }),
  system('elicitation_complete', { mcp_server_name: text, elicitation_id: text }),
  system('mirror_error', { error: text }),
  system('session_writes_lost', { error_code: text, lost: strings }),
  system('worker_shutting_down', { reason: text }),
  system('control_request_progress', { request_id: text, status: text }),
  system('post_turn_summary', {}),
  system('task_summary', {}),
]);

const StreamEvent = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('message_start'), message: z.looseObject({ id: text, role: text, model: text }) }),
  z.looseObject({ type: z.literal('content_block_start'), index: z.int(), content_block: Block }),
  z.looseObject({ type: z.literal('content_block_delta'), index: z.int(), delta: Block }),
  z.looseObject({ type: z.literal('content_block_stop'), index: z.int() }),
  z.looseObject({ type: z.literal('message_delta'), delta: z.looseObject({}), usage: Usage.optional() }),
  z.looseObject({ type: z.literal('message_stop') }),
  z.looseObject({ type: z.literal('ping') }),
  z.looseObject({ type: z.literal('error'), error: z.looseObject({ message: text }) }),
]);

const Result = z.looseObject({
  type: z.literal('result'),
  subtype: z.enum([
    'success',
    'error_during_execution',
    'error_max_turns',
    'error_max_budget_usd',
    'error_max_structured_output_retries',
  ]),
  is_error: z.boolean(),
  duration_ms: z.number().optional(),
  duration_api_ms: z.number().optional(),
  num_turns: z.number(),
  session_id: text,
  result: text.optional(),
  errors: strings.optional(),
  stop_reason: text.nullable().optional(),
  terminal_reason: text.optional(),
  total_cost_usd: z.number().optional(),
  usage: Usage.optional(),
  modelUsage: z.record(text, z.looseObject({})).optional(),
  permission_denials: z.array(z.looseObject({ tool_name: text, tool_use_id: text })).optional(),
});

const other = <Type extends string, Fields extends z.core.$ZodLooseShape>(type: Type, fields: Fields) =>
  z.looseObject({ type: z.literal(type), ...fields });

/** A line of a session file. Records that are not part of the conversation have no position in it. */
const Transcript = z.union([
  z.looseObject({ type: text, sessionId: text, uuid: text, parentUuid: text.nullable() }),
  z.looseObject({ type: z.enum(bookkeeping), subtype: z.undefined().optional() }),
]);

/** One object of `claude -p --output-format stream-json`, or of the `json` document. */
const StreamLine = z.discriminatedUnion('type', [
  System,
  Result,
  other('assistant', {
    message: z.looseObject({
      id: text.optional(),
      type: z.literal('message').optional(),
      role: text,
      model: text.optional(),
      content: z.union([text, z.array(Block)]),
      usage: Usage.optional(),
    }),
    parent_tool_use_id: parent,
    error: text.optional(),
  }),
  other('user', {
    message: z.looseObject({ role: text, content: z.union([text, z.array(Block)]) }),
    parent_tool_use_id: parent,
  }),
  other('stream_event', { event: StreamEvent, parent_tool_use_id: parent }),
  other('rate_limit_event', { rate_limit_info: z.looseObject({ status: text.optional() }) }),
  other('tool_progress', { tool_use_id: text, tool_name: text, elapsed_time_seconds: z.number() }),
  other('tool_use_summary', { summary: text, preceding_tool_use_ids: strings }),
  other('auth_status', { isAuthenticating: z.boolean() }),
  other('prompt_suggestion', { suggestion: text }),
  other('conversation_reset', { new_conversation_id: text }),
  other('active_goal', { value: z.looseObject({}).nullable() }),
  other('control_request', { request_id: text, request: z.looseObject({ subtype: text }) }),
  other('control_response', { response: z.looseObject({ subtype: text }) }),
  other('control_cancel_request', { request_id: text }),
  other('keep_alive', {}),
  other('command_lifecycle', {}),
  other('vcs_state_changed', {}),
  other('transcript_mirror', {}),
]);

export const Line = z.union([StreamLine, Transcript]);
