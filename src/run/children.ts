import type { ChildrenUsage, RunOutcome } from '../outcome/outcome.ts';
import { treeUsage } from '../outcome/tree-usage.ts';
import type { Run } from './handle.ts';
import type { Cause } from './stop.ts';

/** The runs right below one run. */
export class Children {
  readonly #runs: Run[] = [];
  #open = 0;

  add(run: Run): void {
    this.#runs.push(run);
    this.#open += 1;
    const ended = (): void => void (this.#open -= 1);
    run.outcome.then(ended, ended);
  }

  /** Children end with the run above them, and for the same reason. */
  cancel(cause: Cause | undefined): void {
    for (const run of this.#runs) run.cancel(cause);
  }

  each(act: (run: Run) => void): void {
    for (const run of this.#runs) act(run);
  }

  /** Settles when the last has ended; undefined: none is going on. */
  ended(): Promise<void> | undefined {
    return this.#open === 0 ? undefined : this.usage().then(() => {});
  }

  /** What they and all runs below them used, each counted once; settles when the last has ended. A run that never began used nothing. */
  async usage(): Promise<ChildrenUsage | undefined> {
    const outcomes: RunOutcome[] = [];
    // A child may start another one while we wait.
    for (let index = 0; index < this.#runs.length; index += 1) {
      const outcome = await this.#runs[index]?.outcome.catch(() => undefined);
      if (outcome !== undefined) outcomes.push(outcome);
    }
    return outcomes.length === 0 ? undefined : treeUsage(outcomes);
  }
}
