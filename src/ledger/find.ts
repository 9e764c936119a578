import type { RunRecord, RunStore } from '../stores/run-store.ts';

export type FoundRun = { kind: 'run'; run: RunRecord } | { kind: 'none' } | { kind: 'ambiguous'; ids: readonly string[] };

/** The run that a person means: a whole id, the beginning of a short one, or `last`. */
export async function findRun(store: RunStore, word: string): Promise<FoundRun> {
  const ids = word === 'last' ? (await store.list({}, { limit: 1 })).runs.map(({ id }) => id) : await store.find(word);
  const [id, ...others] = ids;
  if (others.length > 0) return { kind: 'ambiguous', ids };
  // It may have been pruned a moment ago.
  const run = id === undefined ? undefined : await store.get(id);
  return run === undefined ? { kind: 'none' } : { kind: 'run', run };
}
