import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventRecord } from '../../src/events/event.ts';
import type { RunDiff } from '../../src/ledger/diff.ts';
import type { RunRecord, RunSummary } from '../../src/stores/run-store.ts';
import { beside, collect, messagesOf, type Serving, serving, stopToken } from './serving.ts';

const state = mkdtempSync(join(tmpdir(), 'runwire-serve-'));
const recording = join(import.meta.dirname, '..', '..', 'examples', 'codex-run.jsonl');
let server: Serving;
let run: RunSummary;

beforeAll(async () => {
  await beside(state, ['run', '-q', '--to', 'runwire', '--label', 'team=a', '--', 'cat', recording]).ended;
  server = await serving(state);
  [run] = (await server.json<{ runs: [RunSummary] }>('/api/runs')).runs;
});
afterAll(async () => {
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  rmSync(state, { recursive: true, force: true });
});

const recordsOf = (messages: readonly { event: string; data: unknown }[]): EventRecord[] =>
  messages.flatMap(({ event, data }) => (event === 'records' ? (data as EventRecord[]) : []));

describe('what the ledger knows', () => {
  it('lists runs, filtered, in pages', async () => {
    expect(run).toMatchObject({ agent: 'codex', status: 'success', labels: { team: 'a' } });
    expect((await server.json<{ runs: [] }>('/api/runs?status=error')).runs).toEqual([]);
    const page = await server.json<{ runs: RunSummary[]; total: number }>(
      '/api/runs?label=team%3Da&agent=codex&since=1h&live=1&total=1&limit=1',
    );
    expect(page).toMatchObject({ runs: [{ id: run.id }], total: 1 });
    const wrong = await server.ask('/api/runs?status=nonsense');
    expect(wrong.status).toBe(400);
    expect(await wrong.json()).toMatchObject({
      error: { code: 'input', message: expect.stringContaining('status nonsense') },
    });
  });

  it('finds the runs that touched a file', async () => {
    for (const path of ['notes.txt', '/workspace/notes.txt', 'workspace/notes.txt'])
      expect(
        (await server.json<{ runs: RunSummary[] }>(`/api/runs?file=${encodeURIComponent(path)}`)).runs.map(
          ({ id }) => id,
        ),
      ).toEqual([run.id]);
    for (const path of ['otes.txt', 'README.md', '/notes.txt'])
      expect(await server.json(`/api/runs?file=${encodeURIComponent(path)}`)).toEqual({ runs: [] });
  });

  it('tells one run, its timeline, its children, and what differs from another', async () => {
    const whole = await server.json<RunRecord>(`/api/runs/${run.id.slice(-8)}`);
    expect(whole.outcome?.message).toContain('BRAVO');
    expect(await server.json(`/api/runs/last/timeline`)).toMatchObject({
      entries: [{ name: 'command_execution' }, {}, {}, {}, {}],
      omitted: 0,
    });
    expect(await server.json(`/api/runs/${run.id}/children`)).toEqual({ runs: [] });
    expect((await server.json<RunDiff>(`/api/runs/${run.id}/diff/last`)).same_class).toBe(true);
    expect(await server.json('/api/stats?by=agent')).toMatchObject({ rows: [{ group: 'codex', runs: 1 }] });
    for (const path of ['/api/runs/zzzzzzzz', '/api/runs/..%2f..%2fetc%2fpasswd', '/api/runs/%00'])
      expect((await server.ask(path)).status).toBe(404);
  });

  it('describes itself, and its figures', async () => {
    const api = (await (await server.ask('/openapi.json', { token: undefined })).json()) as {
      paths: object;
      components: { schemas: object };
    };
    expect(Object.keys(api.paths)).toContain('/api/runs/{id}/records');
    for (const [, path] of JSON.stringify(api).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)/g))
      expect(api.components.schemas).toHaveProperty([path ?? '']);
    // What it says of its answers is true of them.
    const schemas = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
    schemas.addSchema(api, 'api');
    const paths = [
      '/api/runs',
      '/api/runs/{id}',
      '/api/runs/{id}/children',
      '/api/runs/{id}/timeline',
      '/api/runs/{id}/advice',
      '/api/runs/{id}/diff/{other}',
      '/api/stats',
      '/api/session',
    ];
    for (const path of paths) {
      const place = path.replaceAll('/', '~1');
      const isRight = schemas.compile({
        $ref: `api#/paths/${place}/get/responses/200/content/application~1json/schema`,
      });
      isRight(await server.json(path.replace(/\{\w+\}/g, run.id)));
      expect({ path, errors: isRight.errors }).toEqual({ path, errors: null });
    }
    expect(await (await server.ask('/healthz', { token: undefined })).text()).toBe('ok\n');
    const figures = await (await server.ask('/metrics')).text();
    expect(figures).toContain('runwire_runs{class="success"} 1\n');
    expect(figures).toContain('runwire_runs_live 0\n');
  });
});

describe('records', () => {
  it('come from the tape, whole, and end with the outcome', async () => {
    const messages = await collect(messagesOf(await server.ask(`/api/runs/${run.id}/records`)));
    const records = recordsOf(messages);
    expect(records.map(({ sequence }) => sequence)).toEqual(records.map((_, index) => index + 1));
    expect(records.at(-1)?.type).toBe('thread.completed');
    expect(messages.at(-1)).toMatchObject({ event: 'end', data: { outcome: { status: 'success' } } });
  });

  it('resume after a sequence, by the address or the header of a browser', async () => {
    const all = recordsOf(await collect(messagesOf(await server.ask(`/api/runs/${run.id}/records`))));
    for (const [query, headers] of [
      ['?after=7', {}],
      ['', { 'Last-Event-ID': '7' }],
      ['?after=3', { 'Last-Event-ID': '7' }],
    ] as const)
      expect(
        recordsOf(await collect(messagesOf(await server.ask(`/api/runs/${run.id}/records${query}`, { headers })))),
      ).toEqual(all.slice(7));
    const page = await server.ask(`/api/runs/${run.id}/records?after=2&limit=3`, {
      headers: { Accept: 'application/x-ndjson' },
    });
    const lines = (await page.text()).trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as EventRecord).sequence)).toEqual([3, 4, 5]);
  });

  it('come by stretches as they come in a stream, with long texts cut where that is wanted', async () => {
    const all = recordsOf(await collect(messagesOf(await server.ask(`/api/runs/${run.id}/records`))));
    const pages: EventRecord[] = [];
    while (pages.length < all.length)
      pages.push(
        ...recordsOf(
          await collect(messagesOf(await server.ask(`/api/runs/${run.id}/records?after=${pages.length}&limit=7`))),
        ),
      );
    // The end is told by whoever reads it.
    expect(pages.slice(0, -1)).toEqual(all.slice(0, -1));
    expect(pages.at(-1)).toMatchObject({ type: 'thread.completed', sequence: all.length, status: 'success' });
    const cut = recordsOf(
      await collect(messagesOf(await server.ask(`/api/runs/${run.id}/records?cut=10`))),
    ) as (EventRecord & {
      cut?: Record<string, number>;
    })[];
    const long = cut.find((record) => record.type === 'text.completed');
    const whole = all.find(({ sequence }) => sequence === long?.sequence);
    if (long?.type !== 'text.completed' || whole?.type !== 'text.completed') throw new Error('no long text');
    expect(whole.text.startsWith(long.text)).toBe(true);
    expect(long.text.length + (long.cut?.['/text'] ?? 0)).toBe(whole.text.length);
    expect((await server.ask(`/api/runs/${run.id}/records?cut=1`)).status).toBe(400);
  });

  it('are there in every dialect that can be written', async () => {
    const text = await (await server.ask(`/api/runs/${run.id}/tape?to=claude`)).text();
    expect(JSON.parse(text.split('\n')[0] ?? '')).toMatchObject({ type: 'system', subtype: 'init' });
    const tape = await server.ask(`/api/runs/${run.id}/tape`);
    expect(tape.headers.get('content-disposition')).toBe(`attachment; filename="${run.id}.runwire.jsonl"`);
    expect((await tape.text()).trim().split('\n')).toHaveLength(run.last_sequence);
    expect((await server.ask(`/api/runs/${run.id}/tape?to=nonsense`)).status).toBe(400);
    for (const [to, type, last] of [
      ['ai-sdk-ui', 'text/event-stream', 'data: [DONE]\n\n'],
      ['ag-ui', 'text/event-stream', '\n\n'],
      ['ag-ui:lines', 'application/x-ndjson', '}\n'],
      ['atif', 'application/x-ndjson', '}\n'],
    ] as const) {
      const told = await server.ask(`/api/runs/${run.id}/tape?to=${to}`);
      expect(told.headers.get('content-type')).toContain(type);
      expect(told.headers.get('x-vercel-ai-ui-message-stream')).toBe(to === 'ai-sdk-ui' ? 'v1' : null);
      expect((await told.text()).endsWith(last)).toBe(true);
    }
  });
});

it.each(['/api/live', '/api/runs/last/records'])('whoever leaves before %s answers is no viewer', async (path) => {
  const leaving = Array.from({ length: 20 }, async (_, index) => {
    const left = new AbortController();
    const asked = server.ask(path, { signal: left.signal }).catch(() => {});
    await new Promise((resolve) => void setTimeout(resolve, index));
    left.abort();
    await asked;
  });
  await Promise.all(leaving);
  await expect.poll(async () => (await server.ask('/metrics')).text()).toContain('runwire_viewers 0\n');
});

it('tells of a run of another process while it goes on, streams it, and stops it', async () => {
  const live = messagesOf(await server.ask('/api/live'));
  const script = `head -n 4 '${recording}'; exec sleep 600`;
  const other = beside(state, ['run', '-q', '--to', 'runwire', '--', 'sh', '-c', script]);
  const begun = (await live.next()).value as { data: RunSummary };
  expect(begun.data).toMatchObject({ status: 'running' });
  const { id } = begun.data;
  const records = messagesOf(await server.ask(`/api/runs/${id}/records`));
  expect(recordsOf([(await records.next()).value as never])[0]).toMatchObject({ type: 'thread.started', sequence: 1 });

  const stop = (headers: Record<string, string>, token?: string) =>
    server.ask(`/api/runs/${id}/stop`, {
      method: 'POST',
      headers,
      body: '{"reason":"it sleeps"}',
      ...(token === undefined ? {} : { token }),
    });
  expect((await stop({})).status).toBe(403);
  const stopped = await stop({}, stopToken);
  expect(stopped.status).toBe(202);
  expect(await stopped.json()).toEqual({ run_ids: [id] });
  expect((await other.ended).code).toBe(130);
  const rest = await collect(records);
  expect(rest.at(-1)).toMatchObject({ event: 'end', data: { outcome: { status: 'cancelled' } } });
  for await (const { data } of live) if ((data as RunSummary).status === 'cancelled') break;
  expect((await server.json<RunRecord>(`/api/runs/${id}`)).labels).toMatchObject({
    'stopped.by': expect.stringContaining('RUNWIRE_STOP_TOKEN, from 127.0.0.1'),
    'stopped.reason': 'it sleeps',
  });
  expect((await stop({}, stopToken)).status).toBe(409);
});
