import type { RunFilter, RunRecord } from '../../../src/stores/run-store.ts';
import { termsOf, wordsOf } from '../../../src/stores/words.ts';

/** What a filter means, without SQL. */
export function matches(run: RunRecord, filter: RunFilter): boolean {
  const among = (value: string | undefined, wanted: readonly string[] | undefined): boolean =>
    wanted === undefined || (value !== undefined && wanted.includes(value));
  const words = run.outcome === undefined ? [] : wordsOf(run.outcome.metadata.initial_prompt, run.outcome.message);
  return (
    among(run.status, filter.status) &&
    among(run.class, filter.class) &&
    among(run.agent, filter.agent) &&
    among(run.model, filter.model) &&
    among(run.parent_run_id, filter.parent) &&
    among(run.root_run_id, filter.root) &&
    (filter.top === undefined || filter.top === (run.root_run_id === undefined)) &&
    Object.entries(filter.labels ?? {}).every(([key, value]) => run.labels[key] === value) &&
    run.started_at >= (filter.started_from ?? -Infinity) &&
    run.started_at < (filter.started_to ?? Infinity) &&
    (filter.cost_min === undefined || (run.cost !== undefined && run.cost >= filter.cost_min)) &&
    (filter.cost_max === undefined || (run.cost !== undefined && run.cost <= filter.cost_max)) &&
    termsOf(filter.text ?? '').every(({ word, prefix }) =>
      words.some((each) => (prefix ? each.startsWith(word) : each === word)),
    )
  );
}
