import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { EventRecord } from '../../src/events/event.ts';
import { closeInterrupted } from '../../src/ledger/close-interrupted.ts';
import { FileTapes } from '../../src/tapes/file-tapes.ts';
import { thisProcess } from '../../src/processes/owner.ts';
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
  const writer = {
    begin: store.begin.bind(store),
    note: store.note.bind(store),
    finish: async () => {},
    close: async () => {},
  };
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
  const lines = Buffer.concat(taped).toString().trim().split('\n');
  const last = JSON.parse(lines.at(-1) ?? '') as EventRecord;
  expect(last).toMatchObject({ type: 'thread.completed', sequence: run?.last_sequence });
  expect(run?.outcome?.verdict.evidence.at(-1)).toEqual({
    signal: 'ledger',
    detail: `the process that ran it is gone; its tape has ${lines.length} records, the last at ${last.timestamp}`,
  });
  for (const id of closed.filter((each) => each !== sink.id))
    expect(await store.get(id)).toMatchObject({ status: 'incomplete', exit_code: 8, prompt: 'Fix the parser' });
  expect((await store.open()).map(({ started_at }) => started_at)).toEqual([noon - 1]);
  expect(await closeInterrupted(store, tapes, Date.now())).toEqual([]);
  await store.close();
});

it.each([
  ['that told the ledger of records', 12, 'its tape has none of its 12 records'],
  ['that had told nothing', 0, 'it had told nothing yet'],
])('says what is known of a run %s and has an empty tape', async (_title, told, why) => {
  const home = mkdtempSync(join(folder, 'home-'));
  const store = await openSqlite(join(home, 'empty.db'));
  const tapes = new FileTapes(join(home, 'tapes'));
  mkdirSync(tapes.name);
  writeFileSync(join(tapes.name, 'empty.tape.zst'), '');
  const run = newRun({ owner: { ...thisProcess(), pid: 4_190_000 }, tape: 'empty.tape.zst' });
  await store.begin(run);
  if (told > 0)
    await store.note(run.id, { at: noon, last_sequence: told, agent: 'codex', session_id: 's-9', input_tokens: 70 });
  await closeInterrupted(store, tapes, Date.now());
  const { outcome, last_sequence } = (await store.get(run.id)) ?? refuse('it is not there');
  expect({
    last_sequence,
    agent: outcome?.provenance.agent,
    tokens: outcome?.metrics.input_tokens,
    evidence: outcome?.verdict.evidence,
  }).toEqual({
    last_sequence: told,
    agent: told > 0 ? 'codex' : undefined,
    tokens: told > 0 ? 70 : undefined,
    evidence: [
      { signal: 'verdict', detail: 'the run stopped without an end' },
      { signal: 'ledger', detail: `the process that ran it is gone; ${why}` },
    ],
  });
  await store.close();
});
