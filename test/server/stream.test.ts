import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventRecord } from '../../src/events/event.ts';
import { type Ledger, openLedgerAt } from '../../src/ledger/ledger.ts';
import { Thread } from '../../src/pipeline/thread.ts';
import type { RunSummary } from '../../src/stores/run-store.ts';
import { createApp } from '../../src/server/app.ts';
import { namesOf } from '../../src/server/names.ts';
import { ledgerSink } from '../stores/support/sink.ts';
import { collect, messagesOf } from './serving.ts';

const folder = mkdtempSync(join(tmpdir(), 'runwire-stream-'));
const place = { kind: 'sqlite', path: join(folder, 'ledger.db') } as const;
const events = 4000;
let ledger: Ledger;
let id: string;

beforeAll(async () => {
  const sink = ledgerSink({ folder, place, warn: () => {}, progressMs: 10, patienceMs: 30_000 });
  id = sink.id;
  const thread = new Thread({ clock: Date.now, newId: () => sink.id, onRecord: (record) => sink.record(record) });
  thread.emit({ type: 'thread.started', task: 'Count', agent: 'counter' });
  for (let each = 0; each < events; each += 1)
    thread.emit({ type: 'log', stream: 'agent', level: 'info', text: 'x'.repeat(1000) });
  thread.emit({ type: 'agent.finished', status: 'ok' });
  sink.end(thread.end('runwire'));
  await sink.close();
  ledger = await openLedgerAt(place, {});
});
afterAll(async () => {
  await ledger.store.close();
  rmSync(folder, { recursive: true, force: true });
});

const makeApp = (stallMs: number) =>
  createApp({
    ledger,
    names: namesOf({ host: '127.0.0.1', port: () => 80, allowedOrigins: [] }),
    tokens: undefined,
    assets: new Map([
      [
        '/index.html',
        {
          bytes: new TextEncoder().encode('<!doctype html>'),
          type: 'text/html; charset=utf-8',
          etag: '"a"',
          isFixed: false,
        },
      ],
    ]),
    now: Date.now,
    timing: { stallMs, leaveMs: 30_000, keepAliveMs: 5 },
    warn: (message) => {
      throw new Error(message);
    },
  });

const ask = (app: ReturnType<typeof makeApp>, path: string, headers: Record<string, string> = {}) =>
  app.request(path, { headers: { host: '127.0.0.1', ...headers } }, {});

describe('a viewer', () => {
  it('that takes nothing is told that it fell behind, costs a few messages of memory, and resumes without loss', async () => {
    const app = makeApp(50);
    const seen: EventRecord[] = [];
    let after = 0;
    let times = 0;
    for (let isOver = false; !isOver;) {
      const response = await ask(app, `/api/runs/${id}/records?after=${after}`);
      // It sleeps once: what waits for it then is bounded.
      if (times === 0) await new Promise((resolve) => void setTimeout(resolve, 200));
      times += 1;
      let bytes = 0;
      for (const { event, data } of await collect(messagesOf(response))) {
        bytes += JSON.stringify(data).length;
        if (event === 'records') seen.push(...(data as EventRecord[]));
        if (event === 'behind') ({ after } = data as { after: number });
        if (event === 'end') isOver = true;
      }
      if (!isOver) expect(bytes).toBeLessThan(1024 * 1024);
    }
    expect(times).toBeGreaterThan(1);
    expect(seen.map(({ sequence }) => sequence)).toEqual(seen.map((_, index) => index + 1));
    expect(seen.filter(({ type }) => type === 'log')).toHaveLength(events);
  });

  it('hears of a run that ends as soon as it is connected', async () => {
    const sink = ledgerSink({ folder, place, warn: () => {}, progressMs: 10, patienceMs: 30_000 });
    const thread = new Thread({ clock: Date.now, newId: () => sink.id, onRecord: (record) => sink.record(record) });
    thread.emit({ type: 'thread.started', task: 'End at once', agent: 'counter' });
    await sink.flush();
    const live = await ask(makeApp(10_000), '/api/live');
    thread.emit({ type: 'agent.finished', status: 'ok' });
    sink.end(thread.end('runwire'));
    await sink.close();
    const told: unknown[] = [];
    for await (const { data } of messagesOf(live)) {
      told.push(data);
      if ((data as RunSummary).status !== 'running') break;
    }
    expect(told.at(-1)).toMatchObject({ id: sink.id, status: expect.not.stringMatching('running') });
  });

  it('that leaves is not looked after any more', async () => {
    const app = makeApp(10_000);
    const viewers = await Promise.all(
      ['/api/live', '/api/live', `/api/runs/${id}/records`].map((path) => ask(app, path)),
    );
    await Promise.all(viewers.map(({ body }) => body?.cancel()));
    expect(await (await ask(app, '/metrics')).text()).toContain('runwire_viewers 0\n');
  });
});

it('serves the page for its own addresses, and nothing of any run with it', async () => {
  const app = makeApp(1000);
  for (const path of ['/', `/runs/${id}`, `/runs/${id}/tree`, '/compare/a/b']) {
    const page = await ask(app, path);
    expect([path, page.status, await page.text()]).toEqual([path, 200, '<!doctype html>']);
    expect((await ask(app, path, { 'if-none-match': '"a"' })).status).toBe(304);
  }
});
