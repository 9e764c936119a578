import { systemCode } from '../failure.ts';
import { type Boss, type Claim, queueName } from './boss.ts';
import { sendJobs } from './adding.ts';
import type { QueueDatabase, Transaction } from './database.ts';
import { endUnrun } from './end-unrun.ts';
import type { QueueParts } from './parts.ts';

/** A run whose workers keep vanishing is probably the cause. */
const mostLosses = 5;
const mostTries = 3;

/** A run that a worker has taken. */
export interface Claimed {
  run: string;
  claim: Claim;
  /** From 1. */
  attempt: number;
  /** How many attempts there were when it was queued once more. */
  before: number;
  /** As it was queued, perhaps by another version. */
  spec: unknown;
  origin: unknown;
  publish: 'none' | 'branch';
  budget: string | undefined;
  /** The user who queued it. */
  by: string;
  hasBundle: boolean;
}

export interface ClaimAsk {
  count: number;
  /** The labels of the worker. */
  labels: readonly string[];
  worker: string;
  /** After this long without a heartbeat the run is given to another worker. */
  leaseMs: number;
}

/** Hands queued runs to workers. */
export class Claiming {
  readonly #database: QueueDatabase;
  readonly #boss: Boss;
  readonly #p: string;
  readonly #lock: string;
  readonly #sharedLock: string;

  constructor({ database, boss, p, lock, sharedLock }: QueueParts) {
    this.#database = database;
    this.#boss = boss;
    this.#p = p;
    this.#lock = lock;
    this.#sharedLock = sharedLock;
  }

  /** Takes runs that may start now, the most urgent first. Before that, runs whose lease has expired are freed. */
  async claim(ask: ClaimAsk): Promise<Claimed[]> {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const seen = await this.#glance();
      if (!seen.work) return [];
      try {
        return await (seen.plain ? this.#claimAny(ask) : this.#claimFitting(ask));
      } catch (error) {
        if (!isOutrun(error)) throw error;
      }
    }
    return [];
  }

  /** Without limits workers do not wait for each other: pg-boss gives each worker jobs that no other has. */
  async #claimAny({ count, labels, ...who }: ClaimAsk): Promise<Claimed[]> {
    // Wrapped in an object, the promise is not awaited before the commit.
    const { claimed } = await this.#database.transaction(async (sql) => {
      const fetched = await this.#boss.fetch(queueName, { db: sql, batchSize: count });
      if (fetched.length === 0) return { claimed: [] };
      const taken = this.#take(sql, fetched, who);
      taken.catch(() => {});
      // Sent together with the commit: a division by zero turns it into a rollback.
      void sql.query(
        `select 1 / cast(not exists (
          select 1 from ${this.#p}jobs where job = any($1) and signature <> '' and (not needs <@ $2::text[] or exists (select 1 from ${this.#p}limits))) and not exists (select 1 from ${this.#p}pauses) as integer)`,
        [fetched.map(({ id }) => id), labels],
      );
      return { claimed: taken };
    }, this.#sharedLock);
    return claimed;
  }

  /** One worker at a time, so that limits are exact. */
  async #claimFitting({ count, labels, ...who }: ClaimAsk): Promise<Claimed[]> {
    return this.#database.transaction(async (sql) => {
      let looked = await this.#look(sql, labels);
      if (looked.stale.length + looked.ready.length > 0) {
        await this.#takeBack(sql, looked.stale);
        await this.#release(sql, looked.ready);
        looked = await this.#look(sql, labels);
      }
      const claimed: Claimed[] = [];
      for (;;) {
        const fetched = await this.#boss.fetch(queueName, {
          db: sql,
          // No more than would fit if all of them had the key with the least room: each batch is counted before the next.
          batchSize: Math.min(looked.room ?? Infinity, count - claimed.length),
          ...(looked.blocked.length === 0 ? {} : { ignoreGroups: looked.blocked }),
        });
        if (fetched.length === 0) return claimed;
        const isLast = claimed.length + fetched.length >= count || looked.room === null;
        const [taken, fits, next] = await Promise.all([
          this.#take(sql, fetched, who),
          this.#fits(sql, fetched, labels),
          isLast ? undefined : this.#look(sql, labels),
        ]);
        if (!fits) throw new Outrun();
        claimed.push(...taken);
        if (next === undefined) return claimed;
        looked = next;
      }
    }, `${sweeping}; ${this.#lock}`);
  }

  /** Adding to the queue does not wait for the lock: this finds jobs that were added between looking and fetching. */
  async #fits(sql: Transaction, fetched: readonly Claim[], labels: readonly string[]): Promise<boolean> {
    const [row] = await sql.query<{ fits: boolean }>(
      `select not exists (
        select 1 from ${this.#p}jobs j where j.job = any($1) and (not j.needs <@ $2::text[] or exists (
          select 1 from unnest(j.keys) k (key) cross join lateral (${this.#limitOf('k.key')}) l
          where (select count(*) from ${this.#p}jobs r where r.state = 'running' and k.key = any(r.keys)) > l.most)))
        and not exists (select 1 from ${this.#p}pauses) as fits`,
      [fetched.map(({ id }) => id), labels],
    );
    return row?.fits === true;
  }

  #limitOf(key: string): string {
    return `select most from ${this.#p}limits x where x.key in (${key}, split_part(${key}, '=', 1) || '=*') order by x.key = ${key} desc limit 1`;
  }

  async #take(sql: Transaction, fetched: readonly Claim[], { worker, leaseMs }: Pick<ClaimAsk, 'worker' | 'leaseMs'>): Promise<Claimed[]> {
    const rows = await sql.query<ClaimRow>(
      `update ${this.#p}jobs j set state = 'running', attempt = attempts_before + x.n + 1, worker = $2, lease_ms = $3, heard_at = clock_timestamp(), started_at = clock_timestamp()
        from unnest($1::uuid[], $4::int[]) as x (id, n) where j.job = x.id
        returning run, job, attempt, attempts_before, spec, origin, publish, budget, enqueued_by, source is not null as has_bundle`,
      [fetched.map(({ id }) => id), worker, leaseMs, fetched.map(({ retryCount }) => retryCount)],
    );
    const byId = new Map(rows.map((row) => [row.job, row]));
    return fetched.flatMap(({ id, retryCount }) => {
      const row = byId.get(id);
      return row === undefined ? [] : [claimedOf(row, { id, retryCount })];
    });
  }

  /** Without the lock: a worker with nothing to do must not keep others waiting. */
  async #glance(): Promise<{ work: boolean; plain: boolean }> {
    const [row] = await this.#database.query<{ due: boolean; stuck: boolean; limited: boolean; paused: boolean }>(
      `select exists (select 1 from ${this.#p}jobs where state = 'queued' and start_at <= now()) as due,
        exists (select 1 from ${this.#p}jobs j where ${stale}) or exists (select 1 from ${this.#p}jobs j where ${this.#ready}) as stuck,
        exists (select 1 from ${this.#p}jobs where state = 'queued' and signature > '')
          and (exists (select 1 from ${this.#p}limits) or exists (select 1 from ${this.#p}sets where needs <> '{}')) as limited,
        exists (select 1 from ${this.#p}pauses) as paused`,
    );
    const { due = false, stuck = false, limited = true, paused = false } = row ?? {};
    return { work: !paused && (due || stuck), plain: !stuck && !limited };
  }

  async #look(sql: Transaction, labels: readonly string[]): Promise<Looked> {
    const [row] = await sql.query<{ looked: Looked }>(
      `with running as (select key, count(*) as runs from ${this.#p}jobs, unnest(keys) key where state = 'running' group by key),
        sets as (
          select s.signature, not s.needs <@ $1::text[] as is_unfit, min(l.most - coalesce(r.runs, 0)) as room
          from ${this.#p}sets s left join unnest(s.keys) k (key) on true left join running r on r.key = k.key
          left join lateral (${this.#limitOf('k.key')}) l on true
          -- Not exists: the planner would read the whole queue for it, each time.
          where (select true from ${this.#p}jobs j where j.state = 'queued' and j.signature = s.signature limit 1)
          group by s.signature, s.needs
        )
      select json_build_object(
        'stale', (select coalesce(json_agg(x), '[]') from (select run, job, attempt - attempts_before as attempt, losses, cancel_by from ${this.#p}jobs j where ${stale} for update skip locked) x),
        'ready', (select coalesce(json_agg(x), '[]') from (
          select run, job, signature, priority, start_at as at, (select min(a) from unnest(after) a left join ${this.#p}jobs p on p.run = a where p.exit_code is distinct from 0) as failed
          from ${this.#p}jobs j where ${this.#ready}) x),
        'blocked', (select coalesce(json_agg(signature), '[]') from sets where is_unfit or room <= 0),
        'room', (select min(room) from sets where not is_unfit and room > 0)) as looked`,
      [labels],
    );
    return row?.looked ?? { stale: [], ready: [], blocked: [], room: null };
  }

  get #ready(): string {
    return `j.state = 'waiting' and not exists (select 1 from ${this.#p}jobs p where p.run = any(j.after) and p.state <> 'ended')`;
  }

  /** Runs of workers that have gone silent: they are queued again, unless that was tried too often. */
  async #takeBack(sql: Transaction, rows: Looked['stale']): Promise<void> {
    for (const { run, job, attempt, losses, cancel_by } of rows) {
      const claim = { id: job, retryCount: attempt - 1 };
      const isOver = cancel_by !== null || losses + 1 >= mostLosses;
      const { affected } = await (isOver
        ? this.#boss.complete(queueName, [claim], null, { db: sql })
        : this.#boss.fail(queueName, claim, null, { db: sql }));
      if (affected === 0) continue;
      if (!isOver) await sql.query(`update ${this.#p}jobs set state = 'queued', losses = losses + 1, worker = null where run = $1`, [run]);
      else if (cancel_by === null) await this.#bury(sql, run, losses + 1);
      else await endUnrun(sql, this.#p, [run], 'cancelled', 130, `cancelled by ${cancel_by}; its worker was lost`);
    }
  }

  async #bury(sql: Transaction, run: string, losses: number): Promise<void> {
    await endUnrun(sql, this.#p, [run], 'incomplete', 8, `its worker was lost ${losses} times; "runwire queue retry" queues it again`);
    await sql.query(`update ${this.#p}jobs set is_dead = true where run = $1`, [run]);
  }

  /** Runs whose predecessors have ended: they are queued if all succeeded, otherwise they never will be. */
  async #release(sql: Transaction, rows: Looked['ready']): Promise<void> {
    const good = rows.filter(({ failed }) => failed === null);
    await sql.query(`update ${this.#p}jobs set state = 'queued' where run = any($1)`, [good.map(({ run }) => run)]);
    await sendJobs(this.#boss, sql, good);
    for (const { run, failed } of rows)
      if (failed !== null) await endUnrun(sql, this.#p, [run], 'cancelled', 130, `${failed} did not succeed, and it was to come after it`);
  }
}

/** Every run passes through the index of open runs, as queued and as running, and soon leaves it: only an index scan marks dead entries, other scans read them again each time. */
const sweeping = 'set local enable_bitmapscan = off; set local enable_seqscan = off';

/** Jobs that were queued meanwhile do not fit: everything is rolled back. */
class Outrun extends Error {}

function isOutrun(error: unknown): boolean {
  return error instanceof Outrun || systemCode(error) === divisionByZero;
}

const divisionByZero = '22012';

/** While the server was down no heartbeat could reach it, so the time counts from its start. */
const stale = `j.state = 'running' and greatest(j.heard_at, pg_postmaster_start_time()) < clock_timestamp() - j.lease_ms * interval '1 ms'`;

interface Looked {
  /** `attempt`: since it was last queued. */
  stale: { run: string; job: string; attempt: number; losses: number; cancel_by: string | null }[];
  ready: { run: string; job: string; signature: string; priority: number; at: string; failed: string | null }[];
  /** Signatures (keys and needs) of which nothing may be taken now. */
  blocked: string[];
  /** How many more runs with the scarcest key may start; null: no limit applies. */
  room: number | null;
}

interface ClaimRow {
  run: string;
  job: string;
  attempt: number;
  attempts_before: number;
  spec: unknown;
  origin: unknown;
  publish: 'none' | 'branch';
  budget: string | null;
  enqueued_by: string;
  has_bundle: boolean;
}

function claimedOf(
  { budget, enqueued_by: by, has_bundle: hasBundle, attempts_before: before, job: _job, ...row }: ClaimRow,
  claim: Claim,
): Claimed {
  return { ...row, before, claim, budget: budget ?? undefined, by, hasBundle };
}
