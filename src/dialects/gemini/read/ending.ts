import type { ErrorCode } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import { codeOfMessage, codeOfStatus } from '../../../outcome/faults.ts';
import { errorClasses, exitCodes } from '../words.ts';

export interface LastWords {
  ok: boolean;
  message?: string | undefined;
  /** The name of the error class; API errors appear as `unknown` or `Error`. */
  type?: string | undefined;
  /** The HTTP status. */
  status?: number | undefined;
  duration?: number | undefined;
}

/** The agent's claim about its end: the kind of failure is in the error's class or in its message. */
export function readEnding(sink: DecoderSink, { ok, message, type, status, duration }: LastWords): void {
  if (ok) return sink.emit({ type: 'agent.finished', status: 'ok', ...present({ duration_ms: duration }) });
  const code = codeOf(message ?? '', type, status);
  if (code === 'turn_limit') sink.emit({ type: 'limit.reached', limit: 'turns', ...present({ message }) });
  const plain = type === undefined || type === 'unknown' || type === 'Error';
  sink.emit({
    type: 'agent.finished',
    ...(code === 'cancelled' ? { status: 'cancelled' } : { status: 'failed', code }),
    ...present({ raw_status: plain ? undefined : type, message, duration_ms: duration }),
  });
}

const codesOfClasses = new Map(errorClasses);

const wordings: readonly (readonly [RegExp, ErrorCode])[] = [
  [/API[_ ]key[_ ](?:not valid|invalid)/i, 'auth'],
  [/MAX_TOKENS|output token limit|maximum output/i, 'output_length'],
];

/** `status`: the HTTP status if the document names it; otherwise it may be in the message. */
export function codeOf(message: string, type?: string, status?: number): ErrorCode {
  const named = type === undefined ? undefined : codesOfClasses.get(type);
  if (named !== undefined) return named;
  const head = message.slice(0, 2000);
  for (const [wording, code] of wordings) if (wording.test(head)) return code;
  const inside = /"code":\s*(\d{3})\b/.exec(head)?.[1];
  const http = status ?? (inside === undefined ? undefined : Number(inside));
  return codeOfMessage(message, http);
}

/** An API error ends the process with the HTTP status, which the system takes modulo 256: 429 becomes 173. */
export function exitMeaning(code: number): ErrorCode | undefined {
  const own = exitCodes[code];
  if (own !== undefined) return own;
  return codeOfStatus(code >= 144 ? code + 256 : code === 529 % 256 ? 529 : undefined);
}
