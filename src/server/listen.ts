import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { Failure, messageOf } from '../failure.ts';
import type { ServerEnv } from './env.ts';

export interface Listening {
  port: number;
  /** Closes all connections, including open streams. */
  close(): Promise<void>;
}

export interface ListenOptions {
  host: string;
  port: number;
  tls?: { cert: string; key: string } | undefined;
}

/** The resources that a client may use before it has sent a valid request. */
const limits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 5000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 5000,
};
const mostConnections = 4000;
/** When an idle connection is closed; a stream sends something more often. */
const silentMs = 45_000;

export async function listen(app: Hono<ServerEnv>, { host, port, tls }: ListenOptions): Promise<Listening> {
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const server = tls === undefined ? createServer(limits, answer) : createSecure(tls, answer);
  server.maxConnections = mostConnections;
  server.timeout = silentMs;
  await begin(server, host, port);
  const { port: actual } = server.address() as AddressInfo;
  return {
    port: actual,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function createSecure(tls: { cert: string; key: string }, answer: ReturnType<typeof getRequestListener>): Server {
  try {
    return createSecureServer({ ...limits, ...tls, minVersion: 'TLSv1.2' }, answer);
  } catch (error) {
    throw new Failure('config', `cannot use the certificate: ${messageOf(error)}`, { cause: error });
  }
}

function begin(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(refusal(error, host, port)));
    server.listen(port, host, () => resolve());
  });
}

function refusal(error: NodeJS.ErrnoException, host: string, port: number): Failure {
  if (error.code === 'EADDRINUSE')
    return new Failure(
      'config',
      `port ${port} is in use, perhaps by another "runwire serve"; choose another with --port, or 0 for any`,
    );
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return new Failure('input', `--host ${host}: this machine has no such address; try 127.0.0.1, ::1 or 0.0.0.0`);
  return new Failure('config', `cannot listen on ${host}:${port}: ${error.message}`, { cause: error });
}
