import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { codeOfMessage } from '../../../outcome/faults.ts';
import { asText, count, integer, isObject, list, number, object, string } from '../../../json/read.ts';
import { SessionUsage } from './session-usage.ts';

/** `codex exec --json` before 0.43: a config summary, the prompt, then `{id, msg}` lines; the end is the end of the file. */
export function legacyDecoder(sink: DecoderSink): { line(wire: JsonObject): boolean; end(): void } {
  const usage = new SessionUsage(sink);
  const changes = new Map<string, JsonObject>();
  let seen = false;
  let finished = false;
  let answered = false;
  let model: string | undefined;

  function line(wire: JsonObject): boolean {
    if (typeof wire.workdir === 'string' && typeof wire.model === 'string') {
      seen = true;
      model = wire.model;
      sink.emit({ type: 'thread.started', agent: 'codex', model, cwd: wire.workdir });
      return true;
    }
    if (typeof wire.prompt === 'string' && wire.type === undefined) {
      sink.emit({ type: 'prompt.submitted', text: wire.prompt });
      return true;
    }
    if (!isObject(wire.msg)) return false;
    seen = true;
    return message(wire.msg);
  }

  function message(msg: JsonObject): boolean {
    const id = string(msg.call_id) ?? 'call';
    switch (msg.type) {
      case 'session_configured':
        sink.emit({
          type: 'thread.started',
          agent: 'codex',
          ...present({ session_id: string(msg.session_id), model: string(msg.model) ?? model }),
        });
        return true;
      case 'task_started':
        sink.emit({ type: 'turn.started' });
        return true;
      case 'agent_message':
        answered = true;
        sink.emit({ type: 'text.completed', text: asText(msg.message) });
        return true;
      case 'agent_reasoning':
      case 'agent_reasoning_raw_content':
        sink.emit({ type: 'reasoning.completed', text: asText(msg.text) });
        return true;
      case 'user_message':
      case 'agent_reasoning_section_break':
      case 'exec_command_output_delta':
      case 'turn_diff':
      case 'plan_update':
      case 'web_search_begin':
        return true;
      case 'token_count': {
        const { total_token_usage: total, last_token_usage: last } = object(msg.info);
        if (count(object(total).total_tokens)) usage.count(total, last, model);
        usage.tell();
        return true;
      }
      case 'exec_command_begin':
        sink.emit({
          type: 'item.started',
          item_id: id,
          kind: 'command',
          name: 'exec_command',
          args: { command: list(msg.command).map(asText).join(' ') },
        });
        return true;
      case 'exec_command_end': {
        const exit = integer(msg.exit_code);
        sink.emit({
          type: 'item.completed',
          item_id: id,
          status: exit === 0 ? 'success' : 'error',
          output: string(msg.aggregated_output) ?? asText(msg.stdout) + asText(msg.stderr),
          ...present({ exit_code: exit, duration_ms: duration(object(msg.duration)) }),
        });
        return true;
      }
      case 'mcp_tool_call_begin': {
        const call = object(msg.invocation);
        sink.emit({
          type: 'item.started',
          item_id: id,
          kind: 'mcp',
          name: `${asText(call.server)}.${asText(call.tool)}`,
          native_name: 'mcp_tool_call',
          args: call.arguments ?? null,
        });
        return true;
      }
      case 'mcp_tool_call_end': {
        const result = object(msg.result);
        const failed = result.Err !== undefined;
        sink.emit({
          type: 'item.completed',
          item_id: id,
          status: failed ? 'error' : 'success',
          ...present({ output: failed ? undefined : result.Ok, error: string(result.Err) }),
        });
        return true;
      }
      case 'patch_apply_begin':
        sink.emit({
          type: 'item.started',
          item_id: id,
          kind: 'file_edit',
          name: 'apply_patch',
          args: { changes: object(msg.changes) },
        });
        changes.set(id, object(msg.changes));
        return true;
      case 'patch_apply_end':
        sink.emit({
          type: 'item.completed',
          item_id: id,
          status: msg.success === true ? 'success' : 'error',
          output: asText(msg.stdout),
        });
        if (msg.success === true) editedFiles(id);
        changes.delete(id);
        return true;
      case 'web_search_end':
        sink.emit({
          type: 'item.started',
          item_id: id,
          kind: 'web',
          name: 'web_search',
          args: present({ query: msg.query }),
        });
        sink.emit({ type: 'item.completed', item_id: id, status: 'success' });
        return true;
      case 'background_event':
        sink.emit({ type: 'log', stream: 'agent', text: asText(msg.message) });
        return true;
      case 'stream_error':
        sink.emit({ type: 'retry.scheduled', cause: asText(msg.message), code: codeOfMessage(asText(msg.message)) });
        return true;
      case 'error': {
        finished = true;
        const words = asText(msg.message);
        const fault = { code: codeOfMessage(words), message: words };
        sink.emit({ type: 'error', scope: 'provider', ...fault, fatal: true });
        sink.emit({ type: 'agent.finished', status: 'failed', ...fault });
        return true;
      }
      case 'turn_aborted':
        finished = true;
        sink.emit({ type: 'agent.finished', status: 'cancelled', raw_status: asText(msg.reason) });
        return true;
      default:
        return false;
    }
  }

  function editedFiles(id: string): void {
    for (const [path, change] of Object.entries(changes.get(id) ?? {})) {
      const kinds = object(change);
      const diff = string(object(kinds.update).unified_diff);
      sink.emit({
        type: 'file.edited',
        path,
        operation: 'add' in kinds ? 'created' : 'delete' in kinds ? 'deleted' : 'modified',
        item_id: id,
        ...present({ diff }),
      });
    }
  }

  return {
    line,
    end() {
      // `task_complete` was never printed: an answer without an error is this format's only sign of success.
      if (seen && answered && !finished) sink.emit({ type: 'agent.finished', status: 'ok' });
    },
  };
}

function duration(wire: JsonObject): number | undefined {
  const seconds = number(wire.secs);
  return seconds === undefined ? undefined : Math.max(0, seconds * 1000 + Math.round((number(wire.nanos) ?? 0) / 1e6));
}
