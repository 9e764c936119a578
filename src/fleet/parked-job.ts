import { newId } from '../ids/new-id.ts';
import type { Parked } from '../run/parked.ts';
import type { Attempt } from '../stores/run-store.ts';
import { sendJobs } from './add-jobs.ts';
import { queueName } from './boss.ts';
import { keepBundle } from './bundles.ts';
import type { Claimed } from './claim-jobs.ts';
import { asJson } from './database.ts';
import type { Queue } from './queue.ts';

/** What stands in the queue of a run that waits for a limit: no worker has anything of it meanwhile. `used`: by all starts together. */
export interface ParkedJob extends Parked {
  /** Where its session is. */
  host: string;
  attempts: readonly Attempt[];
  /** What the next one is told, where it cannot resume the session. */
  prompt: string;
}

interface Parking {
  parked: ParkedJob;
  branch: string | undefined;
  bundle: Uint8Array | undefined;
}

/** Puts a run back into the queue until its limit resets; false: it no longer belonged to this worker. */
export async function parkJob(
  { database, boss, plans }: Queue,
  { run, claim, signature, priority }: Pick<Claimed, 'run' | 'claim' | 'signature' | 'priority'>,
  { parked, branch, bundle }: Parking,
): Promise<boolean> {
  return database.transaction(async (sql) => {
    const { settled } = await boss.complete(queueName, [claim], null, { db: sql });
    if (settled?.includes(claim.id) !== true) return false;
    const job = newId();
    const at = new Date(parked.until).toISOString();
    const result = bundle === undefined ? null : await keepBundle(sql, plans, bundle);
    const message = `waits for a limit until ${at}`;
    await sql.query(plans.parkJob, [run, job, at, asJson(parked), branch ?? null, result, message]);
    await sendJobs(boss, sql, [{ job, signature, priority, at }]);
    return true;
  });
}
