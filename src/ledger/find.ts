import type { RunRecord, RunStore } from '../stores/run-store.ts';

export type FoundRun = { kind: 'run'; run: RunRecord } | { kind: 'none' } | { kind: 'ambiguous'; ids: readonly string[] };

/** The run that a person means: a whole id, the beginning of a short one, or `last`. */
export async function findRun(store: RunStore, word: string): Promise<FoundRun> {
  if (word === 'last') return found(await newestRun(store));
  const ids = await store.find(word);
  const [id, ...others] = ids;
  if (others.length > 0) return { kind: 'ambiguous', ids };
  return found(id === undefined ? undefined : await store.get(id));
}

/** What was started last, not what that has started in turn. */
export async function newestRun(store: RunStore): Promise<RunRecord | undefined> {
  const [newest] = (await store.list({}, { limit: 1 })).runs;
  if (newest === undefined) return undefined;
  const root = newest.root_run_id === undefined ? undefined : await store.get(newest.root_run_id);
  return root ?? store.get(newest.id);
}

/** It may have been pruned a moment ago. */
const found = (run: RunRecord | undefined): FoundRun => (run === undefined ? { kind: 'none' } : { kind: 'run', run });
