import { present } from '../present.ts';
import type { Database, Row, Statement, Value } from './database.ts';
import { select } from './filter-sql.ts';
import { ledgerOutcome } from './ledger-outcome.ts';
import type {
  Ending,
  Grouping,
  ImportedRun,
  Labels,
  LedgerOutcome,
  NewRun,
  OpenRun,
  Page,
  PageRequest,
  Problem,
  Progress,
  RunFilter,
  RunRecord,
  RunStore,
  RunSummary,
  RunUsage,
  StatsOptions,
  StatsRow,
} from './run-store.ts';
import {
  agentName,
  damageOf,
  detailColumns,
  openRunOf,
  optionalNumber,
  optionalText,
  outcomeColumns,
  plainText,
  recordOf,
  statsOf,
  summaryColumns,
  summaryOf,
  treeColumns,
  usageColumns,
  usageOf,
  wholeText,
  writeOutcome,
} from './rows.ts';
import { figuresOf, figureTables } from './figures.ts';
import { percentilesSql, type StatsQuery, statsSql } from './stats-sql.ts';
import { type Offset, offsetsOf } from './time-zone.ts';
import { wordsOf } from './words.ts';

const exportPage = 200;
const pruneBatch = 500;
const valuesPerQuery = 5000;

/** The ledger in SQL: the same for every database that speaks it. */
export class SqlRunStore implements RunStore {
  readonly #database: Database;
  readonly #p: string;
  /** A role that may only add tells a run when it has ended. */
  readonly #held = new Map<string, NewRun>();

  constructor(database: Database) {
    this.#database = database;
    this.#p = database.prefix;
  }

  get name(): string {
    return this.#database.name;
  }

  async begin(run: NewRun): Promise<void> {
    if (!this.#database.rights.update) return void this.#held.set(run.id, run);
    await this.#database.write([
      this.#insert('runs', {
        id: run.id,
        ...treeColumns(run),
        status: 'running',
        agent: agentName(run.agent),
        model: optionalText(run.model),
        started_at: Math.floor(run.started_at),
        heartbeat_at: Math.floor(run.started_at),
        heard_at: { sql: this.#database.now },
        host: optionalText(run.owner.host),
        username: optionalText(run.user),
        repo: optionalText(run.repo),
        cwd: optionalText(run.cwd),
      }),
      this.#insertDocument(run.id, {
        prompt: wholeText(run.prompt),
        cwd: optionalText(run.cwd),
        tape: optionalText(run.tape),
        host: optionalText(run.owner.host),
        owner: wholeText(JSON.stringify(run.owner)),
      }),
      ...this.#labels(run.id, run.labels),
    ]);
  }

  /** A run that others took for gone, and that is heard of again, goes on. */
  async note(id: string, { at, agent_version, session_id, ...news }: Progress): Promise<void> {
    if (this.#held.has(id)) return;
    const told: Record<string, Value> = {
      last_sequence: optionalNumber(news.last_sequence),
      agent: agentName(news.agent),
      model: optionalText(news.model),
      session_id: optionalText(session_id),
      input_tokens: optionalNumber(news.input_tokens),
      output_tokens: optionalNumber(news.output_tokens),
      cost: optionalNumber(news.cost),
      tool_calls: optionalNumber(news.tool_calls),
    };
    const set = Object.keys(told).map((name) => `${name} = coalesce(?, ${name})`);
    const facts: Statement[] =
      session_id === undefined && agent_version === undefined
        ? []
        : [
            {
              sql: `update ${this.#p}documents set session_id = coalesce(?, session_id), agent_version = coalesce(?, agent_version) where seq = (select seq from ${this.#p}runs where id = ?)`,
              values: [optionalText(session_id), optionalText(agent_version), id],
            },
          ];
    await this.#database.write([
      {
        sql: `update ${this.#p}runs set heartbeat_at = ?, heard_at = ${this.#database.now}, ${set.join(', ')},
          status = 'running', presumed_at = null, class = null, exit_code = null, ended_at = null, duration_ms = null
          where id = ? and (status = 'running' or presumed_at is not null)`,
        values: [Math.floor(at), ...Object.values(told), id],
      },
      ...facts,
    ]);
  }

  async finish(id: string, ending: Ending): Promise<void> {
    const held = this.#held.get(id);
    if (held !== undefined) {
      await this.#insertWhole({ ...held, ...ending });
      return void this.#held.delete(id);
    }
    const found = await this.#end(id, ending, { sql: 'id = ?', values: [id] });
    if (!found) throw new Error(`${this.name}: no run ${id}`);
  }

  async closeInterrupted({ id, heartbeat_at, presumed_at }: OpenRun, ending: Ending, presumed = false): Promise<boolean> {
    if (!this.#database.rights.update) return false;
    const state = presumed_at === undefined ? "status = 'running'" : 'presumed_at = ?';
    const condition = {
      sql: `id = ? and heartbeat_at = ? and ${state}`,
      values: [id, heartbeat_at, ...(presumed_at === undefined ? [] : [presumed_at])],
    };
    return this.#end(id, ending, condition, presumed);
  }

  async open(): Promise<OpenRun[]> {
    return this.#openRuns({ sql: "r.status = 'running'", values: [] });
  }

  async presumed(host: string): Promise<OpenRun[]> {
    return this.#openRuns({ sql: 'r.presumed_at is not null and r.host = ?', values: [plainText(host)] });
  }

  async #openRuns({ sql, values }: Statement): Promise<OpenRun[]> {
    const rows = await this.#database.all({
      sql: `${this.#select(openColumns)}, ${this.#database.now} - coalesce(r.heard_at, r.heartbeat_at) as silent_ms
        from ${this.#p}runs r ${this.#join} where ${sql} order by r.id`,
      values,
    });
    return rows.map(openRunOf);
  }

  async put(run: ImportedRun): Promise<'added' | 'same'> {
    return (await this.#insertWhole(run)) ? 'added' : 'same';
  }

  /** A run and its end at once; false: it is there. */
  async #insertWhole(
    run: Omit<NewRun, 'prompt' | 'owner'> &
      Ending &
      Partial<Pick<NewRun, 'prompt' | 'owner'> & Pick<ImportedRun, 'host'> & { key: string }>,
  ): Promise<boolean> {
    const outcome = ledgerOutcome(run.outcome);
    const prompt = outcome.metadata.initial_prompt || (run.prompt ?? '');
    const { agent = null, model = null, ...columns } = outcomeColumns(outcome);
    const words = wordsOf(prompt, outcome.message);
    return this.#database.write([
      this.#insert('runs', {
        id: run.id,
        key: run.key === undefined ? null : plainText(run.key),
        ...treeColumns(run),
        ...columns,
        agent: agentName(run.agent) ?? agent,
        model: optionalText(run.model) ?? model,
        started_at: Math.floor(run.started_at),
        ended_at: Math.floor(run.ended_at),
        heartbeat_at: Math.floor(run.ended_at),
        last_sequence: run.last_sequence ?? 0,
        host: optionalText(run.host ?? run.owner?.host),
        username: optionalText(run.user),
        repo: optionalText(run.repo),
        cwd: optionalText(run.cwd),
        session_id: optionalText(outcome.session_id),
      }),
      this.#insertDocument(run.id, {
        prompt: wholeText(prompt),
        cwd: optionalText(run.cwd),
        tape: optionalText(run.tape),
        host: optionalText(run.host ?? run.owner?.host),
        owner: run.owner === undefined ? null : wholeText(JSON.stringify(run.owner)),
        ...documentColumns(outcome, run, this.#database.kind),
        ...(this.#database.kind === 'postgres' ? { words: { sql: 'cast(? as tsvector)', value: vectorOf(words) } } : {}),
      }),
      ...this.#labels(run.id, run.labels),
      ...this.#figures(run.id, outcome),
      ...(this.#database.kind === 'postgres' ? [] : this.#words(run.id, words)),
    ]);
  }

  async list(filter: RunFilter, page: PageRequest): Promise<Page<RunSummary>> {
    const { rows, labels, next } = await this.#page(filter, page, [titleColumn]);
    return { runs: rows.map((row) => summaryOf(row, labels(row))), ...next };
  }

  async count(filter: RunFilter): Promise<number> {
    const { from, where, values } = select(this.#database, filter);
    const [row] = await this.#database.all({ sql: `select count(*) as runs ${from} ${where}`, values });
    return Number(row?.['runs']);
  }

  async get(id: string): Promise<RunRecord | undefined> {
    const rows = await this.#database.all({
      sql: `${this.#select(recordColumns)} from ${this.#p}runs r ${this.#join} where r.id = ?`,
      values: [id],
    });
    const labels = await this.#labelsOf(rows);
    return rows.map((row) => recordOf(row, labels(row)))[0];
  }

  async ofSession(session: string): Promise<RunSummary[]> {
    const rows = await this.#database.all({
      sql: `${this.#select([...listColumns, titleColumn])} from ${this.#p}documents d join ${this.#p}runs r on r.seq = d.seq where d.session_id = ? order by r.id`,
      values: [plainText(session)],
    });
    const labels = await this.#labelsOf(rows);
    return rows.map((row) => summaryOf(row, labels(row)));
  }

  async addLabels(id: string, labels: Labels): Promise<void> {
    // A statement that changes nothing ends what is written together.
    for (const label of this.#labels(id, labels)) await this.#database.write([label]);
  }

  async below(roots: readonly string[]): Promise<RunSummary[]> {
    const rows = await this.#below([...listColumns, titleColumn], this.#join, roots);
    const labels = await this.#labelsOf(rows);
    return rows.map((row) => summaryOf(row, labels(row)));
  }

  async usageBelow(roots: readonly string[]): Promise<RunUsage[]> {
    return (await this.#below(usageColumns, '', roots)).map(usageOf);
  }

  async find(idOrShort: string): Promise<string[]> {
    const text = plainText(idOrShort.trim().toLowerCase());
    if (text === '') return [];
    const rows = await this.#database.all({
      sql: `select id from ${this.#p}runs where id = ? or (substr(id, 19) >= ? and substr(id, 19) < ?) order by id desc limit 10`,
      values: [text, text, `${text}~`],
    });
    return rows.map((row) => String(row['id']));
  }

  async stats(
    grouping: Grouping | readonly Grouping[],
    filter: RunFilter,
    { timeZone = 'UTC', percentiles = false }: StatsOptions = {},
  ): Promise<StatsRow[]> {
    const groupings = isSeveral(grouping) ? grouping : [grouping];
    const query: StatsQuery = { groupings, filter, offsets: await this.#offsets(timeZone, filter) };
    const rows = await this.#database.all(statsSql(this.#database, query));
    const more = new Map<string, Row>();
    for (const column of percentiles ? (['duration', 'cost'] as const) : []) {
      for (const { a, b, ...found } of await this.#database.all(percentilesSql(this.#database, query, column))) {
        const key = JSON.stringify([a, b]);
        more.set(key, { ...more.get(key), ...found });
      }
    }
    return rows.map((row) => statsOf({ ...row, ...more.get(JSON.stringify([row['group'], row['subgroup']])) }, groupings));
  }

  async #offsets(timeZone: string, filter: RunFilter): Promise<Offset[]> {
    if (timeZone === 'UTC') return [];
    const { from, where, values } = select(this.#database, filter);
    const sql = `select min(r.started_at) as first, max(r.started_at) as last ${from} ${where}`;
    const [row] = await this.#database.all({ sql, values });
    return offsetsOf(timeZone, Number(row?.['first'] ?? 0), Number(row?.['last'] ?? 0));
  }

  async *export(filter: RunFilter): AsyncIterable<RunRecord> {
    for (let after: string | undefined; ;) {
      const request = { limit: exportPage, ...present({ after }) };
      const { rows, labels, next } = await this.#page(
        filter,
        request,
        recordColumns.filter((column) => !listColumns.includes(column)),
      );
      for (const row of rows) yield recordOf(row, labels(row));
      if (next.next === undefined) return;
      after = next.next;
    }
  }

  async prune(filter: RunFilter): Promise<{ runs: number; tapes: string[] }> {
    const { from, where, values } = select(this.#database, filter, [{ sql: "r.status <> 'running'", values: [] }]);
    const found = await this.#database.all({ sql: `select r.id, d.tape ${from} ${this.#join} ${where}`, values });
    // Some at a time, so that runs which are being written meanwhile wait a moment and not a minute.
    for (let at = 0; at < found.length; at += pruneBatch) {
      const ids = found.slice(at, at + pruneBatch).map(({ id }) => String(id));
      await this.#database.write([{ sql: `delete from ${this.#p}runs where id in (${ids.map(() => '?').join(', ')})`, values: ids }]);
    }
    return { runs: found.length, tapes: found.flatMap(({ tape }) => (typeof tape === 'string' ? [tape] : [])) };
  }

  compact(): Promise<void> {
    return this.#database.compact();
  }

  async remove(id: string): Promise<void> {
    await this.#database.write([{ sql: `delete from ${this.#p}runs where id = ?`, values: [id] }]);
  }

  async verify(): Promise<Problem[]> {
    const broken = await this.#database.all({
      sql: `select r.id, case when d.seq is null then 'its document is missing' else 'it has ended without an outcome' end as what
        from ${this.#p}runs r left join ${this.#p}documents d on d.seq = r.seq
        where d.seq is null or (r.status <> 'running' and d.outcome is null)`,
      values: [],
    });
    const damaged: Problem[] = [];
    const columns = ['r.id', 'r.status', 'r.class', 'd.prompt', 'd.outcome', 'd.attempts', 'd.owner'];
    for (let after = ''; ;) {
      const rows = await this.#database.all({
        sql: `${this.#select(columns)} from ${this.#p}runs r ${this.#join} where r.id > ? order by r.id limit ?`,
        values: [after, exportPage],
      });
      for (const row of rows) {
        after = String(row['id']);
        const what = damageOf(row);
        if (what !== undefined) damaged.push({ where: after, what });
      }
      if (rows.length < exportPage) break;
    }
    return [...(await this.#database.problems()), ...broken.map(({ id, what }) => ({ where: String(id), what: String(what) })), ...damaged];
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  async #end(id: string, ending: Ending, condition: Statement, presumed = false): Promise<boolean> {
    const outcome = ledgerOutcome(ending.outcome);
    const told = outcome.metadata.initial_prompt;
    const [begun] = told === '' ? await this.#database.all({ sql: this.#promptSql, values: [id] }) : [];
    // Who began the run may know more than its events told.
    const { agent = null, model = null, ...columns } = outcomeColumns(outcome);
    const set: Record<string, Value> = {
      ...columns,
      ended_at: Math.floor(ending.ended_at),
      heartbeat_at: Math.floor(ending.ended_at),
      session_id: optionalText(outcome.session_id),
    };
    const names = Object.keys(set);
    return this.#database.write([
      {
        sql: `update ${this.#p}runs set ${names.map((name) => `${name} = ?`).join(', ')}, agent = coalesce(?, agent), model = coalesce(?, model),
          last_sequence = coalesce(?, last_sequence), presumed_at = ${presumed ? this.#database.now : 'null'} where ${condition.sql}`,
        values: [...Object.values(set), agent, model, optionalNumber(ending.last_sequence), ...condition.values],
      },
      this.#updateDocument(id, {
        ...documentColumns(outcome, ending, this.#database.kind),
        ...(told === '' ? {} : { prompt: wholeText(told) }),
      }),
      ...(await this.#replaceFigures(id, outcome)),
      ...this.#words(id, wordsOf(told === '' ? String(begun?.['prompt'] ?? '') : told, outcome.message)),
    ]);
  }

  /** Those of who closed the run before go; a role that may not delete changes them instead, and does not even try where there are none. */
  async #replaceFigures(id: string, outcome: LedgerOutcome): Promise<Statement[]> {
    const added = this.#figures(id, outcome);
    const [found] = await this.#database.all({
      sql: `${figureTables.map((table) => `select 1 as found from ${this.#p}${table} where run = ?`).join(' union all ')} limit 1`,
      values: figureTables.map(() => id),
    });
    if (found === undefined) return added;
    if (this.#database.rights.delete)
      return [...figureTables.map((table) => ({ sql: `delete from ${this.#p}${table} where run = ?`, values: [id] })), ...added];
    const changed = figuresOf(outcome)
      .filter(({ columns }) => Object.keys(columns).length > 0)
      .map(({ table, about, columns }) => ({
        sql: `update ${this.#p}${table} set ${marked(columns, ', ')} where run = ? and ${marked(about, ' and ')}`,
        values: [...Object.values(columns), id, ...Object.values(about)],
      }));
    return [...added, ...changed];
  }

  #figures(run: string, outcome: LedgerOutcome): Statement[] {
    return figuresOf(outcome).map(({ table, about, columns }) => this.#insert(table, { run, ...about, ...columns }));
  }

  get #promptSql(): string {
    return `select d.prompt from ${this.#p}runs r ${this.#join} where r.id = ?`;
  }

  get #join(): string {
    return `join ${this.#p}documents d on d.seq = r.seq`;
  }

  #select(columns: readonly string[]): string {
    return `select ${columns.join(', ')}`;
  }

  async #page(
    filter: RunFilter,
    { limit, after }: PageRequest,
    more: readonly string[],
  ): Promise<{ rows: Row[]; labels: (row: Row) => Labels; next: { next?: string } }> {
    const { id } = select(this.#database, filter);
    const { from, where, values } = select(this.#database, filter, after === undefined ? [] : [{ sql: `${id} < ?`, values: [after] }]);
    const found = await this.#database.all({
      sql: `${this.#select([...listColumns, ...more])} ${from} ${this.#join} ${where} order by ${id} desc limit ?`,
      values: [...values, limit + 1],
    });
    const rows = found.slice(0, limit);
    const last = rows.at(-1)?.['id'];
    return { rows, labels: await this.#labelsOf(rows), next: found.length > limit && typeof last === 'string' ? { next: last } : {} };
  }

  async #labelsOf(runs: readonly Row[]): Promise<(row: Row) => Labels> {
    const byRun = new Map<string, Record<string, string>>(runs.map(({ id }) => [String(id), {}]));
    const rows = await this.#amongMany(
      [...byRun.keys()],
      (marks) => `select run, key, value from ${this.#p}labels where run in (${marks}) order by key`,
    );
    for (const { run, key, value } of rows) Object.assign(byRun.get(String(run)) ?? {}, { [String(key)]: String(value) });
    return ({ id }) => byRun.get(String(id)) ?? {};
  }

  async #below(columns: readonly string[], join: string, roots: readonly string[]): Promise<Row[]> {
    const rows = await this.#amongMany(
      roots.map(plainText),
      (marks) => `${this.#select(columns)} from ${this.#p}runs r ${join} where r.root_run_id in (${marks}) order by r.id`,
    );
    return roots.length <= valuesPerQuery ? rows : rows.toSorted((a, b) => (String(a['id']) < String(b['id']) ? -1 : 1));
  }

  /** A database takes some ten thousand values for one query. */
  async #amongMany(values: readonly string[], sql: (marks: string) => string): Promise<Row[]> {
    const rows: Row[] = [];
    for (let at = 0; at < values.length; at += valuesPerQuery) {
      const some = values.slice(at, at + valuesPerQuery);
      for (const row of await this.#database.all({ sql: sql(some.map(() => '?').join(', ')), values: some })) rows.push(row);
    }
    return rows;
  }

  /** A value, or what the database itself tells. */
  #insert(table: string, columns: Record<string, Value | Pick<Statement, 'sql'>>): Statement {
    const given = Object.values(columns);
    const marks = given.map((value) => (isSql(value) ? value.sql : '?'));
    return {
      sql: `insert into ${this.#p}${table} (${Object.keys(columns).join(', ')}) values (${marks.join(', ')}) on conflict do nothing`,
      values: given.flatMap((value) => (isSql(value) ? [] : [value])),
    };
  }

  #insertDocument(id: string, columns: Record<string, Value | Cast>): Statement {
    const given = Object.values(columns);
    const marks = given.map((value) => (isSql(value) ? value.sql : '?'));
    return {
      sql: `insert into ${this.#p}documents (seq, ${Object.keys(columns).join(', ')}) select seq, ${marks.join(', ')} from ${this.#p}runs where id = ?`,
      values: [...given.map((value) => (isSql(value) ? value.value : value)), id],
    };
  }

  #updateDocument(id: string, columns: Record<string, Value>): Statement {
    const names = Object.keys(columns);
    return {
      sql: `update ${this.#p}documents set ${names.map((name) => `${name} = ?`).join(', ')} where seq = (select seq from ${this.#p}runs where id = ?)`,
      values: [...Object.values(columns), id],
    };
  }

  #labels(run: string, labels: Labels): Statement[] {
    return Object.entries(labels).map(([key, value]) => this.#insert('labels', { key: plainText(key), value: plainText(value), run }));
  }

  #words(id: string, words: readonly string[]): Statement[] {
    if (this.#database.kind === 'postgres') {
      return [
        {
          sql: `update ${this.#p}documents set words = cast(? as tsvector) where seq = (select seq from ${this.#p}runs where id = ?)`,
          values: [vectorOf(words), id],
        },
      ];
    }
    return [
      { sql: 'delete from words where rowid = (select seq from runs where id = ?)', values: [id] },
      { sql: 'insert into words (rowid, text) select seq, ? from runs where id = ?', values: [words.join(' '), id] },
    ];
  }
}

const titleColumn = 'substr(d.prompt, 1, 400) as head';
const listColumns = [...summaryColumns, ...detailColumns];
const openColumns = [
  ...[
    'id',
    'started_at',
    'heartbeat_at',
    'presumed_at',
    'last_sequence',
    'agent',
    'model',
    'input_tokens',
    'output_tokens',
    'cost',
    'tool_calls',
  ].map((column) => `r.${column}`),
  ...['owner', 'prompt', 'tape', 'session_id', 'agent_version'].map((column) => `d.${column}`),
];
const recordColumns = [...listColumns, 'r.key', 'd.prompt', 'd.outcome', 'd.attempts', 'd.owner'];

/** A value that the database is to take for another type. */
interface Cast {
  sql: string;
  value: Value;
}

function isSql<Sql extends { sql: string }>(value: Value | Sql): value is Sql {
  return typeof value === 'object' && value !== null && 'sql' in value;
}

function isSeveral(grouping: Grouping | readonly Grouping[]): grouping is readonly Grouping[] {
  return Array.isArray(grouping);
}

function vectorOf(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(' ');
}

function documentColumns(
  outcome: LedgerOutcome,
  { attempts, tape_sha256 }: Pick<Ending, 'attempts' | 'tape_sha256'>,
  kind: Database['kind'],
): Record<string, Value> {
  return {
    outcome: writeOutcome(outcome, kind),
    attempts: attempts === undefined || attempts.length === 0 ? null : JSON.stringify(attempts),
    agent_version: optionalText(outcome.provenance.version),
    dialect: optionalText(outcome.provenance.dialect),
    session_id: optionalText(outcome.session_id),
    tape_sha256: optionalText(tape_sha256),
  };
}

function marked(columns: Record<string, Value>, between: string): string {
  return Object.keys(columns)
    .map((name) => `${name} = ?`)
    .join(between);
}
