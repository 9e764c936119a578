import { expect, it } from 'vitest';
import { LiveRuns } from '../../src/ledger/live.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { RunSummary } from '../../src/stores/run-store.ts';

const run = (id: string, status: RunSummary['status']): RunSummary => ({
  id,
  status,
  title: '',
  started_at: 0,
  last_sequence: 0,
  heartbeat_at: 0,
  labels: {},
});

/** A ledger that answers each look with the next state: the open runs, and the newest ones a moment later. */
function scripted(looks: readonly { open: RunSummary[]; latest: RunSummary[] }[]): {
  ledger: Ledger;
  done: Promise<void>;
} {
  let at = -1;
  const done = Promise.withResolvers<void>();
  const store = {
    open: async () => [],
    presumed: async () => [],
    async list({ status }: { status?: readonly string[] }) {
      if (status !== undefined) at += 1;
      if (at > looks.length) done.resolve();
      const look = looks[Math.min(at, looks.length - 1)];
      return { runs: (status === undefined ? look?.latest : look?.open) ?? [] };
    },
    get: async (id: string) => looks.at(-1)?.latest.find((each) => each.id === id),
  };
  return { ledger: { store, tapes: {} } as unknown as Ledger, done: done.promise };
}

it('has begun to listen when a look did not fail', async () => {
  const { ledger, done } = scripted([
    { open: [run('a', 'running')], latest: [] },
    { open: [run('a', 'running')], latest: [] },
    { open: [], latest: [run('a', 'success')] },
  ]);
  const { list } = ledger.store;
  let isAway = true;
  ledger.store.list = async (...asked) => {
    if (!isAway) return list(...asked);
    isAway = false;
    throw new Error('the ledger is locked');
  };
  const live = new LiveRuns(ledger, () => 0);
  const told: string[] = [];
  const release = await live.listen((runs) => void told.push(...runs.map(({ id, status }) => `${id} ${status}`)));
  expect(told).toEqual(['a running']);
  await done;
  release();
  expect(told).toEqual(['a running', 'a success']);
});

it.each([
  [
    'between two looks',
    [
      { open: [], latest: [] },
      { open: [], latest: [run('b', 'success')] },
    ],
  ],
  [
    'after the open ones were read',
    [
      { open: [], latest: [] },
      { open: [], latest: [run('b', 'running')] },
      { open: [], latest: [run('b', 'success')] },
    ],
  ],
  [
    'with an earlier id than one that is known',
    [
      { open: [], latest: [run('c', 'success')] },
      { open: [], latest: [run('c', 'success'), run('b', 'success')] },
    ],
  ],
  [
    'and is seen while it runs',
    [
      { open: [], latest: [] },
      { open: [run('b', 'running')], latest: [] },
      { open: [], latest: [run('b', 'success')] },
    ],
  ],
])('a run that begins and ends %s is told, and its end once', async (_when, looks) => {
  const { ledger, done } = scripted(looks);
  const live = new LiveRuns(ledger, () => 0);
  const told: string[] = [];
  const release = await live.listen((runs) => void told.push(...runs.map(({ id, status }) => `${id} ${status}`)));
  await done;
  release();
  expect(told.filter((each) => each === 'b success')).toEqual(['b success']);
});
