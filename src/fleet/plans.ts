import { exitCodes } from '../failure.ts';
import { workerStates } from './worker-row.ts';

/** Every statement that the queue sends, by its name, for the tables of one schema. */
export type Plans = ReturnType<typeof plansOf>;

export function plansOf(schema: string) {
  const [jobs, sets, limits] = [`${schema}.jobs`, `${schema}.sets`, `${schema}.limits`];
  const [bundles, workers, pauses] = [`${schema}.bundles`, `${schema}.workers`, `${schema}.pauses`];
  const claimLock = `(hashtext('runwire:claim'), hashtext('${schema}'))`;
  const limitOf = (key: string): string =>
    `select most from ${limits} x where x.key in (${key}, split_part(${key}, '=', 1) || '=*') order by x.key = ${key} desc limit 1`;
  /** Its predecessors have ended, whether they succeeded or not. */
  const ready = `j.state = 'waiting' and not exists (select 1 from ${jobs} p where p.run = any(j.after) and p.state <> 'ended')`;
  const isPaused = `exists (select 1 from ${pauses})`;

  return {
    /** Claims with limits, cancellations and releases wait for each other, so that limits are exact. */
    lock: `select pg_advisory_xact_lock${claimLock}`,
    /** Claims without limits wait only for those. */
    sharedLock: `select pg_advisory_xact_lock_shared${claimLock}`,
    /**
     * Every run passes through the index of open runs, as queued and as running, and soon leaves it: only an index scan marks dead
     * entries, other scans read them again each time.
     */
    sweepingLock: `set local enable_bitmapscan = off; set local enable_seqscan = off; select pg_advisory_xact_lock${claimLock}`,

    addSets: `insert into ${sets} select * from jsonb_to_recordset($1::jsonb) as x (signature text, keys text[], needs text[]) order by 1 on conflict do nothing`,
    addJobs: `insert into ${jobs} (run, id, job, state, priority, spec, origin, source, signature, keys, needs, after, budget, publish, start_at, enqueued_by)
      select run, id, job, case when cardinality(after) = 0 then 'queued' else 'waiting' end, priority, spec, origin, source, signature, keys, needs, after, budget, publish, coalesce(start_at, now()), enqueued_by
      from jsonb_to_recordset($1::jsonb) as x (run text, id text, job uuid, priority int, spec jsonb, origin jsonb, source text, signature text, keys text[],
        needs text[], after text[], budget text, publish text, start_at timestamptz, enqueued_by text)
      on conflict do nothing returning run, job, state`,
    knownJobs: `select run, id, state from ${jobs} where run = any($1) or id = any($2)`,

    getJob: `select ${jobColumns} from ${jobs} where run = $1`,
    listJobs: newestJobs(jobs, 'state = any($1)'),
    listDeadJobs: newestJobs(jobs, 'state = any($1) and is_dead'),
    findRuns: `select run from ${jobs} where id = $1 or run = $2 or ($2 <> '' and substr(run, 19) >= $2 and substr(run, 19) < $2 || '~') order by run desc limit 10`,

    /** What a worker sees before it waits for a lock. */
    glance: `select exists (select 1 from ${jobs} where state = 'queued' and start_at <= now()) as due,
      exists (select 1 from ${jobs} j where ${stale}) or exists (select 1 from ${jobs} j where ${ready}) as stuck,
      exists (select 1 from ${jobs} where state = 'queued' and signature > '')
        and (exists (select 1 from ${limits}) or exists (select 1 from ${sets} where needs <> '{}')) as limited,
      ${isPaused} as paused`,
    /** What may be taken, and what has to be freed first. */
    look: `with running as (select key, count(*) as runs from ${jobs}, unnest(keys) key where state = 'running' group by key),
      sets as (
        select s.signature, not s.needs <@ $1::text[] as is_unfit, min(l.most - coalesce(r.runs, 0)) as room
        from ${sets} s left join unnest(s.keys) k (key) on true left join running r on r.key = k.key
        left join lateral (${limitOf('k.key')}) l on true
        -- Not exists: the planner would read the whole queue for it, each time.
        where (select true from ${jobs} j where j.state = 'queued' and j.signature = s.signature limit 1)
        group by s.signature, s.needs
      )
    select json_build_object(
      'stale', (select coalesce(json_agg(x), '[]') from (select run, job, attempt - attempts_before as attempt, losses, cancel_by from ${jobs} j where ${stale} for update skip locked) x),
      'ready', (select coalesce(json_agg(x), '[]') from (
        select run, job, signature, priority, start_at as at,
          (select min(a) from unnest(after) a left join ${jobs} p on p.run = a where p.exit_code is distinct from ${exitCodes.success}) as failed
        from ${jobs} j where ${ready}) x),
      'blocked', (select coalesce(json_agg(signature), '[]') from sets where is_unfit or room <= 0),
      'room', (select min(room) from sets where not is_unfit and room > 0)) as looked`,
    takeJobs: `update ${jobs} j set state = 'running', attempt = attempts_before + x.n + 1, worker = $2, lease_ms = $3, heard_at = clock_timestamp(), started_at = clock_timestamp()
      from unnest($1::uuid[], $4::int[]) as x (id, n) where j.job = x.id
      returning run, job, attempt, attempts_before, spec, origin, publish, budget, enqueued_by, source is not null as has_bundle, parked, result is not null as has_result, signature, priority`,
    /** Adding to the queue does not wait for the lock: this finds jobs that were added between looking and fetching. */
    doTakenFit: `select not exists (
      select 1 from ${jobs} j where j.job = any($1) and (not j.needs <@ $2::text[] or exists (
        select 1 from unnest(j.keys) k (key) cross join lateral (${limitOf('k.key')}) l
        where (select count(*) from ${jobs} r where r.state = 'running' and k.key = any(r.keys)) > l.most)))
      and not ${isPaused} as fits`,
    /** Sent together with the commit: a division by zero turns it into a rollback. */
    refuseLimited: `select 1 / cast(not exists (
      select 1 from ${jobs} where job = any($1) and signature <> '' and (not needs <@ $2::text[] or exists (select 1 from ${limits}))) and not ${isPaused} as integer)`,
    queueAgain: `update ${jobs} set state = 'queued', worker = null where run = $1`,
    queueLost: `update ${jobs} set state = 'queued', losses = losses + 1, worker = null where run = $1`,
    queueReady: `update ${jobs} set state = 'queued' where run = any($1)`,
    buryJob: `update ${jobs} set is_dead = true where run = $1`,

    hearOf: `with held as (select job as id, orders as given from ${jobs} where job = any($1) and state = 'running' for update)
      update ${jobs} set heard_at = clock_timestamp(), orders = null from held where job = held.id returning run, cancel_by, cancel_reason, held.given as orders`,
    parkJob: `update ${jobs} set job = $2, state = 'queued', attempts_before = attempt, start_at = $3::timestamptz, worker = null, lease_ms = null, heard_at = null,
      parked = $4::jsonb, orders = null, branch = $5, result = $6, message = $7 where run = $1`,
    jobToOrder: `select job, state, signature, priority, parked is not null as is_parked from ${jobs} where run = $1 for update`,
    orderJob: `update ${jobs} set orders = coalesce(orders, '[]'::jsonb) || $2::jsonb where run = $1`,
    wakeJob: `update ${jobs} set job = $2, start_at = now(), attempts_before = attempt where run = $1`,
    settleJobs: `update ${jobs} j set state = 'ended', ended_at = clock_timestamp(), status = x.status, class = x.class, exit_code = x.code, message = x.message, branch = x.branch, result = x.result, ending = x.ending
      from jsonb_to_recordset($1::jsonb) as x (run text, status text, class text, code int, message text, branch text, result text, ending text) where j.run = x.run`,
    settledAttempt: `select 1 from ${jobs} where run = $1 and state = 'ended' and ending is not null and attempt - attempts_before = $2`,
    /** Of runs that no worker will start, or start again. */
    endUnrun: `update ${jobs} set state = 'ended', ended_at = clock_timestamp(), status = $2, class = $2, exit_code = $3, message = $4, is_recorded = true where run = any($1)`,
    jobToCancel: `select state, job from ${jobs} where run = $1 for update`,
    cancelJob: `update ${jobs} set cancel_by = $2, cancel_reason = $3 where run = $1`,
    jobToRetry: `select job, state, exit_code, signature, priority, cardinality(after) > 0 as waits from ${jobs} where run = $1 for update`,
    retryJob: `update ${jobs} set job = $2, state = $3, attempts_before = attempt, losses = 0, is_dead = false, start_at = now(), worker = null,
      lease_ms = null, heard_at = null, started_at = null, cancel_by = null, cancel_reason = null, ended_at = null, status = null, class = null, parked = null, orders = null,
      exit_code = null, message = null, branch = null, result = null, ending = null, is_recorded = false where run = $1`,

    unrecordedRun: `select run, ending from ${jobs} where ${unrecorded} and run = $1`,
    unrecordedOlder: `select run, ending from ${jobs} where ${unrecorded} and ended_at < now() - $1 * interval '1 ms' order by ended_at limit 20`,
    markRecorded: `update ${jobs} set is_recorded = true, ending = null where run = $1`,

    pruneJobs: `delete from ${jobs} j where state = 'ended' and ended_at < now() - $1 * interval '1 ms'
      and not exists (select 1 from ${jobs} w where w.state = 'waiting' and j.run = any(w.after)) returning job`,
    pruneBundles: `delete from ${bundles} b where used_at < now() - $1 * interval '1 ms'
      and not exists (select 1 from ${jobs} j where b.hash in (j.source, j.result))`,
    pruneSets: `delete from ${sets} s where not exists (select 1 from ${jobs} j where j.signature = s.signature)`,

    keepBundle: `insert into ${bundles} values ($1, $2, now()) on conflict (hash) do update set used_at = now()`,
    sourceBundle: bundleOf(bundles, `select source from ${jobs} where run = $1`),
    resultBundle: bundleOf(bundles, `select result from ${jobs} where run = $1`),

    listLimits: `select l.key, l.most, (select count(*)::int from ${jobs} j, unnest(j.keys) k where j.state = 'running' and (k = l.key or l.key = split_part(k, '=', 1) || '=*')) as running
      from ${limits} l order by l.key`,
    setLimit: `insert into ${limits} values ($1, $2) on conflict (key) do update set most = excluded.most`,
    removeLimit: `delete from ${limits} where key = $1`,

    meetWorker: `insert into ${workers} as w (name, host, slots, labels, version, lease_ms) values ($1, $2, $3, $4, $5, $6)
      on conflict (name) do update set heard_at = clock_timestamp() returning drain_by is not null as drains`,
    partWorker: `delete from ${workers} where name = $1 or heard_at < clock_timestamp() - interval '1 day'`,
    drainWorkers: `update ${workers} set drain_by = $1 where $2::text[] is null or name = any($2) returning name`,
    listWorkers: `select name, ${workerState} as state, (select count(*)::int from ${jobs} j where j.state = 'running' and j.worker = w.name) as running,
      slots, labels, version, started_at, heard_at from ${workers} w order by name`,

    pause: `insert into ${pauses} (name, by, reason) values ('all', $1, $2) on conflict (name) do update set by = $1, reason = $2`,
    resume: `delete from ${pauses}`,
    getPause: `select by, reason, at from ${pauses} limit 1`,

    /** Of runs that have not ended, and of the dead, which have an index of their own: what ended otherwise is not read. */
    figures: `select json_build_object(
      'jobs', (select json_build_object('waiting', count(*) filter (where state = 'waiting'), 'queued', count(*) filter (where state = 'queued'),
          'due', count(*) filter (where state = 'queued' and start_at <= now()), 'running', count(*) filter (where state = 'running'),
          'dead', (select count(*) from ${jobs} where is_dead))
        from ${jobs} where state <> 'ended'),
      'oldest_wait_ms', (select coalesce(round(max(extract(epoch from clock_timestamp() - greatest(enqueued_at, start_at))) * 1000), 0)
        from ${jobs} where state = 'queued' and start_at <= now()),
      'workers', (select json_build_object(${workerStates.map((state) => `'${state}', count(*) filter (where state = '${state}')`).join(', ')})
        from (select ${workerState} as state from ${workers}) w),
      'slots', (select coalesce(sum(slots), 0) from (select slots, ${workerState} as state from ${workers}) w where state = 'working'),
      'paused', ${isPaused}) as figures`,

    hasTable: 'select 1 from pg_catalog.pg_tables where schemaname = $1 and tablename = $2',
    makeSchema: `create schema if not exists ${schema}`,
    makeVersion: `create table if not exists ${schema}.runwire (version integer not null)`,
    getVersion: `select version from ${schema}.runwire`,
    forgetVersion: `delete from ${schema}.runwire`,
    setVersion: `insert into ${schema}.runwire values ($1)`,
    /** One lock number for everything that sets up queues on a server. */
    setUpLock: `select pg_advisory_xact_lock(${0x52756e51})`,
  } as const;
}

const jobColumns = `run, id, state, left(regexp_replace(coalesce(nullif(spec ->> 'prompt', ''), (select string_agg(word, ' ') from jsonb_array_elements_text(case when jsonb_typeof(spec -> 'command') = 'array' then spec -> 'command' else '[]' end) word), ''), '\\s+', ' ', 'g'), 200) as title,
  coalesce(spec -> 'command' ->> 0, spec ->> 'agent', '') as agent, priority, keys, needs, after, budget, start_at as at, enqueued_at, enqueued_by,
  attempt, worker, started_at, ended_at, status, class, exit_code, message, cancel_by, cancel_reason, branch,
  case when state = 'ended' then is_recorded or ended_at < clock_timestamp() - interval '10 s' end as is_recorded`;

function newestJobs(jobs: string, which: string): string {
  return `select * from (select ${jobColumns} from ${jobs} where ${which} order by run desc limit $2) x order by priority desc, run`;
}

function bundleOf(bundles: string, hash: string): string {
  return `select case when length(body) <= $2 then body else '' end as body from ${bundles} where hash = (${hash})`;
}

const unrecorded = `state = 'ended' and not is_recorded and ending is not null`;

/** While the server was down no heartbeat could reach it, so the time counts from its start. */
const isSilent = `greatest(heard_at, pg_postmaster_start_time()) < clock_timestamp() - lease_ms * interval '1 ms'`;
const stale = `j.state = 'running' and ${isSilent}`;
const workerState = `case when ${isSilent} then 'silent' when drain_by is not null then 'draining' else 'working' end`;
