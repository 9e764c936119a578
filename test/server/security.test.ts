import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as secureConnect } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beside, readToken, reportToken, type Serving, serving, stopToken } from './serving.ts';

const state = mkdtempSync(join(tmpdir(), 'runwire-secure-'));
let server: Serving;

let halfOpen: Socket[] = [];
/** Uploads that begin and never end: what they were told, when they were let go. */
let slow: Promise<string>[] = [];

beforeAll(async () => {
  server = await serving(state, ['--allow-origin', 'null']);
  // They stay while all else is asked.
  halfOpen = await Promise.all(
    Array.from({ length: 1000 }, async (_, index) => {
      const socket = connect(server.port, '127.0.0.1');
      socket.on('error', () => {});
      await once(socket, 'connect');
      if (index % 2 === 0) socket.write('POST /api/report/01m7jjvt4at84v6yrbekjqd0h5 HTTP/1.1\r\nHost: loc');
      return socket;
    }),
  );
  slow = Array.from({ length: 4 }, async () => {
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => {});
    let heard = '';
    socket.setEncoding('utf8').on('data', (text: string) => void (heard += text));
    socket.write(
      `POST /api/report/01m7jjvt4at84v6yrbekjqd0h5 HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${reportToken}\r\nContent-Length: 100000\r\n\r\n{"meta":`,
    );
    await once(socket, 'close');
    return heard;
  });
});
afterAll(() => rmSync(state, { recursive: true, force: true }));

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

/** `fetch` does not let a test choose these headers. */
function raw(
  path: string,
  headers: Record<string, string>,
  method = 'GET',
): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port: server.port, path, method, headers, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => void (body += text));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    asked.on('error', reject);
    asked.end();
  });
}

const bearer = { Authorization: `Bearer ${readToken}` };
const status = async (path: string, headers: Record<string, string> = {}, method?: string): Promise<number> =>
  (await raw(path, headers, method)).status;

describe('who is let in', () => {
  it('needs a token, and the right one', async () => {
    expect(await status('/api/runs')).toBe(401);
    expect(await status('/api/runs', bearer)).toBe(200);
    expect(
      await status('/api/runs', { Authorization: `Basic ${Buffer.from(`x:${readToken}`).toString('base64')}` }),
    ).toBe(200);
    for (const value of ['', 'Bearer', 'Bearer ', `Bearer ${readToken}x`, `Bearer ${readToken.slice(1)}`, readToken])
      expect([value, await status('/api/runs', { Authorization: value })]).toEqual([value, 401]);
    expect(await status('/api/runs', { Authorization: `Bearer ${reportToken}` })).toBe(403);
    expect(await status('/api/runs/x/stop', { ...bearer }, 'POST')).toBe(403);
    expect(await status('/api/runs/x/stop', { Authorization: `Bearer ${stopToken}` }, 'POST')).toBe(404);
    for (const path of ['/api/session', '/api/live', '/api/stats', '/metrics'])
      expect([path, await status(path)]).toEqual([path, 401]);
  });

  it('takes the link once, and keeps the token out of the address and the cookie', async () => {
    const { pathname, search } = new URL(server.link);
    const token = new URL(server.link).searchParams.get('token') ?? '';
    const login = await raw(`${pathname}${search}`, {});
    expect(login.status).toBe(303);
    expect(login.headers['location']).toBe('/');
    const cookie = String(login.headers['set-cookie']);
    expect(cookie).toMatch(/; HttpOnly; SameSite=Strict$/);
    expect(cookie).not.toContain(token);
    const sent = cookie.split(';')[0] ?? '';
    expect(await status('/api/session', { Cookie: sent })).toBe(200);
    const [name = '', value = ''] = sent.split('=');
    expect(await status('/api/session', { Authorization: `Bearer ${value}` })).toBe(401);
    // Another server of this host has another cookie, and what was one for all opens nothing and is taken away.
    expect(name).toBe(`runwire-${server.port}`);
    for (const other of ['runwire', `runwire-${server.port + 1}`, `__Host-${name}`])
      expect([other, await status('/api/session', { Cookie: `${other}=${value}` })]).toEqual([other, 401]);
    expect(await status('/api/session', { Cookie: `runwire=of-another-server; runwire-1=x; ${sent}` })).toBe(200);
    const again = await raw(`${pathname}${search}`, { Cookie: 'runwire=old' });
    expect(String(again.headers['set-cookie'])).toMatch(/^runwire=; Max-Age=0; Path=\/,runwire-\d+=/);
    // Pages elsewhere may have a token of their own, but never use the cookie.
    expect(await status('/api/session', { Cookie: sent, Origin: 'null' })).toBe(401);
    expect(await status('/api/session', { ...bearer, Origin: 'null' })).toBe(200);
    // A form of another page can send a cookie that is not strict, but no header.
    expect(await status('/api/runs/x/stop', { Cookie: sent }, 'POST')).toBe(403);
    expect(await status('/api/runs/x/stop', { Cookie: sent, 'X-Runwire': '1' }, 'POST')).toBe(404);
    const file = join(state, 'runwire', 'serve.token');
    expect(readFileSync(file, 'utf8').trim()).toBe(token);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    // What it was given by variables cannot be read from outside.
    if (process.platform === 'linux')
      expect(readFileSync(`/proc/${server.child.pid}/environ`, 'utf8')).not.toContain(readToken);
  });

  it('answers to its own name alone', async () => {
    const { port } = server;
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`])
      expect([host, await status('/healthz', { Host: host })]).toEqual([host, 200]);
    for (const host of [
      '127.0.0.1',
      'evil.example',
      `evil.example:${port}`,
      `127.0.0.1.evil.example:${port}`,
      `localhost:${port + 1}`,
    ])
      expect([host, await status('/healthz', { Host: host })]).toEqual([host, 403]);
  });

  it('listens to its own pages alone', async () => {
    for (const origin of [
      'http://evil.example',
      `https://127.0.0.1:${server.port}`,
      `http://127.0.0.1:${server.port + 1}`,
      'file://',
      '',
    ])
      expect([origin, await status('/api/runs', { ...bearer, Origin: origin })]).toEqual([origin, 403]);
    expect(await status('/api/runs', { ...bearer, Origin: server.origin })).toBe(200);
    expect(await status('/api/runs', { ...bearer, 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' })).toBe(
      403,
    );
    const asked = await raw(
      '/api/runs',
      { Origin: 'null', 'Access-Control-Request-Headers': 'authorization' },
      'OPTIONS',
    );
    expect(asked).toMatchObject({ status: 204, headers: { 'access-control-allow-origin': 'null' } });
    expect(asked.headers).not.toHaveProperty('access-control-allow-credentials');
  });

  it('lets nobody keep what is about runs', async () => {
    const token = { Authorization: `Bearer ${readToken}` };
    for (const path of [
      '/api/runs',
      '/api/runs/x',
      '/api/stats',
      '/api/session',
      '/api/nothing',
      '/metrics',
      '/openapi.json',
      '/healthz',
      '/login',
    ])
      for (const headers of [token, {}])
        expect([path, (await raw(path, headers)).headers['cache-control']]).toEqual([path, 'no-store']);
    expect(
      (await raw('/api/runs/x/stop', { Authorization: `Bearer ${stopToken}` }, 'POST')).headers['cache-control'],
    ).toBe('no-store');
    expect((await raw(`/api/report/${'0'.repeat(26)}`, {}, 'POST')).headers['cache-control']).toBe('no-store');
    const page = await raw('/', {});
    expect(page.headers['cache-control']).toBe('no-cache');
    const script = /src="(\/assets\/[^"]+)"/.exec(page.body)?.[1] ?? '';
    expect((await raw(script, {})).headers['cache-control']).toBe('public, max-age=31536000, immutable');
  });

  it('tells browsers to run nothing that is not ours', async () => {
    for (const path of ['/healthz', '/api/runs', '/nothing', '/login?token=x'])
      expect((await raw(path, {})).headers).toMatchObject({
        'content-security-policy': expect.stringMatching(
          /^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'/,
        ),
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      });
  });

  it('reaches no file by a path', async () => {
    for (const path of [
      '/../package.json',
      '/assets/../../package.json',
      '/..%2f..%2fpackage.json',
      '/assets/%2e%2e/%2e%2e/package.json',
      '//etc/passwd',
      '/index.html%00.js',
    ])
      expect([path, await status(path, bearer)]).toEqual([path, 404]);
  });
});

describe('who asks for too much', () => {
  it('sends headers and bodies of some length, uncompressed', async () => {
    expect(await status('/healthz', { 'X-Long': 'x'.repeat(20_000) })).toBe(431);
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
    const packed = await server.ask('/api/report/01m7jjvt4at84v6yrbekjqd0h5', {
      method: 'POST',
      token: reportToken,
      headers: { 'Content-Encoding': 'gzip' },
      body: bomb,
    });
    expect(packed.status).toBe(415);
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024)),
    });
    const poured = await server
      .ask('/api/report/01m7jjvt4at84v6yrbekjqd0h5', {
        method: 'POST',
        token: reportToken,
        body: endless,
        duplex: 'half',
      } as RequestInit)
      .then((response) => response.status)
      .catch(() => 'cut');
    expect(['cut', 413]).toContain(poured);
    expect(
      await status(
        '/api/runs/x/stop',
        { Authorization: `Bearer ${stopToken}`, 'Content-Length': '5000' },
        'POST',
      ).catch(() => 'cut'),
    ).toBeTruthy();
  });

  it('guesses tokens a few times', async () => {
    const answers: number[] = [];
    for (let time = 0; time < 30; time += 1)
      answers.push(await status('/api/runs', { Authorization: `Bearer guess-${time}` }));
    expect(answers.at(-1)).toBe(429);
    expect(await status('/api/runs', bearer)).toBe(200);
  });
});

it('serves beyond this machine only with a certificate or a proxy, and without a token only here', async () => {
  mkdirSync(join(state, 'x'), { recursive: true });
  const refused = async (...flags: string[]): Promise<[number | null, string]> => {
    const { code, stderr } = await beside(state, ['serve', '--port', '0', ...flags], { RUNWIRE_READ_TOKEN: '' }).ended;
    return [code, stderr];
  };
  const [open, bare, proxied, half, short] = await Promise.all([
    refused('--host', '0.0.0.0'),
    refused('--host', '0.0.0.0', '--no-token', '--behind-proxy', 'https://runs.example.com'),
    refused('--no-token', '--behind-proxy', 'https://runs.example.com'),
    refused('--tls-cert', 'cert.pem'),
    beside(state, ['serve', '--port', '0'], { RUNWIRE_READ_TOKEN: 'short' }).ended.then(
      ({ code, stderr }) => [code, stderr] as const,
    ),
  ]);
  expect(open).toEqual([2, expect.stringContaining('--tls-cert and --tls-key, or --behind-proxy')]);
  for (const each of [bare, proxied])
    expect(each).toEqual([2, expect.stringContaining('--no-token: only on 127.0.0.1')]);
  expect(half).toEqual([2, expect.stringContaining('give both --tls-cert and --tls-key, or neither')]);
  expect(short).toEqual([1, expect.stringMatching(/can be guessed/)]);
  expect(short[1]).not.toContain('"short"');
});

it('does not wait for ever for those who say nothing, or half of it', async () => {
  await Promise.all(halfOpen.map((socket) => (socket.closed ? undefined : once(socket.resume(), 'close'))));
  for (const heard of await Promise.all(slow)) expect(heard).toMatch(/^HTTP\/1\.1 408 .*"slow"/s);
  expect(await status('/api/runs', bearer)).toBe(200);
});

describe('beyond this machine', () => {
  const cert = join(import.meta.dirname, 'support', 'cert.pem');
  const key = join(import.meta.dirname, 'support', 'key.pem');

  it('is encrypted, and answers to the names of its certificate', async () => {
    const secure = await serving(state, ['--host', '127.0.0.1', '--tls-cert', cert, '--tls-key', key]);
    expect(secure.origin).toMatch(/^https:/);
    const ask = (path: string, headers: Record<string, string>): Promise<{ status: number; cookie: string }> =>
      new Promise((resolve, reject) => {
        secureRequest(
          {
            host: '127.0.0.1',
            port: secure.port,
            path,
            headers,
            ca: readFileSync(cert),
            servername: 'runs.example.com',
            agent: false,
          },
          (response) => {
            response.resume();
            response.on('end', () =>
              resolve({ status: response.statusCode ?? 0, cookie: String(response.headers['set-cookie']) }),
            );
          },
        )
          .on('error', reject)
          .end();
      });
    const named = `runs.example.com:${secure.port}`;
    expect((await ask('/api/runs', { ...bearer, Host: named })).status).toBe(200);
    expect((await ask('/api/runs', { ...bearer, Host: named, Origin: `https://${named}` })).status).toBe(200);
    expect((await ask('/api/runs', { ...bearer, Host: named, Origin: `http://${named}` })).status).toBe(403);
    expect((await ask('/api/runs', { ...bearer, Host: `evil.example:${secure.port}` })).status).toBe(403);
    const { pathname, search } = new URL(secure.link);
    expect((await ask(pathname + search, { Host: named })).cookie).toMatch(
      /^__Host-runwire-\d+=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
    await expect(fetch(`http://127.0.0.1:${secure.port}/healthz`)).rejects.toThrow(/fetch failed/);
    await expect(
      new Promise((resolve, reject) => {
        const old = secureConnect({
          host: '127.0.0.1',
          port: secure.port,
          maxVersion: 'TLSv1.1',
          minVersion: 'TLSv1',
          rejectUnauthorized: false,
        });
        old.on('secureConnect', resolve).on('error', reject);
      }),
    ).rejects.toThrow(/version|protocol|alert/i);
    secure.child.kill('SIGTERM');
    await secure.ended;
  });

  it('may stand behind a proxy whose address was stated, also with its streams', async () => {
    const port = await freePort();
    const inner = await serving(state, ['--port', String(port), '--behind-proxy', 'https://runs.example.com']);
    const proxy = createServer((asked, answer) => {
      const passed = request(
        { host: '127.0.0.1', port, path: asked.url, method: asked.method, headers: asked.headers },
        (response) => {
          answer.writeHead(response.statusCode ?? 0, response.headers);
          response.pipe(answer);
        },
      );
      asked.pipe(passed);
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const through = (
      path: string,
      headers: Record<string, string>,
    ): Promise<{ status: number; cookie: string; first: string }> =>
      new Promise((resolve, reject) => {
        const asked = request(
          {
            host: '127.0.0.1',
            port: (proxy.address() as AddressInfo).port,
            path,
            headers: { Host: 'runs.example.com', ...headers },
          },
          (response) =>
            response.once('data', (chunk: Buffer) => {
              resolve({
                status: response.statusCode ?? 0,
                cookie: String(response.headers['set-cookie']),
                first: chunk.toString(),
              });
              asked.destroy();
            }),
        );
        asked.on('error', reject);
        asked.end();
      });
    expect((await through('/api/runs', { ...bearer, Origin: 'https://runs.example.com' })).status).toBe(200);
    expect((await through('/api/runs', { ...bearer, Host: 'evil.example' })).status).toBe(403);
    expect((await through('/api/runs', { ...bearer, Origin: 'https://evil.example' })).status).toBe(403);
    expect(await through('/api/live', bearer)).toMatchObject({ status: 200, first: ': runwire\n\n' });
    expect(inner.link).toMatch(/^https:\/\/runs\.example\.com\/login\?token=/);
    proxy.closeAllConnections();
    proxy.close();
    inner.child.kill('SIGTERM');
    await inner.ended;
  });
});
