import type { S3mini } from 's3mini';
import { timeInWords } from '../../time/duration.ts';
import { Failure, messageOf } from '../../failure.ts';
import type { Environment } from '../../words/vocabulary.ts';
import { PlaceAway } from '../tape.ts';
import { bucketAddress, type BucketPlace } from '../tapes-place.ts';
import { quoted } from '../../redact/quoted.ts';

/** The few operations used on a bucket: nothing is listed, and nothing depends on what is there. */
export interface Bucket {
  readonly place: string;
  put(key: string, body: Uint8Array, abandoned?: AbortSignal): Promise<void>;
  /** Undefined: it is not there. At most `mostBytes` of it are read. */
  get(key: string, mostBytes: number): Promise<Uint8Array | undefined>;
  remove(key: string): Promise<void>;
}

const requestMs = 60_000;
/** A reachable server begins to answer sooner than this; only the content may take longer. */
const defaultAnswerMs = 15_000;
/** How long a silent server is not asked again: a reader of many tapes waits for it once, not for each tape. */
const silenceMs = 30_000;

/** A bucket on AWS or any S3-compatible server. The client is loaded with the first request. */
export function openBucket(
  place: BucketPlace,
  env: Environment,
  { answerMs = defaultAnswerMs }: { /** Tests lower it. */ answerMs?: number } = {},
): Bucket {
  let silent: { until: number; error: PlaceAway } | undefined;
  const name = bucketAddress(place);
  const inPrefix = (key: string): string => (place.prefix === '' ? key : `${place.prefix}/${key}`);
  /** A client for each request, because only then can a single request be abandoned early. */
  async function ask<Answer>(
    what: string,
    work: (s3: S3mini) => Promise<Answer>,
    abandoned?: AbortSignal,
  ): Promise<Answer> {
    try {
      return await work(await connect(place, env, answerMs, abandoned));
    } catch (error) {
      throw new PlaceAway(
        'config',
        `cannot ${what} ${name}: ${error instanceof Failure ? error.message : whyRefused(error)}`,
        {
          cause: isLate(error) ? error : undefined,
        },
      );
    }
  }
  async function read(key: string, mostBytes: number): Promise<Uint8Array | undefined> {
    if (silent !== undefined && performance.now() < silent.until) throw silent.error;
    try {
      return await ask('read from', async (s3) => {
        const answer = await s3.getObjectResponse(inPrefix(key));
        return answer === null ? undefined : readSome(answer, mostBytes);
      });
    } catch (error) {
      if (error instanceof PlaceAway && isLate(error.cause)) silent = { until: performance.now() + silenceMs, error };
      throw error;
    }
  }
  return {
    place: name,
    async put(key, body, abandoned) {
      await ask('write to', (s3) => s3.putObject(inPrefix(key), body, 'application/octet-stream'), abandoned);
    },
    get: read,
    async remove(key) {
      await ask('remove from', (s3) => s3.deleteObject(inPrefix(key)));
    },
  };
}

async function connect(
  { bucket }: BucketPlace,
  env: Environment,
  answerMs: number,
  abandoned: AbortSignal | undefined,
): Promise<S3mini> {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: token } = env;
  if (!accessKeyId || !secretAccessKey)
    throw new Failure('config', 'it needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment');
  const region = env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || 'us-east-1';
  const { S3mini } = await import('s3mini');
  const client = new S3mini({
    accessKeyId,
    secretAccessKey,
    endpoint: `${endpointOf(env, region)}/${bucket}`,
    region,
    fetch: async (url, init) => {
      const late = new AbortController();
      const tellLate = (ms: number): void =>
        late.abort(new DOMException(`no answer within ${timeInWords(ms)}`, 'TimeoutError'));
      // An upload takes time before the answer begins.
      const firstMs = init?.method === 'PUT' ? requestMs : answerMs;
      const timer = setTimeout(tellLate, firstMs, firstMs);
      const signals = [late.signal, AbortSignal.timeout(requestMs), ...(abandoned === undefined ? [] : [abandoned])];
      try {
        return await fetch(url, { ...init, signal: AbortSignal.any(signals) });
      } finally {
        clearTimeout(timer);
      }
    },
  });
  if (token) signWithToken(client, token);
  return client;
}

function endpointOf(env: Environment, region: string): string {
  const given = env['AWS_ENDPOINT_URL_S3'] || env['AWS_ENDPOINT_URL'];
  if (!given) return `https://s3.${region}.amazonaws.com`;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.username !== '' ||
    url.password !== '' ||
    url.search !== ''
  )
    throw new Failure(
      'config',
      'AWS_ENDPOINT_URL: expected an address such as https://storage.example.com, without keys',
    );
  return `${url.origin}${url.pathname.replace(/\/$/, '')}`;
}

/** A temporary key, as in CI, comes with a token that must be signed with the rest; the client does not support that. */
function signWithToken(client: S3mini, token: string): void {
  const sign: unknown = Reflect.get(client, '_sign');
  if (typeof sign !== 'function') throw new Failure('config', 'this S3 client cannot sign with AWS_SESSION_TOKEN');
  Reflect.set(client, '_sign', (method: string, key: string, query?: unknown, headers: object = {}): unknown =>
    Reflect.apply(sign, client, [method, key, query, { ...headers, 'x-amz-security-token': token }]),
  );
}

async function readSome({ body }: Response, mostBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    parts.push(part);
    bytes += part.length;
    // An object that is too long is not the right one: the caller notices by its hash.
    if (bytes > mostBytes) break;
  }
  return Buffer.concat(parts);
}

function isLate(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

/** Only the status and code of the protocol: the body of an error response may hold anything. */
function whyRefused(error: unknown): string {
  if (!(error instanceof Error)) return 'it does not answer';
  if ('status' in error && typeof error.status === 'number') {
    const code = 'serviceCode' in error ? String(error.serviceCode).replaceAll(/\W/g, '').slice(0, 60) : '';
    return [`it answers ${error.status}`, code === 'Unknown' ? '' : code].join(' ').trimEnd();
  }
  if (isLate(error))
    return error.message.startsWith('no answer') ? error.message : `no answer within ${timeInWords(requestMs)}`;
  const { cause } = error;
  const found = cause instanceof Error && 'code' in cause ? cause.code : 'code' in error ? error.code : undefined;
  return typeof found === 'string' ? found : quoted(messageOf(cause instanceof Error ? cause : error), 200);
}
