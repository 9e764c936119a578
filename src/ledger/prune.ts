import { Failure, messageOf } from '../failure.ts';
import { isOutOfRoom } from '../stores/database.ts';
import type { RunFilter, RunStatus, RunStore } from '../stores/run-store.ts';
import type { Tape } from '../tapes/tape.ts';
import { plural } from '../terminal/figures.ts';
import { allRuns, type Ledger } from './ledger.ts';
import { tapeOf } from './run-tape.ts';

/** What SQLite writes before it forgets a run; most of it is the same for each. */
const roomNeeded = '200 KB';

export interface PruneRequest {
  filter: RunFilter;
  /** How many of the newest matching runs stay. */
  keep?: number | undefined;
  /** Remove only the tapes; the runs stay in the ledger. */
  tapesOnly?: boolean;
  /** Only report what would be removed. */
  dryRun?: boolean;
}

export interface PrunedRuns {
  runs: number;
  tapes: number;
  tapeBytes: number;
  /** Why the files of the ledger still have the size that they had, if they should be smaller now. */
  uncompacted?: string;
}

/** Removes runs and their tapes; runs that have not ended stay. Undefined: no run is old enough. */
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
  // Tapes first: one that cannot be removed now, such as when its bucket is unreachable, is found again through its run.
  if (!dryRun) for (const tape of found) await tape.remove();
  const pruned = { runs, tapes: found.length, tapeBytes };
  if (dryRun || tapesOnly) return pruned;
  // On a full disk the room that the tapes had is mostly enough.
  await store.prune(ended).catch(async (error: unknown) => {
    if (!isOutOfRoom(error)) throw error;
    let left = 0;
    for await (const _run of allRuns(store, ended)) left += 1;
    const were = (count: number, what: string): string => `${plural(count, what)} ${count === 1 ? 'was' : 'were'}`;
    throw new Failure(
      'config',
      `the disk of the ledger ${store.name} is full: ${were(found.length, 'tape')} removed and ${were(runs - left, 'run')} forgotten, but ${plural(left, 'run')} could not be: the database needs some ${roomNeeded} of free room to forget one. Nothing else is lost; free that much there and prune again`,
      { cause: error },
    );
  });
  return store.compact().then(
    () => pruned,
    (error: unknown) => {
      if (!isOutOfRoom(error)) throw error;
      return { ...pruned, uncompacted: messageOf(error) };
    },
  );
}

const endedStatuses: readonly RunStatus[] = ['success', 'error', 'cancelled', 'incomplete'];

function endedOnly(filter: RunFilter): RunFilter {
  return { ...filter, status: endedStatuses.filter((status) => filter.status?.includes(status) ?? true) };
}

/** Only runs that began before the Nth newest; undefined: there are no more than N. */
async function withoutNewest(
  store: RunStore,
  filter: RunFilter,
  keep: number | undefined,
): Promise<RunFilter | undefined> {
  if (keep === undefined || keep === 0) return filter;
  let left = keep;
  for await (const run of allRuns(store, filter)) {
    left -= 1;
    if (left === 0) return { ...filter, started_to: run.started_at };
  }
  return undefined;
}
