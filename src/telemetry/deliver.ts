import { appendFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { messageOf } from '../failure.ts';
import { fieldOf } from '../json/field-of.ts';
import type { HttpEndpoint, TelemetryTarget } from './settings.ts';
import { parseJson } from '../json/parse.ts';

/** The result of a request: accepted, perhaps in part; to be retried after a while; or refused for good. */
export type Delivered =
  | { kind: 'taken'; remark?: string }
  | { kind: 'away'; why: string; afterMs?: number }
  | { kind: 'refused'; why: string };

const longestAnswer = 64 * 1024;
/** A collector may ask for a longer pause, but a timer cannot hold any number. */
const longestPauseMs = 3_600_000;
const longestTimeoutMs = 2 ** 31 - 1;

/** Sends one OTLP request to a collector, or appends it to a file as a line. It never throws. */
export async function deliver(body: string, target: TelemetryTarget, signal: AbortSignal): Promise<Delivered> {
  try {
    if (target.kind === 'http') return await send(body, target.endpoint, signal);
    // One write per line: others may write to the same file.
    await appendFile(target.path, `${body}\n`, { mode: 0o600 });
    return { kind: 'taken' };
  } catch (error) {
    return target.kind === 'http' ? { kind: 'away', why: causeOf(error) } : { kind: 'refused', why: messageOf(error) };
  }
}

async function send(
  body: string,
  { url, headers, timeoutMs, isCompressed }: HttpEndpoint,
  signal: AbortSignal,
): Promise<Delivered> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'User-Agent': 'runwire',
      ...headers,
      'Content-Type': 'application/json',
      ...(isCompressed ? { 'Content-Encoding': 'gzip' } : {}),
    },
    body: isCompressed ? await gzipped(body) : body,
    // The headers were set for this address, not for the target of a redirect.
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(Math.min(timeoutMs, longestTimeoutMs))]),
  });
  const answer = await answerOf(response);
  if (response.status >= 300 && response.status < 400)
    return { kind: 'refused', why: 'it redirects, which is not followed' };
  if (response.ok) return { kind: 'taken', ...remarkOn(answer) };
  const why = `it answered ${response.status}`;
  // According to the protocol, a client may retry only these.
  if (![429, 502, 503, 504].includes(response.status)) return { kind: 'refused', why };
  const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN);
  return { kind: 'away', why, ...(seconds >= 0 ? { afterMs: Math.min(seconds * 1000, longestPauseMs) } : {}) };
}

async function gzipped(body: string): Promise<Uint8Array<ArrayBuffer>> {
  const { gzip } = await import('node:zlib');
  return new Uint8Array(await promisify(gzip)(body));
}

async function answerOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > longestAnswer) break;
  }
  return text;
}

/** A collector may accept some spans and reject others. */
function remarkOn(answer: string): { remark?: string } {
  const count = Number(fieldOf(fieldOf(parseJson(answer), 'partialSuccess'), 'rejectedSpans') ?? 0);
  return count > 0 ? { remark: `it rejected ${count} spans` } : {};
}

/** `fetch` only reports "fetch failed"; the reason is in its cause. */
function causeOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'it did not answer in time';
  const { cause } = error as { cause?: unknown };
  const code = fieldOf(cause, 'code');
  return typeof code === 'string' ? code : cause instanceof Error ? cause.message : messageOf(error);
}
