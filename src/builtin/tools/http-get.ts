import { lookup as systemLookup } from 'node:dns/promises';
import { request as plainRequest, type IncomingMessage } from 'node:http';
import { request as secureRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import { Failure } from '../../failure.ts';
import { version } from '../../version.ts';
import { isPublicAddress } from '../../network/addresses.ts';

interface Address {
  address: string;
  family: number;
}

export interface NetworkOptions {
  /** Private addresses: none, all, or those of these hosts (`localhost:3000`, `intranet.example`). */
  allowPrivate?: boolean | readonly string[];
  resolve?: (host: string) => Promise<readonly Address[]>;
}

export interface Answer {
  status: number;
  location: string | undefined;
  type: string;
  body: Buffer;
  isCut: boolean;
}

/** One request. It connects to the very address that was checked: the name is resolved only once, here. */
export async function httpGet(
  url: URL,
  largest: number,
  signal: AbortSignal,
  options: NetworkOptions,
): Promise<Answer> {
  const addresses = await addressesOf(url, signal, options);
  const lookup: LookupFunction = (_host, how, done) => {
    const [first] = addresses;
    if (how.all === true) done(null, [...addresses]);
    else done(null, first?.address ?? '', first?.family);
  };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const send = url.protocol === 'https:' ? secureRequest : plainRequest;
    const headers = {
      'user-agent': `runwire/${version}`,
      accept: 'text/html, text/*, application/json, */*',
      'accept-encoding': 'identity',
    };
    send(url, { agent: false, lookup, signal, headers }, resolve).once('error', reject).end();
  });
  const { body, isCut } = await bodyOf(response, largest);
  return {
    status: response.statusCode ?? 0,
    location: response.headers.location,
    type: response.headers['content-type'] ?? '',
    body,
    isCut,
  };
}

async function addressesOf(
  url: URL,
  signal: AbortSignal,
  { allowPrivate = false, resolve = resolveAll }: NetworkOptions,
): Promise<readonly Address[]> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const family = isIP(host);
  const addresses = family === 0 ? await untilAborted(resolve(host), signal) : [{ address: host, family }];
  if (addresses.length === 0) throw new Failure('tool', `${host} has no address`);
  const isTrusted =
    typeof allowPrivate === 'boolean'
      ? allowPrivate
      : allowPrivate.some((each) => each === url.host || each === url.hostname);
  const refused = isTrusted ? undefined : addresses.find(({ address }) => !isPublicAddress(address));
  if (refused === undefined) return addresses;
  const means = refused.address === host ? '' : `, ${refused.address},`;
  throw new Failure(
    'tool',
    `${url.hostname}${means} is not an address of the public internet; fetch goes nowhere else`,
  );
}

const resolveAll = (host: string): Promise<readonly Address[]> => systemLookup(host, { all: true });

function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    promise.then(resolve, reject);
  });
}

/** As much of the body as may be kept, decompressed: the limit applies to the decompressed size. */
async function bodyOf(response: IncomingMessage, largest: number): Promise<{ body: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of unpacked(response) as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > largest) break;
    }
  } finally {
    response.destroy();
  }
  return { body: Buffer.concat(chunks).subarray(0, largest), isCut: size > largest };
}

function unpacked(response: IncomingMessage): Readable {
  const encoding = (response.headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding === 'identity') return response;
  const unpack =
    encoding === 'br' ? createBrotliDecompress() : /^(?:x-)?gzip$|^deflate$/.test(encoding) ? createUnzip() : undefined;
  if (unpack === undefined) throw new Failure('tool', `the answer is packed as ${encoding}, which was not asked for`);
  response.once('error', (error) => unpack.destroy(error));
  return response.pipe(unpack);
}
