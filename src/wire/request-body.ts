import type { IncomingMessage } from 'node:http';
import type { Api, BodyFacts } from './apis/api.ts';
import { decompressed } from './decompress.ts';
import { objectIn } from '../json/parse.ts';
import { present } from '../json/present.ts';
import { hasMoreValues } from '../json/scan.ts';
import type { Share } from './capacity.ts';

/** More than any provider takes. */
export const mostBytes = 128 * 1024 * 1024;

/** The whole body; undefined: it is too large, or there is no room for it. */
export async function bodyOf(incoming: IncomingMessage, take: Share['take'] = () => true): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  const announced = Number(incoming.headers['content-length'] ?? 0);
  if (announced > mostBytes) return undefined;
  if (!take(announced)) return undefined;
  let size = 0;
  for await (const part of incoming as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > mostBytes) return undefined;
    if (size > announced && !take(part.length)) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** A conversation as long as any model reads has far fewer; as many take a second to read, and gigabytes. */
const mostValues = 1_000_000;

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
    if (hasMoreValues(text, mostValues)) return undefined;
    const request = objectIn(text);
    if (Object.keys(request).length === 0) return undefined;
    const facts = api.facts(request, path);
    const deployment = /\/deployments\/([\w.-]+)\//.exec(path)?.[1];
    return { ...facts, ...present({ model: facts.model ?? deployment, deployment }), body: bytes };
  } catch {
    return undefined;
  }
}
