import { present } from '../json/present.ts';
import type { Page, PageRequest, RunFilter, RunStore, RunSummary } from '../stores/run-store.ts';
import { arrange, grouped, totalsOf, treeOf } from './arrange.ts';

export interface TreeRow extends RunSummary {
  /** 0 at the top. */
  depth: number;
}

/** A page of trees: the filter applies to their tops, and all runs below come with them. */
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

/** All runs below a run, in tree order; the depth is counted from the run itself. */
export async function runsBelow(store: RunStore, run: RunSummary): Promise<TreeRow[]> {
  const members = await store.below([treeOf(run)]);
  const inside = new Set([run.id]);
  // Ids sort by time, and a run begins before what it starts.
  const below = members.filter((each) => {
    if (each.id === run.id || each.parent_run_id === undefined || !inside.has(each.parent_run_id)) return false;
    inside.add(each.id);
    return true;
  });
  const placed = arrange(run, below);
  const totals = totalsOf(placed);
  return placed
    .slice(1)
    .map(({ run: each, depth }, index) => ({ ...each, ...present({ children: totals[index + 1] }), depth }));
}
