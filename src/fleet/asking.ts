import { type Boss, queueName } from './boss.ts';
import type { QueueDatabase } from './database.ts';
import type { Job, JobState } from './job.ts';
import type { QueueParts } from './parts.ts';

/** Queries by users and workers, and pruning. */
export class Asking {
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

  list(which: ListAsk): Promise<Job[]> {
    return listJobs({ database: this.#database, p: this.#p }, which);
  }

  async get(run: string): Promise<Job | undefined> {
    const rows = await this.#database.query<JobRow>(`select ${columns} from ${this.#p}jobs where run = $1`, [run]);
    return rows.map(jobOf)[0];
  }

  /** Runs that a user may mean: by a full id, the beginning of a short one, or the name that they gave it. */
  async find(word: string): Promise<string[]> {
    // PostgreSQL text cannot contain it.
    if (word.includes('\0')) return [];
    const text = word.trim().toLowerCase();
    const rows = await this.#database.query<{ run: string }>(
      `select run from ${this.#p}jobs where id = $1 or run = $2 or ($2 <> '' and substr(run, 19) >= $2 and substr(run, 19) < $2 || '~') order by run desc limit 10`,
      [word, text],
    );
    return rows.map(({ run }) => run);
  }

  async limits(): Promise<{ key: string; most: number; running: number }[]> {
    return this.#database.query(
      `select l.key, l.most, (select count(*)::int from ${this.#p}jobs j, unnest(j.keys) k where j.state = 'running' and (k = l.key or l.key = split_part(k, '=', 1) || '=*')) as running
        from ${this.#p}limits l order by l.key`,
    );
  }

  /** Undefined: no limit. */
  async setLimit(key: string, most: number | undefined): Promise<void> {
    if (most === undefined) await this.#database.query(`delete from ${this.#p}limits where key = $1`, [key]);
    else
      await this.#database.query(`insert into ${this.#p}limits values ($1, $2) on conflict (key) do update set most = excluded.most`, [
        key,
        most,
      ]);
  }

  /** Ends that a worker settled and may not have recorded in the ledger, as JSON. */
  async unrecorded(which: { run: string } | { olderThanMs: number }): Promise<{ run: string; ending: string }[]> {
    const [condition, value] = 'run' in which ? ['run = $1', which.run] : [`ended_at < now() - $1 * interval '1 ms'`, which.olderThanMs];
    return this.#database.query<{ run: string; ending: string }>(
      `select run, ending from ${this.#p}jobs where state = 'ended' and not is_recorded and ending is not null and ${condition} order by ended_at limit 20`,
      [value],
    );
  }

  async markRecorded(run: string): Promise<void> {
    await this.#database.query(`update ${this.#p}jobs set is_recorded = true, ending = null where run = $1`, [run]);
  }

  /** Removes jobs that ended before; returns how many. */
  async prune(olderThanMs: number): Promise<number> {
    return this.#database.transaction(async (sql) => {
      const rows = await sql.query<{ job: string }>(
        `delete from ${this.#p}jobs j where state = 'ended' and ended_at < now() - $1 * interval '1 ms'
          and not exists (select 1 from ${this.#p}jobs w where w.state = 'waiting' and j.run = any(w.after)) returning job`,
        [olderThanMs],
      );
      if (rows.length > 0)
        await this.#boss.deleteJob(
          queueName,
          rows.map(({ job }) => job),
          { db: sql },
        );
      await sql.query(
        `delete from ${this.#p}bundles b where used_at < now() - $1 * interval '1 ms'
          and not exists (select 1 from ${this.#p}jobs j where b.hash in (j.source, j.result))`,
        [olderThanMs],
      );
      await sql.query(`delete from ${this.#p}sets s where not exists (select 1 from ${this.#p}jobs j where j.signature = s.signature)`);
      return rows.length;
    }, this.#lock);
  }
}

export interface ListAsk {
  states: readonly JobState[];
  limit: number;
  /** Only those that nobody tries any more, because their workers were lost too often. */
  dead?: boolean;
}

/** The newest jobs, sorted by priority, then oldest first. */
export async function listJobs(
  { database, p }: Pick<QueueParts, 'database' | 'p'>,
  { states, limit, dead = false }: ListAsk,
): Promise<Job[]> {
  const rows = await database.query<JobRow>(
    `select * from (select ${columns} from ${p}jobs where state = any($1) ${dead ? 'and is_dead ' : ''}order by run desc limit $2) x order by priority desc, run`,
    [states, limit],
  );
  return rows.map(jobOf);
}

const columns = `run, id, state, left(regexp_replace(coalesce(nullif(spec ->> 'prompt', ''), (select string_agg(word, ' ') from jsonb_array_elements_text(case when jsonb_typeof(spec -> 'command') = 'array' then spec -> 'command' else '[]' end) word), ''), '\\s+', ' ', 'g'), 200) as title,
  coalesce(spec -> 'command' ->> 0, spec ->> 'agent', '') as agent, priority, keys, needs, after, budget, start_at as at, enqueued_at, enqueued_by,
  attempt, worker, started_at, ended_at, status, class, exit_code, message, cancel_by, cancel_reason, branch,
  case when state = 'ended' then is_recorded or ended_at < clock_timestamp() - interval '10 s' end as is_recorded`;

type JobRow = { [Field in keyof Job]: Job[Field] | null | Date };

/** Unknown values are absent; times are text. */
function jobOf(row: JobRow): Job {
  const told = Object.entries(row).flatMap(([name, value]) => {
    if (value === null) return [];
    return [[name, value instanceof Date ? value.toISOString() : value]];
  });
  return Object.fromEntries(told) as Job;
}
