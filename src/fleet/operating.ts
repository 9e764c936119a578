import { newId } from '../new-id.ts';
import { sendJobs } from './adding.ts';
import { queueName } from './boss.ts';
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

const forgottenAfter = "interval '1 day'";

/** What the people who run a fleet do: look at its workers, stop them gently, pause the queue, try again. */
export class Operating {
  readonly #parts: QueueParts;

  constructor(parts: QueueParts) {
    this.#parts = parts;
  }

  /** Records that a worker is there; returns whether it was told to take no more runs. */
  async meet({ name, host, slots, labels, version, leaseMs }: PresentWorker): Promise<{ drains: boolean }> {
    const [row] = await this.#parts.database.query<{ drains: boolean }>(
      `insert into ${this.#parts.p}workers as w (name, host, slots, labels, version, lease_ms) values ($1, $2, $3, $4, $5, $6)
        on conflict (name) do update set heard_at = clock_timestamp() returning drain_by is not null as drains`,
      [name, host, slots, labels, version, leaseMs],
    );
    return { drains: row?.drains === true };
  }

  async part(name: string): Promise<void> {
    await this.#parts.database.query(
      `delete from ${this.#parts.p}workers where name = $1 or heard_at < clock_timestamp() - ${forgottenAfter}`,
      [name],
    );
  }

  /** Tells workers to end what they have and leave; undefined: all of them. Returns their names. */
  async drain(names: readonly string[] | undefined, by: string): Promise<string[]> {
    const rows = await this.#parts.database.query<{ name: string }>(
      `update ${this.#parts.p}workers set drain_by = $1 where $2::text[] is null or name = any($2) returning name`,
      [by, names],
    );
    return rows.map(({ name }) => name).toSorted();
  }

  /** After this no run starts until the pause ends: it waits for the claims that are being made. */
  async pause(by: string, reason: string): Promise<void> {
    await this.#parts.database.transaction(async (sql) => {
      await sql.query(
        `insert into ${this.#parts.p}pauses (name, by, reason) values ('all', $1, $2) on conflict (name) do update set by = $1, reason = $2`,
        [by, reason],
      );
    }, this.#parts.lock);
  }

  async resume(): Promise<void> {
    await this.#parts.database.query(`delete from ${this.#parts.p}pauses`);
  }

  /** Queues a run that has ended without success once more, as the next attempt of the same run. */
  async retry(run: string): Promise<'queued' | 'open' | 'succeeded' | 'unknown'> {
    return this.#parts.database.transaction(async (sql) => {
      const [row] = await sql.query<{
        job: string;
        state: JobState;
        exit_code: number;
        signature: string;
        priority: number;
        waits: boolean;
      }>(
        `select job, state, exit_code, signature, priority, cardinality(after) > 0 as waits from ${this.#parts.p}jobs where run = $1 for update`,
        [run],
      );
      if (row === undefined) return 'unknown';
      if (row.state !== 'ended') return 'open';
      if (row.exit_code === 0) return 'succeeded';
      const job = newId();
      await this.#parts.boss.deleteJob(queueName, [row.job], { db: sql });
      await sql.query(
        `update ${this.#parts.p}jobs set job = $2, state = $3, attempts_before = attempt, losses = 0, is_dead = false, start_at = now(), worker = null,
          lease_ms = null, heard_at = null, started_at = null, cancel_by = null, cancel_reason = null, ended_at = null, status = null, class = null,
          exit_code = null, message = null, branch = null, result = null, ending = null, is_recorded = false where run = $1`,
        [run, job, row.waits ? 'waiting' : 'queued'],
      );
      if (!row.waits) await sendJobs(this.#parts.boss, sql, [{ job, signature: row.signature, priority: row.priority }]);
      return 'queued';
    }, this.#parts.lock);
  }
}
