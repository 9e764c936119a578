import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { backoffMs } from '../../src/builtin/models/backoff.ts';
import { faultOf } from '../../src/builtin/models/fault.ts';
import { contextWindowOf } from '../../src/builtin/models/context-window.ts';
import { removeTemporaryFolders, runAgent, type RunInput, temporaryFolder } from '../support/agent.ts';
import { startModelServer, type ModelServer } from '../support/model-server/index.ts';
import { compiled } from '../support/compiled.ts';

const open: ModelServer[] = [];
async function serve(): Promise<ModelServer> {
  const server = await startModelServer({ turns: [{ text: 'Here.' }] });
  open.push(server);
  return server;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});
afterAll(removeTemporaryFolders);

describe('what is wrong is told before anything is sent', () => {
  it.each([
    ['openai/gpt-5', {}, 'no API key for openai: set OPENAI_API_KEY, or keys.openai in your config'],
    ['anthropic/claude', {}, 'no API key for anthropic: set ANTHROPIC_API_KEY, or keys.anthropic in your config'],
    [
      'google/gemini',
      {},
      'no API key for google: set GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY or GOOGLE_API_KEY, or keys.google in your config',
    ],
    ['azure/mine', {}, 'no API key for azure: set AZURE_API_KEY or AZURE_OPENAI_API_KEY, or keys.azure in your config'],
    [
      'azure/mine',
      { env: { AZURE_API_KEY: 'k' } },
      'azure needs to know your resource: set AZURE_RESOURCE_NAME, or give --base-url',
    ],
    [
      'openai-compatible/x',
      {},
      'openai-compatible/x needs the address of its server: give --base-url, such as http://localhost:8000/v1',
    ],
    [
      'openai-compatible/x',
      { baseUrl: 'localhost:8000' },
      'not the address of a model server: "localhost:8000" (expected http://… or https://…)',
    ],
    [
      'anthropic/claude',
      { env: { ANTHROPIC_API_KEY: 'sk-ant-\u00fcber' } },
      'ANTHROPIC_API_KEY is not a key: its character 8 is not an ASCII character; copy the key again, without anything around it',
    ],
    [
      'openai-compatible/x',
      { baseUrl: 'http://localhost:1/v1', env: { RUNWIRE_API_KEY: 'secret\r\n' } },
      'RUNWIRE_API_KEY is not a key: its character 7 is a blank or a line break; copy the key again, without anything around it',
    ],
    [
      'antropic/claude-opus-5',
      {},
      'unknown provider "antropic" (did you mean "anthropic"?); known: openai, anthropic, google, azure, ollama, openai-compatible, replay',
    ],
    [
      'mystery/x',
      {},
      'unknown provider "mystery"; known: openai, anthropic, google, azure, ollama, openai-compatible, replay',
    ],
    [
      'constructor/x',
      {},
      'unknown provider "constructor"; known: openai, anthropic, google, azure, ollama, openai-compatible, replay',
    ],
    [
      'gpt-5',
      {},
      'a model is written provider/name, not "gpt-5" (did you mean "openai/gpt-5"?); providers: openai, anthropic, google, azure, ollama, openai-compatible, replay',
    ],
  ] as [string, RunInput, string][])('%s %j', async (model, input, message) => {
    const run = await runAgent({ model, ...input });
    expect(run.events.slice(2, -2)).toEqual([
      { type: 'error', scope: 'config', code: 'config', message, retryable: false, fatal: true },
    ]);
    expect(run.of('agent.finished').map(({ status, code, message: said }) => ({ status, code, said }))).toEqual([
      { status: 'failed', code: 'config', said: message },
    ]);
    expect([run.outcome.verdict.class, run.outcome.verdict.exit_code]).toEqual(['config', 1]);
  });
});

describe('where requests go, and with which key', () => {
  const host = (url: string): string => url.replace('http://', '');
  it.each([
    [
      'openai/m',
      (url: string) => ({ baseUrl: `${url}/v1`, env: { OPENAI_API_KEY: 'k' } }),
      '/v1/responses',
      'Bearer k',
    ],
    [
      'openai/m',
      (url: string) => ({ env: { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: `${url}/v1` } }),
      '/v1/responses',
      'Bearer k',
    ],
    [
      'openai/m',
      (url: string) => ({ baseUrl: `${url}/v1`, keys: { openai: 'from-config' } }),
      '/v1/responses',
      'Bearer from-config',
    ],
    [
      'openai/m',
      (url: string) => ({ baseUrl: `${url}/v1`, keys: { openai: 'from-config' }, env: { OPENAI_API_KEY: 'k' } }),
      '/v1/responses',
      'Bearer k',
    ],
    ['anthropic/m', (url: string) => ({ baseUrl: `${url}/v1`, env: { ANTHROPIC_API_KEY: 'k' } }), '/v1/messages', 'k'],
    [
      'google/m',
      (url: string) => ({ baseUrl: `${url}/v1beta`, env: { GOOGLE_API_KEY: 'k' } }),
      '/v1beta/models/m:streamGenerateContent?alt=sse',
      'k',
    ],
    [
      'azure/mine',
      (url: string) => ({ baseUrl: `${url}/openai`, env: { AZURE_API_KEY: 'k' } }),
      '/openai/responses',
      'k',
    ],
    [
      'azure/mine',
      (url: string) => ({ env: { AZURE_OPENAI_API_KEY: 'k', AZURE_OPENAI_ENDPOINT: `${url}/` } }),
      '/openai/responses',
      'k',
    ],
    [
      'azure/mine',
      (url: string) => ({
        baseUrl: `${url}/openai`,
        env: { AZURE_API_KEY: 'k', AZURE_OPENAI_API_VERSION: '2024-10-21' },
      }),
      '/openai/deployments/mine/chat/completions?api-version=2024-10-21',
      'k',
    ],
    ['ollama/m', (url: string) => ({ env: { OLLAMA_BASE_URL: url } }), '/v1/chat/completions', undefined],
    ['ollama/m', (url: string) => ({ env: { OLLAMA_BASE_URL: `${url}/v1` } }), '/v1/chat/completions', undefined],
    ['ollama/m', (url: string) => ({ env: { OLLAMA_HOST: host(url) } }), '/v1/chat/completions', undefined],
    [
      'ollama/m',
      (url: string) => ({ env: { OLLAMA_HOST: host(url).replace('127.0.0.1', '0.0.0.0') } }),
      '/v1/chat/completions',
      undefined,
    ],
    [
      'ollama/m',
      (url: string) => ({ env: { OLLAMA_HOST: host(url).replace('127.0.0.1', '') } }),
      '/v1/chat/completions',
      undefined,
    ],
    ['openai-compatible/m', (url: string) => ({ baseUrl: `${url}/v1` }), '/v1/chat/completions', undefined],
    [
      'openai-compatible/m',
      (url: string) => ({ baseUrl: `${url}/v1?api_key=a%20b&v=2` }),
      '/v1/chat/completions?api_key=a+b&v=2',
      undefined,
    ],
    [
      'openai/m',
      (url: string) => ({ baseUrl: `${url}/v1/?v=2`, env: { OPENAI_API_KEY: 'k' } }),
      '/v1/responses?v=2',
      'Bearer k',
    ],
    [
      'google/m',
      (url: string) => ({ baseUrl: `${url}/v1beta?v=2#x`, env: { GOOGLE_API_KEY: 'k' } }),
      '/v1beta/models/m:streamGenerateContent?alt=sse&v=2',
      'k',
    ],
    [
      'openai-compatible/m',
      (url: string) => ({ baseUrl: `${url}/v1`, env: { RUNWIRE_API_KEY: 'k' } }),
      '/v1/chat/completions',
      'Bearer k',
    ],
  ] as [string, (url: string) => RunInput, string, string | undefined][])(
    '%s case %#',
    async (model, inputOf, path, key) => {
      const server = await serve();
      const run = await runAgent({ model, ...inputOf(server.url) });
      expect(run.outcome.message).toBe('Here.');
      expect(
        server.requests.map(({ path: asked, headers }) => [
          asked,
          headers['authorization'] ?? headers['x-api-key'] ?? headers['api-key'] ?? headers['x-goog-api-key'],
        ]),
      ).toEqual([[path, key]]);
    },
  );
});

it.each([
  ['ollama/m', ['@ai-sdk/openai-compatible']],
  ['anthropic/m', ['@ai-sdk/anthropic']],
  ['replay/r.jsonl', []],
])('loads only the package of %s', async (model, packages) => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'r.jsonl'), '{"runwire":"model-recording","version":1,"model":"some/model"}\n');
  const models = join(import.meta.dirname, '..', '..', 'src', 'builtin', 'models', 'providers.ts');
  const script = `
    import { registerHooks } from 'node:module';
    const seen = new Set();
    registerHooks({ resolve(name, context, next) { if (name.startsWith('@ai-sdk/')) seen.add(name); return next(name, context); } });
    const { openModel } = await import(${JSON.stringify(models)});
    await openModel({ model: ${JSON.stringify(model)}, env: { ANTHROPIC_API_KEY: 'k' }, cwd: ${JSON.stringify(cwd)}, sessionId: 's' });
    console.log(JSON.stringify([...seen].filter((name) => !/provider/.test(name))));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, ...compiled },
  });
  expect(JSON.parse(stdout)).toEqual(packages);
});

describe('waiting', () => {
  it('doubles, with some chance, up to a minute', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 0, max: 5000 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (attempt, first, chance) => {
          const whole = Math.min(first * 2 ** (attempt - 1), 60_000);
          const ms = backoffMs(attempt, first, undefined, () => chance);
          expect(ms).toBeGreaterThanOrEqual(Math.floor(whole / 2));
          expect(ms).toBeLessThanOrEqual(whole);
        },
      ),
    );
  });

  it('is as long as asked for, up to a minute', () => {
    expect([backoffMs(1, 1000, 0), backoffMs(5, 1000, 7000), backoffMs(1, 1000, 3_600_000)]).toEqual([0, 7000, 60_000]);
  });

  it.each([
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after': '7', 'retry-after-ms': '20' }, 20],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('reads %j', (responseHeaders, retryAfterMs) => {
    expect(faultOf({ name: 'AI_APICallError', statusCode: 429, message: 'slow', responseHeaders }).retryAfterMs).toBe(
      retryAfterMs,
    );
  });
});

it('knows the windows of models that are in the price table', async () => {
  const windows = await Promise.all(
    ['openai/gpt-4o', 'openai-compatible/gpt-4o', 'some/home-made'].map(contextWindowOf),
  );
  expect(windows).toEqual([128_000, 128_000, undefined]);
});

it('makes something of anything that is thrown', () => {
  fc.assert(
    fc.property(fc.anything(), (thrown) => {
      const fault = faultOf(thrown);
      expect([typeof fault.message, typeof fault.retryable]).toEqual(['string', 'boolean']);
    }),
  );
});
