import { queueName } from './boss.ts';
import type { Queue } from './queue.ts';

/** Removes jobs that ended before; returns how many. */
export async function pruneJobs({ database, boss, plans }: Queue, olderThanMs: number): Promise<number> {
  return database.transaction(async (sql) => {
    const rows = await sql.query<{ job: string }>(plans.pruneJobs, [olderThanMs]);
    if (rows.length > 0)
      await boss.deleteJob(
        queueName,
        rows.map(({ job }) => job),
        { db: sql },
      );
    await sql.query(plans.pruneBundles, [olderThanMs]);
    await sql.query(plans.pruneSets);
    return rows.length;
  }, plans.lock);
}
