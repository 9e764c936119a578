import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { closeInterrupted } from '../../src/ledger/close-interrupted.ts';
import { FileTapes } from '../../src/stores/file-tapes.ts';
import { thisProcess } from '../../src/stores/owner.ts';
import { openSqlite } from '../../src/stores/sqlite.ts';
import { perform } from '../stores/support/perform.ts';
import { newRun, noon } from '../stores/support/runs.ts';
import { ledgerSink } from '../stores/support/sink.ts';

const folder = mkdtempSync(join(tmpdir(), 'runwire-interrupted-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const refuse = (message: string): never => {
  throw new Error(message);
};

it('ends a run that nobody ended from its tape, with all that it received', async () => {
  const home = mkdtempSync(join(folder, 'home-'));
  const store = await openSqlite(join(home, 'interrupted.db'));
  const gone = { ...thisProcess(), pid: 4_190_000 };
  const tapes = new FileTapes(join(home, 'tapes'));
  const writer = { begin: store.begin.bind(store), note: store.note.bind(store), finish: async () => {}, close: async () => {} };
  const sink = ledgerSink({
    folder: home,
    open: async () => ({ ...writer, begin: (run) => store.begin({ ...run, owner: gone }) }),
    warn: refuse,
  });
  const outcome = await perform(sink, { steps: 3, between: async () => {} });
  await store.begin(newRun({ owner: gone, tape: 'nowhere.tape.zst' }));
  await store.begin(newRun({ owner: gone }));
  await store.begin(newRun({ started_at: noon - 1 }));
  const closed = await closeInterrupted(store, tapes, Date.now());
  expect(closed).toHaveLength(3);
  const run = await store.get(sink.id);
  expect(run).toMatchObject({ status: 'success', agent: 'counter', outcome: { message: 'step 3', session_id: 's-9' } });
  expect(run?.outcome?.metrics).toMatchObject({ turns: outcome.metrics.turns });
  const taped: Uint8Array[] = [];
  for await (const lines of tapes.at(run?.tape ?? '')?.read() ?? []) taped.push(new Uint8Array(lines));
  const last = Buffer.concat(taped).toString().trim().split('\n').at(-1) ?? '';
  expect(JSON.parse(last)).toMatchObject({ type: 'thread.completed', sequence: run?.last_sequence });
  expect(run?.outcome?.verdict.evidence.at(-1)).toEqual({ signal: 'ledger', detail: 'the process that ran it is gone' });
  for (const id of closed.filter((each) => each !== sink.id))
    expect(await store.get(id)).toMatchObject({ status: 'incomplete', exit_code: 8, prompt: 'Fix the parser' });
  expect((await store.open()).map(({ started_at }) => started_at)).toEqual([noon - 1]);
  expect(await closeInterrupted(store, tapes, Date.now())).toEqual([]);
  await store.close();
});
