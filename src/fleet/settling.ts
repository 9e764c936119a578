import type { Attempt, LedgerOutcome } from '../stores/run-store.ts';
import { type Boss, type Claim, queueName } from './boss.ts';
import { keepBundle } from './bundles.ts';
import type { Claimed } from './claiming.ts';
import type { QueueDatabase, Transaction } from './database.ts';
import { endUnrun } from './end-unrun.ts';
import type { JobState } from './job.ts';
import { asJson, type QueueParts } from './parts.ts';

const mostTogether = 50;

/** The answer to a heartbeat. */
export interface Heard {
  /** Runs that belong to another worker now. */
  lost: string[];
  cancelled: { run: string; by: string; reason: string }[];
}

export interface Settlement {
  outcome: LedgerOutcome;
  ended_at: number;
  last_sequence: number;
  attempts: readonly Attempt[];
  message?: string;
  branch?: string;
  /** A git bundle of what the run changed. */
  bundle?: Uint8Array;
}

/** Heartbeats, ends and cancellations of runs. */
export class Settling {
  readonly #database: QueueDatabase;
  readonly #boss: Boss;
  readonly #p: string;
  readonly #lock: string;
  readonly #ends: End[] = [];
  #isSettling = false;

  constructor({ database, boss, p, lock }: QueueParts) {
    this.#database = database;
    this.#boss = boss;
    this.#p = p;
    this.#lock = lock;
  }

  /** The heartbeat for a worker's runs; returns what the worker has to know. */
  async touch(held: readonly { run: string; claim: Claim }[]): Promise<Heard> {
    if (held.length === 0) return { lost: [], cancelled: [] };
    const { settled } = await this.#boss.touch(
      queueName,
      held.map(({ claim }) => claim),
    );
    const ours = new Set(settled);
    const rows = await this.#database.query<{ run: string; cancel_by: string | null; cancel_reason: string | null }>(
      `update ${this.#p}jobs set heard_at = clock_timestamp() where job = any($1) and state = 'running' returning run, cancel_by, cancel_reason`,
      [[...ours]],
    );
    return {
      lost: held.filter(({ claim }) => !ours.has(claim.id)).map(({ run }) => run),
      cancelled: rows.flatMap(({ run, cancel_by: by, cancel_reason: reason }) => (by === null ? [] : [{ run, by, reason: reason ?? '' }])),
    };
  }

  /** Records the end of a run, once. False: another worker has it. Runs that end at the same time are settled together. */
  settle({ run, claim }: Pick<Claimed, 'run' | 'claim'>, ending: Settlement): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#ends.push({ run, claim, ending, resolve, reject });
      if (!this.#isSettling) void this.#settleAll();
    });
  }

  async #settleAll(): Promise<void> {
    this.#isSettling = true;
    while (this.#ends.length > 0) {
      const ends = this.#ends.splice(0, mostTogether);
      try {
        await this.#settleSome(ends);
      } catch (error) {
        // One that cannot be settled must not block the others.
        for (const end of ends) await (ends.length === 1 ? Promise.reject(error) : this.#settleSome([end])).catch(end.reject);
      }
    }
    this.#isSettling = false;
  }

  async #settleSome(ends: readonly End[]): Promise<void> {
    const isOurs = await this.#database.transaction(async (sql) => {
      const { settled } = await this.#boss.complete(
        queueName,
        ends.map(({ claim }) => claim),
        null,
        { db: sql },
      );
      const ours = new Set(settled);
      const news = ends.filter(({ claim }) => ours.has(claim.id));
      // The connection may have broken after the server had committed it.
      for (const each of ends) if (!ours.has(each.claim.id) && (await this.#isSettledBy(sql, each))) ours.add(each.claim.id);
      const rows: object[] = [];
      for (const { run, ending } of news)
        rows.push({
          ...endColumns(run, ending),
          result: ending.bundle === undefined ? undefined : await keepBundle(sql, this.#p, ending.bundle),
        });
      // Sent together with the commit.
      void sql.query(
        `update ${this.#p}jobs j set state = 'ended', ended_at = clock_timestamp(), status = x.status, class = x.class, exit_code = x.code, message = x.message, branch = x.branch, result = x.result, ending = x.ending
          from jsonb_to_recordset($1::jsonb) as x (run text, status text, class text, code int, message text, branch text, result text, ending text) where j.run = x.run`,
        [asJson(rows)],
      );
      return ours;
    });
    for (const { claim, resolve } of ends) resolve(isOurs.has(claim.id));
  }

  async #isSettledBy(sql: Transaction, { run, claim: { retryCount } }: End): Promise<boolean> {
    const rows = await sql.query(
      `select 1 from ${this.#p}jobs where run = $1 and state = 'ended' and ending is not null and attempt - attempts_before = $2`,
      [run, retryCount + 1],
    );
    return rows.length === 1;
  }

  /** Returns an unfinished run of a departing worker to the queue; false: the run no longer belonged to it. */
  async giveBack({ run, claim }: Pick<Claimed, 'run' | 'claim'>): Promise<boolean> {
    return this.#database.transaction(async (sql) => {
      const { affected } = await this.#boss.fail(queueName, claim, null, { db: sql });
      if (affected === 0) return false;
      await sql.query(`update ${this.#p}jobs set state = 'queued', worker = null where run = $1`, [run]);
      return true;
    });
  }

  /** `ended`: there was nothing left to cancel. */
  async cancel(run: string, { by, reason }: { by: string; reason: string }): Promise<'cancelled' | 'told' | 'ended'> {
    return this.#database.transaction(async (sql) => {
      const [row] = await sql.query<{ state: JobState; job: string }>(`select state, job from ${this.#p}jobs where run = $1 for update`, [
        run,
      ]);
      if (row === undefined || row.state === 'ended') return 'ended';
      await sql.query(`update ${this.#p}jobs set cancel_by = $2, cancel_reason = $3 where run = $1`, [run, by, reason]);
      if (row.state === 'running') return 'told';
      await this.#boss.deleteJob(queueName, [row.job], { db: sql });
      await endUnrun(sql, this.#p, [run], 'cancelled', 130, `cancelled by ${by}${reason === '' ? '' : `: ${reason}`}`);
      return 'cancelled';
    }, this.#lock);
  }
}

/** An end to be settled. */
interface End extends Pick<Claimed, 'run' | 'claim'> {
  ending: Settlement;
  resolve: (isOurs: boolean) => void;
  reject: (error: unknown) => void;
}

function endColumns(run: string, { message, branch, bundle: _bundle, ...told }: Settlement): object {
  const { class: name, exit_code: code } = told.outcome.verdict;
  return { run, status: told.outcome.status, class: name, code, message, branch, ending: JSON.stringify(told) };
}
