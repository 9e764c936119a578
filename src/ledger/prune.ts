import type { RunFilter, RunStatus, RunStore } from '../stores/run-store.ts';
import type { Tape } from '../stores/tape.ts';
import { allRuns, type Ledger } from './ledger.ts';
import { tapeOf } from './run-tape.ts';

export interface PruneRequest {
  filter: RunFilter;
  /** So many of the newest that the filter names stay. */
  keep?: number | undefined;
  /** The runs stay in the ledger. */
  tapesOnly?: boolean;
  /** Only tell what would go. */
  dryRun?: boolean;
}

export interface PrunedRuns {
  runs: number;
  tapes: number;
  tapeBytes: number;
}

/** Forgets runs and their tapes; those that have not ended stay. Undefined: no run is old enough. */
export async function pruneRuns(
  { store, tapes }: Ledger,
  { filter, keep, tapesOnly = false, dryRun = false }: PruneRequest,
): Promise<PrunedRuns | undefined> {
  const ended = await withoutNewest(store, endedOnly(filter), keep);
  if (ended === undefined) return undefined;
  let runs = 0;
  let tapeBytes = 0;
  const found: Tape[] = [];
  for await (const run of allRuns(store, ended)) {
    runs += 1;
    const its = await tapeOf(tapes, run);
    if ('missing' in its) continue;
    tapeBytes += its.bytes;
    found.push(its.tape);
  }
  // First the tapes: one that cannot be removed now, as where its bucket is away, is found again by its run.
  if (!dryRun) for (const tape of found) await tape.remove();
  if (!dryRun && !tapesOnly) {
    await store.prune(ended);
    await store.compact();
  }
  return { runs, tapes: found.length, tapeBytes };
}

const endedStatuses: readonly RunStatus[] = ['success', 'error', 'cancelled', 'incomplete'];

function endedOnly(filter: RunFilter): RunFilter {
  return { ...filter, status: endedStatuses.filter((status) => filter.status?.includes(status) ?? true) };
}

/** Only what began before the Nth newest; undefined: there are no more than N. */
async function withoutNewest(store: RunStore, filter: RunFilter, keep: number | undefined): Promise<RunFilter | undefined> {
  if (keep === undefined || keep === 0) return filter;
  let left = keep;
  for await (const run of allRuns(store, filter)) {
    left -= 1;
    if (left === 0) return { ...filter, started_to: run.started_at };
  }
  return undefined;
}
