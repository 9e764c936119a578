import { listJobs } from './asking.ts';
import { QueueDatabase } from './database.ts';
import type { Job } from './job.ts';
import type { QueueParts } from './parts.ts';
import { whyUnusable } from '../stores/postgres.ts';
import { Failure } from '../failure.ts';
import { readAddress } from '../stores/postgres-address.ts';

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

/** While the server was down no heartbeat could reach it. */
const workerState = `case when greatest(heard_at, pg_postmaster_start_time()) < clock_timestamp() - lease_ms * interval '1 ms' then 'silent'
  when drain_by is not null then 'draining' else 'working' end`;

/** What can be seen of a queue without changing anything: for people, and for a monitor. */
export class Watching {
  readonly #database: QueueDatabase;
  readonly #p: string;

  constructor({ database, p }: Pick<QueueParts, 'database' | 'p'>) {
    this.#database = database;
    this.#p = p;
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

  async paused(): Promise<Pause | undefined> {
    const [row] = await this.#database.query<Pause & { at: Date | string }>(`select by, reason, at from ${this.#p}pauses limit 1`);
    return row === undefined ? undefined : { ...row, at: new Date(row.at).toISOString() };
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

/** A queue at a glance. */
export interface QueueOverview {
  figures: QueueFigures;
  workers: WorkerRow[];
  paused?: Pause;
  /** The newest that have not ended, most urgent first, and the newest dead ones. */
  jobs: Job[];
  dead: Job[];
}

const mostShown = 200;

/** A view of the queue beside a ledger, for a role that may only read; it creates nothing. */
export class QueueView {
  readonly #database: QueueDatabase;
  readonly #watching: Watching;

  private constructor(database: QueueDatabase) {
    this.#database = database;
    this.#watching = new Watching({ database, p: `${database.schema}.` });
  }

  static async open(url: string): Promise<QueueView> {
    const address = readAddress(url);
    try {
      return new QueueView(await QueueDatabase.open(url, address));
    } catch (error) {
      throw new Failure('config', `cannot look at the queue at ${address.name}: ${whyUnusable(error)}`, { cause: error });
    }
  }

  /** Undefined: there is no queue yet. */
  async figures(): Promise<QueueFigures | undefined> {
    return (await this.#isThere()) ? this.#watching.figures() : undefined;
  }

  async overview(): Promise<QueueOverview | undefined> {
    if (!(await this.#isThere())) return undefined;
    const parts = { database: this.#database, p: `${this.#database.schema}.` };
    const [figures, workers, paused, jobs, dead] = await Promise.all([
      this.#watching.figures(),
      this.#watching.workers(),
      this.#watching.paused(),
      listJobs(parts, { states: ['waiting', 'queued', 'running'], limit: mostShown }),
      listJobs(parts, { states: ['ended'], dead: true, limit: mostShown }),
    ]);
    return { figures, workers, ...(paused === undefined ? {} : { paused }), jobs, dead };
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  async #isThere(): Promise<boolean> {
    const rows = await this.#database.query(`select 1 from pg_catalog.pg_tables where schemaname = $1 and tablename = 'pauses'`, [
      this.#database.schema,
    ]);
    return rows.length > 0;
  }
}
