import { present } from '../present.ts';
import type { Database, Row, Statement, Value } from './database.ts';
import { select } from './filter-sql.ts';
import { ledgerOutcome } from './ledger-outcome.ts';
import type {
  Attempt,
  Ending,
  Grouping,
  ImportedRun,
  Labels,
  LedgerOutcome,
  NewRun,
  OpenRun,
  Owner,
  Page,
  PageRequest,
  Problem,
  Progress,
  RunFilter,
  RunRecord,
  RunStore,
  RunSummary,
  RunUsage,
  StatsRow,
} from './run-store.ts';
import {
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
import { statsSql } from './stats-sql.ts';
import { wordsOf } from './words.ts';

const exportPage = 200;
const pruneBatch = 500;
const valuesPerQuery = 5000;
const filesKept = 1000;

/** The ledger in SQL: the same for every database that speaks it. */
export class SqlRunStore implements RunStore {
  readonly #database: Database;
  readonly #p: string;

  constructor(database: Database) {
    this.#database = database;
    this.#p = database.prefix;
  }

  get name(): string {
    return this.#database.name;
  }

  async begin(run: NewRun): Promise<void> {
    if (run.lost !== undefined && (await this.#beginAgain(run, run.lost))) return;
    await this.#database.write([
      this.#insert('runs', {
        id: run.id,
        ...treeColumns(run),
        status: 'running',
        agent: optionalText(run.agent),
        model: optionalText(run.model),
        started_at: Math.floor(run.started_at),
        heartbeat_at: Math.floor(run.started_at),
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

  /** The same run, by another process. False: there is no such run. */
  async #beginAgain({ id, owner, tape, cwd, started_at }: NewRun, attempts: readonly Attempt[]): Promise<boolean> {
    return this.#database.write([
      {
        sql: `update ${this.#p}runs set status = 'running', class = null, exit_code = null, ended_at = null, duration_ms = null, last_sequence = 0, heartbeat_at = ? where id = ?`,
        values: [Math.floor(started_at), id],
      },
      this.#updateDocument(id, {
        outcome: null,
        attempts: JSON.stringify(attempts),
        cwd: optionalText(cwd),
        tape: optionalText(tape),
        host: optionalText(owner.host),
        owner: wholeText(JSON.stringify(owner)),
      }),
    ]);
  }

  async note(id: string, { at, last_sequence, agent, agent_version, model, session_id }: Progress): Promise<void> {
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
        sql: `update ${this.#p}runs set heartbeat_at = ?, last_sequence = coalesce(?, last_sequence), agent = coalesce(?, agent), model = coalesce(?, model) where id = ? and status = 'running'`,
        values: [Math.floor(at), optionalNumber(last_sequence), optionalText(agent), optionalText(model), id],
      },
      ...facts,
    ]);
  }

  async finish(id: string, ending: Ending, owner?: Owner): Promise<void> {
    const isOurs = owner === undefined ? '' : ` and seq in (select seq from ${this.#p}documents where owner = ?)`;
    const found = await this.#end(id, ending, {
      sql: `id = ?${isOurs}`,
      values: [id, ...(owner === undefined ? [] : [wholeText(JSON.stringify(owner))])],
    });
    if (!found && (owner === undefined || (await this.get(id)) === undefined)) throw new Error(`${this.name}: no run ${id}`);
  }

  async closeInterrupted(run: OpenRun, ending: Ending): Promise<boolean> {
    return this.#end(run.id, ending, { sql: "id = ? and status = 'running' and heartbeat_at = ?", values: [run.id, run.heartbeat_at] });
  }

  async open(): Promise<OpenRun[]> {
    const rows = await this.#database.all({
      sql: `select r.id, r.started_at, r.heartbeat_at, r.last_sequence, d.owner, d.prompt, d.tape
        from ${this.#p}runs r join ${this.#p}documents d on d.seq = r.seq where r.status = 'running' order by r.id`,
      values: [],
    });
    return rows.map(openRunOf);
  }

  async put(run: ImportedRun): Promise<'added' | 'same'> {
    const outcome = ledgerOutcome(run.outcome);
    const added = await this.#database.write([
      this.#insert('runs', {
        id: run.id,
        key: plainText(run.key),
        ...treeColumns(run),
        ...outcomeColumns(outcome),
        ...present({
          agent: run.agent === undefined ? undefined : optionalText(run.agent),
          model: run.model === undefined ? undefined : optionalText(run.model),
        }),
        started_at: Math.floor(run.started_at),
        ended_at: Math.floor(run.ended_at),
        heartbeat_at: Math.floor(run.ended_at),
        last_sequence: run.last_sequence ?? 0,
      }),
      this.#insertDocument(run.id, {
        prompt: wholeText(outcome.metadata.initial_prompt),
        cwd: optionalText(run.cwd),
        tape: optionalText(run.tape),
        ...documentColumns(outcome, run, this.#database.kind),
      }),
      ...this.#labels(run.id, run.labels),
      ...this.#usage(run.id, outcome),
      ...this.#files(run.id, outcome),
      ...this.#words(run.id, wordsOf(outcome.metadata.initial_prompt, outcome.message)),
    ]);
    return added ? 'added' : 'same';
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

  async stats(grouping: Grouping, filter: RunFilter): Promise<StatsRow[]> {
    const rows = await this.#database.all(statsSql(this.#database, grouping, filter));
    return rows.map((row) => statsOf(row, typeof grouping === 'string' ? grouping : 'label'));
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
    return [...(await this.#database.problems()), ...broken.map(({ id, what }) => ({ where: String(id), what: String(what) }))];
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  async #end(id: string, ending: Ending, condition: Statement): Promise<boolean> {
    const outcome = ledgerOutcome(ending.outcome);
    const told = outcome.metadata.initial_prompt;
    const [begun] = told === '' ? await this.#database.all({ sql: this.#promptSql, values: [id] }) : [];
    // Who began the run may know more than its events told.
    const { agent = null, model = null, ...columns } = outcomeColumns(outcome);
    const set: Record<string, Value> = { ...columns, ended_at: Math.floor(ending.ended_at), heartbeat_at: Math.floor(ending.ended_at) };
    const names = Object.keys(set);
    return this.#database.write([
      {
        sql: `update ${this.#p}runs set ${names.map((name) => `${name} = ?`).join(', ')}, agent = coalesce(?, agent), model = coalesce(?, model),
          last_sequence = coalesce(?, last_sequence) where ${condition.sql}`,
        values: [...Object.values(set), agent, model, optionalNumber(ending.last_sequence), ...condition.values],
      },
      this.#updateDocument(id, {
        ...documentColumns(outcome, ending, this.#database.kind),
        ...(told === '' ? {} : { prompt: wholeText(told) }),
      }),
      { sql: `delete from ${this.#p}usage where run = ?`, values: [id] },
      ...this.#usage(id, outcome),
      { sql: `delete from ${this.#p}files where run = ?`, values: [id] },
      ...this.#files(id, outcome),
      ...this.#words(id, wordsOf(told === '' ? String(begun?.['prompt'] ?? '') : told, outcome.message)),
    ]);
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

  #insert(table: string, columns: Record<string, Value>): Statement {
    const names = Object.keys(columns);
    return {
      sql: `insert into ${this.#p}${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')}) on conflict do nothing`,
      values: Object.values(columns),
    };
  }

  #insertDocument(id: string, columns: Record<string, Value>): Statement {
    const names = Object.keys(columns);
    return {
      sql: `insert into ${this.#p}documents (seq, ${names.join(', ')}) select seq, ${names.map(() => '?').join(', ')} from ${this.#p}runs where id = ?`,
      values: [...Object.values(columns), id],
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

  /** A run of one model has its usage in its own row. */
  #usage(run: string, { usage_by_model: models = [] }: LedgerOutcome): Statement[] {
    return models.map((each) =>
      this.#insert('usage', {
        run,
        model: plainText(each.model_name ?? ''),
        input_tokens: optionalNumber(each.input_tokens),
        output_tokens: optionalNumber(each.output_tokens),
        reasoning_tokens: optionalNumber(each.reasoning_tokens),
        cache_read_tokens: optionalNumber(each.cache_read_tokens),
        cache_write_tokens: optionalNumber(each.cache_write_tokens),
        cost: optionalNumber(each.cost),
      }),
    );
  }

  /** What was changed, by the last part of its path. */
  #files(run: string, { artifacts }: LedgerOutcome): Statement[] {
    const paths = new Set(artifacts.slice(0, filesKept).map(({ path }) => plainText(path)));
    return [...paths].map((path) => this.#insert('files', { name: path.slice(path.lastIndexOf('/') + 1), run, path }));
  }

  #words(id: string, words: readonly string[]): Statement[] {
    if (this.#database.kind === 'postgres') {
      const vector = words.map((word) => `'${word}'`).join(' ');
      return [
        {
          sql: `update ${this.#p}documents set words = cast(? as tsvector) where seq = (select seq from ${this.#p}runs where id = ?)`,
          values: [vector, id],
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
const recordColumns = [...listColumns, 'r.key', 'd.prompt', 'd.outcome', 'd.attempts', 'd.owner'];

function documentColumns(outcome: LedgerOutcome, { attempts }: Pick<Ending, 'attempts'>, kind: Database['kind']): Record<string, Value> {
  return {
    outcome: writeOutcome(outcome, kind),
    attempts: attempts === undefined || attempts.length === 0 ? null : JSON.stringify(attempts),
    agent_version: optionalText(outcome.provenance.version),
    dialect: optionalText(outcome.provenance.dialect),
    session_id: optionalText(outcome.session_id),
  };
}
