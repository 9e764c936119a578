import { exitCodes } from '../failure.ts';
import { newId } from '../ids/new-id.ts';
import { sendJobs } from './add-jobs.ts';
import { queueName } from './boss.ts';
import type { JobState } from './job.ts';
import type { Queue } from './queue.ts';

interface Row {
  job: string;
  state: JobState;
  exit_code: number;
  signature: string;
  priority: number;
  waits: boolean;
}

/** Queues a run that has ended without success once more, as the next attempt of the same run. */
export async function retryJob(
  { database, boss, plans }: Queue,
  run: string,
): Promise<'queued' | 'open' | 'succeeded' | 'unknown'> {
  return database.transaction(async (sql) => {
    const [row] = await sql.query<Row>(plans.jobToRetry, [run]);
    if (row === undefined) return 'unknown';
    if (row.state !== 'ended') return 'open';
    if (row.exit_code === exitCodes.success) return 'succeeded';
    const job = newId();
    await boss.deleteJob(queueName, [row.job], { db: sql });
    await sql.query(plans.retryJob, [run, job, row.waits ? 'waiting' : 'queued']);
    if (!row.waits) await sendJobs(boss, sql, [{ job, signature: row.signature, priority: row.priority }]);
    return 'queued';
  }, plans.lock);
}
