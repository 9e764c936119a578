import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRunId } from '../../src/ids/run-id.ts';
import type { EventRecord } from '../../src/events/event.ts';
import type { RunRecord, RunSummary } from '../../src/stores/run-store.ts';
import { beside, collect, messagesOf, readToken, reportToken, type Serving, serving } from './serving.ts';

const folder = mkdtempSync(join(tmpdir(), 'runwire-report-'));
const recording = join(import.meta.dirname, '..', '..', 'examples', 'codex-run.jsonl');
let state: string;
let elsewhere: string;
let server: Serving;

beforeEach(async () => {
  state = mkdtempSync(join(folder, 'state-'));
  elsewhere = mkdtempSync(join(folder, 'elsewhere-'));
  server = await serving(state);
});
afterEach(() => void server.child.kill('SIGKILL'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const reporting = (script: string, url = server.origin) =>
  beside(elsewhere, ['run', '-q', '--to', 'runwire', '--report', url, '--', 'sh', '-c', script], {
    RUNWIRE_REPORT_TOKEN: reportToken,
  });

const sequences = (lines: string): number[] =>
  lines
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as EventRecord).sequence);

/** What is the same wherever a run is told: its end is told by whoever reads it. */
const told = (lines: string): [number, string][] =>
  lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as EventRecord)
    .map(({ sequence, type }) => [sequence, type]);

/** The ledger of the run itself finds copies of it by its content. */
const withoutContent = ({ 'run.content': _content, ...labels }: RunRecord['labels']): RunRecord['labels'] => labels;

const tapeOf = async (id: string): Promise<string> => (await server.ask(`/api/runs/${id}/tape`)).text();

describe('uploads', () => {
  const id = newRunId(Date.UTC(2026, 0, 1));
  const meta = {
    started_at: Date.UTC(2026, 0, 1),
    prompt: 'Count',
    host: 'ci-7',
    pid: 1,
    agent: 'counter',
    labels: { team: 'b' },
  };
  const record = (sequence: number) => ({
    ...(sequence === 1
      ? { type: 'thread.started' }
      : { type: 'log', stream: 'agent', level: 'info', text: `line ${sequence}` }),
    sequence,
    timestamp: new Date(Date.UTC(2026, 0, 1)).toISOString(),
    thread_id: 't',
    source: 'agent',
    synthetic: false,
  });
  const six = [1, 2, 3, 4, 5, 6].map(record);
  const send = (
    after: number,
    records: readonly object[],
    init: { token?: string; headers?: Record<string, string>; run?: string; startedAt?: number } = {},
  ) =>
    server.ask(`/api/report/${init.run ?? id}`, {
      method: 'POST',
      token: init.token ?? reportToken,
      headers: { 'Content-Type': 'application/x-ndjson', ...init.headers },
      body: [{ meta: { ...meta, started_at: init.startedAt ?? meta.started_at }, after }, ...records]
        .map((line) => JSON.stringify(line))
        .join('\n'),
    });

  it('are kept once, however often they come', async () => {
    for (let time = 0; time < 3; time += 1)
      expect(await (await send(0, [record(1), record(2), record(3)])).json()).toEqual({ accepted_to: 3 });
    expect(await (await send(2, [record(3), record(4)])).json()).toEqual({ accepted_to: 4 });
    await Promise.all([1, 2, 3, 4].map(() => send(4, [record(5), record(6)])));
    expect(sequences(await tapeOf(id))).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await server.json(`/api/runs/${id}`)).toMatchObject({
      status: 'running',
      host: 'ci-7',
      agent: 'counter',
      labels: { team: 'b' },
      last_sequence: 6,
    });
  });

  it('say what is missing', async () => {
    await send(0, six);
    const gap = await send(9, [record(10)]);
    expect(gap.status).toBe(409);
    expect(await gap.json()).toMatchObject({ accepted_to: 6, error: { code: 'conflict' } });
    const unknown = await send(9, [record(10)], { run: newRunId(Date.UTC(2026, 0, 2)) });
    expect(await unknown.json()).toMatchObject({ accepted_to: 0 });
  });

  it('are told as records, whatever was in them', async () => {
    const run = newRunId(Date.UTC(2026, 0, 3));
    const odd = [
      { type: 'item.started', item_id: 7, name: null },
      { type: 'item.completed' },
      { type: 'text.completed', text: ['no'], timestamp: 5, thread_id: {}, source: 'me', synthetic: 'yes' },
      { type: 'thread.completed', verdict: null, summary: 4 },
      { type: 'thread.completed', status: 'success', summary: '', verdict: null, final_report: null },
      { type: '__proto__' },
    ].map((each, index) => ({ timestamp: 'yesterday', ...each, sequence: index + 2 }));
    expect((await send(0, [record(1), ...odd], { run })).status).toBe(200);
    const page = await server.ask(`/api/runs/${run}/records?follow=0&limit=100`, {
      headers: { accept: 'application/x-ndjson' },
    });
    const kept = (await page.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as EventRecord);
    expect(kept.map(({ sequence, type }) => [sequence, type])).toEqual([
      [1, 'thread.started'],
      ...odd.map(({ sequence }) => [sequence, 'line.unknown']),
    ]);
    for (const { timestamp, thread_id: thread, source, synthetic } of kept.slice(1))
      expect([timestamp, typeof thread, source, typeof synthetic]).toEqual([null, 'string', 'agent', 'boolean']);
  });

  it('are refused where they are none', async () => {
    await send(0, six);
    expect((await send(6, [record(7)], { token: readToken })).status).toBe(403);
    expect((await send(6, [record(7)], { token: 'wrong-token-of-a-test-0123456789' })).status).toBe(401);
    expect((await send(6, [record(7)], { headers: { 'Content-Encoding': 'gzip' } })).status).toBe(415);
    expect((await send(6, [{ type: 'log', sequence: 'seven' }])).status).toBe(400);
    expect((await send(6, [record(8), record(7)])).status).toBe(400);
    expect((await send(6, [record(2 ** 32)])).status).toBe(400);
    expect((await send(0, [record(1)], { run: newRunId(1), startedAt: 8e15 })).status).toBe(400);
    expect((await send(6, [record(7)], { run: '..%2f..%2fx' })).status).toBe(400);
    expect((await send(6, [{ ...record(7), text: 'x'.repeat(33 * 1024 * 1024) }])).status).toBe(413);
    expect(sequences(await tapeOf(id))).toEqual([1, 2, 3, 4, 5, 6]);
    expect(
      (await server.ask(`/api/runs/${id}/stop`, { method: 'POST', token: 'stop-token-of-a-test-0123456789' })).status,
    ).toBe(409);
  });
});

it('looks like any other run', async () => {
  const { code, stdout, stderr } = await reporting(`cat '${recording}'`).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const { runs } = await server.json<{ runs: RunSummary[] }>('/api/runs?agent=codex');
  expect(runs).toMatchObject([{ status: 'success', tool_calls: 5 }]);
  const id = runs[0]?.id ?? '';
  expect(told(await tapeOf(id))).toEqual(told(stdout));
  expect((await server.json<RunRecord>(`/api/runs/${id}`)).outcome?.message).toContain('BRAVO');
  expect(readdirSync(join(elsewhere, 'runwire', 'reports'))).toEqual([]);
  const messages = await collect(messagesOf(await server.ask(`/api/runs/${id}/records?after=30`)));
  expect(messages.at(-1)).toMatchObject({ event: 'end' });
  // Who ran it, where and on what: as the ledger there has it.
  const there = JSON.parse((await beside(elsewhere, ['runs', 'show', id, '--json']).ended).stdout) as RunRecord;
  const given = ({ user, repo, cwd, host, labels, agent, title }: RunRecord) => ({
    user,
    repo,
    cwd,
    host,
    labels,
    agent,
    title,
  });
  expect(given(await server.json<RunRecord>(`/api/runs/${id}`))).toEqual({
    ...given(there),
    labels: withoutContent(there.labels),
  });
  expect([there.user, there.repo]).not.toContain(undefined);
  // What has ended is not told otherwise later.
  const { outcome, last_sequence: last, started_at: startedAt } = await server.json<RunRecord>(`/api/runs/${id}`);
  const meta = { started_at: startedAt, prompt: '', host: 'elsewhere', pid: 1, labels: {} };
  const more = { type: 'log', stream: 'agent', level: 'info', text: 'more', sequence: last + 1 };
  const end = { outcome: { ...outcome, status: 'error', message: 'no' }, ended_at: Date.now(), attempts: [] };
  const late = await server.ask(`/api/report/${id}`, {
    method: 'POST',
    token: reportToken,
    body: [{ meta, after: last }, more, end].map((line) => JSON.stringify(line)).join('\n'),
  });
  expect(await late.json()).toEqual({ accepted_to: last + 1 });
  expect(await server.json(`/api/runs/${id}`)).toMatchObject({
    status: 'success',
    last_sequence: last,
    outcome: { message: outcome?.message },
  });
  expect(told(await tapeOf(id))).toEqual(told(stdout));
});

it('loses nothing and doubles nothing when the server is killed in the middle', async () => {
  const waiting = (file: string): string => `while [ ! -e '${join(elsewhere, file)}' ]; do sleep 0.1; done`;
  // It ends when the server is back: how long it waits for that is not what is tried here.
  const run = reporting(
    `head -n 4 '${recording}'; ${waiting('away')}; sed -n 5,9p '${recording}'; ${waiting('back')}; tail -n +10 '${recording}'`,
  );
  let found: RunSummary | undefined;
  while (found === undefined)
    found = (await server.json<{ runs: RunSummary[] }>('/api/runs?status=running&agent=codex')).runs[0];
  const { port } = server;
  server.child.kill('SIGKILL');
  await server.ended;
  await beside(elsewhere, ['--version']).ended;
  writeFileSync(join(elsewhere, 'away'), '');
  server = await serving(state, ['--port', String(port)]);
  writeFileSync(join(elsewhere, 'back'), '');
  const { code, stdout, stderr } = await run.ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(told(await tapeOf(found.id))).toEqual(told(stdout));
  expect(await server.json(`/api/runs/${found.id}`)).toMatchObject({ status: 'success' });
});

it('keeps what a server that is away did not hear, and the next run sends it', async () => {
  const { port } = server;
  server.child.kill('SIGTERM');
  await server.ended;
  const alone = await reporting(`cat '${recording}'`, `http://127.0.0.1:${port}`).ended;
  expect(alone.code).toBe(0);
  expect(alone.stderr).toContain('not fully reported');
  expect(readdirSync(join(elsewhere, 'runwire', 'reports'))).toHaveLength(1);
  server = await serving(state, ['--port', String(port)]);
  const before = (await server.json<{ runs: RunSummary[] }>('/api/runs?agent=codex&status=success')).runs.length;
  expect((await reporting(`cat '${recording}'`).ended).stderr).toBe('');
  expect((await server.json<{ runs: RunSummary[] }>('/api/runs?agent=codex&status=success')).runs).toHaveLength(
    before + 2,
  );
  expect(readdirSync(join(elsewhere, 'runwire', 'reports'))).toEqual([]);
});
