import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Failure } from '../../src/failure.ts';
import { type Ledger, openLedgerAt } from '../../src/ledger/ledger.ts';
import { lookAt, type RunState, waitFor } from '../../src/ledger/wait.ts';
import { thisProcess } from '../../src/processes/owner.ts';
import { newRun, outcomeWith } from '../stores/support/runs.ts';

let folder: string;
let ledger: Ledger;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'runwire-wait-'));
  ledger = await openLedgerAt({ kind: 'sqlite', path: join(folder, 'ledger.db') }, {});
});
afterEach(async () => {
  await ledger.store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Time passes only while somebody sleeps; `meanwhile` is called for each sleep. */
function clock(meanwhile: (sleeps: number) => Promise<void> | void) {
  let at = Date.now();
  let sleeps = 0;
  return {
    now: () => at,
    async sleep(ms: number): Promise<void> {
      at += ms;
      sleeps += 1;
      await meanwhile(sleeps);
    },
  };
}

async function all(
  states: AsyncGenerator<RunState, readonly RunState[]>,
): Promise<{ told: RunState[]; last: readonly RunState[] }> {
  const told: RunState[] = [];
  for (;;) {
    const next = await states.next();
    if (next.done === true) return { told, last: next.value };
    told.push(next.value);
  }
}

it('tells each change once, and the ends in the order in which they were asked for', async () => {
  const { store } = ledger;
  const runs = [newRun(), newRun()];
  for (const run of runs) await store.begin(run);
  const [first, second] = runs.map(({ id }) => id);
  const time = clock(async (sleeps) => {
    const failed = outcomeWith({ status: 'error', verdict: { class: 'tool', exit_code: 3 } });
    if (sleeps === 2) await store.finish(second ?? '', { outcome: failed, ended_at: 2 });
    if (sleeps === 4) await store.finish(first ?? '', { outcome: outcomeWith(), ended_at: 3 });
  });
  const { told, last } = await all(
    waitFor(
      runs.map(({ id }) => lookAt(ledger, id, time)),
      time,
    ),
  );
  expect(told.map(({ run, state }) => [run, state])).toEqual([
    [first, 'running'],
    [second, 'running'],
    [second, 'tool'],
    [first, 'success'],
  ]);
  expect(last).toEqual([
    { run: first, state: 'success', end: { class: 'success', exit_code: 0 } },
    { run: second, state: 'tool', end: { class: 'tool', exit_code: 3 } },
  ]);
});

it('answers what goes on when the time is over', async () => {
  const run = newRun();
  await ledger.store.begin(run);
  const time = clock(() => {});
  const start = time.now();
  const { last } = await all(waitFor([lookAt(ledger, run.id, time)], { ...time, timeoutMs: 1200 }));
  expect({ last, took: time.now() - start }).toEqual({ last: [{ run: run.id, state: 'running' }], took: 1200 });
});

it('does not wait for a run whose process was killed meanwhile', async () => {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  const run = newRun({ owner: { ...thisProcess(), pid: child.pid ?? 0, process_started: '' } });
  await ledger.store.begin(run);
  const time = clock(async (sleeps) => {
    if (sleeps !== 2) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  const { last } = await all(waitFor([lookAt(ledger, run.id, time)], { ...time, timeoutMs: 60_000 }));
  expect(last).toEqual([{ run: run.id, state: 'incomplete', end: { class: 'incomplete', exit_code: 8 } }]);
});

/** How often a tape was asked for while so many runs were waited for whose process is gone. */
async function tapesAskedFor(count: number): Promise<number> {
  const child = spawn('true', { stdio: 'ignore' });
  await once(child, 'exit');
  const runs = await Promise.all(
    Array.from({ length: count }, async () => {
      const run = newRun({ owner: { ...thisProcess(), pid: child.pid ?? 0, process_started: '' } });
      const { key, tape } = ledger.tapes.create(run.id, run.started_at);
      await tape.write({ onTrouble: expect.unreachable }).end();
      await ledger.store.begin({ ...run, tape: key });
      return run;
    }),
  );
  const at = vi.spyOn(ledger.tapes, 'at');
  const time = clock(() => {});
  const { last } = await all(
    waitFor(
      runs.map(({ id }) => lookAt(ledger, id, time)),
      time,
    ),
  );
  expect(last.map(({ state }) => state)).toEqual(runs.map(() => 'incomplete'));
  const asked = at.mock.calls.length;
  at.mockRestore();
  return asked;
}

it('reads the tapes of runs whose process is gone once for all who wait, not once for each', async () => {
  const few = await tapesAskedFor(5);
  expect([few > 0, await tapesAskedFor(20)]).toEqual([true, 4 * few]);
});

it('says that a run is gone', async () => {
  const run = newRun();
  await ledger.store.begin(run);
  const time = clock(() => ledger.store.remove(run.id));
  await expect(all(waitFor([lookAt(ledger, run.id, time)], time))).rejects.toThrow(Failure);
});
