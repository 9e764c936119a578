import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { OwnNetwork } from '../../../src/network/own-network.ts';
import { bordered } from '../../../src/processes/confined.ts';
import { type Way, ways } from './ways.ts';

/** Prints which ways lead out, with nothing confined and within a border. Each has a listener of its own on loopback. */
const work = process.env['WORK'] ?? '';
const reach = `perl ${join(work, 'reach.pl')}`;

const untried = 77;

interface Listener {
  port: number;
  isReached(): boolean;
  close(): void;
}

async function listenFor({ listens, host = '127.0.0.1' }: Way, path: string): Promise<Listener> {
  let reached = false;
  if (listens === 'udp') {
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4').on('message', () => void (reached = true));
    const isGroup = host.startsWith('239.');
    socket.bind(0, isGroup ? '0.0.0.0' : host);
    await once(socket, 'listening');
    if (isGroup) socket.addMembership(host, '127.0.0.1');
    return { port: socket.address().port, isReached: () => reached, close: () => void socket.close() };
  }
  const server = createServer((socket) => {
    reached = true;
    socket.on('error', () => {}).end();
  });
  if (listens === 'unix') server.listen(path);
  else if (listens === 'abstract') server.listen(`\0${path}`);
  else server.listen(0, host);
  await once(server, 'listening');
  const port = listens === 'tcp' || listens === undefined ? (server.address() as AddressInfo).port : 0;
  return { port, isReached: () => reached, close: () => void server.close() };
}

/** A datagram is there before the command that sent it ends, but may not have been read: one of our own, sent after it, has been then. */
async function settled(): Promise<void> {
  const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').resume();
  await once(socket, 'close');
  server.close();
  await new Promise((resolve) => setImmediate(resolve));
}

async function leadsOut(way: Way, number: number, border: OwnNetwork | undefined): Promise<boolean> {
  const socket = join(work, `${border === undefined ? 'open' : 'closed'}-${number}.sock`);
  const listener = await listenFor(way, socket);
  const env = {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: work,
    WORK: work,
    REACH: reach,
    NODE: process.execPath,
    OUTSIDE: String(process.pid),
    PORT: String(listener.port),
    SOCKET: socket,
    NAME: socket,
    HELPER: join(work, 'helper'),
  };
  // A way that could not even be tried would look closed.
  const run = `[ "$PATH" = ${env.PATH} ] && [ -d "$WORK" ] || exit ${untried}\n${way.run}`;
  const order = { command: '/usr/bin/timeout', args: ['10', '/bin/sh', '-c', run], cwd: work, env };
  const { command, args } = border === undefined ? order : bordered(order, border);
  const child = spawn(command, args, { cwd: work, env, stdio: 'ignore' });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code === untried || code === 125) throw new Error(`${way.name} could not be tried`);
  await settled();
  listener.close();
  return way.proves === true ? code === 0 : listener.isReached();
}

const isThere = ({ needs }: Way): boolean =>
  needs === undefined || existsSync(`/usr/bin/${needs}`) || existsSync(`/bin/${needs}`);

const network = await OwnNetwork.open();
const found = { open: [] as string[], closed: [] as string[], untried: [] as string[] };
for (const [number, way] of ways.entries()) {
  if (!isThere(way)) found.untried.push(way.name);
  else {
    if (way.open !== 'nobody needs to' && (await leadsOut(way, number, undefined))) found.open.push(way.name);
    if (await leadsOut(way, number, network)) found.closed.push(way.name);
  }
}
network.close();
process.stdout.write(JSON.stringify(found));
