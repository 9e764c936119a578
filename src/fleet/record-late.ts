import { type LedgerPlace, openStore } from '../stores/open-store.ts';
import type { Queue } from './queue.ts';

/** A worker may be killed, or the ledger away, between settling a run and telling the ledger: the queue knows how the run ended. */
export async function recordLate(
  queue: Queue,
  place: Extract<LedgerPlace, { kind: 'postgres' }>,
  which: { run: string } | { olderThanMs: number },
): Promise<void> {
  const late = await queue.unrecorded(which);
  if (late.length === 0) return;
  const store = await openStore(place);
  try {
    for (const { run, ending } of late) {
      const known = await store.get(run);
      if (known?.status === 'running' || known?.status === 'incomplete') await store.finish(run, ending);
      await queue.markRecorded(run);
    }
  } finally {
    await store.close();
  }
}
