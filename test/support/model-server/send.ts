import type { ServerResponse } from 'node:http';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Frame } from './format.ts';

export interface Pace {
  delayMs?: number | undefined;
  /** Bytes of one write. */
  writeSize?: number | undefined;
  lineEnd: '\n' | '\r\n';
  /** Aborted when the client has left or the server closes. */
  signal: AbortSignal;
}

async function write(
  response: ServerResponse,
  bytes: Uint8Array,
  { writeSize = bytes.length, signal }: Pace,
): Promise<void> {
  for (let at = 0; at < bytes.length; at += writeSize) {
    signal.throwIfAborted();
    if (!response.write(bytes.subarray(at, at + writeSize))) await once(response, 'drain', { signal });
  }
}

/** Resolves when nothing more can be said: all was sent, or the connection is gone, whatever ended it. */
export function closed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once('close', resolve).on('error', () => {});
  });
}

export function openStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.flushHeaders();
}

/** Writes server-sent events; what is sent is sent in full, or the promise is rejected by the signal. */
export async function sendFrames(response: ServerResponse, frames: readonly Frame[], pace: Pace): Promise<void> {
  const { delayMs = 0, lineEnd, signal } = pace;
  for (const { data, event, delta } of frames) {
    if (delta === true && delayMs > 0) await sleep(delayMs, undefined, { signal });
    const lines = [
      ...(event === undefined ? [] : [`event: ${event}`]),
      `data: ${typeof data === 'string' ? data : JSON.stringify(data)}`,
    ];
    await write(response, Buffer.from(`${lines.join(lineEnd)}${lineEnd}${lineEnd}`), pace);
  }
}

export async function sendBytes(response: ServerResponse, bytes: Uint8Array, pace: Pace): Promise<void> {
  await write(response, bytes, pace);
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: object | string,
  headers: Record<string, string> = {},
): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = typeof body === 'string' ? 'text/html' : 'application/json';
  response.writeHead(status, {
    'content-type': `${type}; charset=utf-8`,
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}
