import type { EventOf } from '../../../events/event.ts';
import type { Json, JsonObject } from '../../dialect.ts';
import { asText, compact, object } from '../../read.ts';
import { exitCodeIn, resultStatus } from '../read/tools.ts';
import { nameOfCode, nonExecution, synthetic } from '../words.ts';

type Started = EventOf<'item.started'>;
type Completed = EventOf<'item.completed'>;

export function firstLine(event: EventOf<'thread.started'>): JsonObject {
  return {
    type: 'system',
    subtype: 'init',
    cwd: event.cwd ?? '',
    model: event.model ?? '',
    ...(event.agent === 'claude' && event.agent_version !== undefined ? { claude_code_version: event.agent_version } : {}),
    permissionMode: 'default',
    apiKeySource: 'none',
    output_style: 'default',
    tools: [],
    mcp_servers: [],
    slash_commands: [],
    skills: [],
    plugins: [],
  };
}

/** The line that ends a call; what its sentence alone does not tell stands beside it. */
export function resultLine(start: Started, end: Completed): JsonObject {
  const content = contentOf(end.output ?? end.error);
  const text = typeof content === 'string' ? content : '';
  const block: JsonObject = {
    type: 'tool_result',
    tool_use_id: end.item_id,
    ...(content === undefined ? {} : { content }),
    is_error: end.status !== 'success',
  };
  const isPlain = resultStatus(end.status !== 'success', undefined, text) === end.status;
  const isTold = exitCodeIn(start.name, end.status === 'error' ? text : '') === end.exit_code;
  const details: JsonObject = compact({ exit_code: isTold ? undefined : end.exit_code, duration_ms: end.duration_ms }) as JsonObject;
  return {
    type: 'user',
    message: { role: 'user', content: [block] },
    parent_tool_use_id: start.parent_item_id ?? null,
    ...(Object.keys(details).length > 0 ? { tool_use_result: details } : {}),
    ...(isPlain ? {} : { tool_result_meta: [{ id: end.item_id, non_execution_kind: nonExecution[end.status] ?? 'error' }] }),
  };
}

/** Text, or blocks where the output is made of blocks already. */
function contentOf(output: Json | undefined): Json | undefined {
  if (output === undefined || typeof output === 'string') return output;
  if (Array.isArray(output) && output.length > 0 && output.every((each) => typeof object(each).type === 'string')) return output;
  return asText(output);
}

/** A tool that ran on the server's side has its result in the message itself. */
export function serverResultBlock(start: Started, end: Completed): JsonObject {
  const native = start.native_name ?? '';
  const prefix = native === 'server_tool_use' ? start.name : native.slice(0, -'_tool_use'.length);
  return {
    type: `${prefix}_tool_result`,
    tool_use_id: end.item_id,
    ...compact({ content: end.output ?? end.error }),
    ...(end.status === 'success' ? {} : { is_error: true }),
  };
}

export function denialLine(event: EventOf<'permission.resolved'>, id: string, name: string, title: string | undefined): JsonObject {
  return {
    type: 'system',
    subtype: 'permission_denied',
    tool_name: name,
    tool_use_id: id,
    message: title ?? '',
    ...compact({ decision_reason_type: event.raw_decision }),
  };
}

export function requestLine(event: EventOf<'permission.requested'>, input: Json): JsonObject {
  return {
    type: 'control_request',
    request_id: event.permission_id,
    request: {
      subtype: 'can_use_tool',
      tool_name: event.what,
      input,
      ...compact({ tool_use_id: event.item_id, title: event.title }),
    },
  };
}

export function refusalLine(event: EventOf<'error'>, model: string): JsonObject {
  return { type: 'system', subtype: 'model_refusal_no_fallback', trigger: 'refusal', original_model: model, content: event.message };
}

/** An API failure as this wire tells it: a text that no model said, and the kind of failure. */
export function faultLine(event: EventOf<'error'>, id: string): JsonObject {
  const isOwnWord = event.scope === 'provider' && event.name !== undefined && /^[a-z_]+$/.test(event.name);
  return {
    type: 'assistant',
    message: {
      id,
      type: 'message',
      role: 'assistant',
      model: synthetic,
      content: [{ type: 'text', text: event.message }],
      stop_reason: 'stop_sequence',
      stop_sequence: '',
      usage: { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 },
    },
    error: isOwnWord ? (event.name ?? 'unknown') : nameOfCode(event.code),
  };
}

const fallback = 'model fallback: ';

export function noticeLine(level: 'info' | 'warning', content: string): JsonObject {
  if (level === 'warning' && content.startsWith(fallback)) {
    return { type: 'system', subtype: 'model_fallback', content: content.slice(fallback.length) };
  }
  return { type: 'system', subtype: 'informational', content, level };
}

const ownCause = /^([a-z_]+)(?: \((\d{3})\))?$/;

export function isOwnCause(cause: string): boolean {
  return ownCause.test(cause);
}

export function retryLine(event: EventOf<'retry.scheduled'>): JsonObject {
  const own = ownCause.exec(event.cause);
  return {
    type: 'system',
    subtype: 'api_retry',
    ...compact({ attempt: event.attempt, max_retries: event.max_attempts, retry_delay_ms: event.delay_ms }),
    error_status: own?.[2] === undefined ? null : Number(own[2]),
    error: own?.[1] ?? nameOfCode(event.code),
  };
}

export function rateLimitLine(event: EventOf<'rate_limit.reported'>): JsonObject {
  return {
    type: 'rate_limit_event',
    rate_limit_info: compact({
      status: event.status,
      rateLimitType: event.window,
      utilization: event.utilization,
      resetsAt: event.resets_at_ms === undefined ? undefined : event.resets_at_ms / 1000,
    }) as JsonObject,
  };
}
