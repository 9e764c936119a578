import type { FileOperation } from '../events/event.ts';
import type { Json, JsonObject } from '../json/json.ts';
import { jsonOrText } from '../json/parse.ts';
import { present } from '../json/present.ts';
import { asText, count, filled, integer, isObject, object, string, wordIn } from '../json/read.ts';
import type { Decoder, DecoderSink, Dialect } from './dialect.ts';
import { type CallEnd, Calls } from './kit/calls.ts';
import { faultOf } from './kit/ending.ts';
import { readInit } from './kit/init.ts';
import { surest } from './kit/surest.ts';
import { Block, textOf } from './kit/texts.ts';
import { tellTime } from './kit/time.ts';
import { kindIn, kindsOf } from './kit/tool-kinds.ts';
import { camelFields, type Counting, reportUsage, tokensIn } from './kit/usage.ts';

/** On the wire, names end in `ToolCall`. */
const toolKinds = kindsOf({
  command: ['shell'],
  read: ['read'],
  file_edit: ['write', 'edit', 'delete'],
  search: ['ls', 'glob', 'grep', 'semSearch'],
  plan: ['updateTodos', 'readTodos'],
  mcp: ['mcp'],
  web: ['webSearch', 'webFetch', 'fetch'],
  subagent: ['task'],
});

export const cursor: Dialect = {
  id: 'cursor',
  about: {
    agent: 'Cursor CLI, `cursor-agent --print --output-format stream-json`',
    reads: 'stream-json with and without partial output, and the one object of `json`',
  },
  detect: (head) => surest(head, sure),
  decoder,
  toolKinds,
  schema,
};

function sure(wire: JsonObject): number {
  switch (wire.type) {
    case 'system':
      return wire.subtype === 'init' && 'apiKeySource' in wire && !claudeKeys.some((key) => key in wire) ? 1 : 0;
    case 'tool_call':
      return typeof wire.call_id === 'string' && isObject(wire.tool_call) ? 1 : 0;
    case 'thinking':
      return wire.subtype === 'delta' || wire.subtype === 'completed' ? 0.8 : 0;
    case 'result':
      return typeof wire.subtype === 'string' && isOwn(wire) && !isOthers(wire) ? 0.95 : 0;
    default:
      return 0;
  }
}

/** Claude Code's first line has the key of Cursor's, but lists what it has, and has an id. */
const claudeKeys = ['claude_code_version', 'tools', 'mcp_servers', 'slash_commands', 'output_style', 'skills', 'uuid'];

function isOwn(wire: JsonObject): boolean {
  return 'duration_api_ms' in wire || 'request_id' in wire || (isObject(wire.usage) && 'inputTokens' in wire.usage);
}

/** Keys that the result lines of Claude Code, Qwen Code and Amp have, and Cursor's never have. */
function isOthers(wire: JsonObject): boolean {
  return (
    'uuid' in wire ||
    'num_turns' in wire ||
    'total_cost_usd' in wire ||
    'cost_usd' in wire ||
    'permission_denials' in wire
  );
}

/** What editing tools do to a file. */
const operations: Readonly<Record<string, FileOperation>> = { write: 'created', edit: 'modified', delete: 'deleted' };

/** There is never a cost. */
const counting: Counting = { fields: camelFields, cacheIsApart: true };

function decoder(sink: DecoderSink): Decoder {
  const calls = new Calls(sink);
  /** The text since the last tool call. */
  let segment: Block | undefined;
  let segments = 0;
  let thought: Block | undefined;
  /** Deltas carry a time; once one has been seen, a line without a time is the repetition. */
  let isTimed = false;
  let hasSpoken = false;

  function line(wire: JsonObject): void {
    tellTime(sink, wire.timestamp_ms);
    switch (wire.type) {
      case 'system':
        return readInit(sink, 'cursor', wire);
      case 'user':
        return sink.emit({ type: 'prompt.submitted', text: textOf(object(wire.message).content, '') });
      case 'thinking':
        return readThought(wire);
      case 'assistant':
        return readText(wire);
      case 'tool_call':
        return readCall(wire);
      case 'result':
        close();
        return readEnding(wire);
      default:
        return sink.unknown(wire);
    }
  }

  function readText(wire: JsonObject): void {
    closeThought();
    const text = textOf(object(wire.message).content, '');
    if (text === '') return;
    hasSpoken = true;
    const isDelta = 'timestamp_ms' in wire && !('model_call_id' in wire);
    isTimed ||= isDelta;
    if (!isDelta && segment?.text === text) {
      if (!segment.isComplete) segment.complete();
      return;
    }
    if (segment === undefined || segment.isComplete) segment = newSegment();
    if (!isDelta && isTimed) segment.complete(text);
    else segment.add(text);
  }

  function newSegment(): Block {
    const id = `segment_${++segments}`;
    return new Block(sink, 'text', { message_id: id, block_id: id });
  }

  function readThought({ subtype, text }: JsonObject): void {
    closeSegment();
    thought ??= new Block(sink, 'reasoning');
    if (subtype !== 'delta') closeThought(string(text) || undefined);
    else if (typeof text === 'string' && text !== '') thought.add(text);
  }

  function closeThought(whole = thought?.text ?? ''): void {
    if (whole !== '') thought?.complete(whole);
    thought = undefined;
  }

  function closeSegment(): void {
    if (segment?.isComplete === false) segment.complete();
    segment = undefined;
  }

  /** Something else comes. */
  function close(): void {
    closeThought();
    closeSegment();
  }

  function readCall(wire: JsonObject): void {
    const id = filled(wire.call_id);
    const call = callOf(object(wire.tool_call));
    if (id === undefined || call === undefined || (wire.subtype !== 'started' && wire.subtype !== 'completed'))
      return sink.unknown(wire);
    const { tool, name, native_name, args, result } = call;
    if (wire.subtype === 'started' || !calls.isOpen(id)) {
      close();
      const operation = wordIn(operations, tool);
      const path = filled(object(args).path);
      const edits = operation === undefined || path === undefined ? [] : [{ path, operation }];
      calls.start(id, { kind: kindIn(toolKinds, tool), name, native_name, args, edits });
    }
    if (wire.subtype === 'completed') calls.end(id, endOf(result));
  }

  /** The last line. A failed run usually has none. */
  function readEnding(wire: JsonObject): void {
    const text = string(wire.result) ?? '';
    const more = present({ raw_status: string(wire.subtype), duration_ms: count(wire.duration_ms) });
    const isGood = wire.subtype === 'success' && wire.is_error === false;
    // All texts of the run, joined without separators: used only if no text came before.
    if (isGood && !hasSpoken && text !== '') sink.emit({ type: 'text.completed', text });
    reportUsage(sink, 'turn', tokensIn(counting, object(wire.usage)));
    if (isGood) return sink.emit({ type: 'agent.finished', status: 'ok', ...more });
    sink.emit({ type: 'agent.finished', status: 'failed', ...faultOf(filled(wire.error) ?? text), ...more });
  }

  return { line, end: close };
}

interface CursorCall {
  /** Cursor's own word for the tool. */
  tool: string;
  name: string;
  native_name: string;
  args: Json | undefined;
  result: Json | undefined;
}

/** `{shellToolCall: {args, result}}`, or `{function: {name, arguments}}` for tools without their own kind. */
function callOf(wire: JsonObject): CursorCall | undefined {
  for (const native_name in wire) {
    const body = wire[native_name];
    if (!isObject(body)) continue;
    const { result } = body;
    if (native_name === 'function') {
      const name = filled(body.name) ?? 'function';
      const args = typeof body.arguments === 'string' ? jsonOrText(body.arguments) : body.arguments;
      return { tool: name, name, native_name, args, result };
    }
    if (!native_name.endsWith('ToolCall')) continue;
    const tool = native_name.slice(0, -'ToolCall'.length);
    const name = tool === 'mcp' ? (filled(object(body.args).toolName) ?? filled(object(body.args).name) ?? tool) : tool;
    return { tool, name, native_name, args: body.args, result };
  }
  return undefined;
}

function endOf(result: Json | undefined): CallEnd {
  const { success, rejected, failure, error } = object(result);
  if (success !== undefined) {
    const exit_code = integer(object(success).exitCode);
    return { status: exit_code === undefined || exit_code === 0 ? 'success' : 'error', output: success, exit_code };
  }
  if (rejected !== undefined) return { status: 'denied', error: reasonOf(rejected) };
  const bad = failure ?? error;
  if (bad === undefined) return { status: 'error', output: result ?? undefined };
  return { status: 'error', output: bad, error: reasonOf(bad), exit_code: integer(object(bad).exitCode) };
}

function reasonOf(value: Json): string {
  const wire = object(value);
  return filled(wire.reason) ?? filled(wire.message) ?? filled(wire.error) ?? filled(wire.stderr) ?? asText(value);
}

/** The object of `json` is a `result` line. */
async function schema() {
  const { z } = await import('zod');
  const session_id = z.string();
  const message = z.looseObject({ role: z.string(), content: z.array(z.looseObject({ type: z.string() })) });
  const call = { call_id: z.string(), tool_call: z.record(z.string(), z.json()) };
  return z.discriminatedUnion('type', [
    z.looseObject({
      type: z.literal('system'),
      subtype: z.literal('init'),
      session_id,
      apiKeySource: z.string(),
      model: z.string(),
    }),
    z.looseObject({ type: z.literal('user'), session_id, message }),
    z.looseObject({ type: z.literal('assistant'), session_id, message }),
    z.looseObject({
      type: z.literal('thinking'),
      session_id,
      subtype: z.enum(['delta', 'completed']),
      text: z.string().optional(),
    }),
    z.looseObject({ type: z.literal('tool_call'), session_id, subtype: z.enum(['started', 'completed']), ...call }),
    z.looseObject({
      type: z.literal('result'),
      session_id,
      subtype: z.string(),
      is_error: z.boolean(),
      result: z.string(),
    }),
  ]);
}
