/** What pg-boss does not keep: what is to be done, for whom, by whom, and the outcome. In the same schema; ids sort by byte. */
export const tables: readonly ((p: string) => string)[] = [
  (p) => `
  create table ${p}jobs (
    run text collate "C" primary key,
    id text collate "C" unique,
    job uuid not null unique,
    state text collate "C" not null,
    priority integer not null,
    spec jsonb not null,
    origin jsonb,
    source text,
    signature text collate "C" not null,
    keys text[] not null,
    needs text[] not null,
    after text[] not null,
    budget text,
    publish text not null,
    start_at timestamptz not null,
    enqueued_at timestamptz not null default now(),
    enqueued_by text not null,
    attempt integer not null default 0,
    losses integer not null default 0,
    worker text,
    lease_ms integer,
    heard_at timestamptz,
    started_at timestamptz,
    cancel_by text,
    cancel_reason text,
    ended_at timestamptz,
    status text,
    class text,
    exit_code integer,
    message text,
    branch text,
    result text,
    ending text,
    is_recorded boolean not null default false
  );
  create index jobs_open on ${p}jobs (state, signature) where state <> 'ended';
  create index jobs_ended on ${p}jobs (ended_at) where state = 'ended';
  create index jobs_short on ${p}jobs (substr(run, 19));
  create index jobs_unrecorded on ${p}jobs (ended_at) where state = 'ended' and not is_recorded;

  create table ${p}sets (signature text collate "C" primary key, keys text[] not null, needs text[] not null);

  create table ${p}limits (key text collate "C" primary key, most integer not null);

  create table ${p}bundles (hash text collate "C" primary key, body bytea not null, used_at timestamptz not null);
  `,
  // `attempts_before`: of the times that it was queued before; pg-boss counts from nought each time.
  (p) => `
  alter table ${p}jobs add column attempts_before integer not null default 0, add column is_dead boolean not null default false;
  update ${p}jobs set is_dead = true where state = 'ended' and class = 'incomplete' and message like 'its worker was lost%';
  create index jobs_dead on ${p}jobs (run) where is_dead;

  create table ${p}workers (
    name text collate "C" primary key,
    host text not null,
    slots integer not null,
    labels text[] not null,
    version text not null,
    lease_ms integer not null,
    started_at timestamptz not null default clock_timestamp(),
    heard_at timestamptz not null default clock_timestamp(),
    drain_by text
  );

  create table ${p}pauses (name text primary key, by text not null, reason text not null, at timestamptz not null default clock_timestamp());
  `,
  // `parked`: what a run that waits for a limit needs to go on; `orders`: what people want of one that is going on.
  (p) => `
  alter table ${p}jobs add column parked jsonb, add column orders jsonb;
  `,
];
