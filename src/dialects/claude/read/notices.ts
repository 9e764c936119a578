import type { Draft } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { JsonObject } from '../../../json/json.ts';
import { codeOfStatus } from '../../../outcome/faults.ts';
import { asText, count, filled, integer, list, number, object, string, whole } from '../../../json/read.ts';
import { codeOfName } from '../words.ts';

function info(text: string): Draft {
  return { type: 'log', stream: 'agent', level: 'info', text };
}

function warning(text: string): Draft {
  return { type: 'log', stream: 'agent', level: 'warning', text };
}

function sentence(...parts: readonly (string | undefined)[]): string {
  return parts.filter(Boolean).join(': ');
}

/** What a `system` line reports besides the conversation itself; undefined: a subtype we do not know. */
export function notice(wire: JsonObject): readonly Draft[] | undefined {
  switch (wire.subtype) {
    case 'status':
      return wire.compact_result === 'failed'
        ? [warning(sentence('compaction failed', filled(wire.compact_error)))]
        : [];
    case 'compact_boundary': {
      const { trigger, pre_tokens, post_tokens } = object(wire.compact_metadata);
      const sizes = [count(pre_tokens), count(post_tokens)].filter((size) => size !== undefined);
      return [
        info(
          sentence(
            `conversation compacted (${string(trigger) ?? 'unknown'})`,
            sizes.length > 0 ? `${sizes.join(' → ')} tokens` : '',
          ),
        ),
      ];
    }
    case 'api_retry':
      return [retry(wire)];
    case 'model_refusal_fallback':
    case 'model_fallback': {
      const [from, to] = [filled(wire.original_model), filled(wire.fallback_model)];
      const change = from === undefined && to === undefined ? undefined : `${from ?? 'unknown'} → ${to ?? 'unknown'}`;
      return [warning(sentence('model fallback', change, filled(wire.content) ?? filled(wire.trigger)))];
    }
    case 'model_refusal_no_fallback':
      return [
        {
          type: 'error',
          scope: 'provider',
          code: 'refused',
          message: filled(wire.content) ?? filled(wire.api_refusal_explanation) ?? 'the model refused',
          fatal: true,
        },
      ];
    case 'task_notification': {
      const text = sentence(
        `task ${asText(wire.task_id)} ${asText(wire.status)}`,
        filled(wire.summary) ?? filled(wire.reason),
      );
      return [wire.status === 'completed' ? info(text) : warning(text)];
    }
    case 'hook_response':
      if (wire.outcome !== 'error') return [];
      return [
        warning(
          sentence(
            `hook ${asText(wire.hook_name)} failed`,
            filled(wire.stderr) ?? filled(wire.output) ?? filled(wire.stdout),
          ),
        ),
      ];
    case 'informational':
      return [wire.level === 'warning' ? warning(asText(wire.content)) : info(asText(wire.content))];
    case 'local_command_output':
      return [info(asText(wire.content))];
    case 'notification':
      return [info(asText(wire.text))];
    case 'post_turn_summary': {
      const wanted = wire.status_category === 'blocked' ? filled(wire.needs_action) : undefined;
      return wanted === undefined ? [] : [warning(sentence('the agent waits for somebody', wanted))];
    }
    case 'files_persisted':
      return list(wire.failed).map((each) =>
        warning(sentence(`file not kept: ${asText(object(each).filename)}`, filled(object(each).error))),
      );
    case 'plugin_install':
      return wire.status === 'failed'
        ? [warning(sentence(`plugin ${string(wire.name) ?? ''} not installed`, filled(wire.error)))]
        : [];
    case 'mirror_error':
      return [warning(sentence('transcript mirror', filled(wire.error)))];
    case 'session_writes_lost':
      return [warning(sentence('session not saved', filled(wire.error_code)))];
    case 'worker_shutting_down':
      return [warning(sentence('worker is shutting down', filled(wire.reason)))];
    case 'task_started':
    case 'task_progress':
    case 'task_updated':
    case 'background_tasks_changed':
    case 'hook_started':
    case 'hook_progress':
    case 'session_state_changed':
    case 'thinking_tokens':
    case 'memory_recall':
    case 'commands_changed':
    case 'elicitation_complete':
    case 'control_request_progress':
    case 'task_summary':
      return [];
    default:
      return undefined;
  }
}

function retry(wire: JsonObject): Draft {
  const word = filled(wire.error) ?? 'unknown';
  const status = integer(wire.error_status);
  return {
    type: 'retry.scheduled',
    cause: status === undefined ? word : `${word} (${status})`,
    ...present({
      attempt: whole(wire.attempt),
      max_attempts: whole(wire.max_retries),
      delay_ms: count(wire.retry_delay_ms),
      // Without a status there was no response at all.
      code:
        wire.error_status === null && word === 'server_error' ? 'network' : (codeOfName(word) ?? codeOfStatus(status)),
    }),
  };
}

/** What went wrong before the first turn. */
export function startupWarnings(wire: JsonObject): Draft[] {
  const out: Draft[] = [];
  for (const each of list(wire.mcp_servers)) {
    const { name, status } = object(each);
    if (status === 'failed' || status === 'error' || status === 'needs-auth')
      out.push(warning(`MCP server ${asText(name)}: ${status}`));
  }
  for (const each of [...list(wire.plugin_errors), ...list(wire.mcp_server_errors)]) {
    out.push(warning(sentence('startup', filled(object(each).error) ?? filled(object(each).message) ?? asText(each))));
  }
  return out;
}

export function rateLimit(wire: JsonObject): Draft {
  const seconds = number(wire.resetsAt);
  return {
    type: 'rate_limit.reported',
    ...present({
      status: string(wire.status),
      window: string(wire.rateLimitType),
      utilization: number(wire.utilization),
      resets_at_ms: seconds === undefined ? undefined : seconds * 1000,
    }),
  };
}

/** A command of the program itself, such as `/compact` where there is nothing to compact. */
export const unaskedNotice = warning('the model was not asked');

/** A background task that failed without a notification. */
export function unannouncedFailure(taskId: string, error: string): Draft {
  return warning(sentence(`task ${taskId} failed`, error));
}

export function resetNotice(wire: JsonObject): Draft {
  return info(sentence('conversation reset', filled(wire.trigger)));
}

export function authNotice(wire: JsonObject): Draft[] {
  const error = filled(wire.error);
  return error === undefined ? [] : [warning(sentence('authentication', error))];
}
