import type { ErrorCode } from '../../../events/event.ts';
import { codeOfMessage } from '../../../outcome/faults.ts';
import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { asText, filled, integer, isObject, object, wordIn } from '../../../json/read.ts';
import { besideTheTurn, codeOfInfo, connections } from '../words.ts';
import { readUsage } from './usage.ts';

const retryWording = /^Reconnecting\.\.\. (?:(\d+)\/(\d+)|(waiting for network))?\s*(?:\((.*)\))?$/s;

/** `turn.completed` or `turn.failed`: a process has one turn, so this is the agent's last word. An interrupted turn has neither. */
export function readEnding(wire: JsonObject, sink: DecoderSink): void {
  if (wire.type === 'turn.completed') {
    readUsage(object(wire.usage), sink);
    sink.emit({ type: 'turn.completed', finish_reason: 'stop' });
    return sink.emit({ type: 'agent.finished', status: 'ok' });
  }
  const message = asText(object(wire.error).message);
  sink.emit({ type: 'turn.completed', finish_reason: 'error' });
  sink.emit({ type: 'agent.finished', status: 'failed', code: codeOfMessage(message), message });
}

/** One line type for both the error that ends the run and a lost connection that is retried. Only the wording differs. */
export function readError(wire: JsonObject, sink: DecoderSink): void {
  const message = asText(wire.message);
  const retry = retryWording.exec(message);
  if (retry === null)
    return sink.emit({ type: 'error', scope: 'provider', code: codeOfMessage(message), message, fatal: true });
  const [, attempt, maximum, waiting = '', cause = waiting] = retry;
  sink.emit({
    type: 'retry.scheduled',
    code: codeOfMessage(cause),
    cause,
    ...present({ attempt: digits(attempt), max_attempts: digits(maximum) }),
  });
}

function digits(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

export interface Fault {
  code: ErrorCode;
  message: string;
}

/** In a session file: whether this error ends its turn. */
export function endsTurn(error: JsonObject): boolean {
  return !besideTheTurn.has(infoOf(error).word);
}

/** The error of a turn: a text, or an object with a text and a word that classifies it. */
export function readFault(error: Json): Fault {
  if (!isObject(error)) return { code: codeOfMessage(asText(error)), message: asText(error) };
  const { word, detail } = infoOf(error);
  const message = filled(error.message) ?? (word === '' ? JSON.stringify(error) : word);
  if (connections.has(word)) {
    const code = codeOfMessage(message, integer(detail.http_status_code) ?? integer(detail.httpStatusCode));
    return { code: code === 'unknown' ? 'network' : code, message };
  }
  const code = codeOfMessage(message);
  // The message may say more, such as that a request was refused because it was too long.
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
