import type { ErrorCode } from '../../events/event.ts';
import { fieldOf } from '../../json/field-of.ts';
import { codeOfProvider, mayPass, retryAfterIn } from '../../outcome/faults.ts';
import { present } from '../../json/present.ts';

/** Why a model call failed. */
export interface Fault {
  code: ErrorCode;
  message: string;
  retryable: boolean;
  name?: string;
  http_status?: number;
  /** How long the provider asks us to wait. */
  retryAfterMs?: number;
}

/** An error that is already classified. */
export class FaultError extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.message);
    this.name = fault.name ?? 'FaultError';
    this.fault = fault;
  }
}

/** Fields that errors of any provider may have; none of them can be trusted. */
interface Thrown {
  name?: unknown;
  message?: unknown;
  statusCode?: unknown;
  responseBody?: unknown;
  responseHeaders?: unknown;
  data?: unknown;
  type?: unknown;
  code?: unknown;
  cause?: unknown;
}

/** What the SDK's own errors mean, whatever text they quote. */
const meaningOfName = new Map<unknown, ErrorCode>([
  ['AI_LoadAPIKeyError', 'config'],
  ['AI_LoadSettingError', 'config'],
  ['AI_InvalidResponseDataError', 'network'],
  ['AI_JSONParseError', 'network'],
]);
/** What they mean when the provider's message says nothing. */
const meaningOfSilence = new Map<unknown, ErrorCode>([
  ['AI_APICallError', 'network'],
  ['AI_StreamProviderError', 'server'],
  ['AI_TypeValidationError', 'server'],
]);
export function faultOf(error: unknown): Fault {
  if (error instanceof FaultError) return error.fault;
  const thrown: Thrown = typeof error === 'object' && error !== null ? error : { message: String(error) };
  // A connection that broke in the middle of an answer still has the status from its start.
  const status = typeof thrown.statusCode === 'number' && thrown.statusCode >= 400 ? thrown.statusCode : undefined;
  const words = [thrown.message, thrown.type, thrown.code, thrown.responseBody, serialised(thrown.data)]
    .filter((each) => typeof each === 'string')
    .join('\n');
  const headers =
    typeof thrown.responseHeaders === 'object' && thrown.responseHeaders !== null ? thrown.responseHeaders : {};
  const retryAfterMs = retryAfterIn(headers as Record<string, unknown>, words);
  const name = typeof thrown.name === 'string' ? thrown.name : undefined;
  const code = codeOf(thrown, words, status, retryAfterMs !== undefined);
  return {
    code,
    message: wordsOf(thrown, status),
    retryable: mayPass(code),
    ...present({ name, http_status: status, retryAfterMs }),
  };
}

function codeOf({ name }: Thrown, words: string, status: number | undefined, asksToWait: boolean): ErrorCode {
  const own = meaningOfName.get(name);
  if (own !== undefined) return own;
  return codeOfProvider(words, status, { asksToWait }) ?? meaningOfSilence.get(name) ?? 'unknown';
}

function wordsOf({ message, cause }: Thrown, status: number | undefined): string {
  const text = typeof message === 'string' && message !== '' ? message : 'the model call failed without a word';
  const because = fieldOf(cause, 'code');
  const extra = typeof because !== 'string' || text.includes(because) ? '' : ` (${because})`;
  return status === undefined ? text + extra : `${text}${extra} (HTTP ${status})`;
}

function serialised(value: unknown): string | undefined {
  try {
    return value === undefined ? undefined : JSON.stringify(value);
  } catch {
    return undefined;
  }
}
