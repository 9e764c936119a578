import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { closeInterrupted } from '../../src/ledger/close-interrupted.ts';
import { deliver } from '../../src/ledger/deliver.ts';
import { Thread } from '../../src/pipeline/thread.ts';
import { FileTapes } from '../../src/tapes/file-tapes.ts';
import { openOutbox } from '../../src/stores/outbox.ts';
import { thisProcess } from '../../src/processes/owner.ts';
import type { Attempt, RunStore } from '../../src/stores/run-store.ts';
import { openSqlite } from '../../src/stores/sqlite.ts';
import { perform } from '../stores/support/perform.ts';
import { newRun, noon, outcomeWith } from '../stores/support/runs.ts';
import { ledgerSink } from '../stores/support/sink.ts';

const root = mkdtempSync(join(tmpdir(), 'runwire-outbox-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(root, 'case-'))));

const place = () => ({ kind: 'sqlite', path: join(folder, 'ledger.db') }) as const;
const waiting = (): string[] => (existsSync(join(folder, 'outbox')) ? readdirSync(join(folder, 'outbox')) : []);
const away = async (): Promise<never> => {
  throw new Error('the server is away');
};
const steps = { steps: 3, between: async () => {} };

async function withStore(work: (store: RunStore, tapes: FileTapes) => Promise<void>): Promise<void> {
  const store = await openSqlite(place().path);
  await work(store, new FileTapes(join(folder, 'tapes'))).finally(() => store.close());
}

it('delivers a run whose server was away all the time, with its id, labels and host', async () => {
  const warnings: string[] = [];
  const sink = ledgerSink({
    folder,
    open: away,
    labels: { team: 'x' },
    cwd: '/project',
    warn: (line) => warnings.push(line),
  });
  await perform(sink, steps);
  expect(warnings).toEqual([
    'this run is not in the ledger yet: the server is away; the next command here that uses it tries again',
  ]);
  expect(waiting()).toEqual([`${sink.id}.run.json`]);
  await withStore(async (store, tapes) => {
    const outbox = openOutbox(place(), {});
    expect(await Promise.all([1, 2].map(() => deliver(store, outbox, tapes, Date.now())))).toContainEqual([sink.id]);
    expect(await store.get(sink.id)).toMatchObject({
      status: 'success',
      prompt: 'Count the steps',
      cwd: '/project',
      host: hostname(),
      labels: { team: 'x' },
      outcome: { message: 'step 3' },
      owner: thisProcess(),
    });
    expect(await store.count({ text: 'steps' })).toBe(1);
    expect(waiting()).toEqual([]);
    expect(await deliver(store, outbox, tapes, Date.now())).toEqual([]);
  });
});

it('delivers with the next run what a lock of many seconds kept out', async () => {
  await withStore(async () => {});
  const other = new DatabaseSync(place().path);
  other.exec('begin exclusive');
  const late = ledgerSink({ folder, warn: () => {}, patienceMs: 100 });
  await perform(late, steps);
  other.exec('rollback');
  other.close();
  const next = ledgerSink({ folder, warn: () => {} });
  await perform(next, steps);
  await withStore(async (store) => {
    expect((await store.list({ status: ['success'] }, { limit: 9 })).runs.map(({ id }) => id)).toEqual(
      [next.id, late.id].toSorted().toReversed(),
    );
  });
  expect(waiting()).toEqual([]);
});

it('delivers a run that was killed before its ledger answered from its tape, and leaves alone who goes on', async () => {
  const sink = ledgerSink({ folder, open: away, warn: () => {} });
  await perform(sink, steps);
  const outbox = openOutbox(place(), {});
  const entries = [];
  for await (const entry of outbox.entries()) entries.push(entry);
  const [entry] = entries;
  if (entry === undefined) throw new Error('nothing is waiting');
  const gone = { ...thisProcess(), pid: 4_190_000 };
  const begun = newRun({ owner: gone });
  outbox.put({ run: { ...entry.run, owner: gone } });
  outbox.put({ run: begun });
  outbox.put({ run: newRun({ id: 'alive' }) });
  await withStore(async (store, tapes) => {
    await store.begin(begun);
    expect(await deliver(store, outbox, tapes, Date.now())).toEqual([sink.id]);
    expect(await store.get(sink.id)).toMatchObject({ status: 'success', outcome: { message: 'step 3' } });
    expect(await closeInterrupted(store, tapes, Date.now())).toEqual([begun.id]);
    expect(await store.get('alive')).toBeUndefined();
    expect(waiting()).toEqual(['alive.run.json']);
  });
});

it('tells what ended a run that could not be ended in order, with what its tape holds', async () => {
  const sink = ledgerSink({ folder, open: away, warn: () => {}, clock: () => noon });
  const thread = new Thread({ clock: () => noon, onRecord: (record) => sink.record(record) });
  thread.emit({ type: 'thread.started', task: 'Count the steps' });
  thread.emit({ type: 'text.completed', text: 'step 3' });
  sink.stopped({ limit: 'time', value: 3, maximum: 3, message: 'the time limit of 3 s was reached' });
  const outbox = openOutbox(place(), {});
  const { value: entry } = await outbox.entries().next();
  if (entry === undefined) throw new Error('nothing is waiting');
  // What the process had told its tape is there when it is gone.
  await sink.close();
  const run = { ...entry.run, owner: { ...thisProcess(), pid: 4_190_000 } };
  outbox.put({ ...entry, run });
  await withStore(async (store, tapes) => {
    await store.begin(run);
    expect(await deliver(store, outbox, tapes, Date.now())).toEqual([sink.id]);
    expect(await closeInterrupted(store, tapes, Date.now())).toEqual([]);
    expect(await store.get(sink.id)).toMatchObject({
      status: 'error',
      class: 'time_limit',
      exit_code: 124,
      ended_at: noon,
      outcome: {
        message: 'step 3',
        limits_hit: [{ limit: 'time', maximum: 3 }],
        verdict: {
          evidence: expect.arrayContaining([
            { signal: 'ledger', detail: expect.stringContaining('could not be ended in order') },
          ]),
        },
      },
    });
  });
});

it('never ends, nor takes back, a run that another worker has begun again', async () => {
  const [killed, other] = [
    { ...thisProcess(), pid: 4_190_000 },
    { ...thisProcess(), host: 'other' },
  ];
  const lost = (number: number): Attempt => ({
    number,
    status: 'incomplete',
    class: 'incomplete',
    reason: 'its worker was lost',
  });
  const run = newRun({ owner: killed });
  const ending = { outcome: outcomeWith(), ended_at: noon };
  const outbox = openOutbox(place(), {});
  await withStore(async (store, tapes) => {
    await store.begin(run);
    await store.begin({ ...run, owner: other, lost: [lost(1), lost(2)] });
    outbox.put({ run, ending, labels: { late: 'first' } });
    outbox.put({ run: { ...run, lost: [lost(1)] }, ending, labels: { late: 'second' } });
    expect(waiting()).toHaveLength(2);
    expect(await deliver(store, outbox, tapes, Date.now())).toEqual([]);
    expect(await store.get(run.id)).toMatchObject({
      status: 'running',
      owner: other,
      labels: {},
      attempts: [lost(1), lost(2)],
    });
    expect(waiting()).toEqual([]);
    // What the ledger has not heard of yet is newer than what it knows.
    outbox.put({ run: { ...run, lost: [1, 2, 3].map(lost) }, ending: { ...ending, attempts: [1, 2, 3].map(lost) } });
    expect(await deliver(store, outbox, tapes, Date.now())).toEqual([run.id]);
    expect(await store.get(run.id)).toMatchObject({ status: 'success', owner: killed });
  });
});

it('forgets a run that was taken over, and nothing of who took it', async () => {
  const sink = ledgerSink({ folder, open: away, warn: () => {} });
  const next = ledgerSink({
    folder,
    id: sink.id,
    open: away,
    warn: () => {},
    lost: [{ number: 1, status: 'incomplete', class: 'incomplete', reason: 'its worker was lost' }],
  });
  expect(waiting()).toHaveLength(2);
  sink.abandon();
  await sink.close();
  expect(waiting()).toEqual([`${sink.id}.2.run.json`]);
  next.abandon();
  await next.close();
  expect(waiting()).toEqual([]);
});

it('is of one ledger, whichever way a server is called, and of no other in the same folder', async () => {
  const env = { XDG_STATE_HOME: folder };
  const at = (url: string) => openOutbox({ kind: 'postgres', url }, env);
  at('postgres://ann:secret@db/runs').put({ run: newRun({ id: 'one' }) });
  const found = async (url: string): Promise<string[]> => {
    const ids: string[] = [];
    for await (const { run } of at(url).entries()) ids.push(run.id);
    return ids;
  };
  expect(await found('postgresql://bob@db:5432/runs')).toEqual(['one']);
  expect(await found('postgres://ann@db/runs?schema=other')).toEqual([]);
});
