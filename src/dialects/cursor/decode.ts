import type { FileOperation, ItemKind, ItemStatus } from '../../events/event.ts';
import type { Decoder, DecoderSink, Json, JsonObject } from '../dialect.ts';
import { codeOfMessage } from '../../faults.ts';
import { asText, compact, count, filled, integer, isObject, list, object, string, time } from '../read.ts';
import { tokensBesideCache } from '../tokens.ts';

const kinds: Record<string, ItemKind> = {
  shell: 'command',
  read: 'read',
  write: 'file_edit',
  edit: 'file_edit',
  delete: 'file_edit',
  ls: 'search',
  glob: 'search',
  grep: 'search',
  semSearch: 'search',
  updateTodos: 'plan',
  readTodos: 'plan',
  mcp: 'mcp',
  webSearch: 'web',
  webFetch: 'web',
  fetch: 'web',
  task: 'subagent',
};

const operations: Record<string, FileOperation> = { write: 'created', edit: 'modified', delete: 'deleted' };

interface Call {
  /** Cursor's own word for the tool. */
  tool: string;
  path: string | undefined;
}

export function decoder(sink: DecoderSink): Decoder {
  const calls = new Map<string, Call>();
  let segments = 0;
  /** The text since the last tool call. `whole`: its full line has come, which repeats the deltas. */
  let segment: { id: string; text: string; whole: boolean } | undefined;
  let thought = '';
  let said = false;
  /** Deltas carry a time of their own; once one is seen, a line without it is the repeat. */
  let timed = false;

  function closeSegment(): void {
    if (segment !== undefined && !segment.whole) sayWhole(segment.text);
    segment = undefined;
  }

  function closeThought(): void {
    if (thought !== '') sink.emit({ type: 'reasoning.completed', text: thought });
    thought = '';
  }

  function sayWhole(text: string): void {
    segment ??= newSegment();
    segment.text = text;
    segment.whole = true;
    sink.emit({ type: 'text.completed', text, message_id: segment.id, block_id: segment.id });
  }

  function newSegment(): { id: string; text: string; whole: boolean } {
    return { id: `segment_${++segments}`, text: '', whole: false };
  }

  function assistant(wire: JsonObject): void {
    closeThought();
    const content = object(wire.message).content;
    const text = typeof content === 'string' ? content : textOf(content);
    if (text === '') return;
    said = true;
    const delta = 'timestamp_ms' in wire && !('model_call_id' in wire);
    timed ||= delta;
    if (!delta && segment !== undefined && segment.text === text) {
      if (!segment.whole) sayWhole(text);
      return;
    }
    if (segment?.whole === true) segment = undefined;
    if (!delta && timed) return sayWhole(text);
    segment ??= newSegment();
    segment.text += text;
    sink.emit({ type: 'text.delta', text, message_id: segment.id, block_id: segment.id });
  }

  function thinking(wire: JsonObject): void {
    closeSegment();
    const text = string(wire.text) ?? '';
    if (wire.subtype === 'delta') {
      thought += text;
      if (text !== '') sink.emit({ type: 'reasoning.delta', text });
      return;
    }
    if (text !== '') thought = text;
    closeThought();
  }

  function toolCall(wire: JsonObject): void {
    const id = filled(wire.call_id);
    const found = toolOf(object(wire.tool_call));
    if (id === undefined || found === undefined) return sink.unknown(wire);
    switch (wire.subtype) {
      case 'started':
        return start(id, found);
      case 'completed':
        if (!calls.has(id)) start(id, found);
        return complete(id, found.body.result);
      default:
        return sink.unknown(wire);
    }
  }

  function start(id: string, { tool, native, name, args }: Tool): void {
    closeThought();
    closeSegment();
    calls.set(id, { tool, path: Object.hasOwn(operations, tool) ? filled(object(args).path) : undefined });
    const kind = Object.hasOwn(kinds, tool) ? (kinds[tool] ?? 'tool_call') : 'tool_call';
    sink.emit({ type: 'item.started', item_id: id, kind, name, args: args ?? null, ...compact({ native_name: native }) });
  }

  function complete(id: string, result: Json | undefined): void {
    const call = calls.get(id);
    calls.delete(id);
    const end = endOf(result);
    sink.emit({ type: 'item.completed', item_id: id, ...end });
    const operation = operations[call?.tool ?? ''];
    if (end.status !== 'success' || call?.path === undefined || operation === undefined) return;
    sink.emit({ type: 'file.edited', path: call.path, operation, item_id: id });
  }

  function finish(wire: JsonObject): void {
    closeThought();
    closeSegment();
    const text = string(wire.result) ?? '';
    const fields = compact({ raw_status: string(wire.subtype), duration_ms: count(wire.duration_ms) });
    const good = wire.subtype === 'success' && wire.is_error === false;
    // All texts of the run without anything between them: of use only where no text came before.
    if (good && !said && text !== '') sink.emit({ type: 'text.completed', text });
    usage(object(wire.usage));
    if (good) return sink.emit({ type: 'agent.finished', status: 'ok', ...fields });
    const message = filled(wire.error) ?? text;
    sink.emit({ type: 'agent.finished', status: 'failed', code: codeOfMessage(message), message, ...fields });
  }

  function usage(wire: JsonObject): void {
    const tokens = tokensBesideCache(wire.inputTokens, wire.outputTokens, wire.cacheReadTokens, wire.cacheWriteTokens);
    if (tokens !== undefined) sink.emit({ type: 'usage.reported', scope: 'turn', ...tokens });
  }

  function line(wire: JsonObject): void {
    const at = time(wire.timestamp_ms);
    if (at !== undefined) sink.at(at);
    switch (wire.type) {
      case 'system':
        if (wire.subtype !== 'init') return sink.unknown(wire);
        return sink.emit({
          type: 'thread.started',
          agent: 'cursor',
          ...compact({ session_id: filled(wire.session_id), model: filled(wire.model), cwd: filled(wire.cwd) }),
        });
      case 'user':
        return sink.emit({ type: 'prompt.submitted', text: textOf(object(wire.message).content) });
      case 'thinking':
        return thinking(wire);
      case 'assistant':
        return assistant(wire);
      case 'tool_call':
        return toolCall(wire);
      case 'result':
        return finish(wire);
      default:
        return sink.unknown(wire);
    }
  }

  return {
    line,
    end() {
      closeThought();
      closeSegment();
    },
  };
}

interface Tool {
  tool: string;
  name: string;
  native: string | undefined;
  args: Json | undefined;
  body: JsonObject;
}

/** `{shellToolCall: {args, result}}`, or `{function: {name, arguments}}` for tools without a kind of their own. */
function toolOf(wire: JsonObject): Tool | undefined {
  for (const key in wire) {
    const body = wire[key];
    if (!isObject(body)) continue;
    if (key === 'function') {
      const name = filled(body.name) ?? 'function';
      const args = typeof body.arguments === 'string' ? parsed(body.arguments) : body.arguments;
      return { tool: name, name, native: key, args, body };
    }
    if (!key.endsWith('ToolCall')) continue;
    const tool = key.slice(0, -'ToolCall'.length);
    const name = tool === 'mcp' ? (filled(object(body.args).toolName) ?? filled(object(body.args).name) ?? tool) : tool;
    return { tool, name, native: key, args: body.args, body };
  }
  return undefined;
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function endOf(result: Json | undefined): { status: ItemStatus; output?: Json; error?: string; exit_code?: number } {
  const wire = object(result);
  const good = wire.success;
  if (good !== undefined) {
    const exit = integer(object(good).exitCode);
    return { status: exit === undefined || exit === 0 ? 'success' : 'error', output: good, ...compact({ exit_code: exit }) };
  }
  if (wire.rejected !== undefined) return { status: 'denied', error: reasonOf(wire.rejected) };
  const bad = wire.failure ?? wire.error;
  if (bad === undefined) return { status: 'error', ...compact({ output: result ?? undefined }) };
  const exit = integer(object(bad).exitCode);
  return { status: 'error', output: bad, error: reasonOf(bad), ...compact({ exit_code: exit }) };
}

function reasonOf(value: Json): string {
  const wire = object(value);
  return filled(wire.reason) ?? filled(wire.message) ?? filled(wire.error) ?? filled(wire.stderr) ?? asText(value);
}

function textOf(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  let text = '';
  for (const each of list(content)) {
    const part = object(each);
    if (part.type === 'text') text += asText(part.text);
  }
  return text;
}
