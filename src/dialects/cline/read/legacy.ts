import type { FileOperation, ItemKind, ItemStatus } from '../../../events/event.ts';
import { present } from '../../../present.ts';
import type { DecoderSink, Json, JsonObject } from '../../dialect.ts';
import { codeOfMessage } from '../../../faults.ts';
import { asText, count, filled, objectIn, string, whole } from '../../read.ts';
import { kindIn } from '../../tool-kinds.ts';
import { tokensBesideCache } from '../../tokens.ts';
import { legacySilent, legacyToolKinds } from '../words.ts';

/** The `say` and `ask` lines of 2.x. They report when a tool starts, but hardly ever how it ended. */
export function legacyDecoder(sink: DecoderSink): { line(wire: JsonObject): boolean; end(): void } {
  let introduced = false;
  let partial: JsonObject | undefined;
  let request: { ts: Json | undefined; usage: JsonObject } | undefined;
  let tool: { id: string; path: string | undefined; operation: FileOperation | undefined } | undefined;
  let items = 0;

  function line(wire: JsonObject): boolean {
    if ((wire.type !== 'say' && wire.type !== 'ask') || !(string(wire[wire.type]) ?? '')) return false;
    if (!introduced) {
      introduced = true;
      sink.emit({ type: 'thread.started', agent: 'cline' });
    }
    // A growing line is printed repeatedly with the same time; the last one is complete.
    if (partial !== undefined && partial.ts !== wire.ts) flushPartial();
    if (wire.partial === true) {
      partial = wire;
      return true;
    }
    partial = undefined;
    if (wire.type === 'say') said(wire);
    else asked(wire);
    return true;
  }

  /** A line that was never finished: its text is kept, but it ends nothing. */
  function flushPartial(): void {
    const wire = partial;
    partial = undefined;
    if (wire === undefined) return;
    if (wire.say === 'text' || wire.say === 'completion_result') text(wire);
    else if (wire.say === 'reasoning') reasoning(wire);
  }

  function text(wire: JsonObject): void {
    closeTool('success');
    const words = asText(wire.text);
    const id = `message_${asText(wire.ts)}`;
    if (words !== '') sink.emit({ type: 'text.completed', text: words, message_id: id, block_id: id });
  }

  function reasoning(wire: JsonObject): void {
    const words = string(wire.reasoning) ?? asText(wire.text);
    if (words !== '') sink.emit({ type: 'reasoning.completed', text: words, block_id: `reasoning_${asText(wire.ts)}` });
  }

  function said(wire: JsonObject): void {
    // Many texts are JSON inside a string.
    const words = asText(wire.text);
    switch (wire.say) {
      case 'task':
        return sink.emit({ type: 'prompt.submitted', text: words });
      case 'text':
        return text(wire);
      case 'reasoning':
        return reasoning(wire);
      case 'api_req_started':
        return apiRequest(wire, objectIn(words));
      case 'api_req_retried':
        return sink.emit({ type: 'retry.scheduled', cause: words });
      case 'error_retry': {
        const detail = objectIn(words);
        const cause = filled(detail.errorMessage) ?? words;
        return sink.emit({
          type: 'retry.scheduled',
          code: codeOfMessage(cause),
          cause,
          ...present({ attempt: whole(detail.attempt), max_attempts: whole(detail.maxAttempts) }),
        });
      }
      case 'tool':
        return startTool(objectIn(words));
      case 'command':
        return start('command', 'command', { command: words });
      case 'command_output':
        if (tool !== undefined && words !== '') sink.emit({ type: 'item.output', item_id: tool.id, stream: 'stdout', chunk: words });
        return;
      case 'use_mcp_server': {
        const call = objectIn(words);
        return start('mcp', `${asText(call.serverName)}.${asText(call.toolName ?? call.uri)}`, call.arguments ?? null, 'use_mcp_server');
      }
      case 'mcp_server_request_started':
        return;
      case 'mcp_server_response':
        return closeTool('success', words);
      case 'browser_action_launch':
      case 'browser_action':
        return start('web', asText(wire.say), { action: words });
      case 'browser_action_result':
        return closeTool('success', words);
      case 'subagent':
        return start('subagent', 'subagent', { task: words });
      case 'diff_error':
      case 'clineignore_error':
        if (tool !== undefined) return closeTool('error', words);
        return sink.emit({ type: 'error', scope: 'tool', code: 'tool', message: words, fatal: false });
      case 'error':
        closeTool('error', words);
        return sink.emit({ type: 'error', scope: 'agent', code: codeOfMessage(words), message: words, fatal: false });
      case 'info':
      case 'mcp_notification':
        return sink.emit({ type: 'log', stream: 'agent', level: 'info', text: words });
      case 'completion_result':
        text({ ...wire, text: withoutFlag(words) });
        reportUsage();
        return sink.emit({ type: 'agent.finished', status: 'ok', raw_status: 'completion_result' });
      default:
        if (!legacySilent.has(wire.say)) sink.unknown(wire);
    }
  }

  function asked(wire: JsonObject): void {
    const words = asText(wire.text);
    switch (wire.ask) {
      case 'tool':
      case 'command':
      case 'use_mcp_server':
      case 'browser_action_launch': {
        const detail = objectIn(words);
        const what = filled(detail.tool) ?? filled(detail.toolName) ?? wire.ask;
        const pattern = wire.ask === 'command' ? filled(words) : filled(detail.path);
        return sink.emit({ type: 'permission.requested', permission_id: `ask_${asText(wire.ts)}`, what, ...present({ pattern }) });
      }
      case 'api_req_failed': {
        reportUsage();
        return sink.emit({ type: 'error', scope: 'provider', code: codeOfMessage(words), message: words, fatal: true });
      }
      case 'mistake_limit_reached':
        return sink.emit({ type: 'error', scope: 'agent', code: 'tool', message: words, fatal: true });
      case 'auto_approval_max_req_reached':
        return sink.emit({ type: 'limit.reached', limit: 'turns', message: words });
      case 'followup':
      case 'plan_mode_respond':
        return text({ ...wire, text: filled(objectIn(words).question) ?? filled(objectIn(words).response) ?? words });
      case 'command_output':
      case 'completion_result':
      case 'resume_task':
      case 'resume_completed_task':
      case 'new_task':
      case 'condense':
      case 'summarize_task':
      case 'report_bug':
        return;
      default:
        return sink.unknown(wire);
    }
  }

  /** Printed when a model call starts, and again with its counts when it ends. */
  function apiRequest(wire: JsonObject, detail: JsonObject): void {
    if (request?.ts === wire.ts) {
      request = { ts: wire.ts, usage: detail };
    } else {
      closeTool('success');
      reportUsage();
      request = { ts: wire.ts, usage: detail };
      sink.emit({ type: 'turn.started' });
    }
    const failure = filled(detail.streamingFailedMessage);
    if (failure !== undefined) sink.emit({ type: 'error', scope: 'provider', code: codeOfMessage(failure), message: failure, fatal: true });
    else if (detail.cancelReason === 'user_cancelled')
      sink.emit({ type: 'agent.finished', status: 'cancelled', raw_status: 'user_cancelled' });
  }

  /** `tokensIn` excludes cached tokens. */
  function reportUsage(): void {
    const usage = request?.usage ?? {};
    request = request === undefined ? undefined : { ts: request.ts, usage: {} };
    const tokens = tokensBesideCache(usage.tokensIn, usage.tokensOut, usage.cacheReads, usage.cacheWrites);
    if (tokens === undefined) return;
    sink.emit({ type: 'usage.reported', scope: 'step', ...present({ cost_usd: count(usage.cost) || undefined }), ...tokens });
  }

  function startTool(detail: JsonObject): void {
    const name = filled(detail.tool) ?? 'tool';
    const { tool: _, ...args } = detail;
    const kind = kindIn(legacyToolKinds, name);
    start(kind, name, args);
    if (tool === undefined || kind !== 'file_edit') return;
    tool.path = filled(detail.path);
    tool.operation = name === 'newFileCreated' ? 'created' : name === 'fileDeleted' ? 'deleted' : 'modified';
  }

  function start(kind: ItemKind, name: string, args: Json, native?: string): void {
    closeTool('success');
    tool = { id: `tool_${++items}`, path: undefined, operation: undefined };
    sink.emit({ type: 'item.started', item_id: tool.id, kind, name, args, ...present({ native_name: native }) });
  }

  /** The end of a tool is not on the wire: it succeeded if the run went on without an error. */
  function closeTool(status: ItemStatus, words?: string): void {
    const open = tool;
    tool = undefined;
    if (open === undefined) return;
    const detail = words === undefined ? {} : status === 'success' ? { output: words } : { error: words };
    sink.emit({ type: 'item.completed', item_id: open.id, status, ...detail });
    if (status !== 'success' || open.path === undefined || open.operation === undefined) return;
    sink.emit({ type: 'file.edited', path: open.path, operation: open.operation, item_id: open.id });
  }

  function end(): void {
    flushPartial();
    reportUsage();
  }

  return { line, end };
}

const changesFlag = 'HAS_CHANGES';

/** The program marks an answer after which files have changed; it shows the mark to nobody. */
function withoutFlag(answer: string): string {
  return answer.endsWith(changesFlag) ? answer.slice(0, -changesFlag.length) : answer;
}
