import type { FinishReason, ItemKind } from '../../events/event.ts';
import type { Decoder, DecoderSink, Json, JsonObject } from '../dialect.ts';
import { codeOfMessage } from '../../faults.ts';
import { asText, compact, count, filled, list, object, string } from '../read.ts';
import { tokensBesideCache } from '../tokens.ts';

const kinds: Record<string, ItemKind> = {
  Bash: 'command',
  Read: 'read',
  read_file: 'read',
  create_file: 'file_edit',
  edit_file: 'file_edit',
  undo_edit: 'file_edit',
  format_file: 'file_edit',
  Grep: 'search',
  glob: 'search',
  finder: 'search',
  list_directory: 'search',
  codebase_search_agent: 'subagent',
  web_search: 'web',
  read_web_page: 'web',
  Task: 'subagent',
  oracle: 'subagent',
  librarian: 'subagent',
  todo_write: 'plan',
  todo_read: 'plan',
};

interface Call {
  name: string;
  path: string | undefined;
}

/** A message may be printed again when it is whole: what it has said already, and its latest usage. */
interface Message {
  id: string;
  seen: Set<string>;
  usage: JsonObject;
  model: string | undefined;
  stopReason: Json | undefined;
}

export function decoder(sink: DecoderSink): Decoder {
  const calls = new Map<string, Call>();
  /** The open message of each thread: the main one under '', a sub-agent's under the id of its tool call. */
  const messages = new Map<string, Message>();
  let said = false;
  let denials = 0;

  function assistant(wire: JsonObject): void {
    const parent = filled(wire.parent_tool_use_id);
    const body = object(wire.message);
    const message = open(parent, body);
    for (const each of list(body.content)) block(object(each), parent, message.seen);
    if (body.usage !== undefined) message.usage = object(body.usage);
    message.stopReason = body.stop_reason ?? message.stopReason;
  }

  function open(parent: string | undefined, body: JsonObject): Message {
    const id = filled(body.id) ?? '';
    const known = messages.get(parent ?? '');
    if (known?.id === id) return known;
    close(parent);
    const message: Message = { id, seen: new Set(), usage: {}, model: filled(body.model), stopReason: undefined };
    messages.set(parent ?? '', message);
    if (parent === undefined) sink.emit({ type: 'turn.started', ...compact({ model: message.model }) });
    return message;
  }

  function close(parent?: string): void {
    const message = messages.get(parent ?? '');
    if (message === undefined) return;
    messages.delete(parent ?? '');
    reportUsage(message.usage, message.model);
    if (parent !== undefined) return;
    const raw = filled(message.stopReason);
    sink.emit({ type: 'turn.completed', ...compact({ finish_reason: finishOf(raw), raw_finish_reason: raw }) });
  }

  function block(part: JsonObject, parent: string | undefined, seen: Set<string>): void {
    const place = compact({ parent_item_id: parent });
    switch (part.type) {
      case 'text':
      case 'thinking': {
        const text = asText(part.text ?? part.thinking);
        const key = `${part.type} ${text}`;
        if (text === '' || seen.has(key)) return;
        seen.add(key);
        if (part.type === 'thinking') return sink.emit({ type: 'reasoning.completed', text, ...place });
        if (parent === undefined) said = true;
        return sink.emit({ type: 'text.completed', text, ...place });
      }
      case 'tool_use':
        return toolUse(part, parent, seen);
      case 'redacted_thinking':
        return;
      default:
        return sink.unknown(part);
    }
  }

  function toolUse(part: JsonObject, parent: string | undefined, seen: Set<string>): void {
    const id = filled(part.id);
    if (id === undefined) return sink.unknown(part);
    if (calls.has(id) || seen.has(id)) return;
    seen.add(id);
    const name = filled(part.name) ?? 'unknown';
    const kind = kindOf(name);
    calls.set(id, { name, path: kind === 'file_edit' ? filled(object(part.input).path) : undefined });
    sink.emit({ type: 'item.started', item_id: id, kind, name, args: part.input ?? null, ...compact({ parent_item_id: parent }) });
  }

  function user(wire: JsonObject): void {
    const parent = filled(wire.parent_tool_use_id);
    const content = object(wire.message).content;
    if (typeof content === 'string') return prompt(content, parent);
    for (const each of list(content)) {
      const part = object(each);
      if (part.type === 'tool_result') toolResult(part);
      else if (part.type === 'text') prompt(asText(part.text), parent);
    }
  }

  function prompt(text: string, parent: string | undefined): void {
    if (parent === undefined && text !== '') sink.emit({ type: 'prompt.submitted', text });
  }

  function toolResult(part: JsonObject): void {
    const id = filled(part.tool_use_id);
    if (id === undefined) return sink.unknown(part);
    const call = calls.get(id);
    calls.delete(id);
    if (messages.has(id)) close(id);
    const output = outputOf(part.content);
    const good = part.is_error !== true;
    sink.emit({ type: 'item.completed', item_id: id, status: good ? 'success' : 'error', output });
    if (!good || call?.path === undefined) return;
    sink.emit({ type: 'file.edited', path: call.path, operation: call.name === 'create_file' ? 'created' : 'modified', item_id: id });
  }

  /** Input counts leave the cached tokens out. */
  function reportUsage(wire: JsonObject, model: string | undefined, scope: 'step' | 'turn' = 'step'): void {
    const tokens = tokensBesideCache(wire.input_tokens, wire.output_tokens, wire.cache_read_input_tokens, wire.cache_creation_input_tokens);
    if (tokens !== undefined) sink.emit({ type: 'usage.reported', scope, ...compact({ model }), ...tokens });
  }

  function result(wire: JsonObject): void {
    closeAll();
    const text = string(wire.result) ?? '';
    if (!said && text !== '') sink.emit({ type: 'text.completed', text });
    reportUsage(object(wire.usage), undefined, 'turn');
    for (const each of list(wire.permission_denials)) denied(asText(each));
    const fields = compact({ raw_status: string(wire.subtype), duration_ms: count(wire.duration_ms) });
    if (wire.subtype === 'success' && wire.is_error === false) return sink.emit({ type: 'agent.finished', status: 'ok', ...fields });
    const error = filled(wire.error) ?? text;
    if (wire.subtype === 'error_max_turns') {
      sink.emit({ type: 'limit.reached', limit: 'turns', ...compact({ value: count(wire.num_turns), message: filled(error) }) });
      return sink.emit({ type: 'agent.finished', status: 'failed', code: 'turn_limit', message: error, ...fields });
    }
    const code = codeOfMessage(error);
    if (code === 'cancelled') return sink.emit({ type: 'agent.finished', status: 'cancelled', message: error, ...fields });
    sink.emit({ type: 'agent.finished', status: 'failed', code, message: error, ...fields });
  }

  function denied(what: string): void {
    const id = `denial_${++denials}`;
    sink.emit({ type: 'permission.requested', permission_id: id, what });
    sink.emit({ type: 'permission.resolved', permission_id: id, decision: 'denied', by: 'rule' });
  }

  function line(wire: JsonObject): void {
    switch (wire.type) {
      case 'system':
        if (wire.subtype !== 'init') return sink.unknown(wire);
        return sink.emit({
          type: 'thread.started',
          agent: 'amp',
          ...compact({ session_id: filled(wire.session_id), cwd: filled(wire.cwd) }),
        });
      case 'assistant':
        return assistant(wire);
      case 'user':
        return user(wire);
      case 'result':
        return result(wire);
      default:
        return sink.unknown(wire);
    }
  }

  function closeAll(): void {
    for (const parent of messages.keys()) close(parent === '' ? undefined : parent);
  }

  return { line, end: closeAll };
}

function kindOf(name: string): ItemKind {
  if (Object.hasOwn(kinds, name)) return kinds[name] ?? 'tool_call';
  return name.startsWith('mcp__') ? 'mcp' : 'tool_call';
}

function outputOf(content: Json | undefined): Json {
  if (!Array.isArray(content)) return content ?? '';
  return content.flatMap((each) => (object(each).type === 'text' ? [asText(object(each).text)] : [])).join('\n');
}

/** null while the message is still streaming. */
function finishOf(reason: string | undefined): FinishReason | undefined {
  switch (reason) {
    case 'end_turn':
    case 'stop_sequence':
      return 'stop';
    case 'tool_use':
      return 'tool_calls';
    case 'max_tokens':
      return 'length';
    default:
      return reason === undefined ? undefined : 'other';
  }
}
