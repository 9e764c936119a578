import { createHash } from 'node:crypto';
import { newId } from '../ids/new-id.ts';
import { present } from '../json/present.ts';
import { type Boss, queueName } from './boss.ts';
import { keepBundle } from './bundles.ts';
import { asJson, type Transaction } from './database.ts';
import type { JobState, NewJob } from './job.ts';
import type { Queue } from './queue.ts';

const batch = 500;

/** What became of a job that was to be added. */
export interface Added {
  run: string;
  state: JobState;
  isNew: boolean;
}

/** Adds all of them or none; a job whose id is already there stays as it is. Returns each with its state, in the same order. */
export async function addJobs(queue: Queue, jobs: readonly NewJob[]): Promise<Added[]> {
  return queue.database.transaction(async (sql) => {
    const answers: Added[] = [];
    for (let at = 0; at < jobs.length; at += batch)
      answers.push(...(await addSome(queue, sql, jobs.slice(at, at + batch))));
    return answers;
  });
}

async function addSome({ boss, plans }: Queue, sql: Transaction, jobs: readonly NewJob[]): Promise<Added[]> {
  const hashes = new Map<Uint8Array, string>();
  for (const { bundle } of jobs)
    if (bundle !== undefined && !hashes.has(bundle)) hashes.set(bundle, await keepBundle(sql, plans, bundle));
  const rows = jobs.map((job) => ({
    ...job,
    job: newId(),
    signature: signatureOf(job.order),
    source: job.bundle === undefined ? undefined : hashes.get(job.bundle),
  }));
  const sets = new Map(rows.map(({ signature, order }) => [signature, order]));
  await sql.query(plans.addSets, [
    JSON.stringify(
      [...sets].filter(([name]) => name !== '').map(([signature, { keys, needs }]) => ({ signature, keys, needs })),
    ),
  ]);
  const columns = rows.map(
    ({ run, job, spec, origin, source, signature, by: enqueued_by, order: { at: start_at, ...order } }) => ({
      ...order,
      run,
      job,
      spec,
      origin,
      source,
      signature,
      start_at,
      enqueued_by,
    }),
  );
  const added = await sql.query<{ run: string; job: string; state: JobState }>(plans.addJobs, [asJson(columns)]);
  const news = new Map(added.map((each) => [each.run, each]));
  await sendJobs(
    boss,
    sql,
    rows
      .filter(({ run }) => news.get(run)?.state === 'queued')
      .map(({ job, order, signature }) => ({ job, signature, priority: order.priority, at: order.at })),
  );
  const known = await sql.query<{ run: string; id: string | null; state: JobState }>(plans.knownJobs, [
    rows.map(({ run }) => run),
    rows.flatMap(({ order: { id } }) => (id === undefined ? [] : [id])),
  ]);
  const [byRun, byId] = [new Map(known.map((each) => [each.run, each])), new Map(known.map((each) => [each.id, each]))];
  return rows.flatMap(({ run, order }) => {
    const found = byRun.get(run) ?? byId.get(order.id ?? null);
    return found === undefined
      ? []
      : [{ run: found.run, state: found.state, isNew: news.has(run) && found.run === run }];
  });
}

/** Hands jobs to pg-boss. */
export async function sendJobs(
  boss: Boss,
  sql: Transaction,
  jobs: readonly { job: string; signature: string; priority: number; at?: string | undefined }[],
): Promise<void> {
  if (jobs.length === 0) return;
  await boss.insert(
    queueName,
    jobs.map(({ job, signature, priority, at }) => ({
      id: job,
      priority,
      ...present({ startAfter: at, group: signature === '' ? undefined : { id: signature } }),
    })),
    { db: sql },
  );
}

/** Jobs with the same signature may either all be taken or not. Empty: nothing keeps them from being taken. */
function signatureOf({ keys, needs }: { keys: readonly string[]; needs: readonly string[] }): string {
  if (keys.length + needs.length === 0) return '';
  const parts = JSON.stringify([[...new Set(keys)].toSorted(), [...new Set(needs)].toSorted()]);
  return createHash('sha256').update(parts).digest('base64url').slice(0, 24);
}
