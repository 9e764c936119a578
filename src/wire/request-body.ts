import type { IncomingMessage } from 'node:http';
import type { Api, BodyFacts } from './apis/api.ts';
import { decompressed } from './decompress.ts';
import { objectIn } from '../json/parse.ts';

/** More than any provider takes. */
export const mostBytes = 128 * 1024 * 1024;

/** The whole body; undefined: it is too large. */
export async function bodyOf(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  if (Number(incoming.headers['content-length']) > mostBytes) return undefined;
  for await (const part of incoming as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > mostBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** What a request asks for; undefined: its body cannot be read. */
export async function factsIn(
  api: Api,
  path: string,
  body: Buffer,
  encoding: string | undefined,
): Promise<BodyFacts | undefined> {
  try {
    const bytes = await decompressed(body, encoding, mostBytes);
    const text = bytes.toString('utf8').trimStart();
    const request = objectIn(text);
    if (Object.keys(request).length === 0) return undefined;
    const facts = api.facts(request, path);
    const model = facts.model ?? /\/deployments\/([\w.-]+)\//.exec(path)?.[1];
    return { ...facts, model, body: bytes };
  } catch {
    return undefined;
  }
}
