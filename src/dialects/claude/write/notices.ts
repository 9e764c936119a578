import type { EventOf } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { JsonObject } from '../../../json/json.ts';
import { nameOfCode, synthetic } from '../words.ts';

export function firstLine(event: EventOf<'thread.started'>): JsonObject {
  return {
    type: 'system',
    subtype: 'init',
    cwd: event.cwd ?? '',
    model: event.model ?? '',
    ...(event.agent === 'claude' && event.agent_version !== undefined
      ? { claude_code_version: event.agent_version }
      : {}),
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

export function refusalLine(event: EventOf<'error'>, model: string): JsonObject {
  return {
    type: 'system',
    subtype: 'model_refusal_no_fallback',
    trigger: 'refusal',
    original_model: model,
    content: event.message,
  };
}

/** An API failure as this wire writes it: a text that no model wrote, and the kind of failure. */
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
    ...present({ attempt: event.attempt, max_retries: event.max_attempts, retry_delay_ms: event.delay_ms }),
    error_status: own?.[2] === undefined ? null : Number(own[2]),
    error: own?.[1] ?? nameOfCode(event.code),
  };
}

export function rateLimitLine(event: EventOf<'rate_limit.reported'>): JsonObject {
  return {
    type: 'rate_limit_event',
    rate_limit_info: present({
      status: event.status,
      rateLimitType: event.window,
      utilization: event.utilization,
      resetsAt: event.resets_at_ms === undefined ? undefined : event.resets_at_ms / 1000,
    }) as JsonObject,
  };
}
