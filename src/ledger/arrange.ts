import { present } from '../json/present.ts';
import type { ChildTotals, RunUsage, TreePlace } from '../stores/run-store.ts';

type Node = TreePlace & { id: string };

/** A run in its place: `depth` levels below the top, under the run at the index `under` of the same list. */
interface Placed<Run> {
  run: Run;
  depth: number;
  under: number;
}

/** The id of the tree that a run is in. */
export function treeOf({ id, root_run_id: root }: Node): string {
  return root ?? id;
}

/**
 * One tree in reading order: each run, then the runs below it, oldest first. Every run is in it once:
 * a run whose parent is missing, or that is its own ancestor, hangs from the top.
 */
export function arrange<Run extends Node>(top: Run, members: readonly Run[]): Placed<Run>[] {
  const byParent = new Map<string, Run[]>();
  const ids = new Set([top.id]);
  for (const run of members) {
    ids.add(run.id);
    const parent = run.parent_run_id ?? '';
    const siblings = byParent.get(parent);
    if (siblings === undefined) byParent.set(parent, [run]);
    else siblings.push(run);
  }
  const placed: Placed<Run>[] = [];
  const seen = new Set<string>();
  function place(first: Run, firstDepth: number, firstUnder: number): void {
    // No recursion: a chain may be longer than the stack.
    const waiting: Placed<Run>[] = [{ run: first, depth: firstDepth, under: firstUnder }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (seen.has(next.run.id)) continue;
      seen.add(next.run.id);
      const under = placed.push(next) - 1;
      const below = byParent.get(next.run.id) ?? [];
      for (let index = below.length - 1; index >= 0; index -= 1) {
        const run = below[index];
        if (run !== undefined) waiting.push({ run, depth: next.depth + 1, under });
      }
    }
  }
  place(top, 0, -1);
  const isRoot = treeOf(top) === top.id;
  const [depth, under] = isRoot ? [1, 0] : [0, -1];
  for (const run of members) if (!ids.has(run.parent_run_id ?? '')) place(run, depth, under);
  for (const run of members) place(run, depth, under);
  return placed;
}

/** The totals of the runs below each run of a list; undefined: there are none. */
export function totalsOf(placed: readonly Placed<RunUsage>[]): (ChildTotals | undefined)[] {
  const totals = placed.map((): ChildTotals | undefined => undefined);
  // The runs below a run come after it.
  for (const [index, { run, under }] of [...placed.entries()].toReversed())
    if (under >= 0) totals[under] = sum(sum(totals[under], usageOf(run)), totals[index]);
  return totals.map((total) =>
    total?.cost === undefined ? total : { ...total, cost: Number(total.cost.toPrecision(12)) },
  );
}

function usageOf({ status, cost, cost_is, input_tokens, output_tokens }: RunUsage): ChildTotals {
  const known = { runs: 1, running: status === 'running' ? 1 : 0, cost_known: cost === undefined ? 0 : 1 };
  return { ...known, ...present({ cost, cost_is, input_tokens, output_tokens }) };
}

function sum(a: ChildTotals | undefined, b: ChildTotals | undefined): ChildTotals | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return {
    runs: a.runs + b.runs,
    running: a.running + b.running,
    cost_known: a.cost_known + b.cost_known,
    ...present({
      cost: added(a.cost, b.cost),
      cost_is: a.cost_is ?? b.cost_is,
      input_tokens: added(a.input_tokens, b.input_tokens),
      output_tokens: added(a.output_tokens, b.output_tokens),
    }),
  };
}

function added(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : a + b;
}

/** Runs by tree, in the order given. */
export function grouped<Run extends Node>(runs: readonly Run[]): Map<string, Run[]> {
  const trees = new Map<string, Run[]>();
  for (const run of runs) {
    const tree = trees.get(treeOf(run));
    if (tree === undefined) trees.set(treeOf(run), [run]);
    else tree.push(run);
  }
  return trees;
}
