import type { RunSummary } from '../api.ts';

export interface ListedRun {
  run: RunSummary;
  depth: number;
  /** How many listed runs are right below it. */
  below: number;
  isOpen: boolean;
}

/** More of them would push everything else out of sight. */
const shownUnasked = 5;

/** Every run once: those below a listed run follow it, oldest first, unless it is folded. */
export function grouped(runs: readonly RunSummary[], toggled: ReadonlySet<string>): ListedRun[] {
  const ids = new Set(runs.map(({ id }) => id));
  const below = new Map<string, RunSummary[]>();
  const tops: RunSummary[] = [];
  for (const run of runs) {
    const parent = run.parent_run_id;
    if (parent === undefined || parent === run.id || !ids.has(parent)) tops.push(run);
    else below.set(parent, [...(below.get(parent) ?? []), run]);
  }
  for (const children of below.values()) children.sort((a, b) => a.started_at - b.started_at);
  const listed: ListedRun[] = [];
  const seen = new Set<string>();
  // No recursion: a chain may be longer than the stack. What is its own ancestor hangs from nothing, and comes last.
  for (const top of [...tops, ...runs]) {
    const waiting = [{ run: top, depth: 0, isHidden: false }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { run, depth, isHidden } = next;
      if (seen.has(run.id)) continue;
      seen.add(run.id);
      const children = below.get(run.id) ?? [];
      const isOpen = children.length <= shownUnasked !== toggled.has(run.id);
      if (!isHidden) listed.push({ run, depth, below: children.length, isOpen });
      for (const child of children.toReversed())
        waiting.push({ run: child, depth: depth + 1, isHidden: isHidden || !isOpen });
    }
  }
  return listed;
}
