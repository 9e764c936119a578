import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http';
import { connect, isIP, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { isPublicAddress } from './addresses.ts';
import { type AllowedHost, isAllowed } from '../words/allowed-hosts.ts';
import type { Refusal } from './refusals.ts';
import { greetingIn } from './server-name.ts';

export interface ProxyOptions {
  allowed: readonly AllowedHost[];
  /** Something was not passed on; `port` is where the one who asked for it is. */
  refused(refusal: Refusal, port: number | undefined): void;
  /** All addresses of a name; default: what this system says. */
  resolve?: (name: string) => Promise<readonly string[]>;
  /** Whether an address may be reached; default: if it is one of the public internet. */
  mayReach?: (address: string) => boolean;
  /** How long a greeting, or an answer of a host, is waited for. */
  patienceMs?: number;
}

const mostConnections = 512;
const mostHeaders = 16 * 1024;
/** The most that is held of a greeting. */
const mostGreeting = 17 * 1024;
const usualPatienceMs = 30_000;

/**
 * Lets connections to allowed hosts through (CONNECT), and nothing else. A name is resolved once, here, and the connection goes to the
 * very address that was checked. It must be TLS, and name the host that was asked for.
 */
export class Proxy {
  readonly #options: ProxyOptions;
  readonly #server: HttpServer;
  readonly #sockets = new Set<Socket>();
  readonly #patienceMs: number;

  constructor(options: ProxyOptions) {
    this.#options = options;
    this.#patienceMs = options.patienceMs ?? usualPatienceMs;
    this.#server = createServer(
      { maxHeaderSize: mostHeaders, headersTimeout: this.#patienceMs, requestTimeout: this.#patienceMs },
      (incoming, response) => this.#refusePlain(incoming, response),
    );
    this.#server.maxConnections = mostConnections;
    this.#server.on('connect', (incoming, socket: Socket, head: Buffer) => {
      this.#hold(socket);
      void this.#connect(incoming, socket, head).catch(() => void socket.destroy());
    });
    // What is not a request is not passed on; nobody is asked for by it.
    this.#server.on('clientError', (_error, socket: Socket) => void socket.destroy());
    this.#server.on('upgrade', (incoming, socket: Socket) => {
      this.#refuse(socket, { via: 'proxy', ...targetOf(incoming), reason: plainReason });
    });
  }

  async open(listener?: Server): Promise<void> {
    if (listener === undefined) this.#server.listen(0, '127.0.0.1');
    else this.#server.listen(listener);
    await once(this.#server, 'listening');
    this.#server.unref();
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** Whoever used it has ended: so do its connections. */
  hangUp(): void {
    this.#server.closeAllConnections();
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.#server.close();
    this.hangUp();
  }

  #hold(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => {}).once('close', () => this.#sockets.delete(socket));
  }

  async #connect(incoming: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const target = authorityIn(incoming.url ?? '');
    if (target === undefined) return this.#refuse(socket, { via: 'proxy', reason: 'it is not NAME:PORT' });
    const { host, port } = target;
    const refuse = (reason: string): void => this.#refuse(socket, { via: 'proxy', host, port, reason });
    if (isIP(host) !== 0) return refuse('it is an address; hosts are allowed by their names');
    if (!isAllowed(this.#options.allowed, host, port)) return refuse('it is not allowed');
    const addresses = await this.#addressesOf(host);
    if (addresses.length === 0) return refuse('its name could not be resolved');
    const hidden = addresses.find((address) => !(this.#options.mayReach ?? isPublicAddress)(address));
    if (hidden !== undefined)
      return refuse(`its name leads to ${hidden}, which is not an address of the public internet`);
    const upstream = await this.#dial(addresses, port);
    if (upstream === undefined) return void socket.end(answer(502, `${host} could not be reached\n`));
    if (socket.destroyed) return void upstream.destroy();
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    const greeting = await this.#greeting(socket, head);
    const wrong = greeting === undefined ? 'nothing was said' : whyNot(greeting, host);
    if (greeting === undefined || wrong !== undefined) {
      upstream.destroy();
      if (greeting !== undefined && wrong !== undefined)
        this.#options.refused({ via: 'proxy', host, port, reason: wrong }, socket.remotePort);
      return void socket.destroy();
    }
    upstream.write(greeting);
    pipeline(socket, upstream, () => {});
    pipeline(upstream, socket, () => {});
  }

  async #addressesOf(name: string): Promise<readonly string[]> {
    const { resolve = resolveAll } = this.#options;
    return resolve(name).catch(() => []);
  }

  async #dial(addresses: readonly string[], port: number): Promise<Socket | undefined> {
    for (const address of addresses) {
      const socket = connect({ host: address, port });
      this.#hold(socket);
      const timer = setTimeout(() => socket.destroy(), this.#patienceMs);
      const isConnected = await new Promise<boolean>((resolve) => {
        socket.once('connect', () => resolve(true)).once('close', () => resolve(false));
      });
      clearTimeout(timer);
      if (isConnected) return socket;
    }
    return undefined;
  }

  /** The first bytes, up to the end of a greeting of TLS if they are one; undefined: it ended, or took too long. */
  #greeting(socket: Socket, head: Buffer): Promise<Buffer | undefined> {
    return new Promise((resolve) => {
      let bytes = head;
      const finish = (result: Buffer | undefined): void => {
        clearTimeout(timer);
        socket.off('data', onData).off('close', onClose).pause();
        resolve(result);
      };
      const see = (): void => {
        if (greetingIn(bytes).kind !== 'more' || bytes.length > mostGreeting) finish(bytes);
      };
      const onData = (chunk: Buffer): void => {
        bytes = Buffer.concat([bytes, chunk]);
        see();
      };
      const onClose = (): void => finish(undefined);
      const timer = setTimeout(() => finish(undefined), this.#patienceMs);
      socket.on('data', onData).once('close', onClose).resume();
      see();
    });
  }

  /** A plain request, as for http://: only connections are passed on. */
  #refusePlain(incoming: IncomingMessage, response: ServerResponse): void {
    this.#options.refused({ via: 'proxy', ...targetOf(incoming), reason: plainReason }, incoming.socket.remotePort);
    response.writeHead(403, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
    response.end(`Runwire does not let this pass: ${plainReason}\n`);
  }

  #refuse(socket: Socket, refusal: Refusal): void {
    this.#options.refused(refusal, socket.remotePort);
    socket.end(answer(403, `Runwire does not let this pass: ${refusal.reason}\n`));
  }
}

const plainReason = 'only encrypted connections (https) are passed on';
const resolveAll = async (name: string): Promise<string[]> =>
  (await lookup(name, { all: true })).map(({ address }) => address);

function whyNot(bytes: Buffer, host: string): string | undefined {
  const greeting = greetingIn(bytes);
  if (greeting.kind !== 'tls') return plainReason;
  const name = host.toLowerCase().replace(/\.$/, '');
  return greeting.name === name ? undefined : `the connection is meant for ${greeting.name ?? 'nobody'}`;
}

/** `NAME:PORT`, `[ADDRESS]:PORT`; nothing else. */
function authorityIn(text: string): { host: string; port: number } | undefined {
  const [, six, name, port = ''] = /^(?:\[([0-9a-fA-F:.]{2,45})\]|([\w.-]{1,253})):(\d{1,5})$/.exec(text) ?? [];
  const host = six ?? name;
  const number = Number(port);
  return host === undefined || number < 1 || number > 65_535 ? undefined : { host, port: number };
}

/** The host of a plain request, where it names one. */
function targetOf({ url = '', headers }: IncomingMessage): Pick<Refusal, 'host' | 'port'> {
  const address = URL.parse(url) ?? URL.parse(`http://${headers.host ?? ''}`);
  if (address === null || address.hostname === '') return {};
  return { host: address.hostname.slice(0, 253), port: Number(address.port) || 80 };
}

function answer(status: 403 | 502, text: string): string {
  const reason = status === 403 ? 'Forbidden' : 'Bad Gateway';
  return [
    `HTTP/1.1 ${status} ${reason}`,
    'content-type: text/plain; charset=utf-8',
    `content-length: ${Buffer.byteLength(text)}`,
    'connection: close',
    '',
    text,
  ].join('\r\n');
}
