import type { ChildrenUsage, RunOutcome } from '../outcome/outcome.ts';
import { present } from '../present.ts';
import type { Run } from './run.ts';
import type { Cause } from './stop.ts';

/** The runs right below one run. */
export class Children {
  readonly #runs: Run[] = [];

  add(run: Run): void {
    this.#runs.push(run);
  }

  /** Everything ends with the run above it, and for the same reason. */
  cancel(cause: Cause | undefined): void {
    for (const run of this.#runs) run.cancel(cause);
  }

  /** What they took, with all below them, each once; settles when the last has ended. A run that never began took nothing. */
  async usage(): Promise<ChildrenUsage | undefined> {
    const outcomes: RunOutcome[] = [];
    // A child may start another one while we wait.
    for (let index = 0; index < this.#runs.length; index += 1) {
      const outcome = await this.#runs[index]?.outcome.catch(() => undefined);
      if (outcome !== undefined) outcomes.push(outcome);
    }
    return outcomes.length === 0 ? undefined : usageOf(outcomes);
  }
}

function usageOf(outcomes: readonly RunOutcome[]): ChildrenUsage {
  const told = outcomes.flatMap(({ metrics, children }) => [{ ...metrics, runs: 1 }, ...(children === undefined ? [] : [children])]);
  const sum = (field: 'input_tokens' | 'output_tokens' | 'tokens_used' | 'cost'): number | undefined => {
    const values = told.flatMap((each) => each[field] ?? []);
    return values.length === 0 ? undefined : Number(values.reduce((total, value) => total + value, 0).toPrecision(12));
  };
  return {
    runs: told.reduce((total, { runs }) => total + runs, 0),
    cost_known: outcomes.reduce(
      (total, { metrics, children }) => total + (metrics.cost === undefined ? 0 : 1) + (children?.cost_known ?? 0),
      0,
    ),
    ...present({
      tokens_used: sum('tokens_used'),
      input_tokens: sum('input_tokens'),
      output_tokens: sum('output_tokens'),
      cost: sum('cost'),
    }),
  };
}
