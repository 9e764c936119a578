import { present } from '../json/present.ts';
import type { ChildrenUsage, RunOutcome } from './outcome.ts';

/** What these runs and all runs below them used, each counted once. */
export function treeUsage(outcomes: readonly RunOutcome[]): ChildrenUsage {
  const parts = outcomes.flatMap(({ metrics, children }) => [
    { ...metrics, runs: 1 },
    ...(children === undefined ? [] : [children]),
  ]);
  const sum = (field: 'input_tokens' | 'output_tokens' | 'tokens_used' | 'cost'): number | undefined => {
    const values = parts.flatMap((each) => each[field] ?? []);
    return values.length === 0 ? undefined : Number(values.reduce((total, value) => total + value, 0).toPrecision(12));
  };
  return {
    runs: parts.reduce((total, { runs }) => total + runs, 0),
    cost_known: outcomes.reduce(
      (total, { metrics, children }) => total + (metrics.cost === undefined ? 0 : 1) + (children?.cost_known ?? 0),
      0,
    ),
    ...(parts.some(({ cost_is }) => cost_is !== undefined) ? { cost_is: 'at_least' as const } : {}),
    ...present({
      tokens_used: sum('tokens_used'),
      input_tokens: sum('input_tokens'),
      output_tokens: sum('output_tokens'),
      cost: sum('cost'),
    }),
  };
}
