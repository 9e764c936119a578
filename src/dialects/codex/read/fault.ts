import type { ErrorCode } from '../../../events/event.ts';
import type { Json, JsonObject } from '../../dialect.ts';
import { codeOfMessage } from '../../../faults.ts';
import { asText, filled, integer, isObject, object, wordIn } from '../../read.ts';

export interface Fault {
  code: ErrorCode;
  message: string;
}

/** `codex_error_info`: a word, or a word with what belongs to it. */
const codeOfInfo: Readonly<Record<string, ErrorCode>> = {
  context_window_exceeded: 'context_overflow',
  session_budget_exceeded: 'cost_limit',
  usage_limit_exceeded: 'quota',
  model_cap: 'rate_limit',
  server_overloaded: 'server',
  internal_server_error: 'server',
  unauthorized: 'auth',
  bad_request: 'refused',
  cyber_policy: 'refused',
  sandbox_error: 'tool',
};

/** Errors of a connection, which name the HTTP status if there was one. */
const connections = new Set([
  'http_connection_failed',
  'response_stream_connection_failed',
  'response_stream_disconnected',
  'response_too_many_failed_attempts',
]);

/** What was asked beside the turn failed, not the turn. */
const besideTheTurn = new Set(['thread_rollback_failed', 'active_turn_not_steerable']);

export function endsTurn(error: JsonObject): boolean {
  return !besideTheTurn.has(infoOf(error).word);
}

/** The error of a turn: a text, or an object with a text and a word for it. */
export function readFault(error: Json): Fault {
  if (!isObject(error)) return { code: codeOfMessage(asText(error)), message: asText(error) };
  const { word, detail } = infoOf(error);
  const message = filled(error.message) ?? (word === '' ? JSON.stringify(error) : word);
  if (connections.has(word)) {
    const code = codeOfMessage(message, integer(detail.http_status_code) ?? integer(detail.httpStatusCode));
    return { code: code === 'unknown' ? 'network' : code, message };
  }
  const code = codeOfMessage(message);
  // The words may say more: a request that is refused because it is too long.
  return { code: code === 'context_overflow' ? code : (wordIn(codeOfInfo, word) ?? code), message };
}

function infoOf(error: JsonObject): { word: string; detail: JsonObject } {
  const info = error.codex_error_info ?? error.codexErrorInfo;
  if (typeof info === 'string') return { word: snake(info), detail: {} };
  const [word = '', detail] = Object.entries(object(info))[0] ?? [];
  return { word: snake(word), detail: object(detail) };
}

function snake(word: string): string {
  return word.slice(0, 100).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
