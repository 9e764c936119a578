import { Failure } from '../failure.ts';
import { present } from '../json/present.ts';
import { isWholeId, shortRunId } from '../ids/run-id.ts';
import type { RunFilter, RunRecord, RunStore } from '../stores/run-store.ts';
import { oneLine } from '../terminal/plain.ts';

export type FoundRun =
  | { kind: 'run'; run: RunRecord }
  | { kind: 'none' }
  | { kind: 'ambiguous'; ids: readonly string[] };

/** The run that a user means: by a full id, the beginning of a short one, the id of its thread, or `last`. */
export async function findRun(store: RunStore, word: string): Promise<FoundRun> {
  if (word === 'last') return found(await newestRun(store));
  const ids = await store.find(word);
  const [id, ...others] = ids;
  if (others.length > 0) return { kind: 'ambiguous', ids };
  return found(id === undefined ? await ofThread(store, word) : await store.get(id));
}

/** Of several runs of one session, the last. */
async function ofThread(store: RunStore, word: string): Promise<RunRecord | undefined> {
  const last = word.trim() === '' ? undefined : (await store.ofSession(word.trim())).at(-1);
  return last === undefined ? undefined : store.get(last.id);
}

/** The same, or a `Failure` that says what is wrong with the word. */
export async function namedRun(store: RunStore, word: string): Promise<RunRecord> {
  const found = await findRun(store, word);
  if (found.kind === 'run') return found.run;
  const shown = oneLine(word, 60);
  if (found.kind === 'ambiguous')
    throw new Failure(
      'input',
      `ambiguous id "${shown}": it may be ${found.ids.map(shortRunId).join(', ')}; give more of it`,
    );
  throw new Failure('input', word === 'last' ? 'no runs yet' : `no run "${shown}"; "runwire runs list" shows them`);
}

/** The filter with full ids for the runs that it names. The runs below a pruned run can still be asked for. */
export async function withWholeIds(
  store: RunStore,
  filter: RunFilter,
  named: (word: string) => Promise<{ id: string }> = (word) => namedRun(store, word),
): Promise<RunFilter> {
  const whole = async (words: readonly string[] | undefined): Promise<string[] | undefined> =>
    words === undefined
      ? undefined
      : Promise.all(words.map(async (word) => (isWholeId(word) ? word : (await named(word)).id)));
  return { ...filter, ...present({ parent: await whole(filter.parent), root: await whole(filter.root) }) };
}

/** The run that was started last, not one that it started in turn. */
export async function newestRun(store: RunStore): Promise<RunRecord | undefined> {
  const [newest] = (await store.list({}, { limit: 1 })).runs;
  if (newest === undefined) return undefined;
  const root = newest.root_run_id === undefined ? undefined : await store.get(newest.root_run_id);
  return root ?? store.get(newest.id);
}

/** It may have been pruned a moment ago. */
const found = (run: RunRecord | undefined): FoundRun => (run === undefined ? { kind: 'none' } : { kind: 'run', run });
