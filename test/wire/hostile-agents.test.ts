import { gzipSync, zstdCompressSync } from 'node:zlib';
import http from 'node:http';
import { describe, expect, it } from 'vitest';
import { apis, receive } from './support/clients.ts';
import { openGateway, type OpenGateway } from './support/gateway.ts';
import { exchangeBytes, provider } from './support/servers.ts';

interface Seen {
  method: string;
  url: string;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
}

const answer = JSON.stringify({
  model: 'gpt-5',
  choices: [{ finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
});

/** A gateway whose provider answers everything, and what that provider has seen. */
async function opened(key?: string): Promise<OpenGateway & { seen: Seen[]; base: string }> {
  const seen: Seen[] = [];
  const upstream = await provider((incoming, response) => {
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.on('end', () => {
      seen.push({
        method: incoming.method ?? '',
        url: incoming.url ?? '',
        headers: incoming.headers,
        body: Buffer.concat(parts),
      });
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
    });
  });
  const open = await openGateway([{ name: 'own', upstream: `${upstream}/v1`, ...(key === undefined ? {} : { key }) }]);
  return { ...open, seen, base: open.gateway.address('own') };
}

const chat = JSON.stringify(apis.chat.body(false));

describe('what is not passed on', () => {
  it.each([
    [
      'another token',
      (base: string) => `${base.replace(/\/[\w-]{32}\//, `/${'x'.repeat(32)}/`)}/chat/completions`,
      'POST',
    ],
    ['a shorter token', (base: string) => `${base.replace(/\/[\w-]{32}\//, '/x/')}/chat/completions`, 'POST'],
    ['no token', (base: string) => `${new URL(base).origin}/v1/chat/completions`, 'POST'],
    ['another route', (base: string) => `${base}x/chat/completions`, 'POST'],
    ['files', (base: string) => `${base}/files`, 'POST'],
    ['batches', (base: string) => `${base}/v1/messages/batches`, 'POST'],
    ['messages of a thread', (base: string) => `${base}/threads/thread_1/messages`, 'POST'],
    ['a stored answer', (base: string) => `${base}/responses/resp_1`, 'GET'],
    ['a model that is to be deleted', (base: string) => `${base}/models/ft-1`, 'DELETE'],
    ['nothing', (base: string) => `${base}/`, 'HEAD'],
  ])('%s', async (_name, urlOf, method) => {
    const { base, seen, passed } = await opened('sk-real');
    const { status } = await receive(urlOf(base), { method, ...(method === 'POST' ? { body: chat } : {}) });
    expect({ status, seen, passed }).toEqual({ status: 404, seen: [], passed: [] });
  });

  // A client of Node.js would tidy such paths before it sends them.
  it.each([
    ['a path that climbs', 'POST', '/../../chat/completions'],
    ['one that hides that it does', 'POST', '/%2e%2e/%2e%2e/chat/completions'],
    ['a model that is none', 'GET', '/models/..'],
    ['a path in a path', 'GET', '/models/%2e%2e%2ffiles'],
    ['a fragment', 'POST', '/chat/completions#/files'],
    ['backslashes', 'POST', '/..\\files/chat/completions'],
  ])('%s', async (_name, method, path) => {
    const { base, seen, strays } = await opened('sk-real');
    const said = await exchangeBytes(
      base,
      `${method} ${new URL(base).pathname}${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
    );
    expect(said).toMatch(/^HTTP\/1\.1 (?:404|400) /);
    expect({ seen, strays: strays.length <= 1 }).toEqual({ seen: [], strays: true });
  });

  it.each([
    [
      'a proxy for others',
      (base: string) => `CONNECT api.openai.com:443 HTTP/1.1\r\nhost: api.openai.com\r\n\r\n${base.slice(0, 0)}`,
      /^HTTP\/1\.1 405 /,
    ],
    [
      'a whole address',
      (base: string) =>
        `POST ${base}/chat/completions HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}`,
      /^HTTP\/1\.1 404 /,
    ],
    [
      'two lengths',
      (base: string) =>
        `POST ${new URL(base).pathname}/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nPOST /x HTTP/1.1\r\n\r\n`,
      /^$/,
    ],
    [
      'a length and another one',
      (base: string) =>
        `POST ${new URL(base).pathname}/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\ncontent-length: 40\r\n\r\n{}  `,
      /^$/,
    ],
    ['no HTTP', () => 'hello\r\n\r\n', /^$/],
    ['headers without an end', () => `GET / HTTP/1.1\r\n${'x-a: aaaaaaaa\r\n'.repeat(10_000)}`, /^$/],
  ])('%s', async (_name, bytesOf, want) => {
    const { base, seen } = await opened('sk-real');
    expect(await exchangeBytes(base, bytesOf(base))).toMatch(want);
    expect(seen).toEqual([]);
  });

  it('a body that no provider would take', async () => {
    const { base, seen } = await opened('sk-real');
    const bytes = `POST ${new URL(base).pathname}/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 200000000\r\n\r\n{`;
    expect(await exchangeBytes(base, bytes)).toMatch(/^HTTP\/1\.1 413 /);
    expect(seen).toEqual([]);
  });

  it('a WebSocket, which is told to do without', async () => {
    const { base, seen } = await opened('sk-real');
    const said = await exchangeBytes(
      base,
      `GET ${new URL(base).pathname}/responses HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-key: a\r\nsec-websocket-version: 13\r\n\r\n`,
    );
    expect(said).toMatch(/^HTTP\/1\.1 426 /);
    expect(seen).toEqual([]);
  });

  it('a token of another run', async () => {
    const [one, other] = [await opened('sk-real'), await opened('sk-real')];
    const stolen = `${new URL(one.base).origin}${new URL(other.base).pathname}/chat/completions`;
    expect(
      await receive(stolen, { body: chat, headers: { authorization: `Bearer ${other.gateway.token}` } }),
    ).toMatchObject({
      status: 404,
    });
    expect([...one.seen, ...other.seen]).toEqual([]);
  });
});

it('one request that hides another stays one', async () => {
  const { base, seen, ended } = await opened();
  const { pathname } = new URL(base);
  const hidden = `${chat}POST ${pathname}/files HTTP/1.1\r\nhost: x\r\n\r\n`;
  const bytes = `POST ${pathname}/chat/completions HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: ${hidden.length}\r\n\r\n${hidden}`;
  expect(await exchangeBytes(base, bytes)).toMatch(/^HTTP\/1\.1 200 /);
  expect(seen.map(({ method, url, body }) => ({ method, url, body: body.toString() }))).toEqual([
    { method: 'POST', url: '/v1/chat/completions', body: hidden },
  ]);
  expect(seen[0]?.headers).toMatchObject({ 'content-length': String(hidden.length) });
  expect(await ended(1)).toMatchObject([{ request: { isUnreadable: true } }]);
});

it.each([
  ['gzip', gzipSync],
  ['zstd', zstdCompressSync],
])('a body in %s is read and passed on as it is', async (encoding, compress) => {
  const { base, seen, ended } = await opened();
  const body = compress(chat);
  await receive(`${base}/chat/completions`, { body, headers: { 'content-encoding': encoding } });
  expect(await ended(1)).toMatchObject([{ request: { facts: { model: 'gpt-5' }, bytes: body.length } }]);
  expect(seen).toMatchObject([{ body, headers: { 'content-encoding': encoding } }]);
});

it('a body that becomes too large is passed on and not read', async () => {
  const { base, seen, ended } = await opened();
  const bomb = gzipSync(Buffer.alloc(129 * 1024 * 1024, ' '), { level: 1 });
  await receive(`${base}/chat/completions`, { body: bomb, headers: { 'content-encoding': 'gzip' } });
  expect(await ended(1)).toMatchObject([{ request: { isUnreadable: true } }]);
  expect(seen[0]?.body.length).toBe(bomb.length);
});

it('sends the headers of the agent, in their order and spelling, less those of its connection', async () => {
  const raw: string[] = [];
  const upstream = await provider((incoming, response) => {
    raw.push(...incoming.rawHeaders);
    incoming.resume();
    response.end(answer);
  });
  const { gateway } = await openGateway([{ name: 'own', upstream }]);
  const { pathname } = new URL(gateway.address('own'));
  await exchangeBytes(
    gateway.address('own'),
    `POST ${pathname}/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nX-B: 1\r\nx-a: 2\r\nX-B: 3\r\nAccept-Encoding: gzip, br\r\nX-Mine: no\r\nTE: trailers\r\nConnection: close, x-mine\r\nUser-Agent: Agent/1\r\nKeep-Alive: 5\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  );
  expect(raw.join(' ')).toBe(
    `X-B 1 x-a 2 X-B 3 User-Agent Agent/1 host ${new URL(upstream).host} accept-encoding identity content-length 2`,
  );
});

it('an agent that leaves takes the request to the provider with it', async () => {
  const left = Promise.withResolvers<void>();
  const upstream = await provider((_incoming, response) => {
    response.on('close', () => left.resolve());
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(
      'event: message_start\ndata: {"type":"message_start","message":{"model":"claude-x","usage":{"input_tokens":7,"output_tokens":1}}}\n\n',
    );
  });
  const { gateway, ended } = await openGateway([{ name: 'own', upstream }]);
  const request = http.request(`${gateway.address('own')}/v1/messages`, { method: 'POST' });
  request.on('error', () => {});
  request.end(JSON.stringify(apis.messages.body(true)));
  request.on('response', (told) => told.once('data', () => request.destroy()));
  await left.promise;
  expect(await ended(1)).toMatchObject([
    {
      answer: {
        ended: 'cut_by_agent',
        isServed: true,
        reading: { model: 'claude-x', usage: 'partial', tokens: { input: 7 } },
      },
    },
  ]);
});

it('what an agent left open ends when it is hung up', async () => {
  const arrived = Promise.withResolvers<void>();
  const upstream = await provider(() => arrived.resolve());
  const { gateway, passed } = await openGateway([{ name: 'own', upstream }]);
  const facts = receive(`${gateway.address('own')}/chat/completions`, { body: chat });
  await arrived.promise;
  await gateway.hangUp();
  expect(passed).toMatchObject([{ answer: { ended: 'cut_by_agent', isServed: true, reading: { usage: 'unknown' } } }]);
  expect(await facts).toMatchObject({ isBroken: true });
});
