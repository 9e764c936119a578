import { present } from '../present.ts';
import { type LedgerPlace, openStore } from '../stores/open-store.ts';
import { openTapes } from '../stores/open-tapes.ts';
import type { Page, RunFilter, RunStore, RunSummary } from '../stores/run-store.ts';
import type { Tapes } from '../stores/tape.ts';
import { type TapesPlace, tapesPlace } from '../stores/tapes-place.ts';
import type { Environment } from '../vocabulary.ts';

/** Where runs are remembered, and their tapes. Who opened it closes its store. */
export interface Ledger {
  store: RunStore;
  tapes: Tapes;
}

/** Throws `Failure` where the tapes of the environment can be nowhere. */
export async function openLedger(
  place: Exclude<LedgerPlace, { kind: 'none' }>,
  env: Environment,
  tapes: TapesPlace = tapesPlace(undefined, env, place),
): Promise<Ledger> {
  const store = await openStore(place);
  return { store, tapes: openTapes(place, env, { place: tapes, chunks: async () => store.chunks }) };
}

const pageLength = 500;

/** All runs that a filter names, the newest first, a page in memory at a time. */
export async function* allRuns(store: RunStore, filter: RunFilter): AsyncGenerator<RunSummary> {
  for (let page: Page<RunSummary> | undefined; page === undefined || page.next !== undefined;) {
    page = await store.list(filter, { limit: pageLength, ...present({ after: page?.next }) });
    yield* page.runs;
  }
}
