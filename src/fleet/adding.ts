import { createHash } from 'node:crypto';
import { newId } from '../new-id.ts';
import { present } from '../present.ts';
import { type Boss, queueName } from './boss.ts';
import { keepBundle } from './bundles.ts';
import type { QueueDatabase, Transaction } from './database.ts';
import type { JobState, NewJob } from './job.ts';
import { asJson, type QueueParts } from './parts.ts';

const batch = 500;

/** Adds jobs to the queue. */
export class Adding {
  readonly #database: QueueDatabase;
  readonly #boss: Boss;
  readonly #p: string;

  constructor({ database, boss, p }: QueueParts) {
    this.#database = database;
    this.#boss = boss;
    this.#p = p;
  }

  /** Adds all of them or none; a job whose id is already there stays as it is. Returns each with its state, in the same order. */
  async add(jobs: readonly NewJob[]): Promise<{ run: string; state: JobState; isNew: boolean }[]> {
    return this.#database.transaction(async (sql) => {
      const answers: { run: string; state: JobState; isNew: boolean }[] = [];
      for (let at = 0; at < jobs.length; at += batch) answers.push(...(await this.#addSome(sql, jobs.slice(at, at + batch))));
      return answers;
    });
  }

  async #addSome(sql: Transaction, jobs: readonly NewJob[]): Promise<{ run: string; state: JobState; isNew: boolean }[]> {
    const hashes = new Map<Uint8Array, string>();
    for (const { bundle } of jobs)
      if (bundle !== undefined && !hashes.has(bundle)) hashes.set(bundle, await keepBundle(sql, this.#p, bundle));
    const rows = jobs.map((job) => ({
      ...job,
      job: newId(),
      signature: signatureOf(job.order),
      source: job.bundle === undefined ? undefined : hashes.get(job.bundle),
    }));
    const sets = new Map(rows.map(({ signature, order }) => [signature, order]));
    await sql.query(
      `insert into ${this.#p}sets select * from jsonb_to_recordset($1::jsonb) as x (signature text, keys text[], needs text[]) order by 1 on conflict do nothing`,
      [JSON.stringify([...sets].filter(([name]) => name !== '').map(([signature, { keys, needs }]) => ({ signature, keys, needs })))],
    );
    const added = await sql.query<{ run: string; job: string; state: JobState }>(
      `insert into ${this.#p}jobs (run, id, job, state, priority, spec, origin, source, signature, keys, needs, after, budget, publish, start_at, enqueued_by)
        select run, id, job, case when cardinality(after) = 0 then 'queued' else 'waiting' end, priority, spec, origin, source, signature, keys, needs, after, budget, publish, coalesce(start_at, now()), enqueued_by
        from jsonb_to_recordset($1::jsonb) as x (run text, id text, job uuid, priority int, spec jsonb, origin jsonb, source text, signature text, keys text[],
          needs text[], after text[], budget text, publish text, start_at timestamptz, enqueued_by text)
        on conflict do nothing returning run, job, state`,
      [
        asJson(
          rows.map(({ run, job, spec, origin, source, signature, by: enqueued_by, order: { at: start_at, ...order } }) => ({
            ...order,
            run,
            job,
            spec,
            origin,
            source,
            signature,
            start_at,
            enqueued_by,
          })),
        ),
      ],
    );
    const news = new Map(added.map((each) => [each.run, each]));
    await sendJobs(
      this.#boss,
      sql,
      rows
        .filter(({ run }) => news.get(run)?.state === 'queued')
        .map(({ job, order, signature }) => ({ job, signature, priority: order.priority, at: order.at })),
    );
    const known = await sql.query<{ run: string; id: string | null; state: JobState }>(
      `select run, id, state from ${this.#p}jobs where run = any($1) or id = any($2)`,
      [rows.map(({ run }) => run), rows.flatMap(({ order: { id } }) => (id === undefined ? [] : [id]))],
    );
    const [byRun, byId] = [new Map(known.map((each) => [each.run, each])), new Map(known.map((each) => [each.id, each]))];
    return rows.flatMap(({ run, order }) => {
      const found = byRun.get(run) ?? byId.get(order.id ?? null);
      return found === undefined ? [] : [{ run: found.run, state: found.state, isNew: news.has(run) && found.run === run }];
    });
  }
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
