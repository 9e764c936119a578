import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeEach, expect, it } from 'vitest';
import type { EventRecord } from '../../../src/events/event.ts';
import { TapeSink } from '../../../src/run/sinks/tape.ts';
import { fileTape } from '../../../src/tapes/file-tape.ts';
import { thisProcess } from '../../../src/processes/owner.ts';
import { openSqlite } from '../../../src/stores/sqlite.ts';
import { perform } from '../../stores/support/perform.ts';
import { newRun } from '../../stores/support/runs.ts';
import { ledgerSink, type SinkOptions } from '../../stores/support/sink.ts';

const root = mkdtempSync(join(tmpdir(), 'runwire-sink-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(root, 'case-'))));

const refuse = (message: string): never => {
  throw new Error(message);
};
const sinkIn = (options: Partial<SinkOptions> = {}) => ledgerSink({ folder, warn: refuse, ...options });

async function readAll(path: string): Promise<EventRecord[]> {
  let text = '';
  for await (const lines of fileTape(path).read()) text += Buffer.from(lines).toString();
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as EventRecord);
}

it('records a run, and then ends what others left open', async () => {
  const before = await openSqlite(join(folder, 'ledger.db'));
  const left = newRun({ owner: { ...thisProcess(), pid: 4_190_000 } });
  await before.begin(left);
  await before.close();
  const sink = sinkIn({ labels: { team: 'x' }, git: { repo: 'r', branch: 'b' }, agent: 'codex', cwd: '/repo' });
  await perform(sink, { steps: 3, between: () => turn() });
  await sink.close();
  const store = await openSqlite(join(folder, 'ledger.db'));
  expect(await store.get(sink.id)).toMatchObject({
    status: 'success',
    prompt: 'Count the steps',
    cwd: '/repo',
    labels: { team: 'x', 'git.repo': 'r', 'git.branch': 'b' },
  });
  expect(await store.get(left.id)).toMatchObject({ status: 'incomplete' });
  await store.close();
  expect(existsSync(join(folder, 'tapes', '.pruned'))).toBe(true);
});

it('has a tape that can be read while the run goes on', async () => {
  const sink = sinkIn();
  const seen: number[] = [];
  await perform(sink, {
    steps: 5,
    async between() {
      const path = sink.tape?.name ?? '';
      for (const count = seen.at(-1) ?? 0; ;) {
        const told = await readAll(path).catch(() => []);
        if (told.length <= count) continue;
        seen.push(told.length);
        return;
      }
    },
  });
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  expect((await readAll(sink.tape?.name ?? '')).at(-1)).toMatchObject({ type: 'thread.completed' });
});

it('tells the end once, with the hash of the tape, also where the beginning took as long as the run', async () => {
  const endings: unknown[] = [];
  const ended = Promise.withResolvers<void>();
  const sink = sinkIn({
    place: { kind: 'sqlite', path: join(folder, 'ledger.db') },
    open: () =>
      Promise.resolve({
        begin: () => ended.promise,
        note: () => Promise.resolve(),
        finish: (_id, ending) => Promise.resolve(void endings.push(ending)),
        close: () => Promise.resolve(),
      }),
  });
  const performed = perform(sink, { steps: 3, between: () => turn() });
  await turn();
  setTimeout(ended.resolve, 20);
  await performed;
  expect(endings).toMatchObject([{ tape_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
});

it('keeps no tape where none is wanted', async () => {
  const sink = sinkIn({ keepsTape: false });
  await perform(sink, { steps: 1, between: () => turn() });
  expect([sink.tape, existsSync(join(folder, 'tapes'))]).toEqual([undefined, false]);
});

it('closes a run without a record, once, and leaves its end to whoever finds it', async () => {
  const sink = sinkIn();
  await Promise.all([sink.close(), sink.close()]);
  const store = await openSqlite(join(folder, 'ledger.db'));
  expect(await store.get(sink.id)).toMatchObject({ status: 'running', last_sequence: 0 });
  await store.close();
});

it('writes a tape of the caller’s, or says at once that it cannot', async () => {
  const path = join(folder, 'run.tape');
  await perform(new TapeSink(fileTape(path), refuse), { steps: 2, between: () => turn() });
  expect((await readAll(path)).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(() => new TapeSink(fileTape(join(folder, 'no', 'run.tape')), refuse)).toThrow(/^cannot write .*ENOENT/);
});

it('does not end before it began when the clock goes back', async () => {
  const startedAt = Date.now();
  const sink = sinkIn({ startedAt, clock: () => startedAt - 3_600_000 });
  await perform(sink, { steps: 1, between: () => turn() });
  await sink.close();
  const store = await openSqlite(join(folder, 'ledger.db'));
  expect(await store.get(sink.id)).toMatchObject({ status: 'success', started_at: startedAt, ended_at: startedAt });
  await store.close();
});
