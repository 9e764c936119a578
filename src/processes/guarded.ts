import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { startGuard } from './guard.ts';
import { ProcessTree } from './process-tree.ts';

/** The runs that a process is part of, outermost first: what a Runwire starts inside a run of another belongs to both. */
const markName = 'RUNWIRE_RUNS';
const outerRuns = /^[\w:-]{1,4000}$/;

export interface Guarded<Child extends ChildProcess> {
  child: Child;
  /** Undefined if the child could not be started; its `error` event says why. */
  tree: ProcessTree | undefined;
  /** To be called when nobody of the tree is left. */
  release(): Promise<void>;
}

const living = new Set<ProcessTree>();

/**
 * Starts a process that does not outlive us, and neither does anything that it starts. `start` must spawn it at once, detached,
 * with the given variables in its environment. A folder that is named here may be left behind on our death: it is removed.
 */
export function startGuarded<Child extends ChildProcess>(
  start: (mark: Record<string, string>) => Child,
  { folder = '' }: { folder?: string } = {},
): Guarded<Child> {
  const run = randomBytes(16).toString('hex');
  const outer = process.env[markName] ?? '';
  const guard = startGuard(run, folder);
  let child: Child;
  try {
    child = start({ [markName]: outerRuns.test(outer) ? `${outer}:${run}` : run });
  } catch (error) {
    void guard.leave();
    throw error;
  }
  if (child.pid === undefined) return { child, tree: undefined, release: () => guard.leave() };
  const tree = new ProcessTree(child.pid, run);
  guard.watch(child.pid, tree.started);
  if (living.size === 0) process.once('exit', killLiving);
  living.add(tree);
  return {
    child,
    tree,
    async release() {
      living.delete(tree);
      if (living.size === 0) process.off('exit', killLiving);
      await guard.leave();
    },
  };
}

function killLiving(): void {
  for (const tree of living) tree.killAtOnce();
}
