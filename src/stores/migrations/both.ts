/** What one database calls what both have. Words sort by byte, whatever the language of the server. */
export interface Sql {
  /** Before the name of a table: its schema. */
  p: string;
  /** The type of a column: words that are compared, a text that is not, numbers. */
  word: string;
  text: string;
  document: string;
  small: string;
  whole: string;
  figure: string;
  bytes: string;
  /** Values of many rows as one array of JSON, each row an array, in bytes. */
  packed(columns: string): string;
  /** What lets those use a table who may use another, where there are such rights. */
  sharedWith(table: string, other: string): string;
  /** The number of a row, given by the database. */
  number: string;
  /** At the end of a table, and of one whose rows have no number. */
  table: string;
  keyed: string;
  /** What only this database has in `documents`, and beside it. */
  search: string;
}

/** A reference to the run whose row it stands in. */
const ofRun = ({ p, word }: Sql): string => `run ${word} not null references ${p}runs (id) on delete cascade`;

function add({ p }: Sql, table: string, columns: readonly string[]): string {
  return columns.map((column) => `alter table ${p}${table} add column ${column};`).join('\n  ');
}

export function firstTables(sql: Sql): string {
  const { p, word, text, document, small, whole, figure, number, table, keyed, search } = sql;
  return `
  create table ${p}runs (
    seq ${number},
    id ${word} not null unique,
    key ${word} unique,
    status ${word} not null,
    class ${word},
    exit_code ${small},
    agent ${word},
    model ${word},
    started_at ${whole} not null,
    ended_at ${whole},
    duration_ms ${figure},
    input_tokens ${figure},
    output_tokens ${figure},
    reasoning_tokens ${figure},
    cache_read_tokens ${figure},
    cache_write_tokens ${figure},
    cost ${figure},
    cost_source ${text},
    turns ${small},
    tool_calls ${small},
    artifacts ${small},
    warnings ${small},
    last_sequence ${whole} not null default 0,
    heartbeat_at ${whole} not null
  )${table};
  create index runs_status on ${p}runs (status, id);
  create index runs_class on ${p}runs (class, id);
  create index runs_agent on ${p}runs (agent, id);
  create index runs_model on ${p}runs (model, id);
  create index runs_short on ${p}runs (substr(id, 19));

  create table ${p}documents (
    seq ${whole} primary key references ${p}runs (seq) on delete cascade,
    prompt ${text} not null,
    outcome ${document},
    attempts ${text},
    agent_version ${text},
    dialect ${text},
    session_id ${text},
    cwd ${text},
    tape ${text},
    host ${text},
    owner ${text}${search === '' ? '' : `,\n    ${search}`}
  )${table};

  create table ${p}labels (
    key ${word} not null,
    value ${word} not null,
    ${ofRun(sql)},
    primary key (key, value, run)
  )${keyed};
  create unique index labels_run on ${p}labels (run, key);

  create table ${p}usage (
    ${ofRun(sql)},
    model ${word} not null,
    input_tokens ${figure},
    output_tokens ${figure},
    reasoning_tokens ${figure},
    cache_read_tokens ${figure},
    cache_write_tokens ${figure},
    cost ${figure},
    primary key (run, model)
  )${keyed};
  `;
}

export function runsInTrees(sql: Sql): string {
  const { p, word } = sql;
  return `
  ${add(sql, 'runs', [`parent_run_id ${word}`, `root_run_id ${word}`])}
  create index runs_parent on ${p}runs (parent_run_id, id) where parent_run_id is not null;
  create index runs_root on ${p}runs (root_run_id, id) where root_run_id is not null;
  `;
}

export function runsOfSessions({ p }: Sql): string {
  return `
  create index documents_session on ${p}documents (session_id) where session_id is not null;
  `;
}

export function filesOfRuns(sql: Sql): string {
  const { p, word, keyed } = sql;
  return `
  create table ${p}files (
    name ${word} not null,
    ${ofRun(sql)},
    path ${word} not null,
    primary key (name, run, path)
  )${keyed};
  create index files_run on ${p}files (run);
  `;
}

/** Where runs are, which was in their documents and labels before, and how often they called which tool. */
export function runsInPlaces(sql: Sql): string {
  const { p, word, text, whole, figure, keyed } = sql;
  const places = ['host', 'username', 'repo', 'cwd', 'session_id'];
  return `
  ${add(sql, 'runs', [`heard_at ${whole}`, `presumed_at ${whole}`, ...places.map((name) => `${name} ${word}`)])}
  ${add(sql, 'documents', [`tape_sha256 ${text}`])}
  update ${p}runs as r set host = d.host, cwd = d.cwd, session_id = d.session_id from ${p}documents d where d.seq = r.seq;
  update ${p}runs as r set repo = l.value from ${p}labels l where l.run = r.id and l.key = 'git.repo';
  update ${p}runs set agent = 'runwire' where agent = 'builtin';
  create index runs_presumed on ${p}runs (host, id) where presumed_at is not null;
  ${places.map((name) => `create index runs_${name === 'session_id' ? 'session' : name} on ${p}runs (${name}, id) where ${name} is not null;`).join('\n  ')}

  create table ${p}tools (
    ${ofRun(sql)},
    name ${word} not null,
    calls ${whole} not null,
    failed ${whole} not null,
    duration_ms ${figure},
    primary key (run, name)
  )${keyed};
  `;
}

/**
 * What follows what each database has in its own file, for both: an entry for each version of the ledger, never changed once released.
 * A new column of a run is one more entry here.
 */
export const forBoth: readonly ((sql: Sql) => string)[] = [
  (sql) => add(sql, 'runs', [`waits_until ${sql.whole}`]),
  seriesOfRuns,
  (sql) => add(sql, 'runs', [`claims_checked ${sql.small}`, `claims_contradicted ${sql.small}`]),
];

/** When a run used what it used, in one piece instead of a row for each quarter of an hour; what was kept before stays, as JSON. */
function seriesOfRuns(sql: Sql): string {
  const { p, word, bytes, keyed } = sql;
  return `
  create table ${p}usage_series (
    run ${word} primary key references ${p}runs (id) on delete cascade,
    parts ${bytes} not null
  )${keyed};
  insert into ${p}usage_series
    select run, ${sql.packed('at, input_tokens, output_tokens, cache_read_tokens, cost')} from ${p}usage_parts group by run;
  ${sql.sharedWith('usage_series', 'usage_parts')}
  drop table ${p}usage_parts;
  `;
}
