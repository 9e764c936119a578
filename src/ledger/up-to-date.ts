import { isDatabaseError } from '../stores/database.ts';
import type { Outbox } from '../stores/outbox.ts';
import type { RunStore } from '../stores/run-store.ts';
import type { UndeliveredTape } from '../tapes/tape.ts';
import { closeInterrupted } from './close-interrupted.ts';
import type { Ledger } from './ledger.ts';

/** How long a reader, which does its own work meanwhile, waits for tapes that are on their way. */
const deliveryMs = 2000;

/**
 * Every new process delivers runs that could not be recorded earlier, and closes the runs whose process is gone. A reader must be
 * served even if it cannot write, in a read-only folder or beside a writer that holds its lock: returns why it could not.
 */
export async function bringUpToDate(ledger: Ledger, outbox: Outbox, now: number): Promise<string | undefined> {
  const { store, tapes } = ledger;
  const why = await whyNot(async () => {
    if (!outbox.isEmpty) await (await import('./deliver.ts')).deliver(store, outbox, tapes, now);
  });
  return why ?? endIfGone(ledger, now);
}

/** The current search for such runs, by ledger. */
const searches = new WeakMap<RunStore, Promise<string | undefined>>();

/** Closes the runs whose process is gone; returns why it could not. Concurrent callers share one search, since each search reads the tapes of all such runs. */
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

/** Delivers the tapes that could not be delivered earlier; returns those that are left. It never throws. */
export async function deliverTapes({ tapes }: Ledger, now: number): Promise<UndeliveredTape[]> {
  return tapes.deliver(now, deliveryMs).catch(() => []);
}
