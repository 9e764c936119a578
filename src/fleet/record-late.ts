import { systemCode } from '../failure.ts';
import { type LedgerPlace, openStore } from '../stores/open-store.ts';
import type { Ending, RunStore } from '../stores/run-store.ts';
import type { QueueTables } from './queue.ts';

/** A worker may be killed, or the ledger unreachable, between settling a run and recording it in the ledger: the queue knows how the run ended. */
export async function recordLate(
  queue: QueueTables,
  place: Extract<LedgerPlace, { kind: 'postgres' }>,
  which: { run: string } | { olderThanMs: number },
): Promise<void> {
  const late = await unrecorded(queue, which);
  if (late.length === 0) return;
  const store = await openStore(place);
  try {
    for (const { run, ending } of late) {
      await tell(store, run, ending);
      await queue.database.query(queue.plans.markRecorded, [run]);
    }
  } finally {
    await store.close();
  }
}

/** Ends that a worker settled and may not have recorded in the ledger, as JSON. */
function unrecorded(
  { database, plans }: QueueTables,
  which: { run: string } | { olderThanMs: number },
): Promise<{ run: string; ending: string }[]> {
  return 'run' in which
    ? database.query(plans.unrecordedRun, [which.run])
    : database.query(plans.unrecordedOlder, [which.olderThanMs]);
}

/** An unreadable end is not retried: it would keep all others from the ledger. */
async function tell(store: RunStore, run: string, ending: string): Promise<void> {
  const known = await store.get(run);
  if (known?.status !== 'running' && known?.status !== 'incomplete') return;
  try {
    await store.finish(run, JSON.parse(ending) as Ending);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
  }
}

/** It is not JSON, does not have the shape of an end, or holds a value that no column accepts (PostgreSQL's class 22). */
function isUnreadable(error: unknown): boolean {
  if (error instanceof SyntaxError || error instanceof TypeError) return true;
  return systemCode(error)?.startsWith('22') === true;
}
