import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ledger, openLedgerAt } from '../../src/ledger/ledger.ts';
import { ReportedRuns } from '../../src/ledger/report.ts';
import { createApp } from '../../src/server/app.ts';
import { streamOf } from '../../src/server/event-stream.ts';
import { listen, type Listening } from '../../src/server/listen.ts';
import { Metrics } from '../../src/server/metrics.ts';
import { namesOf } from '../../src/server/names.ts';
import { inTurns, Turns } from '../../src/server/turns.ts';
import { Viewers } from '../../src/server/viewers.ts';
import { newRunId } from '../../src/ids/run-id.ts';
import type { Tape, TapeEnd } from '../../src/tapes/tape.ts';
import { noon } from '../stores/support/runs.ts';
import { some } from '../support/sweep.ts';

const folder = mkdtempSync(join(tmpdir(), 'runwire-attacks-'));
const records = 20_000;
const longRun = newRunId(noon);
let ledger: Ledger;
let server: Listening;
let port = 0;
let app: ReturnType<typeof createApp>;
const warnings: string[] = [];

const recordOf = (sequence: number) =>
  JSON.stringify({
    type: 'log',
    stream: 'agent',
    level: 'info',
    text: 'x'.repeat(1000),
    sequence,
    timestamp: null,
    thread_id: 't',
  });
const headOf = (more: object = {}) =>
  JSON.stringify({ meta: { started_at: noon, prompt: '', host: 'h', pid: 1, labels: {}, ...more }, after: 0 });

beforeAll(async () => {
  ledger = await openLedgerAt({ kind: 'sqlite', path: join(folder, 'ledger.db') }, { XDG_STATE_HOME: folder });
  const lines = Array.from({ length: records }, (_, index) => recordOf(index + 1));
  await new ReportedRuns(ledger, () => noon).accept(longRun, [headOf(), ...lines].join('\n'), 'anybody');
  app = createApp({
    ledger,
    names: namesOf({ host: '127.0.0.1', port: () => port, allowedOrigins: [] }),
    tokens: undefined,
    assets: new Map(),
    now: () => noon,
    warn: (message) => warnings.push(message),
  });
  server = await listen(app, { host: '127.0.0.1', port: 0 });
  ({ port } = server);
});
afterAll(async () => {
  expect(warnings).toEqual([]);
  await server.close();
  await ledger.store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A request whose answer nobody reads. */
const stalled = (path: string) =>
  new Promise<() => void>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`, () => resolve(() => socket.destroy()));
    });
    socket.on('error', () => {});
  });

/** On a connection of its own: a server that has been busy for long closes those that wait for another request. */
const alone = { connection: 'close' };

const upload = (body: string) =>
  fetch(`http://127.0.0.1:${port}/api/report/${newRunId(noon + 1)}`, {
    method: 'POST',
    headers: { 'X-Runwire': '1', ...alone },
    body,
  });

const labels = Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`k${index}`, 'x']));
const attacks: readonly (readonly [name: string, attack: () => Promise<unknown>[]])[] = [
  ...(
    ['records', 'records?after=19999', 'records?follow=0&limit=1000000', 'tape', 'tape?to=claude', 'timeline'] as const
  ).map(
    (path) =>
      [
        `50 readers of /${path}`,
        () => Array.from({ length: 50 }, () => stalled(`/api/runs/${longRun}/${path}`)),
      ] as const,
  ),
  ...(['/metrics', '/api/runs?limit=500&total=1'] as const).map(
    (path) =>
      [`100 requests for ${path} that nobody reads`, () => Array.from({ length: 100 }, () => stalled(path))] as const,
  ),
  ['20,000 labels', () => [upload(headOf({ labels: Object.fromEntries(Object.entries(labels).slice(0, 20_000)) }))]],
  ['200,000 labels', () => [upload(headOf({ labels })), upload(headOf({ labels }))]],
  ['a prompt of 30 MB', () => [upload(headOf({ prompt: 'x'.repeat(30_000_000) }))]],
  [
    'a hundred thousand records',
    () => [
      upload(
        [headOf(), ...Array.from({ length: 100_000 }, (_, at) => `{"type":"log","sequence":${at + 1}}`)].join('\n'),
      ),
    ],
  ],
  ['ten million empty lines', () => [upload(`${headOf()}${'\n'.repeat(10_000_000)}`)]],
];

describe('a server answers all the same', () => {
  it.each(some(attacks))('under %s', async (_name, attack) => {
    const running = attack();
    // As many as the attack has requests, so that some arrive in the middle of its work.
    for (let time = 0; time < 20; time += 1) {
      const health = await fetch(`http://127.0.0.1:${port}/healthz`, { headers: alone });
      expect([health.status, await health.text()]).toEqual([200, 'ok\n']);
    }
    for (const each of await Promise.all(running)) if (typeof each === 'function') each();
  });

  it('since it reads a part of one tape in each turn, whatever the number of readers', async () => {
    const turns = new Turns();
    let turn = 0;
    const readIn: number[] = [];
    async function* parts(): AsyncGenerator<Uint8Array, TapeEnd> {
      for (let each = 0; each < 20; each += 1) yield new Uint8Array(1);
      return { kind: 'whole' };
    }
    const tape = inTurns({ read: parts, follow: parts } as Partial<Tape> as Tape, turns);
    let isOver = false;
    const count = (): void => {
      turn += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await Promise.all(
      Array.from({ length: 50 }, async () => {
        for await (const _part of tape.read()) readIn.push(turn);
      }),
    );
    isOver = true;
    expect(readIn).toHaveLength(1000);
    expect(new Set(readIn).size).toBeGreaterThan(990);
  });

  it('since each list is made in turns of its own', async () => {
    let turn = 0;
    let isOver = false;
    const count = (): void => {
      turn += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const madeIn = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const answer = await app.request('/api/runs', { headers: { host: `127.0.0.1:${port}` } }, {});
        return [answer.status, turn] as const;
      }),
    );
    isOver = true;
    expect(new Set(madeIn.map(([status]) => status))).toEqual(new Set([200]));
    expect(new Set(madeIn.map(([, at]) => at)).size).toBe(20);
  });

  const commas = JSON.stringify('a,\\"[{'.repeat(200_000));
  it.each([
    ['keys', Object.keys(labels).join('":1,"'), 400],
    ['numbers', `v":[${'1,'.repeat(200_000)}1],"w`, 400],
    ['folders', `v":${'['.repeat(200_000)}${']'.repeat(200_000)},"w`, 400],
    ['a text that looks like them', `v":${commas},"w`, 200],
  ])('since it reads no line of 200,000 %s', async (_name, fields, status) => {
    const record = `{"type":"log","sequence":1,"${fields}":1}`;
    const head = headOf().replace('"labels":{}', `"labels":{},"${fields}":1`);
    const end = `{"outcome":{"${fields}":1}}`;
    const answers = await Promise.all([`${headOf()}\n${record}`, head, `${headOf()}\n${end}`].map(upload));
    const told = await Promise.all(answers.map(async (answer) => /more than 100000 values/.test(await answer.text())));
    expect([answers.map((answer) => answer.status), told]).toEqual([
      [status, 400, 400],
      told.map(() => status === 400),
    ]);
  });

  it('since long uploads are read in many turns, each in its own', async () => {
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    const body = [headOf(), ...Array.from({ length: 50_000 }, (_, at) => `{"type":"log","sequence":${at + 1}}`)].join(
      '\n',
    );
    const headers = { host: `127.0.0.1:${port}`, 'x-runwire': '1' };
    setImmediate(count);
    const answers = await Promise.all(
      [2, 3, 4].map((each) =>
        app.request(`/api/report/${newRunId(noon + each)}`, { method: 'POST', headers, body }, {}),
      ),
    );
    isOver = true;
    expect(await Promise.all(answers.map((answer) => answer.json()))).toEqual(
      answers.map(() => ({ accepted_to: 50_000 })),
    );
    expect(turns).toBeGreaterThan(60);
  });
});

it('an upload that is broken off is refused like any other that is not whole, without a word in the terminal', async () => {
  const refused = async (): Promise<number> =>
    Number(
      /^runwire_requests_refused_total (\d+)/m.exec(
        await (await fetch(`http://127.0.0.1:${port}/metrics`)).text(),
      )?.[1],
    );
  const before = await refused();
  const heads = ['Content-Length: 1000\r\n\r\n{"meta"', 'Transfer-Encoding: chunked\r\n\r\n7\r\n{"meta"'];
  for (const rest of heads) {
    const socket = connect(port, '127.0.0.1');
    const head = `POST /api/report/${newRunId(noon)} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-Runwire: 1\r\n${rest}`;
    await new Promise<void>((resolve) => void socket.write(head, () => resolve()));
    socket.end();
  }
  await expect.poll(async () => (await refused()) === before + heads.length || warnings.length > 0).toBe(true);
  expect(warnings).toEqual([]);
});

describe('viewers', () => {
  it('are a thousand at most, and others are told when to come again', async () => {
    const viewers = new Viewers();
    for (let each = 0; each < 1000; each += 1) viewers.enter();
    expect(() => viewers.refuseCrowd()).toThrow(
      expect.objectContaining({
        code: 'unavailable',
        retryAfter: 5,
        message: 'there are 1000 viewers already; try again in 5 s',
      }),
    );
  });

  it('that take nothing hold no more than a bounded number of bytes: who has waited longest is disconnected', async () => {
    const viewers = new Viewers(1000);
    const metrics = new Metrics();
    const timing = { stallMs: 60_000, leaveMs: 60_000, keepAliveMs: 60_000 };
    const signals: AbortSignal[] = [];
    const opened = Array.from({ length: 20 }, () =>
      streamOf(
        async function* (left) {
          signals.push(left);
          for (;;) yield [{ event: 'text', data: 'x'.repeat(300) }];
        },
        { encode: ({ data }) => data, signal: new AbortController().signal, metrics, viewers, timing },
      ).getReader(),
    );
    await new Promise((resolve) => void setImmediate(resolve));
    expect([viewers.count, viewers.bytes, signals.map(({ aborted }) => aborted)]).toEqual([
      3,
      900,
      signals.map((_, index) => index < 17),
    ]);
    await expect(opened[0]?.read()).rejects.toThrow('the viewer reads nothing');
    expect((await opened[19]?.read())?.value?.length).toBe(300);
    await Promise.all(opened.slice(17).map((reader) => reader.cancel()));
    expect([viewers.count, viewers.bytes]).toEqual([0, 0]);
  });

  it('that fell behind count until they have read that', async () => {
    const viewers = new Viewers();
    const reader = streamOf(
      async function* () {
        for (;;) yield [{ event: 'text', data: 'x' }];
      },
      {
        encode: ({ data }) => data,
        behind: () => ({ event: 'behind', data: 'behind' }),
        signal: new AbortController().signal,
        metrics: new Metrics(),
        viewers,
        timing: { stallMs: 1, leaveMs: 60_000, keepAliveMs: 60_000 },
      },
    ).getReader();
    while (viewers.bytes < 'xbehind'.length) await new Promise((resolve) => void setImmediate(resolve));
    expect(viewers.count).toBe(1);
    const chunks: string[] = [];
    for (let next = await reader.read(); next.done !== true; next = await reader.read())
      chunks.push(Buffer.from(next.value).toString());
    expect([chunks, viewers.count, viewers.bytes]).toEqual([['x', 'behind'], 0, 0]);
  });
});
