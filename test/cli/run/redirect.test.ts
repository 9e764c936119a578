import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { startModelServer } from '../../support/model-server/index.ts';
import { inside, live } from './live.ts';

const key = 'k'.repeat(20);
const providers: readonly (readonly [model: string, path: string, env: Record<string, string>])[] = [
  ['openai-compatible/m', '/v1', { RUNWIRE_API_KEY: key }],
  ['ollama/m', '/v1', {}],
  ['openai/m', '/v1', { OPENAI_API_KEY: key }],
  ['anthropic/m', '/v1', { ANTHROPIC_API_KEY: key }],
  ['google/m', '/v1beta', { GEMINI_API_KEY: key }],
  ['azure/m', '/openai', { AZURE_API_KEY: key }],
  ['azure/m', '/openai', { AZURE_API_KEY: key, AZURE_OPENAI_API_VERSION: '2024-10-21' }],
];

const closing: (() => unknown)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

async function target() {
  const server = await startModelServer({ turns: [{ text: 'Here.' }] });
  closing.push(() => server.close());
  return server;
}

/** A server that sends every request elsewhere. */
async function redirecting(status: number, to: (path: string, own: string) => string): Promise<string> {
  const server: Server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(status, { location: to(request.url ?? '', url) }).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return url;
}

const asks = (model: string, baseUrl: string, env: Record<string, string>, command = inside) =>
  command(['run', '--ledger', 'none', '--model', model, '--base-url', baseUrl, '--to', 'runwire', 'hi'], { env });

describe('a redirect to another origin', () => {
  it.each([
    ...providers.map((provider) => [307, ...provider] as const),
    ...[301, 302, 303, 308].map((status) => [status, 'anthropic/m', '/v1', { ANTHROPIC_API_KEY: key }] as const),
  ])('%i: %s %s gets neither the key nor the prompt there', async (status, model, path, env) => {
    const other = await target();
    const url = await redirecting(status, (asked) => other.url + asked);
    const run = await asks(model, url + path, env);
    expect(other.requests).toEqual([]);
    expect(run.status).toBe(4);
    expect(run.stderr).toContain('runwire: failed: provider: ');
    expect(run.stderr).toContain(`${url} redirects to ${other.url}, and a key is not sent to another server`);
  });
});

it.each(providers)('a redirect within the origin is followed: %s %s', async (model, path, env) => {
  const other = await target();
  const own = new URL(other.url);
  const server = createServer((request, response) => {
    if (!(request.url ?? '').startsWith('/moved')) {
      request.resume().on('end', () => response.writeHead(307, { location: `/moved${request.url}` }).end());
      return;
    }
    void (async () => {
      const body = await request.setEncoding('utf8').reduce((all: string, part: string) => all + part, '');
      const answer = await fetch(new URL((request.url ?? '').slice('/moved'.length), own), {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      });
      response
        .writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
        .end(await answer.text());
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const run = await inside(['run', '--ledger', 'none', '--model', model, '--base-url', url + path, 'hi'], { env });
  expect({ status: run.status, stdout: run.stdout }).toEqual({ status: 0, stdout: 'Here.\n' });
});

it('a server that redirects to itself forever is refused', async () => {
  const url = await redirecting(307, (asked, own) => own + asked);
  const run = await asks('anthropic/m', `${url}/v1`, { ANTHROPIC_API_KEY: key }, live);
  expect(run.status).toBe(4);
  expect(run.stderr).toContain('redirects again and again');
});
