import type { ErrorCode, ItemStatus } from '../events/event.ts';
import type { Json, JsonObject } from '../json/json.ts';
import { present } from '../json/present.ts';
import { asText, count, filled, integer, isObject, list, object, string, wordIn } from '../json/read.ts';
import { codeOfMessage } from '../outcome/faults.ts';
import type { Decoder, DecoderSink, Dialect } from './dialect.ts';
import { type Call, Calls, editsIn } from './kit/calls.ts';
import { Ending } from './kit/ending.ts';
import { Block } from './kit/texts.ts';
import { tellTime } from './kit/time.ts';
import { kindIn, kindsOf } from './kit/tool-kinds.ts';
import { camelFields, type Counting, reportUsage, tokensIn } from './kit/usage.ts';

const toolKinds = kindsOf({
  command: ['bash', 'read_bash', 'write_bash', 'stop_bash', 'powershell'],
  read: ['view'],
  file_edit: ['create', 'edit', 'str_replace_editor', 'apply_patch'],
  search: ['grep', 'glob'],
  web: ['web_search', 'web_fetch', 'fetch'],
  subagent: ['task'],
  plan: ['update_todo'],
});

export const copilot: Dialect = {
  id: 'copilot',
  about: {
    agent: 'GitHub Copilot CLI, `copilot --output-format json`',
    reads: "the stream on stdout, and a session's `events.jsonl`",
  },
  detect: (head) => (head.some(isEvent) ? 1 : head.some(isResult) ? 0.95 : 0),
  decoder,
  toolKinds,
  schema,
};

function isEvent(wire: JsonObject): boolean {
  const { type, data, id, timestamp } = wire;
  if (typeof type !== 'string' || typeof id !== 'string' || typeof timestamp !== 'string' || !isObject(data))
    return false;
  // What an extension of pi adds to a session has a `customType`.
  return /^[a-z_]+(?:\.[a-z_]+)?$/.test(type) && 'parentId' in wire && !('customType' in wire);
}

function isResult(wire: JsonObject): boolean {
  return wire.type === 'result' && typeof wire.exitCode === 'number' && typeof wire.sessionId === 'string';
}

/** The types of errors that say what went wrong, whatever the message is. */
const errorTypes: Readonly<Record<string, ErrorCode>> = {
  authentication: 'auth',
  authorization: 'auth',
  quota: 'quota',
  rate_limit: 'rate_limit',
  context_limit: 'context_overflow',
};

/** Events that are about one call or one question, and the field with its id. */
const needsId: ReadonlyMap<unknown, string> = new Map([
  ...['start', 'progress', 'partial_result', 'complete'].map(
    (step) => [`tool.execution_${step}`, 'toolCallId'] as const,
  ),
  ...['requested', 'completed'].map((step) => [`permission.${step}`, 'requestId'] as const),
]);

/** Known events that are of no use to a reader. */
const silent: ReadonlySet<unknown> = new Set(
  `assistant.idle assistant.intent assistant.streaming_delta command.completed command.queued hook.end hook.start model.call_finished
  model.call_start pending_messages.modified session.background_tasks_changed session.compaction_complete session.compaction_start
  session.context_changed session.custom_agents_updated session.extensions_loaded session.handoff session.idle
  session.mcp_server_status_changed session.mcp_servers_loaded session.mode_changed session.permissions_changed session.plan_changed
  session.skills_loaded session.snapshot_rewind session.task_complete session.title_changed session.tools_updated session.truncation
  session.usage_checkpoint session.usage_info session.workspace_file_changed skill.invoked subagent.completed subagent.deselected
  subagent.selected subagent.started system.message system.notification tool.user_requested`.split(/\s+/),
);

const refusal =
  /permission denied and could not request permission|denied by (?:the )?(?:rule|user|policy)|rejected by (?:the )?user/i;

/** `cost` counts premium requests, not money. */
const counting: Counting = { fields: { ...camelFields, reasoningTokens: 'reasoning_tokens' } };

/** A message that is arriving. */
interface Stream {
  readonly id: string | undefined;
  /** How often it was started again, under the same id. */
  readonly restarts: number;
  readonly block: Block;
}

function decoder(sink: DecoderSink): Decoder {
  const calls = new Calls(sink);
  const ending = new Ending(sink, 'session');
  let isIntroduced = false;
  let model: string | undefined;
  /** What is being said, by the call that started the sub-agent; undefined is the main thread. */
  const streams = new Map<string | undefined, Stream>();
  /** The reasoning of the next message has already been emitted. */
  let hasReasoned = false;
  /** Calls that the model requested, but that have not yet started. */
  const requested = new Map<string, Call>();
  let hasListedEdits = false;
  let isCounted = false;
  /** Messages report their output tokens; used only if no line counts more. */
  let spoken: { tokens: number; model: string | undefined } = { tokens: 0, model: undefined };
  let aborted: string | undefined;
  let isOver = false;

  function line(wire: JsonObject): void {
    tellTime(sink, wire.timestamp);
    // Only `result` is flat, and in some runs it is the only line that names the session.
    if (wire.type === 'result') return readResult(wire);
    readEvent(wire, object(wire.data));
  }

  function readEvent(wire: JsonObject, data: JsonObject): void {
    if (wire.type !== 'session.start' && wire.type !== 'session.resume') introduce();
    const parent = filled(data.parentToolCallId);
    const isMain = parent === undefined && wire.agentId === undefined;
    const id = filled(data[needsId.get(wire.type) ?? '']) ?? '';
    if (id === '' && needsId.has(wire.type)) return sink.unknown(wire);
    switch (wire.type) {
      case 'session.start':
      case 'session.resume':
        return introduce(data);
      case 'user.message':
        if (isMain) sink.emit({ type: 'prompt.submitted', text: asText(data.content) });
        return;
      case 'session.auto_mode_resolved':
        model = filled(data.chosenModel) ?? model;
        return;
      case 'session.model_change':
        model = modelOf(data.newModel) ?? model;
        return;
      case 'assistant.turn_start':
        if (!isMain) return;
        model = modelOf(data.model) ?? model;
        return sink.emit({ type: 'turn.started', ...present({ model }) });
      case 'assistant.turn_end':
        if (!isMain) return;
        // Calls that have not started by now never will.
        requested.clear();
        return sink.emit({ type: 'turn.completed' });
      case 'assistant.message_start':
        return startAgain(filled(data.messageId), parent);
      case 'assistant.message_delta':
        return readDelta(data, parent);
      case 'assistant.message':
        return readMessage(data, parent);
      case 'assistant.reasoning_delta':
        return readReasoning('reasoning.delta', string(data.deltaContent) ?? '', data);
      case 'assistant.reasoning':
        hasReasoned = true;
        return readReasoning('reasoning.completed', asText(data.content), data);
      case 'assistant.usage':
        return readUsage('step', filled(data.model), data);
      case 'tool.execution_start':
        ending.recover();
        return startCall(id, data, parent);
      case 'tool.execution_progress':
        return readOutput(id, 'progress', data);
      case 'tool.execution_partial_result':
        return readOutput(id, 'stdout', data);
      case 'tool.execution_complete':
        return endCall(id, data);
      case 'permission.requested':
        return readQuestion(id, object(data.permissionRequest));
      case 'permission.completed':
        return readDecision(id, asText(object(data.result).kind));
      case 'session.error':
        return readError(data);
      case 'session.warning':
      case 'subagent.failed':
        return sink.emit({ type: 'log', stream: 'agent', level: 'warning', text: asText(data.message ?? data.error) });
      case 'session.info':
        return sink.emit({ type: 'log', stream: 'agent', level: 'info', text: asText(data.message) });
      case 'abort':
        aborted = asText(data.reason);
        return;
      case 'session.shutdown':
        return readShutdown(data);
      default:
        // New kinds come with every release. An event that is not even stored in the session's file is not worth keeping.
        if (wire.ephemeral !== true && !silent.has(wire.type)) sink.unknown(wire);
    }
  }

  /** A line that introduces the session does so each time; before any other there must be some introduction. */
  function introduce(data?: JsonObject): void {
    if (isIntroduced && data === undefined) return;
    isIntroduced = true;
    const { selectedModel, sessionId, copilotVersion, context } = data ?? {};
    model = modelOf(selectedModel) ?? model;
    const ids = { session_id: filled(sessionId), agent_version: filled(copilotVersion) };
    const about = { ...ids, model, cwd: filled(object(context).cwd) };
    sink.emit({ type: 'thread.started', agent: 'copilot', ...present(about) });
  }

  function readDelta(data: JsonObject, parent: string | undefined): void {
    const text = string(data.deltaContent) ?? '';
    if (text === '') return;
    const stream = streamOf(filled(data.messageId), parent);
    streams.set(parent, stream);
    stream.block.add(text);
  }

  /** After a broken stream the model may answer again in the same message, which replaces what came of the first. */
  function startAgain(id: string | undefined, parent: string | undefined): void {
    const stream = streams.get(parent);
    if (stream?.id === undefined || stream.id !== id || stream.block.length === 0) return;
    stream.block.complete();
    streams.set(parent, newStream(id, parent, stream.restarts + 1));
  }

  /** Or in another message: the first one ends here, with what came of it. */
  function streamOf(id: string | undefined, parent: string | undefined): Stream {
    const stream = streams.get(parent);
    if (stream !== undefined && (stream.id === undefined || stream.id === id)) return stream;
    if (stream !== undefined && stream.block.length > 0) stream.block.complete();
    return newStream(id, parent);
  }

  function newStream(id: string | undefined, parent: string | undefined, restarts = 0): Stream {
    // A message that was started again is another one.
    const own = restarts === 0 ? id : `${id}_${restarts}`;
    return { id, restarts, block: new Block(sink, 'text', { message_id: own, block_id: own, parent_item_id: parent }) };
  }

  function readReasoning(type: 'reasoning.delta' | 'reasoning.completed', text: string, data: JsonObject): void {
    const ids = present({ block_id: filled(data.reasoningId), parent_item_id: filled(data.parentToolCallId) });
    if (type === 'reasoning.completed' || text !== '') sink.emit({ type, text, ...ids });
  }

  /** One that only calls tools has no content. */
  function readMessage(data: JsonObject, parent: string | undefined): void {
    const thought = filled(data.reasoningText);
    if (thought !== undefined && !hasReasoned)
      sink.emit({ type: 'reasoning.completed', text: thought, ...present({ parent_item_id: parent }) });
    hasReasoned = false;
    const text = asText(data.content);
    if (text !== '') {
      streamOf(filled(data.messageId), parent).block.complete(text);
      streams.delete(parent);
      if (parent === undefined) ending.recover();
    }
    if (parent === undefined) model = modelOf(data.model) ?? model;
    spoken = { tokens: spoken.tokens + (count(data.outputTokens) ?? 0), model: filled(data.model) ?? model };
    for (const { toolCallId, name, arguments: args } of list(data.toolRequests).map(object))
      if (filled(toolCallId) !== undefined) requested.set(asText(toolCallId), callOf(name, args, parent));
  }

  function startCall(id: string, data: JsonObject, parent: string | undefined): void {
    requested.delete(id);
    const call = callOf(data.toolName, data.arguments, parent);
    calls.start(id, filled(data.mcpServerName) === undefined ? call : { ...call, kind: 'mcp' });
  }

  function readOutput(item_id: string, stream: 'progress' | 'stdout', data: JsonObject): void {
    const chunk = asText(data.partialOutput ?? data.progressMessage ?? data.partialResult ?? data.message);
    if (chunk !== '') sink.emit({ type: 'item.output', item_id, stream, chunk });
  }

  function endCall(id: string, data: JsonObject): void {
    const call = requested.get(id);
    // A refused tool never starts.
    if (!calls.isOpen(id) && call !== undefined) calls.start(id, call);
    requested.delete(id);
    const result = object(data.result);
    const error = filled(object(data.error).message);
    const output = result.content ?? result.detailedContent;
    const exit_code = integer(result.exitCode) ?? listedExitCode(result.contents) ?? exitCodeIn(asText(output));
    calls.end(id, { status: statusOf(data, error ?? asText(output), exit_code), output, error, exit_code });
  }

  /** The closing lines list the changed files; used only if no tool named them. */
  function readChanges(codeChanges: Json | undefined): void {
    if (calls.haveEdited || hasListedEdits) return;
    for (const each of list(object(codeChanges).filesModified)) {
      const path = filled(each);
      if (path === undefined) continue;
      hasListedEdits = true;
      sink.emit({ type: 'file.edited', path, operation: 'modified' });
    }
  }

  function readQuestion(permission_id: string, request: JsonObject): void {
    const { kind, fullCommandText, fileName, path, url, toolCallId, intention } = request;
    const pattern = filled(fullCommandText) ?? filled(fileName) ?? filled(path) ?? filled(url);
    const more = present({ item_id: filled(toolCallId), pattern, title: filled(intention) });
    sink.emit({ type: 'permission.requested', permission_id, what: filled(kind) ?? 'unknown', ...more });
  }

  function readDecision(permission_id: string, raw_decision: string): void {
    const decision = raw_decision.startsWith('approved') ? 'allowed' : 'denied';
    const by = raw_decision.includes('by-user') || raw_decision.includes('interactively') ? 'user' : 'rule';
    sink.emit({ type: 'permission.resolved', permission_id, decision, raw_decision, by });
  }

  function readUsage(scope: 'step' | 'thread', name: string | undefined, wire: JsonObject): void {
    const tokens = tokensIn(counting, wire);
    if (!tokens.input_tokens && !tokens.output_tokens) return;
    isCounted = reportUsage(sink, scope, tokens, { model: name });
  }

  function endUsage(): void {
    if (isCounted) return;
    if (spoken.tokens > 0) return readUsage('step', spoken.model, { outputTokens: spoken.tokens });
    // Recent versions count nothing at all, but name the model in each message.
    if (spoken.model !== undefined) sink.emit({ type: 'usage.reported', scope: 'step', model: spoken.model });
    spoken.model = undefined;
  }

  function readError(data: JsonObject): void {
    const type = asText(data.errorType);
    const message = asText(data.message);
    const http_status = integer(data.statusCode);
    const worded = codeOfMessage(`${type} ${message}`, http_status);
    const code = worded === 'unknown' || worded === 'refused' ? (wordIn(errorTypes, type) ?? worded) : worded;
    ending.fail({ code, message }, present({ name: filled(data.errorType), http_status, stack: string(data.stack) }));
  }

  function readShutdown(data: JsonObject): void {
    const models = object(data.modelMetrics);
    for (const name in models) readUsage('thread', name, object(object(models[name]).usage ?? models[name]));
    readChanges(data.codeChanges);
    if (data.shutdownType === 'routine' || data.shutdownType === 'error')
      readEnding(data.shutdownType === 'routine', { raw_status: data.shutdownType });
  }

  function readResult(wire: JsonObject): void {
    introduce(wire);
    const { codeChanges, sessionDurationMs } = object(wire.usage);
    readChanges(codeChanges);
    const raw_status = `exit ${asText(wire.exitCode)}`;
    readEnding(wire.exitCode === 0, { raw_status, ...present({ duration_ms: count(sessionDurationMs) }) });
  }

  /** A closing line: an abort, or an error after which nothing came, outweighs it. */
  function readEnding(isGood: boolean, more: { raw_status: string; duration_ms?: number }): void {
    endUsage();
    isOver = true;
    if (aborted !== undefined)
      return sink.emit({ type: 'agent.finished', status: 'cancelled', ...more, message: aborted });
    ending.read(isGood ? undefined : { code: 'unknown' }, more);
  }

  function end(): void {
    endUsage();
    if (!isOver && aborted !== undefined) sink.emit({ type: 'agent.finished', status: 'cancelled', message: aborted });
  }

  return { line, end };
}

/** `auto` is not a model: the actual one is reported later. */
function modelOf(name: Json | undefined): string | undefined {
  return name === 'auto' ? undefined : filled(name);
}

function callOf(tool: Json | undefined, args: Json | undefined, parent: string | undefined): Call {
  const name = filled(tool) ?? 'unknown';
  const kind = kindIn(toolKinds, name);
  const { command } = object(args);
  const operation = name === 'create' || command === 'create' ? 'created' : 'modified';
  const edits = command === 'view' ? [] : editsIn(kind, args, ['path'], operation);
  return { kind, name, args, edits, parent_item_id: parent };
}

/** Beside the output, in a part of its own. */
function listedExitCode(contents: Json | undefined): number | undefined {
  const end = list(contents)
    .map(object)
    .find(({ type }) => type === 'shell_exit' || type === 'terminal');
  return integer(end?.exitCode);
}

/** The shell tool adds its own last line to the output of a command. */
function exitCodeIn(output: string): number | undefined {
  const last = output.slice(-150).trimEnd().split('<').at(-1) ?? '';
  const [, code] =
    /^(?:command exited|exited|shellId: [\w.-]{1,60} completed) with (?:exit code|code) (-?\d{1,10})>$/.exec(last) ??
    [];
  return code === undefined ? undefined : Number(code);
}

function statusOf(data: JsonObject, text: string, exit: number | undefined): ItemStatus {
  if (data.success === true) return exit === undefined || exit === 0 ? 'success' : 'error';
  const code = object(data.error).code;
  return code === 'denied' || code === 'rejected' || refusal.test(text.slice(0, 500)) ? 'denied' : 'error';
}

/** Every event in its envelope, about 140 kinds of `data`, of which the decoder reads some thirty; or the last line. */
async function schema() {
  const { z } = await import('zod');
  const type = z.string().regex(/^(?!result$)/);
  const envelope = { type, id: z.string(), parentId: z.string().nullable(), timestamp: z.string() };
  return z.union([
    z.looseObject({ ...envelope, data: z.record(z.string(), z.json()) }),
    z.looseObject({ type: z.literal('result'), sessionId: z.string(), exitCode: z.int() }),
  ]);
}
