import { createHash } from 'node:crypto';
import { Failure } from '../failure.ts';
import { newId } from '../new-id.ts';
import { present } from '../present.ts';
import { whyUnusable } from '../stores/postgres.ts';
import { readAddress } from '../stores/postgres-address.ts';
import type { Attempt, Ending, LedgerOutcome } from '../stores/run-store.ts';
import { type Boss, type Claim, openBoss, queueName } from './boss.ts';
import { QueueDatabase, type Transaction } from './database.ts';
import type { Job, JobState, NewJob } from './job.ts';
import { tables } from './tables.ts';

/** One number for all that sets up queues on a server. */
const setUpLock = 0x52756e51;
/** A run whose workers vanish again and again is what makes them vanish. */
const mostLosses = 5;
const batch = 500;
const mostTogether = 50;

/** A run that a worker has taken. */
export interface Claimed {
  run: string;
  claim: Claim;
  /** From 1. */
  attempt: number;
  /** As it was queued, perhaps by another version. */
  spec: unknown;
  origin: unknown;
  publish: 'none' | 'branch';
  budget: string | undefined;
  /** Who queued it. */
  by: string;
  hasBundle: boolean;
}

export interface ClaimAsk {
  count: number;
  /** What the worker has. */
  labels: readonly string[];
  worker: string;
  /** After so long without a word the run is given to another. */
  leaseMs: number;
}

/** What a heartbeat learns. */
export interface Heard {
  /** Runs that are another's now. */
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

/** The queue of a team: pg-boss says whose a run is, our own rows say what it is. Every change of both is one transaction. */
export class Queue {
  readonly #database: QueueDatabase;
  readonly #boss: Boss;
  readonly #closeBoss: () => Promise<void>;
  readonly #p: string;
  /** Whoever claims, cancels or releases waits for the others: so that limits are exact. */
  readonly #lock: string;

  readonly #ends: End[] = [];
  #isSettling = false;

  private constructor(database: QueueDatabase, boss: Boss, closeBoss: () => Promise<void>) {
    this.#database = database;
    this.#boss = boss;
    this.#closeBoss = closeBoss;
    this.#p = `${database.schema}.`;
    this.#lock = `select pg_advisory_xact_lock(hashtext('runwire:claim'), hashtext('${database.schema}'))`;
  }

  static async open(url: string): Promise<Queue> {
    const address = readAddress(url);
    let database: QueueDatabase | undefined;
    try {
      database = await QueueDatabase.open(url, address);
      await setUp(database);
      const { boss, close } = await openBoss(database, database.schema);
      return new Queue(database, boss, close);
    } catch (error) {
      await database?.close();
      throw error instanceof Failure
        ? error
        : new Failure('config', `cannot use the queue at ${address.name}: ${whyUnusable(error)}`, { cause: error });
    }
  }

  get name(): string {
    return this.#database.name;
  }

  async close(): Promise<void> {
    await this.#closeBoss().catch(() => {});
    await this.#database.close();
  }

  /** All of them or none; what is there by its id stays as it is. Answers each with its state, in the same order. */
  async add(jobs: readonly NewJob[]): Promise<{ run: string; state: JobState; isNew: boolean }[]> {
    return this.#database.transaction(async (sql) => {
      const answers: { run: string; state: JobState; isNew: boolean }[] = [];
      for (let at = 0; at < jobs.length; at += batch) answers.push(...(await this.#addSome(sql, jobs.slice(at, at + batch))));
      return answers;
    });
  }

  async #addSome(sql: Transaction, jobs: readonly NewJob[]): Promise<{ run: string; state: JobState; isNew: boolean }[]> {
    const hashes = new Map<Uint8Array, string>();
    for (const { bundle } of jobs) if (bundle !== undefined && !hashes.has(bundle)) hashes.set(bundle, await this.#keepBundle(sql, bundle));
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
    await this.#send(
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

  async #send(
    sql: Transaction,
    jobs: readonly { job: string; signature: string; priority: number; at?: string | undefined }[],
  ): Promise<void> {
    if (jobs.length === 0) return;
    await this.#boss.insert(
      queueName,
      jobs.map(({ job, signature, priority, at }) => ({
        id: job,
        priority,
        ...present({ startAfter: at, group: signature === '' ? undefined : { id: signature } }),
      })),
      { db: sql },
    );
  }

  /** Takes what may be done now, the most urgent first. Whose lease is over is taken from first. */
  async claim({ count, labels, worker, leaseMs }: ClaimAsk): Promise<Claimed[]> {
    if (!(await this.#hasWork())) return [];
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
          // No more than fit if all of them are of the key that has the least room: what is taken is counted before the next.
          batchSize: Math.min(looked.room ?? Infinity, count - claimed.length),
          ...(looked.blocked.length === 0 ? {} : { ignoreGroups: looked.blocked }),
        });
        if (fetched.length > 0) claimed.push(...(await this.#take(sql, fetched, { worker, leaseMs })));
        if (fetched.length === 0 || claimed.length >= count || looked.room === null) return claimed;
        looked = await this.#look(sql, labels);
      }
    }, this.#lock);
  }

  async #take(sql: Transaction, fetched: readonly Claim[], { worker, leaseMs }: Pick<ClaimAsk, 'worker' | 'leaseMs'>): Promise<Claimed[]> {
    const rows = await sql.query<ClaimRow>(
      `update ${this.#p}jobs j set state = 'running', attempt = x.n + 1, worker = $2, lease_ms = $3, heard_at = clock_timestamp(), started_at = clock_timestamp()
        from unnest($1::uuid[], $4::int[]) as x (id, n) where j.job = x.id
        returning run, job, attempt, spec, origin, publish, budget, enqueued_by, source is not null as has_bundle`,
      [fetched.map(({ id }) => id), worker, leaseMs, fetched.map(({ retryCount }) => retryCount)],
    );
    const byId = new Map(rows.map((row) => [row.job, row]));
    return fetched.flatMap(({ id, retryCount }) => {
      const row = byId.get(id);
      return row === undefined ? [] : [claimedOf(row, { id, retryCount })];
    });
  }

  /** Without the lock: who has nothing to do must not keep others waiting. */
  async #hasWork(): Promise<boolean> {
    const [row] = await this.#database.query<{ work: boolean }>(
      `select exists (select 1 from ${this.#p}jobs where state = 'queued' and start_at <= now())
        or exists (select 1 from ${this.#p}jobs j where ${stale}) or exists (select 1 from ${this.#p}jobs j where ${this.#ready}) as work`,
    );
    return row?.work === true;
  }

  async #look(sql: Transaction, labels: readonly string[]): Promise<Looked> {
    const [row] = await sql.query<{ looked: Looked }>(
      `with running as (select key, count(*) as runs from ${this.#p}jobs, unnest(keys) key where state = 'running' group by key),
        sets as (
          select s.signature, not s.needs <@ $1::text[] as is_unfit, min(l.most - coalesce(r.runs, 0)) as room
          from ${this.#p}sets s left join unnest(s.keys) k (key) on true left join running r on r.key = k.key
          left join lateral (
            select most from ${this.#p}limits x where x.key in (k.key, split_part(k.key, '=', 1) || '=*') order by x.key = k.key desc limit 1
          ) l on true
          where exists (select 1 from ${this.#p}jobs j where j.state = 'queued' and j.signature = s.signature)
          group by s.signature, s.needs
        )
      select json_build_object(
        'stale', (select coalesce(json_agg(x), '[]') from (select run, job, attempt, losses, cancel_by from ${this.#p}jobs j where ${stale} for update skip locked) x),
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

  /** Runs of workers that say nothing any more: again for somebody else, unless that was tried too often. */
  async #takeBack(sql: Transaction, rows: Looked['stale']): Promise<void> {
    for (const { run, job, attempt, losses, cancel_by } of rows) {
      const claim = { id: job, retryCount: attempt - 1 };
      const isOver = cancel_by !== null || losses + 1 >= mostLosses;
      const { affected } = await (isOver
        ? this.#boss.complete(queueName, [claim], null, { db: sql })
        : this.#boss.fail(queueName, claim, null, { db: sql }));
      if (affected === 0) continue;
      if (!isOver) await sql.query(`update ${this.#p}jobs set state = 'queued', losses = losses + 1, worker = null where run = $1`, [run]);
      else if (cancel_by === null) await this.#end(sql, [run], 'incomplete', 8, `its worker was lost ${losses + 1} times`);
      else await this.#end(sql, [run], 'cancelled', 130, `cancelled by ${cancel_by}; its worker was lost`);
    }
  }

  /** Runs whose forerunners have ended: well, and they are queued; else they never are. */
  async #release(sql: Transaction, rows: Looked['ready']): Promise<void> {
    const good = rows.filter(({ failed }) => failed === null);
    await sql.query(`update ${this.#p}jobs set state = 'queued' where run = any($1)`, [good.map(({ run }) => run)]);
    await this.#send(sql, good);
    for (const { run, failed } of rows)
      if (failed !== null) await this.#end(sql, [run], 'cancelled', 130, `${failed} did not succeed, and it was to come after it`);
  }

  async #end(
    sql: Transaction,
    runs: readonly string[],
    status: 'cancelled' | 'incomplete',
    exitCode: number,
    message: string,
  ): Promise<void> {
    await sql.query(
      `update ${this.#p}jobs set state = 'ended', ended_at = clock_timestamp(), status = $2, class = $2, exit_code = $3, message = $4, is_recorded = true where run = any($1)`,
      [runs, status, exitCode, message],
    );
  }

  /** A sign of life for what a worker has, and what it has to hear. */
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

  /** The end of a run, once. False: another worker has it. What ends at the same time is settled together. */
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
        // One that cannot be settled is not to keep the others from it.
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
      // A connection may have broken after the server had done it.
      for (const each of ends) if (!ours.has(each.claim.id) && (await this.#isSettledBy(sql, each))) ours.add(each.claim.id);
      const rows: object[] = [];
      for (const { run, ending } of news)
        rows.push({
          ...endColumns(run, ending),
          result: ending.bundle === undefined ? undefined : await this.#keepBundle(sql, ending.bundle),
        });
      await sql.query(
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
      `select 1 from ${this.#p}jobs where run = $1 and state = 'ended' and ending is not null and attempt = $2`,
      [run, retryCount + 1],
    );
    return rows.length === 1;
  }

  /** What a worker that leaves has not finished is for another; false: it was not its own any more. */
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
      await this.#end(sql, [run], 'cancelled', 130, `cancelled by ${by}${reason === '' ? '' : `: ${reason}`}`);
      return 'cancelled';
    }, this.#lock);
  }

  /** The newest last; `open`: those that have not ended. */
  async list({ states, limit }: { states: readonly JobState[]; limit: number }): Promise<Job[]> {
    const rows = await this.#database.query<JobRow>(
      `select * from (select ${columns} from ${this.#p}jobs where state = any($1) order by run desc limit $2) x order by priority desc, run`,
      [states, limit],
    );
    return rows.map(jobOf);
  }

  async get(run: string): Promise<Job | undefined> {
    const rows = await this.#database.query<JobRow>(`select ${columns} from ${this.#p}jobs where run = $1`, [run]);
    return rows.map(jobOf)[0];
  }

  /** Runs that a person may mean: by a whole id, the beginning of a short one, or the name that they gave it. */
  async find(word: string): Promise<string[]> {
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

  /** What a run began with, or what it changed. */
  async bundle(run: string, kind: 'source' | 'result'): Promise<Uint8Array | undefined> {
    const [row] = await this.#database.query<{ body: Buffer }>(
      `select body from ${this.#p}bundles where hash = (select ${kind} from ${this.#p}jobs where run = $1)`,
      [run],
    );
    return row?.body;
  }

  /** A hundred runs of one commit share a bundle. */
  async #keepBundle(sql: Transaction, body: Uint8Array): Promise<string> {
    const hash = createHash('sha256').update(body).digest('hex');
    await sql.query(`insert into ${this.#p}bundles values ($1, $2, now()) on conflict (hash) do update set used_at = now()`, [hash, body]);
    return hash;
  }

  /** Ends that a worker settled and may not have told the ledger. */
  async unrecorded(which: { run: string } | { olderThanMs: number }): Promise<{ run: string; ending: Ending }[]> {
    const [condition, value] = 'run' in which ? ['run = $1', which.run] : [`ended_at < now() - $1 * interval '1 ms'`, which.olderThanMs];
    const rows = await this.#database.query<{ run: string; ending: string }>(
      `select run, ending from ${this.#p}jobs where state = 'ended' and not is_recorded and ending is not null and ${condition} order by ended_at limit 20`,
      [value],
    );
    return rows.map(({ run, ending }) => ({ run, ending: JSON.parse(ending) as Ending }));
  }

  async markRecorded(run: string): Promise<void> {
    await this.#database.query(`update ${this.#p}jobs set is_recorded = true, ending = null where run = $1`, [run]);
  }

  /** Forgets what ended before; answers how many. */
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

/** A server that was away was not there to be told: then nobody is late. */
const stale = `j.state = 'running' and greatest(j.heard_at, pg_postmaster_start_time()) < clock_timestamp() - j.lease_ms * interval '1 ms'`;

/** An end that is to be settled. */
interface End extends Pick<Claimed, 'run' | 'claim'> {
  ending: Settlement;
  resolve: (isOurs: boolean) => void;
  reject: (error: unknown) => void;
}

function endColumns(run: string, { message, branch, bundle: _bundle, ...told }: Settlement): object {
  const { class: name, exit_code: code } = told.outcome.verdict;
  return { run, status: told.outcome.status, class: name, code, message, branch, ending: JSON.stringify(told) };
}

/** What PostgreSQL takes for JSON: no NUL, no half of a character. */
function asJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'string' ? part.toWellFormed().replaceAll('\0', '\u{fffd}') : part));
}

interface Looked {
  stale: { run: string; job: string; attempt: number; losses: number; cancel_by: string | null }[];
  ready: { run: string; job: string; signature: string; priority: number; at: string; failed: string | null }[];
  /** Sets of keys and needs that nothing may be taken of now. */
  blocked: string[];
  /** How many more of the scarcest key may run; null: no limit counts. */
  room: number | null;
}

interface ClaimRow {
  run: string;
  job: string;
  attempt: number;
  spec: unknown;
  origin: unknown;
  publish: 'none' | 'branch';
  budget: string | null;
  enqueued_by: string;
  has_bundle: boolean;
}

function claimedOf({ budget, enqueued_by: by, has_bundle: hasBundle, job: _job, ...row }: ClaimRow, claim: Claim): Claimed {
  return { ...row, claim, budget: budget ?? undefined, by, hasBundle };
}

const columns = `run, id, state, left(regexp_replace(coalesce(nullif(spec ->> 'prompt', ''), (select string_agg(word, ' ') from jsonb_array_elements_text(spec -> 'command') word), ''), '\\s+', ' ', 'g'), 200) as title,
  coalesce(spec -> 'command' ->> 0, spec ->> 'agent') as agent, priority, keys, needs, after, budget, start_at as at, enqueued_at, enqueued_by,
  attempt, worker, started_at, ended_at, status, class, exit_code, message, cancel_by, cancel_reason, branch,
  case when state = 'ended' then is_recorded or ended_at < clock_timestamp() - interval '10 s' end as is_recorded`;

type JobRow = { [Field in keyof Job]: Job[Field] | null | Date };

/** What is unknown is absent; times are text. */
function jobOf(row: JobRow): Job {
  const told = Object.entries(row).flatMap(([name, value]) => {
    if (value === null) return [];
    return [[name, value instanceof Date ? value.toISOString() : value]];
  });
  return Object.fromEntries(told) as Job;
}

/** Jobs of one signature may be taken, or not, all alike. Empty: nothing keeps them from being taken. */
function signatureOf({ keys, needs }: { keys: readonly string[]; needs: readonly string[] }): string {
  if (keys.length + needs.length === 0) return '';
  const parts = JSON.stringify([[...new Set(keys)].toSorted(), [...new Set(needs)].toSorted()]);
  return createHash('sha256').update(parts).digest('base64url').slice(0, 24);
}

/** Of several that start at once, one brings the tables, and the others wait for it. */
async function setUp(database: QueueDatabase): Promise<void> {
  const { schema } = database;
  const version = async (sql: Transaction | QueueDatabase): Promise<number> => {
    const [there] = await sql.query(`select 1 from pg_catalog.pg_tables where schemaname = $1 and tablename = 'runwire'`, [schema]);
    if (there === undefined) return 0;
    const [row] = await sql.query<{ version: number }>(`select version from ${schema}.runwire`);
    return row?.version ?? 0;
  };
  if ((await version(database)) >= tables.length) return;
  await database.transaction(async (sql) => {
    const from = await version(sql);
    if (from >= tables.length) return;
    const [foreign] =
      from > 0 ? [] : await sql.query(`select 1 from pg_catalog.pg_tables where schemaname = $1 and tablename = 'jobs'`, [schema]);
    if (foreign !== undefined)
      throw new Failure(
        'config',
        `the schema ${schema} of ${database.name} has a table "jobs" that is not Runwire's; choose another with ?schema=`,
      );
    await sql.query(`create schema if not exists ${schema}`);
    await sql.query(`create table if not exists ${schema}.runwire (version integer not null)`);
    for (const table of tables.slice(from)) await sql.query(table(`${schema}.`));
    await sql.query(`delete from ${schema}.runwire`);
    await sql.query(`insert into ${schema}.runwire values ($1)`, [tables.length]);
  }, `select pg_advisory_xact_lock(${setUpLock})`);
}
