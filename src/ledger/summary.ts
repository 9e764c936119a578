import type { RunRecord, RunSummary } from '../stores/run-store.ts';

/** A run as it appears in a list. */
export function summaryOf({
  prompt: _prompt,
  outcome: _outcome,
  attempts: _attempts,
  owner: _owner,
  key: _key,
  ...summary
}: RunRecord): RunSummary {
  return summary;
}
