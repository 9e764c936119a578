import { isDatabaseError } from '../stores/database.ts';
import type { Outbox } from '../stores/outbox.ts';
import type { RunStore } from '../stores/run-store.ts';
import type { UndeliveredTape } from '../stores/tape.ts';
import { closeInterrupted } from './close-interrupted.ts';
import type { Ledger } from './ledger.ts';

/** A reader does its own work meanwhile, and waits so long for tapes that are on their way. */
const deliveryMs = 2000;

/**
 * Whoever comes next delivers what the ledger could not be told, and ends the runs whose process is gone. A reader must be
 * served also where it cannot write, in a read-only folder or beside a writer that does not let go: answers why it could not.
 */
export async function bringUpToDate(ledger: Ledger, outbox: Outbox, now: number): Promise<string | undefined> {
  const { store, tapes } = ledger;
  const why = await whyNot(async () => {
    if (!outbox.isEmpty) await (await import('./deliver.ts')).deliver(store, outbox, tapes, now);
  });
  return why ?? endIfGone(ledger, now);
}

/** The search for such runs that is under way, of each ledger. */
const searches = new WeakMap<RunStore, Promise<string | undefined>>();

/** Ends the runs whose process is gone; answers why it could not. Those who ask at the same time share one search: each reads the tapes of all. */
export function endIfGone({ store, tapes }: Ledger, now: number): Promise<string | undefined> {
  const underWay = searches.get(store);
  if (underWay !== undefined) return underWay;
  const search = whyNot(() => closeInterrupted(store, tapes, now)).finally(() => searches.delete(store));
  searches.set(store, search);
  return search;
}

async function whyNot(write: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await write();
    return undefined;
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
    return error.message;
  }
}

/** Whoever comes next takes along the tapes that could not be delivered; answers those that are left. It never throws. */
export async function deliverTapes({ tapes }: Ledger, now: number): Promise<UndeliveredTape[]> {
  return tapes.deliver(now, deliveryMs).catch(() => []);
}
