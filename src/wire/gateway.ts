import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Server as Listener, Socket } from 'node:net';
import type { Environment } from '../words/vocabulary.ts';
import type { Api, RequestFacts } from './apis/api.ts';
import { noReading } from './apis/api.ts';
import { apiOf } from './apis/registry.ts';
import { Exchange, type ModelAnswer, type ModelRequest, type Passage } from './exchange.ts';
import type { Recorder } from './recording/recorder.ts';
import { factsIn, bodyOf } from './request-body.ts';
import { refuse, refuseStray } from './refusal.ts';
import type { Rest, Route } from './route.ts';
import { Capacity } from './capacity.ts';
import { Upstream } from './upstream.ts';

/** What is told of the requests that pass, while they do. */
export interface GatewayListener {
  /** A model is about to be asked. The answer is why it must not be; undefined: it may. `gone`: aborted when the agent has left. */
  requested(request: ModelRequest, gone: AbortSignal): string | undefined | Promise<string | undefined>;
  responded(request: ModelRequest, answer: ModelAnswer): void;
  /** Something was asked for that is not passed on. */
  strayed(what: string): void;
}

export interface GatewayOptions {
  routes: readonly Route[];
  listener: GatewayListener;
  /** Keeps what passes; unset: nothing is kept. */
  recorder?: Recorder | undefined;
  /** Whether the listener wants to know what models say. */
  keepsReplies?: boolean;
  /** How many requests there were: those of several gateways of one run are numbered in one row. */
  numbers?: { count: number };
  /** Where the user's proxy is named. */
  env?: Environment;
}

/** The most that the headers of a request may have. */
const mostHeaders = 64 * 1024;
/** More connections than an agent and its sub-agents ever have at once. */
const mostConnections = 1024;
/** Agents keep connections for their next request: longer than any of them thinks. */
const keepAliveMs = 10 * 60_000;

const unknown: RequestFacts = { tools: 0, hostedTools: [], continues: false };

/** Between one run's agent and its models: a server on this machine that passes requests on, and knows what they came to. */
export class Gateway {
  /** Part of every address, and what the agent has instead of a key. It is worth nothing outside this run. */
  readonly token = randomBytes(24).toString('base64url');
  readonly #routes: ReadonlyMap<string, Route>;
  readonly #listener: GatewayListener;
  readonly #recorder: Recorder | undefined;
  readonly #keepsReply: boolean;
  readonly #upstream: Upstream;
  readonly #server: Server;
  readonly #capacity = new Capacity();
  readonly #underWay = new Set<Promise<void>>();
  readonly #numbers: { count: number };

  constructor({ routes, listener, recorder, keepsReplies = false, env = {}, numbers = { count: 0 } }: GatewayOptions) {
    this.#numbers = numbers;
    this.#routes = new Map(routes.map((route) => [route.name, route]));
    this.#listener = listener;
    this.#recorder = recorder;
    this.#keepsReply = keepsReplies;
    this.#upstream = new Upstream(env);
    this.#server = createServer({ maxHeaderSize: mostHeaders, keepAliveTimeout: keepAliveMs }, (incoming, response) => {
      const work = this.#serve(incoming, response).finally(() => this.#underWay.delete(work));
      this.#underWay.add(work);
    });
    this.#server.maxConnections = mostConnections;
    // This is no proxy: what is asked for here is asked of a route.
    this.#server.on('connect', (_incoming, socket: Socket) =>
      socket.end('HTTP/1.1 405 Method Not Allowed\r\nconnection: close\r\n\r\n'),
    );
    this.#server.on('clientError', (_error, socket: Socket) => socket.destroy());
  }

  /** `listener`: where it is asked, if that is in another network than ours. */
  async open(listener?: Listener): Promise<void> {
    if (listener === undefined) this.#server.listen(0, '127.0.0.1');
    else this.#server.listen(listener);
    await once(this.#server, 'listening');
    // A run that could not begin leaves nothing that keeps the program alive.
    this.#server.unref();
  }

  /** The base address of a route, for an agent that would otherwise be given the provider's own. */
  address(route: string): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/${this.token}/${encodeURIComponent(route)}`;
  }

  /** The agent has ended: what it left open ends too, and has been told when this resolves. */
  async hangUp(): Promise<void> {
    this.#server.closeAllConnections();
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    await this.hangUp();
    await closed;
    this.#upstream.close();
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => {});
    try {
      await this.#answer(incoming, response);
    } catch {
      // The agent left before its request was whole.
      response.destroy();
    }
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const found = this.#find(incoming.url ?? '');
    if (found === undefined) return refuseStray(response, 'there is nothing here');
    const { route, rest } = found;
    const { method = 'GET' } = incoming;
    if (incoming.headers.upgrade?.toLowerCase() === 'websocket')
      return void response.writeHead(426, { connection: 'close' }).end();
    const api = apiOf(method, rest.path);
    if (api === undefined) {
      this.#listener.strayed(`${method} ${rest.path}`);
      return refuseStray(response, `${method} ${rest.path} is not passed on: only requests to a model are`);
    }
    const share = this.#capacity.enter();
    if (share === undefined) return busy(response);
    try {
      const body = await bodyOf(incoming, share.take);
      if (share.isFull) return busy(response);
      if (body === undefined) return void response.writeHead(413, { connection: 'close' }).end();
      const passage = { route, rest, incoming, body, response, token: this.token, upstream: this.#upstream };
      if (api === 'free') await new Exchange(passage).run();
      else await this.#ask(api, passage);
    } finally {
      share.leave();
    }
  }

  async #ask(api: Api, passage: Omit<ConstructorParameters<typeof Exchange>[0], 'api'>): Promise<void> {
    const { route, rest, incoming, body, response } = passage;
    const facts = await factsIn(api, rest.path, body, incoming.headers['content-encoding']);
    const request: ModelRequest = {
      number: ++this.#numbers.count,
      api: api.name,
      route: route.name,
      facts: facts ?? unknown,
      ...(facts === undefined ? { isUnreadable: true } : {}),
      bytes: body.length,
    };
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const refusal = await this.#listener.requested(request, gone.signal);
    if (refusal === undefined) {
      const tap = await this.#recorder?.request(request, this.#sent(passage));
      return this.#listener.responded(
        request,
        await new Exchange({ ...passage, api, tap, keepsReply: this.#keepsReply }).run(),
      );
    }
    const isGone = gone.signal.aborted;
    refuse(response, refusal, api);
    this.#listener.responded(request, {
      ended: isGone ? 'cut_by_agent' : 'refused',
      reading: noReading(),
      isServed: false,
      ...(isGone ? {} : { error: { code: 'refused', message: refusal } }),
      quotas: [],
      durationMs: 0,
      bytes: 0,
    });
  }

  #sent({
    rest: { path, query },
    incoming,
    body,
  }: Pick<Passage, 'rest' | 'incoming' | 'body'>): Parameters<Recorder['request']>[1] {
    const { method = 'GET', headers } = incoming;
    // The token is another one in each run.
    const target = query === '' ? path : `${path}?${query.replaceAll(this.token, 'token')}`;
    return { method, path: target, body, encoding: headers['content-encoding'] };
  }

  /** `/TOKEN/ROUTE/REST?QUERY`; a whole address, as a proxy would be given, is none of ours. */
  #find(url: string): { route: Route; rest: Rest } | undefined {
    const [, token = '', name = '', path = '', query = ''] =
      /^\/([\w-]+)\/([^/?#]+)(\/[^?#]*)(?:\?([^#]*))?$/.exec(url) ?? [];
    if (!isSame(token, this.token)) return undefined;
    const route = this.#routes.get(decoded(name));
    return route === undefined ? undefined : { route, rest: { path, query } };
  }
}

/** Agents ask again, a little later. */
function busy(response: ServerResponse): void {
  response.writeHead(503, { connection: 'close', 'retry-after': '1' }).end();
}

function isSame(given: string, token: string): boolean {
  return given.length === token.length && timingSafeEqual(Buffer.from(given), Buffer.from(token));
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return '';
  }
}
