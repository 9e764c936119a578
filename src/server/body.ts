import { Buffer } from 'node:buffer';
import type { Context } from 'hono';
import type { ServerEnv } from './env.ts';
import { Problem } from './problem.ts';

/** The body of a request, no longer than this. What is compressed may be any length: it is not taken. */
export async function readBody(context: Context<ServerEnv>, mostBytes: number): Promise<string> {
  const { req } = context;
  const encoding = req.header('content-encoding');
  if (encoding !== undefined && encoding !== 'identity') throw new Problem('unsupported', 'send it uncompressed, without Content-Encoding');
  if (Number(req.header('content-length') ?? 0) > mostBytes) throw tooLarge(mostBytes);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of req.raw.body ?? []) {
    length += chunk.length;
    if (length > mostBytes) throw tooLarge(mostBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function tooLarge(mostBytes: number): Problem {
  return new Problem('too_large', `at most ${mostBytes} bytes at a time`);
}
