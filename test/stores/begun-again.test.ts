import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { thisProcess } from '../../src/stores/owner.ts';
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
  await store.finish(run.id, { ...ending, outcome: outcomeWith({ verdict: { class: 'incomplete', exit_code: 8 } }) });
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
  expect(await store.get(run.id)).not.toHaveProperty('outcome');
  expect(await store.count({})).toBe(1);
  // The first one was only frozen, and says how it ended.
  await store.finish(run.id, ending, first);
  expect(await store.get(run.id)).toMatchObject(running);
  await store.finish(run.id, { ...ending, attempts: lost }, second);
  expect(await store.get(run.id)).toMatchObject({ status: 'success', host: 'second', attempts: lost });
  await store.close();
});
