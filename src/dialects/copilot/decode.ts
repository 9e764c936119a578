import type { ErrorCode, ItemKind, ItemStatus } from '../../events/event.ts';
import type { Decoder, DecoderSink, Json, JsonObject } from '../dialect.ts';
import { codeOfMessage } from '../../faults.ts';
import { asText, compact, count, filled, integer, list, object, string, time } from '../read.ts';

const kinds: Record<string, ItemKind> = {
  bash: 'command',
  read_bash: 'command',
  write_bash: 'command',
  stop_bash: 'command',
  powershell: 'command',
  view: 'read',
  create: 'file_edit',
  edit: 'file_edit',
  str_replace_editor: 'file_edit',
  apply_patch: 'file_edit',
  grep: 'search',
  glob: 'search',
  web_search: 'web',
  web_fetch: 'web',
  fetch: 'web',
  task: 'subagent',
  update_todo: 'plan',
};

/** Known, and of no use to a reader. */
const silent = new Set([
  'assistant.intent',
  'assistant.message_start',
  'assistant.streaming_delta',
  'command.completed',
  'command.queued',
  'hook.end',
  'hook.start',
  'pending_messages.modified',
  'session.background_tasks_changed',
  'session.compaction_complete',
  'session.compaction_start',
  'session.context_changed',
  'session.custom_agents_updated',
  'session.extensions_loaded',
  'session.handoff',
  'session.idle',
  'session.mcp_server_status_changed',
  'session.mcp_servers_loaded',
  'session.mode_changed',
  'session.model_change',
  'session.plan_changed',
  'session.skills_loaded',
  'session.snapshot_rewind',
  'session.task_complete',
  'session.title_changed',
  'session.tools_updated',
  'session.truncation',
  'session.usage_checkpoint',
  'session.usage_info',
  'session.workspace_file_changed',
  'skill.invoked',
  'subagent.completed',
  'subagent.deselected',
  'subagent.selected',
  'subagent.started',
  'system.message',
  'system.notification',
  'tool.user_requested',
]);

const refusal = /permission denied and could not request permission|denied by (?:the )?(?:rule|user|policy)|rejected by (?:the )?user/i;

interface Call {
  name: string;
  args: Json | undefined;
  parent: string | undefined;
}

export function decoder(sink: DecoderSink): Decoder {
  /** Asked for by the model, not yet started. */
  const requested = new Map<string, Call>();
  const running = new Map<string, Call>();
  let introduced = false;
  let reasoned = false;
  let counted = false;
  let outputTokens = 0;
  let edited = false;
  let aborted: string | undefined;
  let claimed = false;
  /** An error that nothing came after. */
  let fault: { code: ErrorCode; message: string } | undefined;

  function introduce(data: JsonObject = {}): void {
    if (introduced) return;
    introduced = true;
    sink.emit({
      type: 'thread.started',
      agent: 'copilot',
      ...compact({
        session_id: filled(data.sessionId),
        agent_version: filled(data.copilotVersion),
        model: filled(data.selectedModel),
        cwd: filled(object(data.context).cwd),
      }),
    });
  }

  function message(data: JsonObject, parent: string | undefined): void {
    const id = filled(data.messageId);
    const place = compact({ parent_item_id: parent });
    const thought = filled(data.reasoningText);
    if (thought !== undefined && !reasoned) sink.emit({ type: 'reasoning.completed', text: thought, ...place });
    reasoned = false;
    const text = asText(data.content);
    if (text !== '') {
      if (parent === undefined) fault = undefined;
      sink.emit({ type: 'text.completed', text, ...place, ...(id === undefined ? {} : { message_id: id, block_id: id }) });
    }
    outputTokens += count(data.outputTokens) ?? 0;
    for (const each of list(data.toolRequests)) {
      const request = object(each);
      const call = filled(request.toolCallId);
      if (call !== undefined) requested.set(call, { name: filled(request.name) ?? 'unknown', args: request.arguments, parent });
    }
  }

  function start(id: string, call: Call, server: string | undefined): void {
    requested.delete(id);
    running.set(id, call);
    sink.emit({
      type: 'item.started',
      item_id: id,
      kind: server === undefined ? kindOf(call.name) : 'mcp',
      name: call.name,
      args: call.args ?? null,
      ...compact({ parent_item_id: call.parent }),
    });
  }

  function complete(id: string, data: JsonObject): void {
    const asked = requested.get(id);
    // A refused tool never starts.
    if (!running.has(id) && asked !== undefined) start(id, asked, undefined);
    const call = running.get(id);
    running.delete(id);
    const result = object(data.result);
    const error = filled(object(data.error).message);
    const output = result.content ?? result.detailedContent;
    const status = statusOf(data, error ?? asText(output));
    sink.emit({ type: 'item.completed', item_id: id, status, ...compact({ output, error }) });
    const path = filled(object(call?.args).path);
    if (status !== 'success' || call === undefined || path === undefined || kindOf(call.name) !== 'file_edit') return;
    if (object(call.args).command === 'view') return;
    edited = true;
    const created = call.name === 'create' || object(call.args).command === 'create';
    sink.emit({ type: 'file.edited', path, operation: created ? 'created' : 'modified', item_id: id });
  }

  /** Input counts include cached tokens. `cost` counts premium requests, not money. */
  function usage(scope: 'step' | 'thread', model: string | undefined, wire: JsonObject): void {
    const tokens = compact({
      input_tokens: count(wire.inputTokens),
      output_tokens: count(wire.outputTokens),
      reasoning_tokens: count(wire.reasoningTokens),
      cache_read_tokens: count(wire.cacheReadTokens),
      cache_write_tokens: count(wire.cacheWriteTokens),
    });
    if (!tokens.input_tokens && !tokens.output_tokens) return;
    counted = true;
    sink.emit({ type: 'usage.reported', scope, ...tokens, ...compact({ model }) });
  }

  function shutdown(data: JsonObject): void {
    const metrics = object(data.modelMetrics);
    for (const model in metrics) usage('thread', model, object(object(metrics[model]).usage ?? metrics[model]));
    fileChanges(object(data.codeChanges));
    if (data.shutdownType === 'routine') return finish(true, 'routine', {});
    if (data.shutdownType === 'error') finish(false, 'error', {});
  }

  /** The closing lines list the files; of use only where no tool named them. */
  function fileChanges(changes: JsonObject): void {
    if (edited) return;
    for (const each of list(changes.filesModified)) {
      const path = filled(each);
      if (path === undefined) continue;
      edited = true;
      sink.emit({ type: 'file.edited', path, operation: 'modified' });
    }
  }

  function finish(good: boolean, raw: string, fields: { duration_ms?: number }): void {
    if (!counted && outputTokens > 0) usage('step', undefined, { outputTokens });
    const said = { raw_status: raw, ...fields };
    claimed = true;
    if (aborted !== undefined) return sink.emit({ type: 'agent.finished', status: 'cancelled', ...said, message: aborted });
    if (fault !== undefined) return sink.emit({ type: 'agent.finished', status: 'failed', ...fault, ...said });
    if (good) return sink.emit({ type: 'agent.finished', status: 'ok', ...said });
    sink.emit({ type: 'agent.finished', status: 'failed', code: 'unknown', ...said });
  }

  function permission(type: 'requested' | 'completed', wire: JsonObject, data: JsonObject): void {
    const id = filled(data.requestId);
    if (id === undefined) return sink.unknown(wire);
    if (type === 'requested') {
      const request = object(data.permissionRequest);
      const pattern = filled(request.fullCommandText) ?? filled(request.fileName) ?? filled(request.path) ?? filled(request.url);
      return sink.emit({
        type: 'permission.requested',
        permission_id: id,
        what: filled(request.kind) ?? 'unknown',
        ...compact({ item_id: filled(request.toolCallId), pattern, title: filled(request.intention) }),
      });
    }
    const decision = asText(object(data.result).kind);
    sink.emit({
      type: 'permission.resolved',
      permission_id: id,
      decision: decision.startsWith('approved') ? 'allowed' : 'denied',
      raw_decision: decision,
      by: decision.includes('by-user') || decision.includes('interactively') ? 'user' : 'rule',
    });
  }

  function event(wire: JsonObject, data: JsonObject): void {
    const parent = filled(data.parentToolCallId);
    const main = parent === undefined && wire.agentId === undefined;
    const call = filled(data.toolCallId);
    switch (wire.type) {
      case 'session.start':
      case 'session.resume':
        return introduce(data);
      case 'user.message':
        if (main) sink.emit({ type: 'prompt.submitted', text: asText(data.content) });
        return;
      case 'assistant.turn_start':
        if (main) sink.emit({ type: 'turn.started' });
        return;
      case 'assistant.turn_end':
        if (!main) return;
        requested.clear();
        return sink.emit({ type: 'turn.completed' });
      case 'assistant.message_delta': {
        const id = filled(data.messageId);
        const text = string(data.deltaContent) ?? '';
        if (text === '') return;
        return sink.emit({
          type: 'text.delta',
          text,
          ...compact({ parent_item_id: parent, message_id: id, block_id: id }),
        });
      }
      case 'assistant.message':
        return message(data, parent);
      case 'assistant.reasoning_delta': {
        const text = string(data.deltaContent) ?? '';
        if (text === '') return;
        return sink.emit({ type: 'reasoning.delta', text, ...compact({ parent_item_id: parent, block_id: filled(data.reasoningId) }) });
      }
      case 'assistant.reasoning':
        reasoned = true;
        return sink.emit({
          type: 'reasoning.completed',
          text: asText(data.content),
          ...compact({ parent_item_id: parent, block_id: filled(data.reasoningId) }),
        });
      case 'assistant.usage':
        return usage('step', filled(data.model), data);
      case 'tool.execution_start':
        if (call === undefined) return sink.unknown(wire);
        fault = undefined;
        return start(call, { name: filled(data.toolName) ?? 'unknown', args: data.arguments, parent }, filled(data.mcpServerName));
      case 'tool.execution_progress':
      case 'tool.execution_partial_result': {
        const chunk = asText(data.partialOutput ?? data.progressMessage ?? data.partialResult ?? data.message);
        if (call === undefined) return sink.unknown(wire);
        const stream = wire.type === 'tool.execution_progress' ? 'progress' : 'stdout';
        return chunk === '' ? undefined : sink.emit({ type: 'item.output', item_id: call, stream, chunk });
      }
      case 'tool.execution_complete':
        return call === undefined ? sink.unknown(wire) : complete(call, data);
      case 'permission.requested':
        return permission('requested', wire, data);
      case 'permission.completed':
        return permission('completed', wire, data);
      case 'session.error':
        return sessionError(data);
      case 'session.warning':
      case 'subagent.failed':
        return sink.emit({ type: 'log', stream: 'agent', level: 'warning', text: asText(data.message ?? data.error) });
      case 'session.info':
        return sink.emit({ type: 'log', stream: 'agent', level: 'info', text: asText(data.message) });
      case 'abort':
        aborted = asText(data.reason);
        return;
      case 'session.shutdown':
        return shutdown(data);
      default:
        // New kinds come with every release. What is not even stored in the session's file is not worth keeping.
        if (wire.ephemeral !== true && !silent.has(asText(wire.type))) sink.unknown(wire);
    }
  }

  function sessionError(data: JsonObject): void {
    const text = asText(data.message);
    const status = integer(data.statusCode);
    fault = { code: codeOfMessage(`${asText(data.errorType)} ${text}`, status), message: text };
    sink.emit({
      type: 'error',
      scope: 'session',
      ...fault,
      fatal: true,
      ...compact({ name: filled(data.errorType), http_status: status, stack: string(data.stack) }),
    });
  }

  function line(wire: JsonObject): void {
    const at = time(wire.timestamp);
    if (at !== undefined) sink.at(at);
    if (wire.type === 'session.start' || wire.type === 'session.resume') return introduce(object(wire.data));
    // `result` alone is flat, and the only line of some runs that names the session.
    if (wire.type === 'result') {
      introduce(wire);
      const totals = object(wire.usage);
      fileChanges(object(totals.codeChanges));
      return finish(wire.exitCode === 0, `exit ${asText(wire.exitCode)}`, compact({ duration_ms: count(totals.sessionDurationMs) }));
    }
    event(wire, object(wire.data));
  }

  function end(): void {
    if (claimed || (aborted === undefined && !(outputTokens > 0 && !counted))) return;
    if (aborted !== undefined) sink.emit({ type: 'agent.finished', status: 'cancelled', message: aborted });
    else usage('step', undefined, { outputTokens });
  }

  return { line, end };
}

function kindOf(name: string): ItemKind {
  return Object.hasOwn(kinds, name) ? (kinds[name] ?? 'tool_call') : 'tool_call';
}

function statusOf(data: JsonObject, text: string): ItemStatus {
  if (data.success === true) return 'success';
  const code = object(data.error).code;
  return code === 'denied' || code === 'rejected' || refusal.test(text.slice(0, 500)) ? 'denied' : 'error';
}
