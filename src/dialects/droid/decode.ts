import type { ErrorCode, ItemKind, ItemStatus } from '../../events/event.ts';
import type { Decoder, DecoderSink, Json, JsonObject } from '../dialect.ts';
import { codeOfMessage } from '../../faults.ts';
import { asText, compact, count, filled, isObject, object, string, time } from '../read.ts';
import { tokensBesideCache } from '../tokens.ts';

const kinds: Record<string, ItemKind> = {
  Execute: 'command',
  Read: 'read',
  LS: 'search',
  Grep: 'search',
  Glob: 'search',
  Edit: 'file_edit',
  MultiEdit: 'file_edit',
  Create: 'file_edit',
  ApplyPatch: 'file_edit',
  WebSearch: 'web',
  FetchUrl: 'web',
  TodoWrite: 'plan',
  Task: 'subagent',
};

// Without a person to ask, what is above the `--auto` level is refused, and the run often ends on it.
const refusal =
  /insufficient permission|permission (?:to proceed|level)|--auto (?:low|medium|high)|--skip-permissions-unsafe|rejected by (?:the )?user/i;

interface Call {
  name: string;
  toolId: string;
  path: string | undefined;
}

export function decoder(sink: DecoderSink): Decoder {
  const calls = new Map<string, Call>();
  let items = 0;
  let turn: string | undefined;
  let thinking = false;
  let said = false;
  /** An error that nothing came after. */
  let fault: { code: ErrorCode; message: string } | undefined;

  function openTurn(id: string | undefined): void {
    fault = undefined;
    if (id === undefined || id === turn) return;
    if (!thinking) sink.emit({ type: 'turn.started' });
    thinking = false;
    turn = id;
  }

  /** Comes before the message it belongs to, and does not name it. */
  function reasoning(wire: JsonObject): void {
    if (!thinking) sink.emit({ type: 'turn.started' });
    thinking = true;
    sink.emit({ type: 'reasoning.completed', text: asText(wire.text) });
  }

  function readMessage(wire: JsonObject): void {
    const text = asText(wire.text);
    const id = filled(wire.id);
    if (wire.role === 'user') return sink.emit({ type: 'prompt.submitted', text, ...compact({ message_id: id }) });
    openTurn(id);
    if (text === '') return;
    said = true;
    sink.emit({ type: 'text.completed', text, ...(id === undefined ? {} : { message_id: id, block_id: id }) });
  }

  function toolCall(wire: JsonObject): void {
    openTurn(filled(wire.messageId));
    const name = filled(wire.toolName) ?? filled(wire.toolId) ?? 'unknown';
    const id = filled(wire.id) ?? `call_${++items}`;
    const kind = kindOf(name);
    const args = object(wire.parameters);
    const path = kind === 'file_edit' ? (filled(args.file_path) ?? filled(args.path)) : undefined;
    calls.set(id, { name, toolId: filled(wire.toolId) ?? name, path });
    sink.emit({ type: 'item.started', item_id: id, kind, name, args: wire.parameters ?? null });
  }

  /** Results without a call id belong to the oldest open call of their tool. */
  function callOf(wire: JsonObject): string | undefined {
    const id = filled(wire.id);
    if (id !== undefined) return id;
    for (const [each, call] of calls) if (call.toolId === wire.toolId) return each;
    return undefined;
  }

  function toolResult(wire: JsonObject): void {
    const id = callOf(wire);
    if (id === undefined) return sink.unknown(wire);
    const call = calls.get(id);
    calls.delete(id);
    if (wire.isError === false) {
      sink.emit({ type: 'item.completed', item_id: id, status: 'success', ...compact({ output: wire.value ?? undefined }) });
      if (call?.path === undefined) return;
      const operation = call.name === 'Create' ? 'created' : 'modified';
      return sink.emit({ type: 'file.edited', path: call.path, operation, item_id: id });
    }
    const error = filled(object(wire.error).message) ?? asText(wire.error ?? wire.value);
    sink.emit({ type: 'item.completed', item_id: id, status: failureOf(error, object(wire.error).type), error });
  }

  function fail(message: string): void {
    fault = { code: refusal.test(message) ? 'permission' : codeOfMessage(message), message };
    sink.emit({ type: 'error', scope: 'agent', ...fault, fatal: true });
  }

  /** Input counts leave the cached tokens out. */
  function usage(wire: JsonObject): void {
    const tokens = tokensBesideCache(wire.input_tokens, wire.output_tokens, wire.cache_read_input_tokens, wire.cache_creation_input_tokens);
    if (tokens === undefined) return;
    sink.emit({ type: 'usage.reported', scope: 'turn', ...compact({ reasoning_tokens: count(wire.thinking_tokens) }), ...tokens });
  }

  function finish(good: boolean, text: string, fields: { raw_status?: string; duration_ms?: number }): void {
    if (good && !said && text !== '') sink.emit({ type: 'text.completed', text });
    if (good && fault === undefined) return sink.emit({ type: 'agent.finished', status: 'ok', ...fields });
    const failure = fault ?? { code: refusal.test(text) ? ('permission' as const) : codeOfMessage(text), message: text };
    sink.emit({ type: 'agent.finished', status: 'failed', ...failure, ...fields });
  }

  /** A start that failed: a line of its log instead of an event. */
  function logLine(wire: JsonObject): boolean {
    if (typeof wire.level !== 'string' || wire.type !== undefined) return false;
    const text = filled(object(wire.error).message) ?? filled(wire.error) ?? filled(wire.msg) ?? asText(wire.error);
    if (wire.level === 'error' || wire.level === 'fatal' || isObject(wire.error)) fail(text);
    else sink.emit({ type: 'log', stream: 'agent', level: wire.level === 'warn' ? 'warning' : 'info', text });
    return true;
  }

  function line(wire: JsonObject): void {
    const at = time(wire.timestamp);
    if (at !== undefined) sink.at(at);
    switch (wire.type) {
      case 'system':
        if (wire.subtype !== 'init') return sink.unknown(wire);
        return sink.emit({
          type: 'thread.started',
          agent: 'droid',
          ...compact({ session_id: filled(wire.session_id), model: filled(wire.model), cwd: filled(wire.cwd) }),
        });
      case 'message':
        return readMessage(wire);
      case 'reasoning':
        return reasoning(wire);
      case 'tool_call':
        return toolCall(wire);
      case 'tool_result':
        return toolResult(wire);
      case 'error':
        return fail(asText(wire.message));
      case 'completion':
        usage(object(wire.usage));
        return finish(
          typeof wire.finalText === 'string' && (wire.isError === undefined || wire.isError === false),
          asText(wire.finalText),
          compact({ duration_ms: count(wire.durationMs) }),
        );
      case 'result':
        usage(object(wire.usage));
        return finish(
          wire.subtype === 'success' && wire.is_error === false,
          asText(wire.result),
          compact({ raw_status: string(wire.subtype), duration_ms: count(wire.duration_ms) }),
        );
      default:
        if (!logLine(wire)) sink.unknown(wire);
    }
  }

  function stderr(text: string, wire?: JsonObject): boolean {
    if (wire !== undefined) return logLine(wire);
    if (!refusal.test(text)) return false;
    fail(text);
    return true;
  }

  return { line, stderr, end() {} };
}

function kindOf(name: string): ItemKind {
  if (Object.hasOwn(kinds, name)) return kinds[name] ?? 'tool_call';
  return name.includes('___') ? 'mcp' : 'tool_call';
}

function failureOf(message: string, type: Json | undefined): ItemStatus {
  if (type === 'permission_denied' || refusal.test(message.slice(0, 1000))) return 'denied';
  return /^(?:cancell?ed|aborted|interrupted)\b/i.test(message) ? 'cancelled' : 'error';
}
