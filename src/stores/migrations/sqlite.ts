import { filesOfRuns, firstTables, forBoth, runsInPlaces, runsInTrees, runsOfSessions, type Sql } from './both.ts';

const sqlite: Sql = {
  p: '',
  word: 'text',
  text: 'text',
  document: 'any',
  small: 'integer',
  whole: 'integer',
  figure: 'real',
  bytes: 'blob',
  packed: (columns) => `cast(json_group_array(json_array(${columns})) as blob)`,
  sharedWith: () => '',
  number: 'integer primary key',
  table: ' strict',
  keyed: ' strict, without rowid',
  search: '',
};
const sums = ['input_tokens', 'output_tokens', 'cache_read_tokens'];
const totals = ['runs', 'running', ...sums, 'cost', 'cost_known'];
const changes = ['status', 'class', 'turns', 'cost', ...sums]
  .map((name) => `old.${name} is not new.${name}`)
  .join(' or ');

/** Adds the figures of a run to the totals, or takes them away. */
function count(sign: '+' | '-', row: 'old' | 'new'): string {
  const figures = `from run_figures f where f.seq = ${row}.seq`;
  return `insert into totals select f.class, ${totals.map((name) => `${sign}f.${name}`).join(', ')} ${figures}
    on conflict (class) do update set ${totals.map((name) => `${name} = totals.${name} + excluded.${name}`).join(', ')};`;
}

/** One entry for each version of the ledger; never changed once released, only followed by the next. */
export const sqliteMigrations: readonly string[] = [
  `${firstTables(sqlite)}
  create virtual table words using fts5 (text, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii');
  create trigger runs_forgotten after delete on runs begin
    delete from words where rowid = old.seq;
  end;
  `,
  runsInTrees(sqlite),
  runsOfSessions(sqlite),
  filesOfRuns(sqlite),
  runsInPlaces(sqlite),
  `
  create table budgets (name text primary key, usd real, tokens real, per text not null) strict;
  create table spendings (
    budget text not null references budgets (name) on delete cascade,
    run text not null,
    period integer not null,
    at integer not null,
    usd real,
    tokens real,
    settled_at integer,
    primary key (budget, run)
  ) strict, without rowid;
  create index spendings_period on spendings (budget, period);
  create index spendings_run on spendings (run);
  `,
  `
  create table run_chunk (
    run text not null,
    attempt integer not null,
    seq_from integer not null,
    seq_to integer not null,
    here integer not null,
    place text not null,
    sha256 text not null,
    bytes integer not null,
    ends integer not null,
    at integer not null default (cast(unixepoch('subsec') * 1000 as integer)),
    body blob,
    primary key (run, attempt, seq_to, seq_from, here)
  ) strict, without rowid;
  `,
  `
  alter table runs add column reporter text;
  alter table documents add column seal text;
  `,
  `
  alter table runs add column cost_is text;
  `,
  // The totals of all runs, kept so that nobody has to count. What is added is a whole number below 2^53, money in billionths: so what is taken away leaves nothing behind.
  `
  create view run_figures as
    select seq, coalesce(class, '') as class, 1 as runs, status = 'running' as running,
      ${sums.map((name) => `round(max(min(coalesce(${name}, 0), 9e15), -9e15)) as ${name}`).join(', ')},
      round(max(min(coalesce(cost, 0), 9e6), -9e6) * 1e9) as cost, cost is not null as cost_known
    from runs where input_tokens is not null or coalesce(turns, 0) <> 0 or class is null or class not in ('config', 'input');
  create table totals (
    class text primary key,
    runs integer not null,
    running integer not null,
    input_tokens real not null,
    output_tokens real not null,
    cache_read_tokens real not null,
    cost real not null,
    cost_known integer not null
  ) strict, without rowid;
  insert into totals select class, ${totals.map((name) => `sum(${name})`).join(', ')} from run_figures group by class;
  create trigger runs_counted after insert on runs begin ${count('+', 'new')} end;
  create trigger runs_discounted before delete on runs begin ${count('-', 'old')} end;
  create trigger runs_leaving_totals before update on runs when ${changes} begin ${count('-', 'old')} end;
  create trigger runs_entering_totals after update on runs when ${changes} begin ${count('+', 'new')} end;
  `,
  // The model calls of imported sessions, by a short hash, so that each counts once in whichever files it stands.
  `
  create table requests (
    hash text primary key,
    seq integer not null references runs (seq) on delete cascade
  ) strict, without rowid;
  create index requests_run on requests (seq);
  `,
  // When a run used what it used, in quarters of an hour; a run without rows used all of it when it began, or it is not known when.
  `
  create table usage_parts (
    run text not null references runs (id) on delete cascade,
    at integer not null,
    input_tokens real,
    output_tokens real,
    cache_read_tokens real,
    cost real,
    primary key (run, at)
  ) strict, without rowid;
  `,
  ...forBoth.map((version) => version(sqlite)),
];
