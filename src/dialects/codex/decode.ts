import type { Decoder, DecoderSink, Json, JsonObject } from '../dialect.ts';
import type { ItemStatus } from '../../events/event.ts';
import { codeOfMessage } from '../../faults.ts';
import { asText, compact, count, integer, list, object, string } from '../read.ts';
import { foreignServer } from './foreign.ts';
import { legacyDecoder } from './legacy.ts';
import { isRollout, rolloutDecoder } from './rollout.ts';

const retryWording = /^Reconnecting\.\.\. (?:(\d+)\/(\d+))?\s*(?:\((.*)\))?$/s;
const stderrGreeting = /^Reading (?:additional input|prompt) from stdin/;

export function decoder(sink: DecoderSink): Decoder {
  const open = new Set<string>();
  const legacy = legacyDecoder(sink);
  const rollout = rolloutDecoder(sink);
  let denials = 0;

  function start(item: JsonObject, id: string): void {
    if (open.has(id)) return;
    open.add(id);
    const type = string(item.type) ?? string(item.item_type) ?? '';
    switch (type) {
      case 'command_execution':
        return sink.emit({ type: 'item.started', item_id: id, kind: 'command', name: type, args: { command: asText(item.command) } });
      case 'file_change':
        return sink.emit({ type: 'item.started', item_id: id, kind: 'file_edit', name: type, args: { changes: [...list(item.changes)] } });
      case 'mcp_tool_call':
        if (item.server === foreignServer) {
          return sink.emit({ type: 'item.started', item_id: id, kind: 'tool_call', name: asText(item.tool), args: item.arguments ?? null });
        }
        return sink.emit({
          type: 'item.started',
          item_id: id,
          kind: 'mcp',
          name: `${asText(item.server)}.${asText(item.tool)}`,
          native_name: type,
          args: item.arguments ?? null,
        });
      case 'collab_tool_call':
        return sink.emit({
          type: 'item.started',
          item_id: id,
          kind: 'subagent',
          name: asText(item.tool),
          native_name: type,
          args: compact({ prompt: item.prompt, sender_thread_id: item.sender_thread_id, receiver_thread_ids: item.receiver_thread_ids }),
        });
      case 'web_search':
        return sink.emit({
          type: 'item.started',
          item_id: id,
          kind: 'web',
          name: type,
          args: compact({ query: item.query, action: item.action }),
        });
      case 'todo_list':
        return sink.emit({ type: 'item.started', item_id: id, kind: 'plan', name: type, args: { items: [...list(item.items)] } });
    }
  }

  function complete(item: JsonObject, id: string): void {
    start(item, id);
    open.delete(id);
    const error = string(object(item.error).message);
    const done = { type: 'item.completed', item_id: id } as const;
    switch (string(item.type) ?? string(item.item_type)) {
      case 'command_execution': {
        const exit = integer(item.exit_code);
        sink.emit({
          ...done,
          status: commandStatus(item.status, exit),
          output: asText(item.aggregated_output),
          ...(exit === undefined ? {} : { exit_code: exit }),
        });
        break;
      }
      case 'file_change': {
        const status = plainStatus(item.status);
        sink.emit({ ...done, status });
        if (status === 'success') for (const change of list(item.changes)) editedFile(object(change), id);
        break;
      }
      case 'mcp_tool_call':
        // Exec cannot ask anybody, so an MCP tool that needs approval ends with this fixed text.
        sink.emit({
          ...done,
          status: error === 'user cancelled MCP tool call' ? 'denied' : plainStatus(item.status),
          ...compact({ output: item.server === foreignServer ? foreignOutput(item.result) : (item.result ?? undefined), error }),
        });
        break;
      case 'collab_tool_call':
        sink.emit({ ...done, status: plainStatus(item.status), ...compact({ output: item.agents_states }) });
        break;
      case 'todo_list':
        sink.emit({ ...done, status: 'success', output: [...list(item.items)] });
        break;
      default:
        sink.emit({ ...done, status: 'success' });
    }
  }

  function editedFile(change: JsonObject, itemId: string): void {
    const operation = change.kind === 'add' ? 'created' : change.kind === 'delete' ? 'deleted' : 'modified';
    sink.emit({ type: 'file.edited', path: asText(change.path), operation, item_id: itemId });
  }

  function itemLine(phase: string, wire: JsonObject): void {
    const item = object(wire.item);
    const id = string(item.id) ?? '';
    switch (string(item.type) ?? string(item.item_type)) {
      case 'agent_message':
      case 'assistant_message':
        if (phase === 'item.completed')
          sink.emit({ type: 'text.completed', text: asText(item.text), block_id: id || 'item', message_id: id || 'item' });
        return;
      case 'reasoning':
        if (phase === 'item.completed') sink.emit({ type: 'reasoning.completed', text: asText(item.text), block_id: id || 'item' });
        return;
      case 'error':
        return sink.emit({ type: 'log', stream: 'agent', level: 'warning', text: asText(item.message) });
      case 'command_execution':
      case 'file_change':
      case 'mcp_tool_call':
      case 'collab_tool_call':
      case 'web_search':
      case 'todo_list':
        if (id === '') return sink.unknown(wire);
        if (phase === 'item.started') return start(item, id);
        if (phase === 'item.completed') return complete(item, id);
        start(item, id);
        return sink.emit({ type: 'item.output', item_id: id, stream: 'progress', chunk: JSON.stringify(list(item.items)) });
      default:
        return sink.unknown(wire);
    }
  }

  function line(wire: JsonObject): void {
    switch (wire.type) {
      case 'thread.started':
      case 'session.created':
        return sink.emit({
          type: 'thread.started',
          agent: 'codex',
          ...compact({ session_id: string(wire.thread_id) ?? string(wire.session_id) }),
        });
      case 'turn.started':
        return sink.emit({ type: 'turn.started' });
      case 'item.started':
      case 'item.updated':
      case 'item.completed':
        return itemLine(wire.type, wire);
      case 'turn.completed':
        usage(object(wire.usage));
        sink.emit({ type: 'turn.completed', finish_reason: 'stop' });
        return sink.emit({ type: 'agent.finished', status: 'ok' });
      case 'turn.failed': {
        const message = asText(object(wire.error).message);
        sink.emit({ type: 'turn.completed', finish_reason: 'error' });
        return sink.emit({ type: 'agent.finished', status: 'failed', code: codeOfMessage(message), message });
      }
      case 'error': {
        const message = asText(wire.message);
        const retry = retryWording.exec(message);
        if (retry === null) return sink.emit({ type: 'error', scope: 'provider', code: codeOfMessage(message), message, fatal: true });
        const cause = retry[3] ?? '';
        return sink.emit({
          type: 'retry.scheduled',
          code: codeOfMessage(cause),
          cause,
          ...compact({ attempt: digits(retry[1]), max_attempts: digits(retry[2]) }),
        });
      }
      default:
        if (isRollout(wire)) rollout.line(wire);
        else if (!legacy.line(wire)) sink.unknown(wire);
    }
  }

  /** Running totals of the whole thread; all zero means that the provider reported nothing. */
  function usage(wire: JsonObject): void {
    const tokens = compact({
      input_tokens: count(wire.input_tokens),
      output_tokens: count(wire.output_tokens),
      reasoning_tokens: count(wire.reasoning_output_tokens),
      cache_read_tokens: count(wire.cached_input_tokens),
      cache_write_tokens: count(wire.cache_write_input_tokens),
    });
    if (Object.values(tokens).some((value) => value > 0))
      sink.emit({ type: 'usage.reported', scope: 'thread', whole_session: true, ...tokens });
  }

  function stderr(text: string): boolean {
    if (stderrGreeting.test(text)) return true;
    const error = / ERROR codex_core::tools::router: error=(.*)$/.exec(text)?.[1];
    if (error === undefined) return false;
    // A refused patch or an unknown tool leaves no event on stdout: this line is its only trace.
    if (/rejected|not permitted|blocked by/.test(error)) {
      const id = `stderr_${++denials}`;
      sink.emit({ type: 'permission.requested', permission_id: id, what: error });
      sink.emit({ type: 'permission.resolved', permission_id: id, decision: 'denied', by: 'rule' });
    } else {
      sink.emit({ type: 'error', scope: 'tool', code: 'tool', message: error, fatal: false });
    }
    return true;
  }

  function end(): void {
    legacy.end();
    rollout.end();
  }

  return { line, stderr, end };
}

function foreignOutput(result: Json | undefined): string | undefined {
  return string(object(list(object(result).content)[0]).text);
}

function commandStatus(status: Json | undefined, exit: number | undefined): ItemStatus {
  if (status === 'declined') return 'denied';
  if (exit !== undefined) return exit === 0 ? 'success' : 'error';
  // Up to 0.116 a command still running at the end of the turn was closed as "completed" without an exit code.
  return status === 'failed' ? 'error' : 'abandoned';
}

function plainStatus(status: Json | undefined): ItemStatus {
  if (status === 'completed') return 'success';
  return status === 'declined' ? 'denied' : status === 'in_progress' ? 'abandoned' : 'error';
}

function digits(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}
