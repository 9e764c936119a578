import { z } from 'zod';

const tokens = z.number().nonnegative();
/** Absent only in what we write from a log without times. */
const timestamp = z.number().optional();
const type = <Name extends string>(name: Name) => z.literal(name);

const Text = z.looseObject({ type: type('text'), text: z.string() });
const Image = z.looseObject({ type: type('image') });
const content = z.array(z.discriminatedUnion('type', [Text, Image]));
const usage = z.looseObject({
  input: tokens,
  output: tokens,
  cacheRead: tokens,
  cacheWrite: tokens,
  totalTokens: tokens.optional(),
  cost: z.looseObject({ total: tokens }),
});

const Assistant = z.looseObject({
  role: type('assistant'),
  content: z.array(
    z.discriminatedUnion('type', [
      Text,
      z.looseObject({ type: type('thinking'), thinking: z.string() }),
      z.looseObject({ type: type('toolCall'), id: z.string(), name: z.string(), arguments: z.json() }),
    ]),
  ),
  api: z.string(),
  provider: z.string(),
  model: z.string(),
  usage,
  stopReason: z.enum(['stop', 'length', 'toolUse', 'error', 'aborted']),
  errorMessage: z.string().optional(),
  timestamp,
});
const Message = z.discriminatedUnion('role', [
  z.looseObject({ role: type('user'), content: z.union([z.string(), content]), timestamp }),
  Assistant,
  z.looseObject({
    role: type('toolResult'),
    toolCallId: z.string(),
    toolName: z.string(),
    content,
    isError: z.boolean(),
    timestamp,
  }),
]);

const at = { contentIndex: z.int().nonnegative() };
const AssistantMessageEvent = z.discriminatedUnion('type', [
  z.looseObject({ type: type('start') }),
  ...(['text_start', 'thinking_start', 'toolcall_start'] as const).map((name) =>
    z.looseObject({ type: type(name), ...at }),
  ),
  ...(['text_delta', 'thinking_delta', 'toolcall_delta'] as const).map((name) =>
    z.looseObject({ type: type(name), ...at, delta: z.string() }),
  ),
  ...(['text_end', 'thinking_end'] as const).map((name) =>
    z.looseObject({ type: type(name), ...at, content: z.string() }),
  ),
  z.looseObject({ type: type('toolcall_end'), ...at, toolCall: z.looseObject({ id: z.string(), name: z.string() }) }),
  z.looseObject({ type: type('done'), reason: z.string() }),
  z.looseObject({ type: type('error'), reason: z.string() }),
]);

const call = { toolCallId: z.string(), toolName: z.string() };

/** The first version of session files gives its lines no ids. */
const entry = { id: z.string().optional(), parentId: z.string().nullable().optional(), timestamp: z.string() };
const entries = [
  'compaction',
  'branch_summary',
  'model_change',
  'thinking_level_change',
  'custom',
  'custom_message',
  'label',
  'session_info',
] as const;

/** One line of `pi --mode json`, or of a session file. */
export const Line = z.discriminatedUnion('type', [
  z.looseObject({
    type: type('session'),
    version: z.int().optional(),
    id: z.string(),
    timestamp: z.iso.datetime().optional(),
    cwd: z.string(),
    parentSession: z.string().optional(),
  }),
  z.looseObject({ type: type('agent_start') }),
  z.looseObject({ type: type('entry_appended'), entry: z.looseObject({ type: z.string() }) }),
  z.looseObject({ type: type('agent_end'), messages: z.array(Message) }),
  z.looseObject({ type: type('agent_settled') }),
  z.looseObject({ type: type('turn_start') }),
  z.looseObject({ type: type('turn_end'), message: Message.optional(), toolResults: z.array(Message) }),
  z.looseObject({ type: type('message_start'), message: Message }),
  z.looseObject({ type: type('message_update'), assistantMessageEvent: AssistantMessageEvent }),
  z.looseObject({ type: type('message_end'), message: Message }),
  z.looseObject({ type: type('tool_execution_start'), ...call, args: z.json() }),
  z.looseObject({ type: type('tool_execution_update'), ...call, partialResult: z.looseObject({}) }),
  z.looseObject({ type: type('tool_execution_end'), ...call, result: z.looseObject({}), isError: z.boolean() }),
  z.looseObject({
    type: type('auto_retry_start'),
    attempt: z.int(),
    maxAttempts: z.int(),
    delayMs: z.number().nonnegative(),
    errorMessage: z.string(),
  }),
  z.looseObject({
    type: type('auto_retry_end'),
    success: z.boolean(),
    attempt: z.int(),
    finalError: z.string().optional(),
  }),
  z.looseObject({ type: type('compaction_start'), reason: z.string() }),
  z.looseObject({ type: type('auto_compaction_start'), reason: z.string() }),
  z.looseObject({ type: type('compaction_end') }),
  z.looseObject({ type: type('auto_compaction_end') }),
  z.looseObject({ type: type('queue_update') }),
  z.looseObject({ type: type('message'), ...entry, message: z.looseObject({ role: z.string() }) }),
  ...entries.map((name) => z.looseObject({ type: type(name), ...entry })),
]);
