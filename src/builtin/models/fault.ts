import type { ErrorCode } from '../../events/event.ts';

/** Why a model call came to nothing. */
export interface Fault {
  code: ErrorCode;
  message: string;
  retryable: boolean;
  name?: string;
  http_status?: number;
  /** How long the provider asks us to wait. */
  retryAfterMs?: number;
}

/** An error that already knows what it means. */
export class FaultError extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.message);
    this.name = fault.name ?? 'FaultError';
    this.fault = fault;
  }
}

/** What errors of all providers may carry; every field is somebody else's. */
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

const wording = {
  overflow:
    /context_length_exceeded|context[_ ](?:length|window)|maximum context|prompt is too long|input token count .*exceeds|too many tokens/i,
  key: /API_KEY_INVALID|invalid_api_key|authentication_error|UNAUTHENTICATED|PERMISSION_DENIED|permission_error/,
  quota: /insufficient_quota|exceeded your current quota|billing|credit balance/i,
  request: /invalid_request_error|INVALID_ARGUMENT|not_found_error|NOT_FOUND/,
  limit: /rate_limit|RESOURCE_EXHAUSTED/,
};

export function faultOf(error: unknown): Fault {
  if (error instanceof FaultError) return error.fault;
  const told: Told = typeof error === 'object' && error !== null ? error : { message: String(error) };
  const status = typeof told.statusCode === 'number' ? told.statusCode : undefined;
  const words = [told.message, told.type, told.code, told.responseBody, asText(told.data)]
    .filter((each) => typeof each === 'string')
    .join('\n');
  const retryAfterMs = retryAfterOf(told, words);
  const [code, retryable] = meaning(told, { status, words, asksToWait: retryAfterMs !== undefined });
  return {
    code,
    message: messageOf(told, status),
    retryable,
    ...(typeof told.name === 'string' ? { name: told.name } : {}),
    // A connection that broke in the middle of an answer still has the status of its beginning.
    ...(status === undefined || status < 400 ? {} : { http_status: status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

function meaning(
  told: Told,
  { status = 0, words, asksToWait }: { status: number | undefined; words: string; asksToWait: boolean },
): [ErrorCode, boolean] {
  if (told.name === 'AI_LoadAPIKeyError' || told.name === 'AI_LoadSettingError') return ['config', false];
  if (told.name === 'AI_InvalidResponseDataError' || told.name === 'AI_JSONParseError') return ['network', true];
  if (status === 413 || ((status === 0 || status === 400) && wording.overflow.test(words))) return ['context_overflow', false];
  if (status === 401 || status === 403 || (status <= 400 && wording.key.test(words))) return ['auth', false];
  // Gemini says "exceeded your current quota" for a limit per minute too, but then it says how long to wait.
  if (status === 402 || ((status === 429 || status <= 400) && wording.quota.test(words) && !asksToWait)) return ['quota', false];
  if (status === 404) return ['model_not_found', false];
  if (status === 429 || (status === 0 && wording.limit.test(words))) return ['rate_limit', true];
  if (status >= 500) return ['server', true];
  if (status === 408 || status === 409 || status === 425) return ['network', true];
  if (status >= 400 || (status === 0 && wording.request.test(words))) return ['server', false];
  if (told.name === 'AI_APICallError') return ['network', true];
  if (told.name === 'AI_StreamProviderError' || told.name === 'AI_TypeValidationError') return ['server', true];
  if (told.name === 'TypeError' && /fetch failed|terminated/.test(words)) return ['network', true];
  return ['unknown', false];
}

function messageOf({ message, cause }: Told, status: number | undefined): string {
  const said = typeof message === 'string' && message !== '' ? message : 'the model call failed without a word';
  const because = typeof cause === 'object' && cause !== null && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
  const extra = because === undefined || said.includes(because) ? '' : ` (${because})`;
  return status === undefined || status < 400 ? said + extra : `${said}${extra} (HTTP ${status})`;
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
