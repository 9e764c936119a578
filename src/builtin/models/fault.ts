import type { ErrorCode } from '../../events/event.ts';
import { fieldOf } from '../../field-of.ts';
import { codeOfMessage, codeOfStatus, mayPass } from '../../faults.ts';
import { present } from '../../present.ts';

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
interface Told {
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
/** What can go wrong in a model call; other codes found in the text are about something else. */
const ofProviders: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'auth',
  'quota',
  'rate_limit',
  'context_overflow',
  'model_not_found',
  'refused',
  'server',
  'network',
]);

export function faultOf(error: unknown): Fault {
  if (error instanceof FaultError) return error.fault;
  const told: Told = typeof error === 'object' && error !== null ? error : { message: String(error) };
  // A connection that broke in the middle of an answer still has the status from its start.
  const status = typeof told.statusCode === 'number' && told.statusCode >= 400 ? told.statusCode : undefined;
  const words = [told.message, told.type, told.code, told.responseBody, asText(told.data)]
    .filter((each) => typeof each === 'string')
    .join('\n');
  const retryAfterMs = retryAfterOf(told, words);
  const name = typeof told.name === 'string' ? told.name : undefined;
  const code = codeOf(told, words, status, retryAfterMs !== undefined);
  return {
    code,
    message: wordsOf(told, status),
    retryable: mayPass(code),
    ...present({ name, http_status: status, retryAfterMs }),
  };
}

function codeOf({ name }: Told, words: string, status: number | undefined, asksToWait: boolean): ErrorCode {
  const own = meaningOfName.get(name);
  if (own !== undefined) return own;
  const code = codeOfMessage(words, status, { asksToWait });
  return ofProviders.has(code) ? code : (codeOfStatus(status) ?? meaningOfSilence.get(name) ?? 'unknown');
}

function wordsOf({ message, cause }: Told, status: number | undefined): string {
  const said = typeof message === 'string' && message !== '' ? message : 'the model call failed without a word';
  const because = fieldOf(cause, 'code');
  const extra = typeof because !== 'string' || said.includes(because) ? '' : ` (${because})`;
  return status === undefined ? said + extra : `${said}${extra} (HTTP ${status})`;
}

function asText(value: unknown): string | undefined {
  try {
    return value === undefined ? undefined : JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Seconds or a date in the usual header, milliseconds in OpenAI's, `"retryDelay": "7s"` in Gemini's body. */
function retryAfterOf({ responseHeaders }: Told, words: string): number | undefined {
  const headers = typeof responseHeaders === 'object' && responseHeaders !== null ? (responseHeaders as Record<string, unknown>) : {};
  const inMs = Number.parseFloat(String(headers['retry-after-ms']));
  if (inMs >= 0) return inMs;
  const after = headers['retry-after'];
  if (typeof after === 'string') {
    const ms = /^[\d.]+$/.test(after.trim()) ? Number(after) * 1000 : Date.parse(after) - Date.now();
    if (!Number.isNaN(ms)) return Math.max(0, ms);
  }
  const delay = /"retryDelay":\s*"([\d.]+)s"/.exec(words)?.[1];
  return delay === undefined ? undefined : Number(delay) * 1000;
}
