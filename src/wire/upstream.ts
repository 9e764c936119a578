import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { once } from 'node:events';
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
  readonly #agents: { 'http:': http.Agent; 'https:': https.Agent };

  /** `env`: where the user's proxy is named. */
  constructor(env: Environment = {}) {
    const options = { keepAlive: true, proxyEnv: env as NodeJS.ProcessEnv };
    this.#agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) };
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
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  #request(url: URL, { method, headers, signal }: Outgoing): ClientRequest {
    const isPlain = url.protocol === 'http:';
    const options: RequestOptions = { method, headers, signal, maxHeaderSize: mostHeaders, setDefaultHeaders: false };
    return isPlain
      ? http.request(url, { ...options, agent: this.#agents['http:'] })
      : https.request(url, { ...options, agent: this.#agents['https:'] });
  }
}

const closedEarly: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'EPIPE']);

async function answerTo(request: ClientRequest, body: Buffer): Promise<IncomingMessage> {
  let isConnected = false;
  request.once('socket', (socket) => {
    isConnected = !socket.connecting;
    // A kept connection has been made long ago: a listener would stay on it for ever.
    if (!isConnected) socket.once('connect', () => (isConnected = true));
  });
  // An error after the answer has begun is told by the answer.
  request.on('error', () => {});
  request.end(body);
  try {
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    return answer;
  } catch (error) {
    throw isConnected ? error : new Unsent(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
