import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import http from 'node:http';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { apis, receive } from './support/clients.ts';
import { openGateway } from './support/gateway.ts';
import { provider, rawProvider } from './support/servers.ts';
import { isSweep } from '../support/sweep.ts';

const chat = JSON.stringify(apis.chat.body(false));
const body = JSON.stringify({
  model: 'gpt-5',
  choices: [{ finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
});

async function ask(upstream: string, key?: string) {
  const open = await openGateway([{ name: 'own', upstream, ...(key === undefined ? {} : { key }) }]);
  const headers = { authorization: `Bearer ${open.gateway.token}` };
  const received = await receive(`${open.gateway.address('own')}/chat/completions`, { body: chat, headers });
  const [passed] = await open.ended(1);
  return { ...open, received, answer: passed?.answer };
}

/** Answers the first bytes of a request, whatever they are. */
const saying = (bytes: string, then?: (socket: Socket) => void) => (socket: Socket) =>
  socket.once('data', () => {
    socket.write(bytes);
    then?.(socket);
  });
const leaves = (socket: Socket): void => void socket.end();

describe('an answer that is none', () => {
  it.each([
    ['nothing at all', saying('', leaves)],
    ['no HTTP', saying('hello\r\n\r\n', leaves)],
    ['half of its headers', saying('HTTP/1.1 200 OK\r\ncontent-type: appl', leaves)],
    [
      'headers without an end',
      saying('HTTP/1.1 200 OK\r\n', (socket) => {
        for (let each = 0; each < 10_000; each += 1) socket.write('x-a: aaaaaaaaaaaaaaaa\r\n');
      }),
    ],
    ['two lengths', saying('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}x', leaves)],
    [
      'a length and chunks',
      saying('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n', leaves),
    ],
  ])('%s', async (_name, onSocket) => {
    const { received, answer } = await ask(await rawProvider(onSocket));
    // The agent sees a broken connection, as it would have: no status is made up.
    expect(received).toEqual({ status: undefined, headers: [], body: '', isBroken: true });
    expect(answer).toMatchObject({
      ended: 'cut_by_provider',
      isServed: true,
      error: { code: 'network' },
      reading: { usage: 'unknown' },
    });
    expect(answer?.status).toBeUndefined();
  });

  it('nobody there: nothing was served', async () => {
    const { received, answer } = await ask('http://127.0.0.1:1');
    expect(received).toMatchObject({ status: undefined, isBroken: true });
    expect(answer).toMatchObject({ ended: 'cut_by_provider', isServed: false, error: { code: 'network' } });
  });

  it.each([
    ['fewer bytes than announced', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"a":1', '{"a":1'],
    ['a chunk that is none', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n6\r\n{"a":1\r\nzz\r\n', '{"a":1'],
    ['no last chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n6\r\n{"a":1\r\n', '{"a":1'],
  ])('%s', async (_name, bytes, got) => {
    const { received, answer } = await ask(await rawProvider(saying(bytes, leaves)));
    expect(received).toMatchObject({ status: 200, body: got, isBroken: true });
    expect(answer).toMatchObject({ ended: 'cut_by_provider', isServed: true, reading: { usage: 'unknown' } });
  });
});

describe('compressed although nobody asked for it', () => {
  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ])('%s is read along and passed on as it is', async (encoding, compress) => {
    const bytes = compress(body);
    const upstream = await provider((_incoming, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(bytes),
    );
    const { received, answer } = await ask(upstream);
    expect(received).toMatchObject({ status: 200, body: bytes.toString('latin1'), isBroken: false });
    expect(answer).toMatchObject({ ended: 'complete', reading: { usage: 'final', tokens: { input: 3, output: 2 } } });
  });

  it.each([
    ['damaged', 'gzip', gzipSync(body).fill(0, 12)],
    ['in a way that is unknown', 'rot13', Buffer.from(body)],
    // 300 MB in a few kilobytes.
    [
      'a bomb',
      'gzip',
      Buffer.concat(Array.from({ length: 3 }, () => gzipSync(Buffer.alloc(100 * 1024 * 1024, ' '), { level: 1 }))),
    ],
  ])('%s: passed on, and not read', async (_name, encoding, bytes) => {
    const upstream = await provider((_incoming, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(bytes),
    );
    const { received, answer } = await ask(upstream);
    expect(received.body.length).toBe(bytes.length);
    expect(answer).toMatchObject({ ended: 'cut_by_provider', isServed: true, reading: { usage: 'unknown' } });
  });
});

describe('the key', () => {
  const key = 'sk-real-0123456789';

  it.each([
    ['authorization', (token: string) => `Bearer ${token}`, `Bearer ${key}`],
    ['authorization', (token: string) => `Bearer sk-ant-${token}`, `Bearer ${key}`],
    ['x-api-key', (token: string) => token, key],
    ['x-api-key', (token: string) => `sk-ant-${token}`, key],
    ['x-goog-api-key', (token: string) => token, key],
    ['api-key', (token: string) => token, key],
    ['authorization', () => 'Bearer its-own-login', 'Bearer its-own-login'],
    ['x-other', (token: string) => `not a key: ${token.slice(0, 4)}`, undefined],
  ])('takes the place of the token in %s', async (name, valueOf, want) => {
    const seen: (string | undefined)[] = [];
    const upstream = await provider((incoming, response) => {
      seen.push(incoming.headers[name] as string | undefined);
      response.end(body);
    });
    const { gateway } = await openGateway([{ name: 'own', upstream, key }]);
    const value = valueOf(gateway.token);
    await receive(`${gateway.address('own')}/chat/completions`, { body: chat, headers: { [name]: value } });
    expect(seen).toEqual([want ?? value]);
  });

  it('is not used where none is held', async () => {
    const seen: (string | undefined)[] = [];
    const upstream = await provider((incoming, response) => {
      seen.push(incoming.headers.authorization);
      response.end(body);
    });
    const { gateway } = await ask(upstream);
    expect(seen).toEqual([`Bearer ${gateway.token}`]);
  });

  it('does not come back in an error, or in a header', async () => {
    const upstream = await provider((incoming, response) => {
      const told = incoming.headers.authorization ?? '';
      response
        .writeHead(401, { 'content-type': 'application/json', 'x-told': told })
        .end(JSON.stringify({ error: { message: `bad: ${told}` } }));
    });
    const { received, gateway, answer } = await ask(upstream, key);
    expect(received.status).toBe(401);
    expect(JSON.parse(received.body)).toEqual({ error: { message: `bad: Bearer ${gateway.token}` } });
    expect(received.headers).toContain(`Bearer ${gateway.token}`);
    expect(JSON.stringify(received)).not.toContain(key);
    expect(answer).toMatchObject({ status: 401, error: { code: 'auth' }, isServed: false });
  });

  it('is not sent to where the provider points', async () => {
    const seen: unknown[] = [];
    const other = await provider((incoming, response) => {
      seen.push(incoming.headers);
      response.end();
    });
    const upstream = await provider((_incoming, response) =>
      response.writeHead(307, { location: `${other}/chat/completions?key=${key}` }).end(),
    );
    const { received, answer } = await ask(upstream, key);
    expect(received.status).toBe(400);
    expect(JSON.parse(received.body)).toMatchObject({
      error: { type: 'invalid_request_error', message: expect.stringContaining(`redirects to ${other}`) },
    });
    expect(JSON.stringify(received)).not.toContain(key);
    expect({ seen, ended: answer?.ended, isServed: answer?.isServed }).toEqual({
      seen: [],
      ended: 'refused',
      isServed: false,
    });
  });
});

it('a kept connection that the provider closes is opened again', async () => {
  let connections = 0;
  const upstream = await rawProvider((socket) => {
    connections += 1;
    let requests = 0;
    socket.on('data', () => {
      requests += 1;
      if (requests > 1) socket.destroy();
      else socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    });
  });
  const { gateway, passed } = await openGateway([{ name: 'own', upstream }]);
  for (let each = 0; each < 3; each += 1)
    expect(await receive(`${gateway.address('own')}/chat/completions`, { body: chat })).toMatchObject({
      status: 200,
      isBroken: false,
    });
  expect(passed.map(({ answer }) => answer.reading.usage)).toEqual(['final', 'final', 'final']);
  expect(connections).toBe(3);
});

describe('any number of megabytes', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const held = (): number => {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    return (heapUsed + external) / 1024 ** 2;
  };

  const megabyte = 'x'.repeat(1024 * 1024);
  it.each([
    [
      'a stream of small events',
      isSweep ? 200 : 80,
      'text/event-stream',
      `data: {"choices":[{"delta":{"content":"0123456789"}}]}\n\n`.repeat(20_000),
    ],
    ['a stream that is one event', isSweep ? 64 : 32, 'text/event-stream', megabyte],
    ['an answer in one piece', isSweep ? 64 : 32, 'application/json', megabyte],
  ])('%s pass with flat memory', async (_name, megabytes, type, piece) => {
    const pieces = Math.ceil((megabytes * 1024 ** 2) / piece.length);
    const upstream = await provider((_incoming, response) => {
      response.writeHead(200, { 'content-type': type });
      let left = pieces;
      const more = (): void => {
        for (; left > 0; left -= 1)
          if (!response.write(piece)) return void response.once('drain', () => ((left -= 1), more()));
        response.end('data: {"usage":{"prompt_tokens":4,"completion_tokens":3}}\n\ndata: [DONE]\n\n');
      };
      more();
    });
    const { gateway, ended } = await openGateway([{ name: 'own', upstream }]);
    const before = held();
    let most = 0;
    let size = 0;
    await new Promise<void>((resolve) => {
      const request = http.request(
        `${gateway.address('own')}/chat/completions`,
        { method: 'POST', agent: false },
        (told) => {
          let checked = 0;
          told.on('data', (part: Buffer) => {
            size += part.length;
            if (size - checked < 10 * 1024 ** 2) return;
            checked = size;
            most = Math.max(most, held());
          });
          told.on('end', resolve);
        },
      );
      request.end(chat);
    });
    const [passed] = await ended(1);
    expect(size).toBeGreaterThan(megabytes * 1024 ** 2);
    expect(passed?.answer.bytes).toBe(size);
    // The longest event or body that is read, as text and as bytes, and some chunks.
    expect(most - before).toBeLessThan(60);
  });
});

it('a kept connection is used any number of times, and nothing is left on it', async () => {
  const sockets = new Set<Socket>();
  const upstream = await provider((incoming, response) => {
    sockets.add(incoming.socket);
    incoming.resume();
    response.end(body);
  });
  const { gateway } = await openGateway([{ name: 'own', upstream }]);
  const warnings: string[] = [];
  const listen = (warning: Error): void => void warnings.push(warning.message);
  process.on('warning', listen);
  for (let each = 0; each < 30; each += 1) await receive(`${gateway.address('own')}/chat/completions`, { body: chat });
  // A warning is told on the next turn of the loop.
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', listen);
  expect({ connections: sockets.size, warnings }).toEqual({ connections: 1, warnings: [] });
});
