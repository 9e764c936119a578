import { filesOfRuns, firstTables, forBoth, runsInPlaces, runsInTrees, runsOfSessions, type Sql } from './both.ts';

const postgres = (p: string): Sql => ({
  p,
  word: 'text collate "C"',
  text: 'text',
  document: 'text',
  small: 'integer',
  whole: 'bigint',
  figure: 'double precision',
  bytes: 'bytea',
  packed: (columns) => `convert_to(cast(json_agg(json_build_array(${columns})) as text), 'UTF8')`,
  sharedWith: (table, other) => `do $do$ declare allowed text; begin
    for allowed in select x.privilege_type || ' on ${p}${table} to ' || case when x.grantee = 0 then 'public' else quote_ident(pg_get_userbyid(x.grantee)) end
      from pg_class c, aclexplode(c.relacl) x where c.oid = '${p}${other}'::regclass and x.privilege_type in ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
    loop execute 'grant ' || allowed; end loop;
  end $do$;`,
  number: 'bigint generated always as identity primary key',
  table: '',
  keyed: '',
  search: 'words tsvector',
});
const sums = ['input_tokens', 'output_tokens', 'cache_read_tokens'];
const totals = ['runs', 'running', ...sums, 'cost', 'cost_known'];
const wasStarted =
  "(r.input_tokens is not null or coalesce(r.turns, 0) <> 0 or r.class is null or r.class not in ('config', 'input'))";
const bounded = (name: string, most: string): string => `greatest(least(coalesce(r.${name}, 0), ${most}), -${most})`;
const figures = `coalesce(r.class, '') as class, 1 as runs, cast(r.status = 'running' as integer) as running,
  ${sums.map((name) => `round(${bounded(name, '9e15')}) as ${name}`).join(', ')}, round(${bounded('cost', '9e6')} * 1e9) as cost, cast(r.cost is not null as integer) as cost_known`;
/** More than writers at a time, as a rule. */
const slots = 16;

/** Adds what a statement added to the totals, and takes away what it removed; what leaves them as they are is not written. */
function count(p: string, changed: readonly ('added' | 'removed')[]): string {
  const signed = totals.map((name) => `sign * ${name} as ${name}`).join(', ');
  const each = changed.map(
    (rows) => `select ${rows === 'added' ? 1 : -1} as sign, ${figures} from ${rows} r where ${wasStarted}`,
  );
  return `insert into ${p}totals as t select pg_backend_pid() % ${slots}, class, ${totals.map((name) => `sum(${name})`).join(', ')}
      from (select class, ${signed} from (${each.join(' union all ')}) c) x
      group by class having ${totals.map((name) => `sum(${name}) <> 0`).join(' or ')} order by class
      on conflict (slot, class) do update set ${totals.map((name) => `${name} = t.${name} + excluded.${name}`).join(', ')}`;
}

/** The same tables as in SQLite, in the schema `p`. Ids sort by byte, whatever the language of the server. */
export const postgresMigrations: readonly ((p: string) => string)[] = [
  (p) => `${firstTables(postgres(p))}
  create index documents_words on ${p}documents using gin (words);
  `,
  (p) => runsInTrees(postgres(p)),
  (p) => runsOfSessions(postgres(p)),
  (p) => filesOfRuns(postgres(p)),
  (p) => runsInPlaces(postgres(p)),
  (p) => `
  create table ${p}budgets (
    name text collate "C" primary key,
    usd double precision,
    tokens double precision,
    per text not null
  );
  create table ${p}spendings (
    budget text collate "C" not null references ${p}budgets (name) on delete cascade,
    run text collate "C" not null,
    period bigint not null,
    at bigint not null,
    usd double precision,
    tokens double precision,
    settled_at bigint,
    primary key (budget, run)
  );
  create index spendings_period on ${p}spendings (budget, period);
  create index spendings_run on ${p}spendings (run);
  `,
  // Tapes in chunks, and the index of those in a bucket. No reference to runs: a chunk may be here before its run, and outlives it until its object is removed.
  (p) => `
  create table ${p}run_chunk (
    run text collate "C" not null,
    attempt integer not null,
    seq_from bigint not null,
    seq_to bigint not null,
    here integer not null,
    place text collate "C" not null,
    sha256 text collate "C" not null,
    bytes bigint not null,
    ends integer not null,
    at bigint not null default cast(extract(epoch from clock_timestamp()) * 1000 as bigint),
    body bytea,
    primary key (run, attempt, seq_to, seq_from, here)
  );
  alter table ${p}run_chunk alter column body set storage external;
  `,
  // Without them the planner takes every run for a day of its own, and sorts a million instead of adding up 730. From version 14 on.
  (p) => `
  do $do$ begin
    if current_setting('server_version_num')::integer >= 140000 then
      execute $$create statistics ${p}runs_days on (started_at / 86400000) from ${p}runs$$;
      execute $$create statistics ${p}runs_weeks on ((started_at / 86400000 + 3) / 7) from ${p}runs$$;
      execute $$create statistics ${p}runs_months on (
        cast(extract(epoch from date_trunc('month', to_timestamp(started_at / 1000) at time zone 'UTC')) as bigint) / 86400) from ${p}runs$$;
    end if;
  end $do$;
  `,
  (p) => `
  alter table ${p}runs add column reporter text collate "C";
  alter table ${p}documents add column seal text collate "C";
  `,
  // `at_least`: the cost is a lower bound.
  (p) => `alter table ${p}runs add column cost_is text collate "C"`,
  // As in SQLite; each connection adds to rows of its own, as far as there are enough, so that writers do not wait for each other. The function runs as its owner: who may write a run need not be able to write to the totals.
  (p) => `
  create view ${p}run_figures as select seq, ${figures} from ${p}runs r where ${wasStarted};
  create table ${p}totals (
    slot integer not null,
    class text collate "C" not null,
    runs bigint not null,
    running bigint not null,
    input_tokens double precision not null,
    output_tokens double precision not null,
    cache_read_tokens double precision not null,
    cost double precision not null,
    cost_known bigint not null,
    primary key (slot, class)
  );
  insert into ${p}totals select 0, class, ${totals.map((name) => `sum(${name})`).join(', ')} from ${p}run_figures group by class;
  create function ${p}keep_totals() returns trigger language plpgsql security definer set search_path = pg_catalog as $keep$
  begin
    if tg_op = 'INSERT' then ${count(p, ['added'])};
    elsif tg_op = 'DELETE' then ${count(p, ['removed'])};
    else ${count(p, ['removed', 'added'])};
    end if;
    return null;
  end $keep$;
  create trigger runs_counted after insert on ${p}runs referencing new table as added for each statement execute function ${p}keep_totals();
  create trigger runs_discounted after delete on ${p}runs referencing old table as removed for each statement execute function ${p}keep_totals();
  create trigger runs_recounted after update on ${p}runs referencing old table as removed new table as added for each statement execute function ${p}keep_totals();
  do $do$ declare reader text; begin
    for reader in select distinct case when x.grantee = 0 then 'public' else quote_ident(pg_get_userbyid(x.grantee)) end
      from pg_class c, aclexplode(c.relacl) x where c.oid = '${p}runs'::regclass and x.privilege_type = 'SELECT'
    loop execute 'grant select on ${p}totals, ${p}run_figures to ' || reader; end loop;
  end $do$;
  `,
  // As in SQLite, for those who may read or add runs.
  (p) => `
  create table ${p}requests (
    hash text collate "C" primary key,
    seq bigint not null references ${p}runs (seq) on delete cascade
  );
  create index requests_run on ${p}requests (seq);
  do $do$ declare allowed text; begin
    for allowed in select x.privilege_type || ' on ${p}requests to ' || case when x.grantee = 0 then 'public' else quote_ident(pg_get_userbyid(x.grantee)) end
      from pg_class c, aclexplode(c.relacl) x where c.oid = '${p}runs'::regclass and x.privilege_type in ('SELECT', 'INSERT')
    loop execute 'grant ' || allowed; end loop;
  end $do$;
  `,
  // As in SQLite, for those who may read or change runs.
  (p) => `
  create table ${p}usage_parts (
    run text collate "C" not null references ${p}runs (id) on delete cascade,
    at bigint not null,
    input_tokens double precision,
    output_tokens double precision,
    cache_read_tokens double precision,
    cost double precision,
    primary key (run, at)
  );
  do $do$ declare allowed text; begin
    for allowed in select x.privilege_type || ' on ${p}usage_parts to ' || case when x.grantee = 0 then 'public' else quote_ident(pg_get_userbyid(x.grantee)) end
      from pg_class c, aclexplode(c.relacl) x where c.oid = '${p}usage'::regclass and x.privilege_type in ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
    loop execute 'grant ' || allowed; end loop;
  end $do$;
  `,
  ...forBoth.map((version) => (p: string) => version(postgres(p))),
];
