import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { startGuard } from './guard.ts';
import { limitOf, marked, type Start } from './mark.ts';
import { ProcessTree } from './process-tree.ts';

export interface Guarded<Child extends ChildProcess> {
  child: Child;
  /** Undefined if the child could not be started; its `error` event says why. */
  tree: ProcessTree | undefined;
  /** Ends the tree as `ProcessTree.end` does, once, and lets its guard exit. */
  end(grace: number, timeToGo?: number): Promise<number>;
}

const living = new Set<ProcessTree>();

/**
 * Starts a process that does not outlive us, and neither does anything that it starts. `spawnMarked` must immediately spawn, detached,
 * what it is given, which is the order with the run's marks added. If we die, the guard removes `folder`, if one is given.
 */
export function startGuarded<Child extends ChildProcess>(
  order: Start,
  spawnMarked: (start: Start) => Child,
  { folder = '' }: { folder?: string } = {},
): Guarded<Child> {
  const run = randomBytes(16).toString('hex');
  const guard = startGuard(run, { folder, limit: limitOf(run) });
  let child: Child;
  try {
    child = spawnMarked(marked(run, order));
  } catch (error) {
    void guard.leave();
    throw error;
  }
  const tree = child.pid === undefined ? undefined : new ProcessTree(child.pid, run);
  if (child.pid !== undefined && tree !== undefined) {
    guard.watch(child.pid, tree.started);
    hold(tree);
  }
  const end = async (grace: number, timeToGo: number | undefined): Promise<number> => {
    const ended = (await tree?.end(grace, timeToGo)) ?? 0;
    if (tree !== undefined) release(tree);
    await guard.leave();
    return ended;
  };
  let ending: Promise<number> | undefined;
  return { child, tree, end: (grace, timeToGo) => (ending ??= end(grace, timeToGo)) };
}

/** On `process.exit()` the trees are killed at once: the guard would do it too, but later. */
function hold(tree: ProcessTree): void {
  if (living.size === 0) process.once('exit', killLiving);
  living.add(tree);
}

function release(tree: ProcessTree): void {
  living.delete(tree);
  if (living.size === 0) process.off('exit', killLiving);
}

function killLiving(): void {
  for (const tree of living) tree.killAtOnce();
}
