import { present } from '../present.ts';
import type { Page, PageRequest, RunFilter, RunStore, RunSummary } from '../stores/run-store.ts';
import { arrange, grouped, totalsOf, treeOf } from './arrange.ts';

export interface TreeRow extends RunSummary {
  /** 0 at the top. */
  depth: number;
}

/** A page of trees: what the filter says is said of their tops, and all that is below them comes with them. */
export async function treePage(store: RunStore, filter: RunFilter, request: PageRequest): Promise<Page<TreeRow>> {
  const { runs: tops, next } = await store.list({ ...filter, top: true }, request);
  const trees = grouped(await store.below(tops.map(treeOf)));
  const runs = tops.flatMap((top) => {
    const placed = arrange(top, trees.get(treeOf(top)) ?? []);
    const totals = totalsOf(placed);
    return placed.map(({ run, depth }, index) => ({ ...run, ...present({ children: totals[index] }), depth }));
  });
  return { runs, ...present({ next }) };
}
