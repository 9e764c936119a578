import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorCode } from '../events/event.ts';
import { messageOf } from '../failure.ts';
import { codeOfProvider, retryAfterIn } from '../outcome/faults.ts';
import { present } from '../json/present.ts';
import { AnswerMeter } from './answer-meter.ts';
import { type Api, type BodyFacts, noReading, type Reading } from './apis/api.ts';
import { answerHeaders, requestHeaders, withoutKey } from './headers.ts';
import { decompressed } from './decompress.ts';
import { type Quota, quotasIn } from './quota.ts';
import type { AnswerTap } from './recording/recorder.ts';
import { passOn } from './pass-on.ts';
import { refuse } from './refusal.ts';
import { type Rest, type Route, upstreamOf } from './route.ts';
import { Unsent, type Upstream } from './upstream.ts';
import type { ModelApi } from '../words/vocabulary.ts';

/** A request for an answer of a model, before it goes out. */
export interface ModelRequest {
  /** Counts from one. */
  number: number;
  api: ModelApi;
  route: string;
  facts: BodyFacts;
  /** Its body could not be read, so `asked` says nothing. */
  isUnreadable?: true;
  bytes: number;
}

/** What became of it. */
export interface ModelAnswer {
  status?: number;
  /** `refused`: by us, so that no provider has seen the request, or answered it. */
  ended: 'complete' | 'cut_by_provider' | 'cut_by_agent' | 'refused';
  reading: Reading;
  /** Whether a model worked on it, or may have: what a provider turned down costs nothing. */
  isServed: boolean;
  error?: { code: ErrorCode; message: string };
  retryAfterMs?: number;
  quotas: readonly Quota[];
  firstByteMs?: number;
  durationMs: number;
  bytes: number;
}

/** A request of an agent that is about to be passed on, and where its answer goes. */
export interface Passage {
  route: Route;
  rest: Rest;
  incoming: IncomingMessage;
  body: Buffer;
  response: ServerResponse;
  /** What the agent has instead of a key. */
  token: string;
  upstream: Upstream;
  /** The API whose answers are metered; unset: nothing is. */
  api?: Api | undefined;
  /** Whether the words of the answer are wanted, and not only what it used. */
  keepsReply?: boolean | undefined;
  /** Where the answer is kept; unset: nowhere. */
  tap?: AnswerTap | undefined;
}

/** Errors are short; of a longer one, the beginning is passed on. */
const longestError = 1024 * 1024;

/** Why an answer of the provider is not passed on. */
class Withheld extends Error {}

/** One request on its way to the provider, and its answer on the way back, chunk by chunk. */
export class Exchange {
  readonly #passage: Passage;
  readonly #began = performance.now();
  /** Aborted when the agent has left. */
  readonly #gone = new AbortController();
  #answer: IncomingMessage | undefined;
  #meter: AnswerMeter | undefined;
  #firstByteMs: number | undefined;
  #bytes = 0;

  constructor(passage: Passage) {
    this.#passage = passage;
  }

  /** Passes it on to the end, whatever that is, and says what became of it. */
  async run(): Promise<ModelAnswer> {
    const { response, api } = this.#passage;
    const leave = (): void => (response.writableFinished ? undefined : this.#gone.abort());
    response.once('close', leave);
    let failure: unknown;
    try {
      if (response.destroyed) leave();
      await this.#pass();
    } catch (error) {
      failure = error;
      if (error instanceof Withheld) refuse(response, error.message, api);
      // The agent learns of it as it would from the provider itself: a status of ours would be another story.
      else response.destroy();
    }
    response.off('close', leave);
    const answer = await this.#conclude(failure);
    await this.#passage.tap?.end(answer, this.#answer?.headers ?? {});
    return answer;
  }

  async #pass(): Promise<void> {
    const { route, rest, incoming, body, token, upstream, api, response, keepsReply } = this.#passage;
    const { method = 'GET' } = incoming;
    const url = upstreamOf(route, rest, token);
    const keys = { token, ...present({ key: route.key }) };
    const length = body.length > 0 || method === 'POST' ? body.length : undefined;
    const headers = requestHeaders(incoming.rawHeaders, { ...keys, host: url.host, length });
    const answer = (this.#answer = await upstream.send(url, { method, headers, body, signal: this.#gone.signal }));
    if (isRedirect(answer)) throw new Withheld(redirected(url, answer));
    const { 'content-type': type, 'content-encoding': encoding } = answer.headers;
    this.#meter = api === undefined ? undefined : new AnswerMeter(api, { type, encoding }, keepsReply);
    if (route.key !== undefined && isError(answer)) return this.#passError(answer, keys);
    response.writeHead(...statusOf(answer, keys), answerHeaders(answer.rawHeaders, keys));
    response.flushHeaders();
    await passOn(answer, response, (chunk) => this.#see(chunk));
  }

  /** Some servers quote the key that they do not like. */
  async #passError(answer: IncomingMessage, keys: { token: string; key?: string }): Promise<void> {
    const parts: Buffer[] = [];
    let size = 0;
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      await this.#see(chunk);
      parts.push(chunk);
      size += chunk.length;
      if (size > longestError) break;
    }
    const sent = Buffer.concat(parts);
    const shown = await bodyWithoutKey(sent, answer.headers['content-encoding'], keys);
    const less = ['content-length', ...(shown.isPlain ? ['content-encoding'] : [])];
    const headers = answerHeaders(answer.rawHeaders, keys, less);
    const { response } = this.#passage;
    response.writeHead(...statusOf(answer, keys), [...headers, 'content-length', String(shown.body.length)]);
    await new Promise<void>((resolve) => response.end(shown.body, resolve).once('close', resolve));
  }

  #see(chunk: Buffer): Promise<void> | undefined {
    this.#firstByteMs ??= this.#since();
    this.#bytes += chunk.length;
    this.#passage.tap?.chunk(chunk);
    return this.#meter?.push(chunk);
  }

  #since(): number {
    return Math.round((performance.now() - this.#began) * 10) / 10;
  }

  async #conclude(failure: unknown): Promise<ModelAnswer> {
    const isWithheld = failure instanceof Withheld;
    const isCut = failure !== undefined && !isWithheld;
    const isGone = this.#gone.signal.aborted;
    const reading = (await this.#meter?.end(isCut)) ?? noReading();
    const status = this.#answer?.statusCode;
    const headers = this.#answer?.headers ?? {};
    const isServed = status === undefined ? isCut && !(failure instanceof Unsent) : status >= 200 && status < 300;
    const error = isGone ? undefined : faultOf(reading, status, failure);
    return {
      ended: isWithheld
        ? 'refused'
        : isGone && isCut
          ? 'cut_by_agent'
          : isCut || (isServed && !this.#isWhole(reading))
            ? 'cut_by_provider'
            : 'complete',
      reading,
      isServed,
      quotas: quotasIn(headers, Date.now()),
      durationMs: this.#since(),
      bytes: this.#bytes,
      ...present({
        status,
        error,
        firstByteMs: this.#firstByteMs,
        retryAfterMs: error === undefined ? undefined : retryAfterIn(headers, reading.error?.details ?? ''),
      }),
    };
  }

  #isWhole({ isWhole }: Reading): boolean {
    return this.#meter === undefined || isWhole;
  }
}

/** The words beside the status are the provider's own, too. */
function statusOf(
  { statusCode = 502, statusMessage = '' }: IncomingMessage,
  keys: Parameters<typeof withoutKey>[1],
): [number, string] {
  return [statusCode, withoutKey(statusMessage, keys)];
}

/** The body of an error without the key, however it is written there; one that cannot be read is left out. `isPlain`: it is no longer compressed. */
async function bodyWithoutKey(
  sent: Buffer,
  encoding: string | undefined,
  keys: Parameters<typeof withoutKey>[1],
): Promise<{ body: Buffer; isPlain: boolean }> {
  const bytes = await decompressed(sent, encoding, longestError).catch(() => Buffer.alloc(0));
  const text = bytes.toString('latin1');
  const shown = withoutKey(text, keys);
  if (bytes.length > 0 && shown === text) return { body: sent, isPlain: false };
  return { body: Buffer.from(shown, 'latin1'), isPlain: true };
}

function isRedirect({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 300 && statusCode < 400 && statusCode !== 304;
}

function isError({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 400;
}

/** A key is sent to the server that it is for, and to no other. */
function redirected(url: URL, { headers }: IncomingMessage): string {
  const to = URL.parse(headers.location ?? '', url)?.origin ?? 'another address';
  return `${url.origin} redirects to ${to}, and a request with a key is not sent on; if that is the right address, set it instead`;
}

function faultOf({ error }: Reading, status: number | undefined, failure: unknown): ModelAnswer['error'] {
  if (failure instanceof Withheld) return { code: 'refused', message: failure.message };
  if (error !== undefined) {
    const code = codeOfProvider(
      `${error.type ?? ''} ${error.message}`,
      status !== undefined && status >= 400 ? status : undefined,
    );
    return { code: code ?? 'server', message: error.message };
  }
  if (status !== undefined && status >= 400)
    return { code: codeOfProvider('', status) ?? 'server', message: `HTTP ${status}` };
  return failure === undefined ? undefined : { code: 'network', message: messageOf(failure) };
}
