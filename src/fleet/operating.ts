import { newId } from '../new-id.ts';
import { sendJobs } from './adding.ts';
import { type Boss, queueName } from './boss.ts';
import type { QueueDatabase } from './database.ts';
import type { JobState } from './job.ts';
import type { QueueParts } from './parts.ts';

/** A worker as it tells of itself with every heartbeat. */
export interface PresentWorker {
  name: string;
  host: string;
  slots: number;
  labels: readonly string[];
  version: string;
  leaseMs: number;
}

/** `silent`: no heartbeat for a whole lease; `draining`: it takes no more runs. */
export const workerStates = ['working', 'draining', 'silent'] as const;

export interface WorkerRow {
  name: string;
  state: (typeof workerStates)[number];
  running: number;
  slots: number;
  labels: string[];
  version: string;
  started_at: string;
  heard_at: string;
}

export interface Pause {
  by: string;
  reason: string;
  at: string;
}

/** The figures of a queue for a monitor. */
export interface QueueFigures {
  jobs: Record<'waiting' | 'queued' | 'due' | 'running' | 'dead', number>;
  /** How long the oldest run that may start has waited. */
  oldest_wait_ms: number;
  workers: Record<(typeof workerStates)[number], number>;
  slots: number;
  paused: boolean;
}

const forgottenAfter = "interval '1 day'";
/** While the server was down no heartbeat could reach it. */
const workerState = `case when greatest(heard_at, pg_postmaster_start_time()) < clock_timestamp() - lease_ms * interval '1 ms' then 'silent'
  when drain_by is not null then 'draining' else 'working' end`;

/** What the people who run a fleet do: look at its workers, stop them gently, pause the queue, try again. */
export class Operating {
  readonly #database: QueueDatabase;
  readonly #boss: Boss;
  readonly #p: string;
  readonly #lock: string;

  constructor({ database, boss, p, lock }: QueueParts) {
    this.#database = database;
    this.#boss = boss;
    this.#p = p;
    this.#lock = lock;
  }

  /** Records that a worker is there; returns whether it was told to take no more runs. */
  async meet({ name, host, slots, labels, version, leaseMs }: PresentWorker): Promise<{ drains: boolean }> {
    const [row] = await this.#database.query<{ drains: boolean }>(
      `insert into ${this.#p}workers as w (name, host, slots, labels, version, lease_ms) values ($1, $2, $3, $4, $5, $6)
        on conflict (name) do update set heard_at = clock_timestamp() returning drain_by is not null as drains`,
      [name, host, slots, labels, version, leaseMs],
    );
    return { drains: row?.drains === true };
  }

  async part(name: string): Promise<void> {
    await this.#database.query(`delete from ${this.#p}workers where name = $1 or heard_at < clock_timestamp() - ${forgottenAfter}`, [name]);
  }

  async workers(): Promise<WorkerRow[]> {
    const rows = await this.#database.query<WorkerRow & { started_at: Date | string; heard_at: Date | string }>(
      `select name, ${workerState} as state, (select count(*)::int from ${this.#p}jobs j where j.state = 'running' and j.worker = w.name) as running,
        slots, labels, version, started_at, heard_at from ${this.#p}workers w order by name`,
    );
    return rows.map((row) => ({
      ...row,
      started_at: new Date(row.started_at).toISOString(),
      heard_at: new Date(row.heard_at).toISOString(),
    }));
  }

  /** Tells workers to end what they have and leave; undefined: all of them. Returns their names. */
  async drain(names: readonly string[] | undefined, by: string): Promise<string[]> {
    const rows = await this.#database.query<{ name: string }>(
      `update ${this.#p}workers set drain_by = $1 where $2::text[] is null or name = any($2) returning name`,
      [by, names],
    );
    return rows.map(({ name }) => name).toSorted();
  }

  /** After this no run starts until the pause ends: it waits for the claims that are being made. */
  async pause(by: string, reason: string): Promise<void> {
    await this.#database.transaction(async (sql) => {
      await sql.query(
        `insert into ${this.#p}pauses (name, by, reason) values ('all', $1, $2) on conflict (name) do update set by = $1, reason = $2`,
        [by, reason],
      );
    }, this.#lock);
  }

  async resume(): Promise<void> {
    await this.#database.query(`delete from ${this.#p}pauses`);
  }

  async paused(): Promise<Pause | undefined> {
    const [row] = await this.#database.query<Pause & { at: Date | string }>(`select by, reason, at from ${this.#p}pauses limit 1`);
    return row === undefined ? undefined : { ...row, at: new Date(row.at).toISOString() };
  }

  /** Queues a run that has ended without success once more, as the next attempt of the same run. */
  async retry(run: string): Promise<'queued' | 'open' | 'succeeded' | 'unknown'> {
    return this.#database.transaction(async (sql) => {
      const [row] = await sql.query<{
        job: string;
        state: JobState;
        exit_code: number;
        signature: string;
        priority: number;
        waits: boolean;
      }>(
        `select job, state, exit_code, signature, priority, cardinality(after) > 0 as waits from ${this.#p}jobs where run = $1 for update`,
        [run],
      );
      if (row === undefined) return 'unknown';
      if (row.state !== 'ended') return 'open';
      if (row.exit_code === 0) return 'succeeded';
      const job = newId();
      await this.#boss.deleteJob(queueName, [row.job], { db: sql });
      await sql.query(
        `update ${this.#p}jobs set job = $2, state = $3, attempts_before = attempt, losses = 0, is_dead = false, start_at = now(), worker = null,
          lease_ms = null, heard_at = null, started_at = null, cancel_by = null, cancel_reason = null, ended_at = null, status = null, class = null,
          exit_code = null, message = null, branch = null, result = null, ending = null, is_recorded = false where run = $1`,
        [run, job, row.waits ? 'waiting' : 'queued'],
      );
      if (!row.waits) await sendJobs(this.#boss, sql, [{ job, signature: row.signature, priority: row.priority }]);
      return 'queued';
    }, this.#lock);
  }

  /** Of runs that have not ended, and of the dead, which have an index of their own: what ended otherwise is not read. */
  async figures(): Promise<QueueFigures> {
    const [row] = await this.#database.query<{ figures: QueueFigures }>(
      `select json_build_object(
        'jobs', (select json_build_object('waiting', count(*) filter (where state = 'waiting'), 'queued', count(*) filter (where state = 'queued'),
            'due', count(*) filter (where state = 'queued' and start_at <= now()), 'running', count(*) filter (where state = 'running'),
            'dead', (select count(*) from ${this.#p}jobs where is_dead))
          from ${this.#p}jobs where state <> 'ended'),
        'oldest_wait_ms', (select coalesce(round(max(extract(epoch from clock_timestamp() - greatest(enqueued_at, start_at))) * 1000), 0)
          from ${this.#p}jobs where state = 'queued' and start_at <= now()),
        'workers', (select json_build_object(${workerStates.map((state) => `'${state}', count(*) filter (where state = '${state}')`).join(', ')})
          from (select ${workerState} as state from ${this.#p}workers) w),
        'slots', (select coalesce(sum(slots), 0) from (select slots, ${workerState} as state from ${this.#p}workers) w where state = 'working'),
        'paused', exists (select 1 from ${this.#p}pauses)) as figures`,
    );
    if (row === undefined) throw new Error('the queue gave no figures');
    return row.figures;
  }
}
