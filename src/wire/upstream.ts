import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { createSecureContext, getCACertificates } from 'node:tls';
import { systemCode } from '../failure.ts';
import type { Environment } from '../words/vocabulary.ts';

/** The most that the headers of an answer may have; a server that sends more is cut off. */
const mostHeaders = 64 * 1024;

export interface Outgoing {
  method: string;
  /** Names and values in turn. */
  headers: string[];
  body: Buffer;
  signal: AbortSignal;
}

/** The request never reached a server. */
export class Unsent extends Error {}

/** The connections to providers. They are kept between requests, as agents keep theirs. */
export class Upstream {
  readonly #plain: http.Agent;
  #secure: https.Agent | undefined;
  readonly #options: http.AgentOptions;

  /** `env`: where the user's proxy is named. */
  constructor(env: Environment = {}) {
    this.#options = { keepAlive: true, proxyEnv: env as NodeJS.ProcessEnv };
    this.#plain = new http.Agent(this.#options);
  }

  /** Resolves with the beginning of the answer. Throws `Unsent` where no server was reached. */
  async send(url: URL, outgoing: Outgoing): Promise<IncomingMessage> {
    const first = this.#request(url, outgoing);
    try {
      return await answerTo(first, outgoing.body);
    } catch (error) {
      // A kept connection may be closed by the server at the moment when it is used again: the request was not read then.
      if (!first.reusedSocket || outgoing.signal.aborted || !closedEarly.has(systemCode(error))) throw error;
      return answerTo(this.#request(url, outgoing), outgoing.body);
    }
  }

  close(): void {
    this.#plain.destroy();
    this.#secure?.destroy();
  }

  #request(url: URL, { method, headers, signal }: Outgoing): ClientRequest {
    const isPlain = url.protocol === 'http:';
    const options: RequestOptions = { method, headers, signal, maxHeaderSize: mostHeaders, setDefaultHeaders: false };
    return isPlain
      ? http.request(url, { ...options, agent: this.#plain })
      : https.request(url, { ...options, agent: (this.#secure ??= secureAgent(this.#options)) });
  }
}

/** Most agents trust the authorities of the system too, such as that of a company's proxy; Node.js brings its own. */
function secureAgent(options: http.AgentOptions): https.Agent {
  const own = getCACertificates('default');
  const known = new Set(own);
  const more = [...new Set(getCACertificates('system'))].filter((each) => !known.has(each));
  if (more.length === 0) return new https.Agent(options);
  // Made once: it takes longer than a connection.
  return new https.Agent({ ...options, secureContext: createSecureContext({ ca: [...own, ...more] }) });
}

/** What a server may say before its answer: to go on, or which files will be needed. One that says it again and again never answers. */
const mostBefore = 100;

const closedEarly: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'EPIPE']);

async function answerTo(request: ClientRequest, body: Buffer): Promise<IncomingMessage> {
  let isConnected = false;
  request.once('socket', (socket) => {
    isConnected = !socket.connecting;
    // A kept connection has been made long ago: a listener would stay on it for ever.
    if (!isConnected) socket.once('connect', () => (isConnected = true));
  });
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request.once('response', resolve);
  // An error after the answer has begun is told by the answer.
  request.on('error', reject);
  let before = 0;
  request.on('information', () => {
    if (++before > mostBefore) request.destroy(new Error('the server says to wait, and never answers'));
  });
  request.on('upgrade', (_answer, socket) => {
    socket.destroy();
    reject(new Error('the server wants to speak another protocol'));
  });
  request.end(body);
  try {
    return await promise;
  } catch (error) {
    throw isConnected ? error : new Unsent(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
