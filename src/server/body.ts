import { Buffer } from 'node:buffer';
import type { Context } from 'hono';
import type { ServerEnv } from './env.ts';
import { Problem } from './problem.ts';

/** A body that stalls for this long is given up: the client can send it again. */
const silenceMs = 5000;

/** The body of a request, of at most `mostBytes`. A compressed body is refused, since it may expand to any length. */
export async function readBody(context: Context<ServerEnv>, mostBytes: number): Promise<string> {
  const { req } = context;
  const encoding = req.header('content-encoding');
  if (encoding !== undefined && encoding !== 'identity')
    throw new Problem('unsupported', 'send it uncompressed, without Content-Encoding');
  if (Number(req.header('content-length') ?? 0) > mostBytes) throw tooLarge(mostBytes);
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = req.raw.body?.getReader();
  try {
    for (let next = await promptly(reader?.read()); next?.done === false; next = await promptly(reader?.read())) {
      length += next.value.length;
      if (length > mostBytes) throw tooLarge(mostBytes);
      chunks.push(next.value);
    }
  } catch (error) {
    // Whoever broke it off does not hear this; it is no trouble of ours.
    throw error instanceof Problem ? error : new Problem('input', 'the request was broken off');
  } finally {
    reader?.releaseLock();
  }
  return Buffer.concat(chunks).toString();
}

async function promptly<Value>(coming: Promise<Value> | undefined): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Problem('slow', 'the request body stalled for too long; send it again')),
      silenceMs,
    );
  });
  try {
    return await Promise.race([coming, silence]);
  } finally {
    clearTimeout(timer);
  }
}

function tooLarge(mostBytes: number): Problem {
  return new Problem('too_large', `too large: at most ${mostBytes} bytes per request`);
}

/** The value of a body; undefined: it is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text || '{}') as unknown;
  } catch {
    return undefined;
  }
}
