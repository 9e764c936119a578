import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findRun } from '../../src/ledger/find.ts';
import { ChildSums } from '../../src/ledger/child-sums.ts';
import { treePage, type TreeRow } from '../../src/ledger/tree.ts';
import type { ChildTotals, ImportedRun, RunStore, RunSummary, TreePlace } from '../../src/stores/run-store.ts';
import { openSqlite } from '../../src/stores/sqlite.ts';
import { fuzzRuns, fuzzSeed } from '../support/fuzz.ts';
import { isSweep } from '../support/sweep.ts';
import { newRun, noon, outcomeWith } from '../stores/support/runs.ts';

async function withStore(work: (store: RunStore) => Promise<void>): Promise<void> {
  const store = await openSqlite(':memory:');
  try {
    await work(store);
  } finally {
    await store.close();
  }
}

/** Ids that sort as their numbers do. */
const idOf = (number: number): string => `run-${String(number).padStart(6, '0')}`;

function run(number: number, place: TreePlace, metrics: Partial<ImportedRun['outcome']['metrics']> = {}): ImportedRun {
  const outcome = outcomeWith({ metrics, metadata: { initial_prompt: `Task ${number}` } });
  return {
    id: idOf(number),
    key: idOf(number),
    started_at: noon + number,
    ended_at: noon + number,
    labels: {},
    outcome,
    ...place,
  };
}

async function allRows(store: RunStore, limit: number): Promise<TreeRow[]> {
  const rows: TreeRow[] = [];
  for (let after: string | undefined; ;) {
    const page = await treePage(store, {}, { limit, ...(after === undefined ? {} : { after }) });
    rows.push(...page.runs);
    if (page.next === undefined) return rows;
    after = page.next;
  }
}

async function listed(store: RunStore, limit: number): Promise<RunSummary[]> {
  const childSums = new ChildSums(store);
  const rows: RunSummary[] = [];
  for (let after: string | undefined; ;) {
    const page = await childSums.page({}, { limit, ...(after === undefined ? {} : { after }) });
    rows.push(...page.runs);
    if (page.next === undefined) return rows;
    after = page.next;
  }
}

const totalsById = (runs: readonly RunSummary[]) => Object.fromEntries(runs.map(({ id, children }) => [id, children]));
const drawn = (rows: readonly TreeRow[]): string[] =>
  rows.map(({ id, depth }) => '  '.repeat(depth) + Number(id.slice(4)));

describe('a tree of runs', () => {
  it('is read from its top, each run with what is below it', () =>
    withStore(async (store) => {
      const below = (parent: number): TreePlace => ({ parent_run_id: idOf(parent), root_run_id: idOf(1) });
      for (const [number, parent, cost] of [
        [2, 1, 0.1],
        [3, 1, 0.2],
        [4, 2, 0.3],
        [5, 2],
        [6, 3],
      ] as const)
        await store.put(run(number, below(parent), cost === undefined ? { cost_source: 'unknown' } : { cost }));
      await store.put(run(1, {}));
      await store.put(run(7, {}));
      await store.begin(newRun({ id: idOf(8), started_at: noon + 8, ...below(6) }));
      const rows = await allRows(store, 10);
      expect(drawn(rows)).toEqual(['7', '1', '  2', '    4', '    5', '  3', '    6', '      8']);
      const totals = Object.fromEntries(rows.map(({ id, children }) => [Number(id.slice(4)), children]));
      // The outcome that these tests use costs 0.25 and takes 100 + 20 tokens unless it says otherwise.
      expect(totals).toEqual({
        1: { runs: 6, running: 1, cost: 1.1, cost_known: 5, input_tokens: 500, output_tokens: 100 },
        2: { runs: 2, running: 0, cost: 0.55, cost_known: 2, input_tokens: 200, output_tokens: 40 },
        3: { runs: 2, running: 1, cost: 0.25, cost_known: 1, input_tokens: 100, output_tokens: 20 },
        4: undefined,
        5: undefined,
        6: { runs: 1, running: 1, cost_known: 0 },
        7: undefined,
        8: undefined,
      });
      expect(rows.find(({ id }) => id === idOf(1))).toMatchObject({ cost: 0.25, title: 'Task 1' });
      const flat = Object.fromEntries(
        (await listed(store, 3)).map(({ id, children }) => [Number(id.slice(4)), children]),
      );
      expect(flat).toEqual(totals);
      const found = await store.get(idOf(3));
      if (found === undefined) throw new Error('not there');
      expect((await new ChildSums(store).complete(found)).children).toEqual(totals[3]);
      expect((await store.stats('all', {}))[0]).toMatchObject({ runs: 8 });
    }));

  it('may lack its top, or a run in the middle', () =>
    withStore(async (store) => {
      const below = (parent: number, root = 1): TreePlace => ({ parent_run_id: idOf(parent), root_run_id: idOf(root) });
      for (const [number, parent, root] of [
        [3, 2],
        [4, 3],
        [5, 2],
        [12, 11, 10],
        [13, 12, 10],
      ] as const)
        await store.put(run(number, below(parent, root)));
      await store.put(run(10, {}));
      expect(drawn(await allRows(store, 1))).toEqual(['10', '  12', '    13', '3', '  4', '5']);
    }));

  it('may go round in a circle', () =>
    withStore(async (store) => {
      const place = (parent: number, root: number): TreePlace => ({
        parent_run_id: idOf(parent),
        root_run_id: idOf(root),
      });
      await store.put(run(1, place(1, 1)));
      await store.put(run(2, place(3, 2)));
      await store.put(run(3, place(2, 2)));
      await store.put(run(4, place(5, 9)));
      await store.put(run(5, place(4, 9)));
      await store.put(run(6, place(5, 9)));
      // A root that is itself below another.
      await store.put(run(7, place(1, 1)));
      await store.put(run(8, place(7, 7)));
      expect(drawn(await allRows(store, 2))).toEqual(['8', '4', '  5', '    6', '2', '  3', '1', '  7']);
      expect((await listed(store, 3)).map(({ id }) => id)).toHaveLength(8);
    }));

  // So many that nothing may call itself for each.
  const length = isSweep ? 15_000 : 2000;
  it(`may be a chain of ${length}`, () =>
    withStore(async (store) => {
      for (let number = 1; number <= length; number += 1)
        await store.put(run(number, number === 1 ? {} : { parent_run_id: idOf(number - 1), root_run_id: idOf(1) }));
      const rows = await allRows(store, 50);
      expect(rows.map(({ depth }) => depth)).toEqual(Array.from({ length }, (_, index) => index));
      expect(rows.map(({ children }) => children?.runs ?? 0)).toEqual(
        Array.from({ length }, (_, index) => length - index - 1),
      );
      const flat = await listed(store, 500);
      expect(flat.map(({ children }) => children?.runs ?? 0)).toEqual(Array.from({ length }, (_, index) => index));
      expect(rows[0]?.children).toMatchObject({ runs: length - 1, cost: 0.25 * (length - 1) });
    }));
});

it('has every run once, whatever they say of each other, and adds up what is whole', async () => {
  const number = fc.integer({ min: 1, max: 12 });
  const place = fc.oneof(
    { weight: 2, arbitrary: fc.constant({}) },
    { weight: 5, arbitrary: fc.record({ parent: number, root: fc.option(number, { nil: undefined }) }) },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(place, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 4 }),
      async (places, limit) => {
        await withStore(async (store) => {
          for (const [index, { parent, root }] of (places as { parent?: number; root?: number }[]).entries()) {
            const said = {
              ...(parent === undefined ? {} : { parent_run_id: idOf(parent) }),
              ...(root === undefined ? {} : { root_run_id: idOf(root) }),
            };
            await store.put(run(index + 1, said));
          }
          const rows = await allRows(store, limit);
          expect(rows.map(({ id }) => id).toSorted()).toEqual(places.map((_, index) => idOf(index + 1)).toSorted());
          expect((await listed(store, limit)).map(({ id }) => id)).toHaveLength(places.length);
          for (const [index, row] of rows.entries())
            expect(row.depth).toBeLessThanOrEqual((rows[index - 1]?.depth ?? -1) + 1);
        });
      },
    ),
    { numRuns: fuzzRuns(60), seed: fuzzSeed },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(), { minLength: 1, maxLength: 25 }), async (links) => {
      // Each run hangs from an earlier one, or is a top.
      const parents = links.map((link, index) => (index === 0 || link % 4 === 0 ? undefined : link % index));
      const rootOf = (index: number): number => {
        const parent = parents[index];
        return parent === undefined ? index : rootOf(parent);
      };
      const isBelow = (index: number, top: number): boolean => {
        const parent = parents[index];
        return parent !== undefined && (parent === top || isBelow(parent, top));
      };
      await withStore(async (store) => {
        for (const [index, parent] of parents.entries())
          await store.put(
            run(index, parent === undefined ? {} : { parent_run_id: idOf(parent), root_run_id: idOf(rootOf(index)) }, {
              cost: index,
            }),
          );
        const wanted = Object.fromEntries(
          parents.map((_, top): [string, ChildTotals | undefined] => {
            const below = parents.flatMap((__, index) => (isBelow(index, top) ? [index] : []));
            const [runs, cost] = [below.length, below.reduce((sum, each) => sum + each, 0)];
            const totals = {
              runs,
              running: 0,
              cost,
              cost_known: runs,
              input_tokens: 100 * runs,
              output_tokens: 20 * runs,
            };
            return [idOf(top), runs === 0 ? undefined : totals];
          }),
        );
        const [rows, flat] = [await allRows(store, 3), await listed(store, 4)];
        expect(totalsById(rows)).toEqual(wanted);
        expect(totalsById(flat)).toEqual(wanted);
      });
    }),
    { numRuns: fuzzRuns(60), seed: fuzzSeed },
  );
});

it('the last run is the one that was started, not what it has started in turn', () =>
  withStore(async (store) => {
    const root = { root_run_id: idOf(2) };
    for (const each of [
      run(1, {}),
      run(2, {}),
      run(3, { parent_run_id: idOf(2), ...root }),
      run(4, { parent_run_id: idOf(3), ...root }),
    ])
      await store.put(each);
    expect(await findRun(store, 'last')).toMatchObject({ kind: 'run', run: { id: idOf(2) } });
    await store.remove(idOf(2));
    expect(await findRun(store, 'last')).toMatchObject({ kind: 'run', run: { id: idOf(4) } });
  }));
