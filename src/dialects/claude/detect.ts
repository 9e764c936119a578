import type { JsonObject } from '../../json/json.ts';
import { isObject, object } from '../../json/read.ts';
import { isTranscript } from './read/session.ts';

const stderrMarks = [
  '[claude-code:',
  'Claude Code',
  'Please run /login',
  '--output-format=stream-json requires --verbose',
];

/** Subtypes that no other agent prints with its payload at the top level. */
const ownSubtypes = new Set([
  'status',
  'compact_boundary',
  'api_retry',
  'permission_denied',
  'model_refusal_fallback',
  'model_refusal_no_fallback',
  'hook_started',
  'hook_progress',
  'hook_response',
  'session_state_changed',
  'thinking_tokens',
  'informational',
  'plugin_install',
]);

export function detect(head: readonly JsonObject[], stderr: readonly string[]): number {
  if (head.some(isForeign)) return 0;
  let best = 0;
  for (const wire of head) best = Math.max(best, sure(wire));
  if (head.length === 0 && stderr.some((text) => stderrMarks.some((mark) => text.includes(mark)))) best = 0.9;
  return best;
}

/** Qwen, Amp, Cursor and Droid borrow the message protocol, but each leaves its own marks. */
function isForeign(wire: JsonObject): boolean {
  if ('qwen_code_version' in wire || 'permission_mode' in wire || 'sequence' in wire) return true;
  if (wire.type === 'tool_call' || wire.type === 'completion') return true;
  // Session files of Qwen Code.
  if ('systemPayload' in wire || 'toolCallResult' in wire || Array.isArray(object(wire.message).parts)) return true;
  if (typeof wire.session_id === 'string' && wire.session_id.startsWith('T-')) return true;
  return wire.type === 'stream_event' && object(wire.event).type === 'goal_state';
}

function sure(wire: JsonObject): number {
  if (isTranscript(wire)) return 'message' in wire && !('content' in object(wire.message)) ? 0 : 0.95;
  switch (wire.type) {
    case 'system':
      if (wire.subtype === 'init') return startOfTurn(wire);
      return typeof wire.subtype === 'string' && ownSubtypes.has(wire.subtype) && 'uuid' in wire && !('data' in wire)
        ? 0.9
        : 0;
    case 'assistant':
      return message(wire, object(wire.message));
    case 'result':
      if (typeof wire.subtype !== 'string' || !('is_error' in wire)) return 0;
      if ('total_cost_usd' in wire || 'modelUsage' in wire) return 1;
      return 'duration_api_ms' in wire && ('total_cost' in wire || 'cost_usd' in wire) ? 0.9 : 0;
    case 'stream_event':
      return object(object(wire.event).message).type === 'message' ? 0.8 : 0;
    case 'rate_limit_event':
      return isObject(wire.rate_limit_info) ? 1 : 0;
    case 'conversation_reset':
      return typeof wire.new_conversation_id === 'string' ? 0.9 : 0;
    case 'auth_status':
      return 'isAuthenticating' in wire ? 0.9 : 0;
    case 'command_lifecycle':
    case 'control_request':
      return 0.6;
    default:
      return 0;
  }
}

/** What only its first line has; Cursor's has the last two as well. */
const ownKeys = ['claude_code_version', 'output_style', 'skills', 'plugins', 'apiKeySource', 'permissionMode'];

/** Other versions leave out some of them, and so does damage. */
function startOfTurn(wire: JsonObject): number {
  if (typeof wire.claude_code_version === 'string') return 1;
  const own = ownKeys.filter((key) => key in wire).length;
  return own > 2 || (own === 2 && Array.isArray(wire.tools)) ? 1 : 0;
}

function message(wire: JsonObject, body: JsonObject): number {
  // Qwen gives a line the id of its message; Cursor's messages have none.
  if (body.type !== 'message' || typeof body.id !== 'string' || !('uuid' in wire) || wire.uuid === body.id) return 0;
  return 'cache_creation_input_tokens' in object(body.usage) || body.model === '<synthetic>'
    ? 0.9
    : body.id.startsWith('msg_')
      ? 0.8
      : 0;
}
