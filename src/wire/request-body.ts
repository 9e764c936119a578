import type { IncomingMessage } from 'node:http';
import type { Api, RequestFacts } from './apis/api.ts';
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
): Promise<RequestFacts | undefined> {
  try {
    const request = objectIn((await decompressed(body, encoding, mostBytes)).toString('utf8').trimStart());
    if (Object.keys(request).length === 0) return undefined;
    const facts = api.facts(request, path);
    return { ...facts, model: facts.model ?? /\/deployments\/([\w.-]+)\//.exec(path)?.[1] };
  } catch {
    return undefined;
  }
}
