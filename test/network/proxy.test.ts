import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { Proxy, type ProxyOptions } from '../../src/network/proxy.ts';
import type { Refusal } from '../../src/network/refusals.ts';
import { readAllowedHost } from '../../src/words/allowed-hosts.ts';

const cleanings: (() => void)[] = [];
afterEach(() => cleanings.splice(0).forEach((clean) => clean()));

/** Stands for the host that is allowed: it keeps what it is sent. */
async function host(): Promise<{ port: number; received: Buffer[]; sockets: Socket[] }> {
  const received: Buffer[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {}).on('data', (chunk) => void received.push(chunk));
    socket.write('welcome');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanings.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { port: (server.address() as AddressInfo).port, received, sockets };
}

async function proxied(port: number, more: Partial<ProxyOptions> = {}) {
  const refusals: Refusal[] = [];
  const lookups: string[] = [];
  const allowed = [`good.example:${port}`, `*.below.example:${port}`]
    .map(readAllowedHost)
    .filter((each) => typeof each !== 'string');
  const proxy = new Proxy({
    allowed,
    refused: (refusal) => void refusals.push(refusal),
    resolve: (name) => {
      lookups.push(name);
      return Promise.resolve(['127.0.0.1']);
    },
    mayReach: () => true,
    ...more,
  });
  await proxy.open();
  cleanings.push(() => proxy.close());
  return { proxy, refusals, lookups };
}

/** Sends these bytes; resolves with all that comes back. */
async function exchange(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket
    .setEncoding('latin1')
    .on('data', (chunk: string) => void (text += chunk))
    .on('error', () => {});
  socket.write(bytes, 'latin1');
  await new Promise((resolve) => socket.once('close', resolve));
  return text;
}

async function tunnel(port: number, target: string): Promise<{ socket: Socket; status: string }> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  cleanings.push(() => socket.destroy());
  socket.write(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  return { socket, status: answer.toString('latin1').split('\r\n', 1)[0] ?? '' };
}

describe('a connection to an allowed host', () => {
  it.each([
    ['by its name', 'good.example', 'good.example'],
    ['in capitals', 'GOOD.Example', 'good.example'],
    ['with its last dot', 'good.example.', 'good.example'],
    ['below an allowed one', 'a.b.below.example', 'a.b.below.example'],
  ])('passes, %s', async (_name, name, servername) => {
    const { port, received } = await host();
    const { proxy, refusals, lookups } = await proxied(port);
    const { socket, status } = await tunnel(proxy.port, `${name}:${port}`);
    expect(status).toContain(' 200 ');
    connectTls({ socket, servername }).on('error', () => {});
    await expect.poll(() => Buffer.concat(received).includes(servername)).toBe(true);
    expect({ refusals, lookups }).toEqual({ refusals: [], lookups: [name] });
  });

  it('passes if its greeting comes byte by byte', async () => {
    const { port, received } = await host();
    const { proxy } = await proxied(port);
    const { port: seen, received: greeting } = await host();
    connectTls({ port: seen, host: '127.0.0.1', servername: 'good.example' }).on('error', () => {});
    await expect.poll(() => greeting.length).toBeGreaterThan(0);
    const bytes = Buffer.concat(greeting);
    const { socket } = await tunnel(proxy.port, `good.example:${port}`);
    const answered = once(socket, 'data');
    socket.setNoDelay(true);
    for (const byte of bytes) socket.write(Buffer.from([byte]));
    await answered;
    await expect.poll(() => Buffer.concat(received).length).toBeGreaterThanOrEqual(bytes.length);
    expect(Buffer.concat(received).equals(bytes)).toBe(true);
  });

  it('ends when the run does', async () => {
    const { port, sockets } = await host();
    const { proxy } = await proxied(port);
    const { socket } = await tunnel(proxy.port, `good.example:${port}`);
    connectTls({ socket, servername: 'good.example' }).on('error', () => {});
    await expect.poll(() => sockets.length).toBeGreaterThan(0);
    const closed = once(socket, 'close');
    proxy.hangUp();
    await closed;
    await Promise.all(sockets.map((each) => (each.destroyed ? undefined : once(each, 'close'))));
  });

  it.each([
    ['for another host', 'other.example', 'the connection is meant for other.example'],
    ['for nobody', '', 'the connection is meant for nobody'],
  ])('is cut if its greeting is %s', async (_name, servername, reason) => {
    const { port, received } = await host();
    const { proxy, refusals } = await proxied(port);
    const { socket } = await tunnel(proxy.port, `good.example:${port}`);
    const closed = once(socket, 'close');
    connectTls({ socket, servername }).on('error', () => {});
    await closed;
    expect(refusals).toEqual([{ via: 'proxy', host: 'good.example', port, reason }]);
    expect(received).toEqual([]);
  });

  it('is cut if it is not encrypted', async () => {
    const { port, received } = await host();
    const { proxy, refusals } = await proxied(port);
    const { socket } = await tunnel(proxy.port, `good.example:${port}`);
    const closed = once(socket, 'close');
    socket.write('GET / HTTP/1.1\r\nhost: other.example\r\n\r\n');
    await closed;
    expect({ refusals, received }).toMatchObject({ refusals: [{ host: 'good.example' }], received: [] });
  });

  it('is cut if it never says anything', async () => {
    const { port } = await host();
    const { proxy } = await proxied(port, { patienceMs: 20 });
    const { socket } = await tunnel(proxy.port, `good.example:${port}`);
    await once(socket, 'close');
  });
});

describe('a name that leads where it must not', () => {
  it.each([
    ['loopback', ['127.0.0.1']],
    ['a private network', ['10.1.2.3']],
    ["the cloud's own service", ['169.254.169.254']],
    ['a private network beside the public one', ['93.184.215.14', '192.168.0.1']],
    ['loopback of IPv6', ['::1']],
    ['loopback inside an address of IPv6', ['::ffff:127.0.0.1']],
    ['a local network of IPv6', ['fd00::1']],
    ['no address', ['0.0.0.0']],
  ])('is refused: %s', async (_name, addresses) => {
    const { port, sockets } = await host();
    const refusals: Refusal[] = [];
    const strict = new Proxy({
      allowed: [{ name: 'good.example', port }],
      refused: (refusal) => void refusals.push(refusal),
      resolve: () => Promise.resolve(addresses),
    });
    await strict.open();
    cleanings.push(() => strict.close());
    const { status } = await tunnel(strict.port, `good.example:${port}`);
    expect(status).toContain(' 403 ');
    expect(refusals).toMatchObject([
      { host: 'good.example', reason: expect.stringContaining('public internet') as string },
    ]);
    expect(sockets).toEqual([]);
  });

  it('is resolved once: what it leads to later does not matter', async () => {
    const { port, sockets } = await host();
    const answers = [['127.0.0.1'], ['127.0.0.2']];
    const checked: string[] = [];
    const { proxy, lookups } = await proxied(port, {
      mayReach: (address) => {
        checked.push(address);
        return address === '127.0.0.1';
      },
      resolve: () => Promise.resolve(answers.shift() ?? []),
    });
    const { status } = await tunnel(proxy.port, `good.example:${port}`);
    expect({ status, checked, left: answers.length }).toEqual({
      status: 'HTTP/1.1 200 Connection established',
      checked: ['127.0.0.1'],
      left: 1,
    });
    expect(lookups).toEqual([]);
    await expect.poll(() => sockets.length).toBeGreaterThan(0);
    expect(sockets[0]?.localAddress).toBe('127.0.0.1');
  });

  it('is said to be unreachable if it cannot be resolved', async () => {
    const { port } = await host();
    const { proxy, refusals } = await proxied(port, { resolve: () => Promise.reject(new Error('no such name')) });
    expect((await tunnel(proxy.port, `good.example:${port}`)).status).toContain(' 403 ');
    expect(refusals).toMatchObject([{ reason: 'its name could not be resolved' }]);
  });
});

describe('everything else', () => {
  it.each([
    ['another name', 'other.example:PORT'],
    ['a name that only ends so', 'evilgood.example:PORT'],
    ['a name that only begins so', 'good.example.evil.example:PORT'],
    ['what a wildcard stands for, without it', 'below.example:PORT'],
    ['another port', 'good.example:22'],
    ['an address', '127.0.0.1:PORT'],
    ['an address of IPv6', '[::1]:PORT'],
    ['an address as one number', '2130706433:PORT'],
    ['an address in hexadecimal', '0x7f000001:PORT'],
    ['a name before the name', 'good.example:PORT@other.example:PORT'],
    ['two ports', 'good.example:PORT:PORT'],
    ['no port', 'good.example'],
    ['no name', ':PORT'],
    ['a port that is none', 'good.example:99999'],
    ['a path', 'good.example:PORT/other'],
    ['an encoded name', 'good%2eexample:PORT'],
    ['a name with a hidden end', 'other.example%00.good.example:PORT'],
  ])('is refused, CONNECT to %s', async (_name, target) => {
    const { port, sockets } = await host();
    const { proxy, refusals, lookups } = await proxied(port);
    const where = target.replaceAll('PORT', String(port));
    const answer = await exchange(proxy.port, `CONNECT ${where} HTTP/1.1\r\nhost: good.example:${port}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    expect({ refused: refusals.length, lookups, sockets }).toEqual({ refused: 1, lookups: [], sockets: [] });
  });

  it.each([
    [
      'a plain request for an allowed host',
      'GET http://good.example/ HTTP/1.1\r\nhost: good.example\r\n\r\n',
      'good.example',
    ],
    [
      'a plain request for another',
      'GET http://other.example/ HTTP/1.1\r\nhost: good.example\r\n\r\n',
      'other.example',
    ],
    ['a request for a path', 'GET / HTTP/1.1\r\nhost: other.example\r\n\r\n', 'other.example'],
    [
      'an upgrade',
      'GET http://good.example/ HTTP/1.1\r\nhost: good.example\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
      'good.example',
    ],
    [
      'two requests in one',
      'POST http://good.example/ HTTP/1.1\r\nhost: good.example\r\ncontent-length: 5\r\n\r\nhelloCONNECT good.example:443 HTTP/1.1\r\n\r\n',
      'good.example',
    ],
  ])('is refused, %s', async (_name, bytes, name) => {
    const { port, sockets } = await host();
    const { proxy, refusals } = await proxied(port);
    expect(await exchange(proxy.port, bytes)).toMatch(/^HTTP\/1\.1 403 /);
    expect(refusals.map(({ host: refused }) => refused)).toEqual(refusals.map(() => name));
    expect(refusals).not.toEqual([]);
    expect(sockets).toEqual([]);
  });

  it.each([
    ['no request at all', 'hello\r\n\r\n'],
    ['two lengths', 'POST http://good.example/ HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n'],
    ['headers without an end', `GET http://good.example/ HTTP/1.1\r\n${'a: b\r\n'.repeat(20_000)}`],
  ])('ends, %s', async (_name, bytes) => {
    const { port, sockets } = await host();
    const { proxy } = await proxied(port);
    expect(await exchange(proxy.port, bytes)).not.toContain(' 200 ');
    expect(sockets).toEqual([]);
  });
});
