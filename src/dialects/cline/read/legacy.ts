import type { ItemKind, ItemStatus } from '../../../events/event.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { objectIn } from '../../../json/parse.ts';
import { present } from '../../../json/present.ts';
import { asText, filled, string, whole } from '../../../json/read.ts';
import type { DecoderSink } from '../../dialect.ts';
import { type Call, Calls, editsIn } from '../../kit/calls.ts';
import { faultOf } from '../../kit/ending.ts';
import { kindIn } from '../../kit/tool-kinds.ts';
import { type Counting, reportUsage, tokensIn } from '../../kit/usage.ts';
import { legacySilent, legacyToolKinds } from '../words.ts';

const counting: Counting = {
  fields: {
    tokensIn: 'input_tokens',
    tokensOut: 'output_tokens',
    cacheReads: 'cache_read_tokens',
    cacheWrites: 'cache_write_tokens',
    cost: 'cost_usd',
  },
  cacheIsApart: true,
  unknownIfZero: ['cost_usd'],
};

/** The `say` and `ask` lines of 2.x. They report when a tool starts, but hardly ever how it ended. */
export function legacyDecoder(sink: DecoderSink): { line(wire: JsonObject): boolean; end(): void } {
  const calls = new Calls(sink);
  /** The one call that is open. */
  let open: string | undefined;
  let items = 0;
  let introduced = false;
  let partial: JsonObject | undefined;
  let request: { ts: Json | undefined; usage: JsonObject } | undefined;

  function line(wire: JsonObject): boolean {
    if ((wire.type !== 'say' && wire.type !== 'ask') || !(string(wire[wire.type]) ?? '')) return false;
    if (!introduced) sink.emit({ type: 'thread.started', agent: 'cline' });
    introduced = true;
    // A growing line is printed repeatedly with the same time; the last one is complete.
    if (partial !== undefined && partial.ts !== wire.ts) flushPartial();
    if (wire.partial === true) {
      partial = wire;
      return true;
    }
    partial = undefined;
    if (wire.type === 'say') readSay(wire);
    else readAsk(wire);
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

  function readSay(wire: JsonObject): void {
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
          code: faultOf(cause).code,
          cause,
          ...present({ attempt: whole(detail.attempt), max_attempts: whole(detail.maxAttempts) }),
        });
      }
      case 'tool':
        return startTool(objectIn(words));
      case 'command':
        return start('command', 'command', { command: words });
      case 'command_output':
        if (open !== undefined && words !== '')
          sink.emit({ type: 'item.output', item_id: open, stream: 'stdout', chunk: words });
        return;
      case 'use_mcp_server': {
        const call = objectIn(words);
        const name = `${asText(call.serverName)}.${asText(call.toolName ?? call.uri)}`;
        return start('mcp', name, call.arguments, { native_name: 'use_mcp_server' });
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
        if (open !== undefined) return closeTool('error', words);
        return sink.emit({ type: 'error', scope: 'tool', code: 'tool', message: words, fatal: false });
      case 'error':
        closeTool('error', words);
        return sink.emit({ type: 'error', scope: 'agent', ...faultOf(words), fatal: false });
      case 'info':
      case 'mcp_notification':
        return sink.emit({ type: 'log', stream: 'agent', level: 'info', text: words });
      case 'completion_result':
        text({ ...wire, text: withoutFlag(words) });
        closeRequest();
        return sink.emit({ type: 'agent.finished', status: 'ok', raw_status: 'completion_result' });
      default:
        if (!legacySilent.has(wire.say)) sink.unknown(wire);
    }
  }

  function readAsk(wire: JsonObject): void {
    const words = asText(wire.text);
    switch (wire.ask) {
      case 'tool':
      case 'command':
      case 'use_mcp_server':
      case 'browser_action_launch': {
        const detail = objectIn(words);
        const what = filled(detail.tool) ?? filled(detail.toolName) ?? wire.ask;
        const pattern = wire.ask === 'command' ? filled(words) : filled(detail.path);
        return sink.emit({
          type: 'permission.requested',
          permission_id: `ask_${asText(wire.ts)}`,
          what,
          ...present({ pattern }),
        });
      }
      case 'api_req_failed': {
        closeRequest();
        return sink.emit({ type: 'error', scope: 'provider', ...faultOf(words), fatal: true });
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
    const isNew = request?.ts !== wire.ts;
    if (isNew) closeTool('success');
    if (isNew) closeRequest();
    request = { ts: wire.ts, usage: detail };
    if (isNew) sink.emit({ type: 'turn.started' });
    const failure = filled(detail.streamingFailedMessage);
    if (failure !== undefined) sink.emit({ type: 'error', scope: 'provider', ...faultOf(failure), fatal: true });
    else if (detail.cancelReason === 'user_cancelled')
      sink.emit({ type: 'agent.finished', status: 'cancelled', raw_status: 'user_cancelled' });
  }

  function closeRequest(): void {
    if (request !== undefined) reportUsage(sink, 'step', tokensIn(counting, request.usage));
    if (request !== undefined) request.usage = {};
  }

  function startTool({ tool, ...args }: JsonObject): void {
    const name = filled(tool) ?? 'tool';
    const kind = kindIn(legacyToolKinds, name);
    const operation = name === 'newFileCreated' ? 'created' : name === 'fileDeleted' ? 'deleted' : 'modified';
    start(kind, name, args, { edits: editsIn(kind, args, ['path'], operation) });
  }

  function start(kind: ItemKind, name: string, args: Json | undefined, more: Partial<Call> = {}): void {
    closeTool('success');
    open = `tool_${++items}`;
    calls.start(open, { kind, name, args, ...more });
  }

  /** The end of a tool is not on the wire: it succeeded if the run went on without an error. */
  function closeTool(status: ItemStatus, words?: string): void {
    if (open !== undefined)
      calls.end(open, status === 'success' ? { status, output: words } : { status, error: words });
    open = undefined;
  }

  function end(): void {
    flushPartial();
    closeRequest();
  }

  return { line, end };
}

const changesFlag = 'HAS_CHANGES';

/** The program marks an answer after which files have changed; it shows the mark to nobody. */
function withoutFlag(answer: string): string {
  return answer.endsWith(changesFlag) ? answer.slice(0, -changesFlag.length) : answer;
}
