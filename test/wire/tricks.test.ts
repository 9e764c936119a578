import { once } from 'node:events';
import http from 'node:http';
import net, { type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { some } from '../support/sweep.ts';
import { apis, receive } from './support/clients.ts';
import { openGateway, type OpenGateway } from './support/gateway.ts';
import { exchangeBytes, provider, rawProvider } from './support/servers.ts';

const key = 'sk-real/0123+456789=';
const chat = JSON.stringify(apis.chat.body(false));
const answer = JSON.stringify({
  model: 'gpt-5',
  choices: [{ finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
});

async function opened(upstream: string): Promise<OpenGateway & { base: string; url: string }> {
  const open = await openGateway([{ name: 'own', upstream, key }]);
  const base = open.gateway.address('own');
  return { ...open, base, url: `${base}/chat/completions` };
}

const answering = (): Promise<string> =>
  provider((incoming, response) => {
    incoming.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(answer));
  });

/** Answers the first bytes of a request, whatever they are. */
const saying = (bytes: string | Buffer, then?: (socket: Socket) => void) => (socket: Socket) =>
  socket.once('data', () => {
    socket.write(bytes);
    then?.(socket);
  });
const leaves = (socket: Socket): void => void socket.end();

/** Goes on saying the same, as fast as it is heard, until nobody listens. */
function endless(bytes: string) {
  return (socket: Socket): void => {
    const more = (): void => {
      while (!socket.destroyed && socket.write(bytes));
    };
    socket.on('drain', more);
    more();
  };
}

/** One byte at a time, for ever. */
function dripping(bytes: string) {
  return (socket: Socket): void => {
    let at = 0;
    const timer = setInterval(() => socket.write(bytes[at++ % bytes.length] ?? ''), 1);
    socket.on('close', () => clearInterval(timer));
  };
}

describe('a provider that never comes to an end', () => {
  const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n';
  const ways: [name: string, onSocket: (socket: Socket) => void][] = [
    ['says nothing', () => {}],
    ['drips headers', saying('HTTP/1.1 200 OK\r\n', dripping('x-a: b\r\n'))],
    ['drips its status', saying('HT', dripping(' '))],
    ['drips an answer', saying(`${head}\r\n`, dripping('1\r\n \r\n'))],
    ['drips events', saying(`${head}content-type: text/event-stream\r\n\r\n`, dripping('4\r\n: a\n\r\n'))],
    ['sends headers', saying('HTTP/1.1 200 OK\r\n', endless('x-a: aaaaaaaaaaaaaaaa\r\n'.repeat(1000)))],
    ['sends one header', saying('HTTP/1.1 200 OK\r\nx-a: ', endless('a'.repeat(1000)))],
    ['says to go on', endless('HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000))],
    ['gives hints', endless('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(1000))],
    ['sends a chunk size', saying(`${head}\r\n`, endless('0'.repeat(50_000)))],
    ['sends chunk extensions', saying(`${head}\r\n1;a=`, endless('b'.repeat(1000)))],
    ['sends trailers', saying(`${head}\r\n0\r\n`, endless('x-a: aaaaaaaaaaaaaaaa\r\n'.repeat(1000)))],
    ['sends empty lines', endless('\r\n'.repeat(20_000))],
    ['changes the protocol', saying('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n')],
  ];

  it.each(ways)('%s: it ends with the agent', async (_name, onSocket) => {
    const asked = Promise.withResolvers<void>();
    const { gateway, url, passed } = await opened(
      await rawProvider((socket) => {
        socket.once('data', () => asked.resolve());
        onSocket(socket);
      }),
    );
    const received = receive(url, { body: chat });
    await asked.promise;
    // Long enough for what is too much to be noticed; whatever is still going on ends now.
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    await gateway.hangUp();
    await received;
    expect(passed).toMatchObject([{ answer: { reading: { usage: 'unknown' } } }]);
  });
});

describe('an answer that an agent must not wait for', () => {
  it.each([
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
    ['a status that is none', 'HTTP/1.1 000 \r\n\r\n'],
    ['a line that is none', 'HTTP/1.1 200 \x01\r\ncontent-length: 2\r\n\r\n{}'],
    ['two answers', `HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]`],
    ['no body where there must be none', 'HTTP/1.1 204 No Content\r\ncontent-length: 2\r\n\r\n{}'],
    ['a header with a line break', 'HTTP/1.1 200 OK\r\nx-a: b\rset-cookie: c\r\ncontent-length: 2\r\n\r\n{}'],
    ['HTTP/0.9', '{}'],
    ['HTTP/2', 'HTTP/2 200 OK\r\n\r\n'],
    ['twice chunked', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'],
    ['chunks of another kind', 'HTTP/1.1 200 OK\r\ntransfer-encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'],
    ['a chunk that is too long', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffffff\r\n{}'],
    ['a chunk of less than nothing', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n-1\r\n{}'],
  ])('%s', async (_name, bytes) => {
    const { url, ended, base } = await opened(await rawProvider(saying(bytes, leaves)));
    const received = await receive(url, { body: chat });
    await ended(1);
    // What was meant for the next answer belongs to no request.
    const again = await receive(url, { body: chat });
    expect(`${received.body}${again.body}`).not.toContain('[]');
    expect(JSON.stringify([received, again])).not.toContain('set-cookie');
    expect(base).toContain('127.0.0.1');
  });
});

describe('the key', () => {
  it.each([
    ['compressed', (text: string) => gzipSync(text), { 'content-encoding': 'gzip' }],
    ['escaped as JSON may be', (text: string) => text.replaceAll('/', '\\/'), {}],
    ['escaped as in an address', (text: string) => text.replaceAll(key, encodeURIComponent(key)), {}],
  ])('does not come back %s in an error', async (_name, write, headers) => {
    const upstream = await provider((incoming, response) =>
      response
        .writeHead(401, { 'content-type': 'application/json', ...headers })
        .end(write(JSON.stringify({ error: { message: `bad: ${incoming.headers.authorization}` } }))),
    );
    const { url, gateway } = await opened(upstream);
    const { status, body } = await receive(url, {
      body: chat,
      headers: { authorization: `Bearer ${gateway.token}` },
    });
    expect(status).toBe(401);
    expect(body).toContain(gateway.token);
    expect(body.replaceAll('\\/', '/')).not.toContain(key);
    expect(decodeURIComponent(body)).not.toContain(key);
  });

  const inAddress = encodeURIComponent(key);
  it.each([
    ['beside a status', 401, `HTTP/1.1 401 Bad ${key}\r\ncontent-length: 0\r\n\r\n`],
    ['beside a good status', 200, `HTTP/1.1 200 ${key}\r\ncontent-length: 2\r\n\r\n{}`],
    ['in an address', 200, `HTTP/1.1 200 OK\r\nlink: </next?key=${inAddress}>\r\ncontent-length: 2\r\n\r\n{}`],
    ['in a header', 400, `HTTP/1.1 400 No\r\nx-a: "${key.replaceAll('/', '\\/')}"\r\ncontent-length: 2\r\n\r\n{}`],
  ])('does not come back %s', async (_name, status, bytes) => {
    const { url } = await opened(await rawProvider(saying(bytes)));
    const { hostname, port, pathname } = new URL(url);
    const head = `POST ${pathname} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nconnection: close\r\n`;
    const told = await exchangeBytes(url, `${head}content-length: ${chat.length}\r\n\r\n${chat}`);
    expect(told).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(decodeURIComponent(told.replaceAll('\\/', '/'))).not.toContain(key);
  });

  it.each([301, 302, 303, 307, 308])('does not follow a redirect with %i', async (status) => {
    const seen: string[] = [];
    const other = await provider((incoming, response) => {
      seen.push(incoming.url ?? '');
      response.end(answer);
    });
    const { url } = await opened(
      await provider((_incoming, response) => response.writeHead(status, { location: `${other}/v1` }).end()),
    );
    expect(await receive(url, { body: chat })).toMatchObject({ status: 400 });
    expect(seen).toEqual([]);
  });
});

describe('old and odd ways to ask', () => {
  const post = (path: string, version: string, more = ''): string =>
    `POST ${path} HTTP/${version}\r\nhost: x\r\n${more}content-length: ${chat.length}\r\n\r\n${chat}`;

  it('HTTP/1.0 is answered, and the connection closed', async () => {
    const { url, ended } = await opened(await answering());
    const told = await exchangeBytes(url, post(new URL(url).pathname, '1.0'));
    expect(told).toMatch(/^HTTP\/1\.[01] 200 /);
    expect(told).toContain(answer);
    await ended(1);
  });

  it('requests that do not wait for answers are answered in their order', async () => {
    const { url, ended } = await opened(
      await provider((incoming, response) => {
        const parts: Buffer[] = [];
        incoming.on('data', (part: Buffer) => parts.push(part));
        incoming.on('end', () => response.end(Buffer.concat(parts)));
      }),
    );
    const { pathname } = new URL(url);
    const bodies = Array.from({ length: 20 }, (_, each) => JSON.stringify({ model: 'gpt-5', each }));
    const bytes = bodies.map(
      (body, each) =>
        `POST ${pathname} HTTP/1.1\r\nhost: x\r\n${each === 19 ? 'connection: close\r\n' : ''}content-length: ${body.length}\r\n\r\n${body}`,
    );
    const told = await exchangeBytes(url, bytes.join(''));
    expect([...told.matchAll(/"each":(\d+)/g)].map(([, each]) => Number(each))).toEqual(bodies.map((_, each) => each));
    await ended(20);
  });

  it.each([
    ['a chunk size with a sign', 'transfer-encoding: chunked\r\n', '+2\r\n{}\r\n0\r\n\r\n'],
    [
      'chunks with an endless extension',
      'transfer-encoding: chunked\r\n',
      `2;${'a'.repeat(200_000)}\r\n{}\r\n0\r\n\r\n`,
    ],
    ['an encoding that is hidden', 'transfer-encoding: xchunked\r\n', '2\r\n{}\r\n0\r\n\r\n'],
    ['an encoding after a space', 'transfer-encoding : chunked\r\ncontent-length: 4\r\n', '0\r\n\r\n'],
    ['a length with a sign', 'content-length: +2\r\n', '{}'],
    ['lengths in a list', 'content-length: 2, 2\r\n', '{}'],
    ['a length below nothing', 'content-length: -1\r\n', '{}'],
    ['a line that goes on', 'x-a: b\r\n content-length: 90\r\ncontent-length: 2\r\n', '{}'],
  ])('%s hides no second request', async (_name, headers, body) => {
    const seen: string[] = [];
    const { url } = await opened(
      await provider((incoming, response) => {
        seen.push(incoming.url ?? '');
        incoming.resume().on('end', () => response.end(answer));
      }),
    );
    const { pathname } = new URL(url);
    const hidden = `POST ${pathname.replace('/chat/completions', '/files')} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`;
    await exchangeBytes(url, `POST ${pathname} HTTP/1.1\r\nhost: x\r\n${headers}\r\n${body}${hidden}`);
    expect(seen.filter((path) => !path.endsWith('/chat/completions'))).toEqual([]);
    expect(seen.length).toBeLessThanOrEqual(1);
  });

  it('a request cannot pass for another one by a header', async () => {
    const seen: http.IncomingHttpHeaders[] = [];
    const { url } = await opened(
      await provider((incoming, response) => {
        seen.push(incoming.headers);
        incoming.resume().on('end', () => response.end(answer));
      }),
    );
    const headers = {
      'X-HTTP-Method-Override': 'DELETE',
      'x-http-method': 'DELETE',
      'x-method-override': 'DELETE',
      'x-original-url': '/files',
      'X-Rewrite-URL': '/files',
      'x-own': 'stays',
    };
    expect(await receive(url, { body: chat, headers })).toMatchObject({ status: 200 });
    expect(Object.keys(seen[0] ?? {}).filter((name) => name.startsWith('x-'))).toEqual(['x-own']);
  });

  it.each([
    ['h2c', 'connection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAAP__\r\n'],
    ['TLS', 'connection: upgrade\r\nupgrade: TLS/1.0\r\n'],
  ])('an upgrade to %s is not one', async (_name, headers) => {
    const { url } = await opened(await answering());
    const told = await exchangeBytes(
      url,
      post(new URL(url).pathname, '1.1', `${headers}`)
        .replace('upgrade,', 'close, upgrade,')
        .replace('connection: upgrade\r\n', 'connection: close, upgrade\r\n'),
    );
    expect(told).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('an agent that asks for too much', () => {
  it('bodies that together would fill the memory are not all taken', async () => {
    const open = await opened(await answering());
    const size = 100 * 1024 ** 2;
    const sockets = Array.from({ length: 20 }, () => {
      const { hostname, port, pathname } = new URL(open.url);
      const socket = net.connect(Number(port), hostname);
      socket.on('error', () => {});
      onTestFinished(() => void socket.destroy());
      socket.write(`POST ${pathname} HTTP/1.1\r\nhost: x\r\ncontent-length: ${size}\r\n\r\n`);
      return socket;
    });
    const statuses = await Promise.all(
      sockets.slice(-10).map(async (socket) => {
        const [bytes] = (await once(socket, 'data')) as [Buffer];
        return bytes.toString('latin1').slice(0, 12);
      }),
    );
    expect(new Set(statuses)).toEqual(new Set(['HTTP/1.1 503']));
    // Those that left have made room.
    for (const socket of sockets) socket.destroy();
    await open.gateway.hangUp();
    expect(await receive(open.url, { body: chat })).toMatchObject({ status: 200 });
  });

  it('a body of nothing but values is passed on and not read', async () => {
    const { url, ended } = await opened(await answering());
    const body = `{"model":"gpt-5","messages":[${'{},'.repeat(3_000_000)}{}]}`;
    expect(await receive(url, { body })).toMatchObject({ status: 200 });
    expect(await ended(1)).toMatchObject([{ request: { isUnreadable: true } }]);
  });

  const [requests = 0] = some([2000, 100_000], 1);
  it(`${requests} requests, 50 at once, leave nothing behind`, async () => {
    const { url, gateway } = await opened(await answering());
    let passed = 0;
    const agent = new http.Agent({ keepAlive: true, maxSockets: 50 });
    onTestFinished(() => agent.destroy());
    const ask = async (): Promise<void> => {
      const request = http.request(url, { method: 'POST', agent, headers: { 'content-length': chat.length } });
      request.end(chat);
      const [told] = (await once(request, 'response')) as [http.IncomingMessage];
      for await (const part of told) passed += (part as Buffer).length === answer.length ? 1 : 0;
    };
    const before = process.memoryUsage();
    let left = requests;
    await Promise.all(
      Array.from({ length: 50 }, async () => {
        while (left-- > 0) await ask();
      }),
    );
    expect(passed).toBe(requests);
    const { heapUsed, external } = process.memoryUsage();
    expect((heapUsed + external - before.heapUsed - before.external) / 1024 ** 2).toBeLessThan(200);
    await gateway.hangUp();
  });
});
