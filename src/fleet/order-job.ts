import type { RunOrder } from '../contract/orders.ts';
import { newId } from '../ids/new-id.ts';
import { sendJobs } from './add-jobs.ts';
import { queueName } from './boss.ts';
import { asJson } from './database.ts';
import type { JobState } from './job.ts';
import type { Queue } from './queue.ts';

interface Row {
  job: string;
  state: JobState;
  signature: string;
  priority: number;
  is_parked: boolean;
}

/** Tells the worker of a run at its next heartbeat; returns what was done, or why not. */
export async function orderJob(
  { database, boss, plans }: Queue,
  run: string,
  order: RunOrder,
): Promise<string | { refused: string }> {
  return database.transaction(async (sql) => {
    const [row] = await sql.query<Row>(plans.jobToOrder, [run]);
    if (row === undefined || row.state === 'ended') return { refused: 'it has ended already' };
    if (row.state === 'running') {
      await sql.query(plans.orderJob, [run, asJson([order])]);
      return 'its worker is told at its next heartbeat';
    }
    if (order.do !== 'resume') return { refused: 'no worker has it; "runs cancel" removes it from the queue' };
    if (!row.is_parked) return { refused: 'it is not paused: it waits for its turn in the queue' };
    const job = newId();
    await boss.deleteJob(queueName, [row.job], { db: sql });
    await sql.query(plans.wakeJob, [run, job]);
    await sendJobs(boss, sql, [{ job, signature: row.signature, priority: row.priority }]);
    return 'it goes on as soon as a worker takes it';
  }, plans.lock);
}
