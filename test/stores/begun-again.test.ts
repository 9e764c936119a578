import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { thisProcess } from '../../src/processes/owner.ts';
import type { Attempt } from '../../src/stores/run-store.ts';
import { openSqlite } from '../../src/stores/sqlite.ts';
import { newRun, noon, outcomeWith } from './support/runs.ts';

it('lets another process begin a run again, and only that one end it', async () => {
  const store = await openSqlite(join(mkdtempSync(join(tmpdir(), 'runwire-again-')), 'ledger.db'));
  const [first, second] = [
    { ...thisProcess(), host: 'first' },
    { ...thisProcess(), host: 'second' },
  ];
  const run = newRun({ owner: first, tape: '2026/11/a.tape', labels: { team: 'a' } });
  const lost: Attempt[] = [{ number: 1, status: 'incomplete', class: 'incomplete', reason: 'its worker was lost' }];
  const ending = { outcome: outcomeWith(), ended_at: noon + 5000 };
  await store.begin(run);
  await store.finish(run.id, {
    ...ending,
    tape_sha256: 'ab',
    outcome: outcomeWith({ verdict: { class: 'incomplete', exit_code: 8 } }),
  });
  await store.begin({ ...run, owner: second, tape: '2026/11/a.2.tape', started_at: noon + 60_000, lost });
  const running = {
    id: run.id,
    status: 'running',
    host: 'second',
    tape: '2026/11/a.2.tape',
    attempts: lost,
    labels: { team: 'a' },
    started_at: noon,
  };
  expect(await store.get(run.id)).toMatchObject(running);
  for (const of of [
    'outcome',
    'tape_sha256',
    'session_id',
    'input_tokens',
    'output_tokens',
    'cost',
    'tool_calls',
    'turns',
  ])
    expect(await store.get(run.id)).not.toHaveProperty(of);
  expect(await store.count({})).toBe(1);
  // The first one was only frozen: it tells what it took, and how it ended.
  await store.note(run.id, { at: noon + 61_000, last_sequence: 99, input_tokens: 1000 }, first);
  expect(await store.get(run.id)).not.toHaveProperty('input_tokens');
  await store.finish(run.id, ending, first);
  expect(await store.get(run.id)).toMatchObject(running);
  await store.finish(run.id, { ...ending, attempts: lost }, second);
  expect(await store.get(run.id)).toMatchObject({ status: 'success', host: 'second', attempts: lost });
  await store.close();
});

it('keeps the attempts before, whoever ends the run, and though it never heard of the first', async () => {
  const store = await openSqlite(join(mkdtempSync(join(tmpdir(), 'runwire-again-')), 'ledger.db'));
  const lost: Attempt[] = [{ number: 1, status: 'incomplete', class: 'incomplete', reason: 'its worker was lost' }];
  const run = newRun({ lost });
  await store.begin(run);
  expect(await store.get(run.id)).toMatchObject({ status: 'running', attempts: lost });
  const [open] = await store.open();
  if (open === undefined) throw new Error('it is not open');
  // As from its tape, which has one attempt alone.
  await store.closeInterrupted(open, { outcome: outcomeWith(), ended_at: noon + 5000, last_sequence: 9 });
  expect(await store.get(run.id)).toMatchObject({ status: 'success', attempts: lost });
  await store.finish(run.id, { outcome: outcomeWith(), ended_at: noon + 5000, attempts: [] });
  expect(await store.get(run.id)).toMatchObject({ attempts: [] });
  await store.close();
});

it('counts what a lost attempt took in the budget of its run, once', async () => {
  const store = await openSqlite(join(mkdtempSync(join(tmpdir(), 'runwire-again-')), 'ledger.db'));
  await store.budgets.set({ name: 'team-a', usd: 10, per: 'total' });
  const run = newRun();
  const spent = async (): Promise<unknown> =>
    (await store.budgets.list()).map(({ spent: { usd }, runs, running }) => ({ usd, runs, running }));
  await store.budgets.reserve('team-a', run.id);
  await store.begin(run);
  await store.note(run.id, { at: noon, cost: 2, input_tokens: 7 });
  const lost: Attempt[] = [
    { number: 1, status: 'incomplete', class: 'incomplete', reason: 'its worker was lost', cost: 2, tokens_used: 7 },
  ];
  await store.budgets.reserve('team-a', run.id);
  for (const _ of ['once', 'and again, when the answer was lost']) await store.begin({ ...run, lost });
  expect(await spent()).toEqual([{ usd: 2, runs: 1, running: 1 }]);
  await store.finish(run.id, { outcome: outcomeWith({ metrics: { cost: 1 } }), ended_at: noon + 9, attempts: lost });
  expect(await spent()).toEqual([{ usd: 3, runs: 1, running: 0 }]);
  await store.close();
});
