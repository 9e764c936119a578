import type { Draft, ErrorCode, FinishReason } from '../../../../events/event.ts';
import { present } from '../../../../json/present.ts';
import type { Json } from '../../../../json/json.ts';
import { codeOfMessage } from '../../../../outcome/faults.ts';
import { filled, integer, object } from '../../../../json/read.ts';
import { codesOfErrors, codesOfFinish, finishReasons } from '../words.ts';

export function readFinish(word: string | undefined): { finish_reason?: FinishReason; raw_finish_reason?: string } {
  if (word === undefined) return {};
  return {
    finish_reason: Object.hasOwn(finishReasons, word) ? (finishReasons[word] ?? 'other') : 'other',
    raw_finish_reason: word,
  };
}

export interface Fault {
  name: string;
  message: string;
  code: ErrorCode;
  http_status?: number;
  retryable?: boolean;
  stack?: string;
}

/** `{name, data: {message}}`, `{name, message}`, `{type, message}`, `{_tag, message}` or a plain string. */
export function readFault(error: Json | undefined): Fault {
  const fields = object(error);
  const data = object(fields.data);
  const name = filled(fields.name) ?? filled(fields.type) ?? filled(fields._tag) ?? 'UnknownError';
  const message = filled(data.message) ?? filled(fields.message) ?? filled(error) ?? name;
  const status = integer(data.statusCode) ?? integer(fields.statusCode);
  const stack = filled(data.stack) ?? filled(fields.stack);
  const retryable = data.isRetryable ?? fields.isRetryable;
  return {
    name,
    message,
    code: (Object.hasOwn(codesOfErrors, name) ? codesOfErrors[name] : undefined) ?? codeOfMessage(message, status),
    ...present({ http_status: status }),
    ...(typeof retryable === 'boolean' ? { retryable } : {}),
    ...present({ stack }),
  };
}

type Claim = Omit<Extract<Draft, { type: 'agent.finished' }>, 'type'>;

/** The claim at the end of a run, from its last finish word, whether a refusal stopped it, and the error it did not recover from. */
export function readEnding(finish: string | undefined, denied: boolean, fault: Fault | undefined): Claim | undefined {
  if (fault !== undefined)
    return { status: fault.code === 'cancelled' ? 'cancelled' : 'failed', code: fault.code, message: fault.message };
  if (finish === undefined) return undefined;
  if (finish === 'stop') return { status: 'ok' };
  const code =
    finish === 'tool-calls' && denied
      ? 'permission'
      : Object.hasOwn(codesOfFinish, finish)
        ? codesOfFinish[finish]
        : undefined;
  return { status: 'failed', code: code ?? 'unknown', raw_status: finish };
}
