import { present } from '../json/present.ts';
import { mostKept } from '../contract/label-limits.ts';
import { type Database, isWithheld, type Row } from './database.ts';
import { select } from './filter-sql.ts';
import { type DamagedRun, unlessDamaged } from './damaged-run.ts';
import { listColumns, recordOf, plainText, statsOf, summaryOf, usageColumns, usageOf } from './rows.ts';
import type {
  Grouping,
  Page,
  PageRequest,
  RunFilter,
  RunRecord,
  RunSummary,
  RunUsage,
  StatsOptions,
  StatsRow,
  Totals,
} from './run-store.ts';
import type { Labels } from '../contract/labels.ts';
import { isInTime, percentilesSql, seriesSql, type StatsQuery, statsSql } from './stats-sql.ts';
import { SeriesSums } from './series-sums.ts';
import { totalsOf, totalsSql } from './totals-sql.ts';
import { type Offset, offsetsOf, type Zone, zoneNamed } from '../time/zone.ts';

export const rowsAtOnce = 200;
const valuesPerQuery = 5000;
/** Few enough to be held at once, however long each is. */
const seriesAtOnce = 1000;

/** The read-only part of a store. */
export class RunQueries {
  protected readonly database: Database;
  protected readonly p: string;
  #maySeeSeries: Promise<boolean> | undefined;

  constructor(database: Database) {
    this.database = database;
    this.p = database.prefix;
  }

  get name(): string {
    return this.database.name;
  }

  async list(filter: RunFilter, page: PageRequest): Promise<Page<RunSummary>> {
    const { rows, labels, next } = await this.#page(filter, page, [titleColumn]);
    return { runs: rows.map((row) => summaryOf(row, labels(row))), ...next };
  }

  async count(filter: RunFilter): Promise<number> {
    const { from, where, values } = select(this.database, filter);
    const [row] = await this.database.all({ sql: `select count(*) as runs ${from} ${where}`, values });
    return Number(row?.['runs']);
  }

  async get(id: string): Promise<RunRecord | undefined> {
    const rows = await this.database.all({
      sql: `${this.#selectShown(await this.#recordColumns())} from ${this.p}runs r ${this.join} where r.id = ?`,
      values: [id],
    });
    const labels = await this.#labelsOf(rows);
    return rows.map((row) => recordOf(row, labels(row)))[0];
  }

  async present(ids: readonly string[]): Promise<Set<string>> {
    const rows = await this.#amongMany(ids, (marks) => `select id from ${this.p}runs where id in (${marks})`);
    return new Set(rows.map(({ id }) => String(id)));
  }

  async ofSession(session: string): Promise<RunSummary[]> {
    const rows = await this.database.all({
      sql: `${this.#selectShown([...listColumns, titleColumn])} from ${this.p}documents d join ${this.p}runs r on r.seq = d.seq where d.session_id = ? order by r.id`,
      values: [plainText(session)],
    });
    const labels = await this.#labelsOf(rows);
    return rows.map((row) => summaryOf(row, labels(row)));
  }

  async requestsOf(id: string): Promise<string[]> {
    const rows = await this.database.all({
      sql: `select hash from ${this.p}requests where seq = (select seq from ${this.p}runs where id = ?)`,
      values: [id],
    });
    return rows.map(({ hash }) => String(hash));
  }

  async ownersOf(requests: readonly string[]): Promise<Map<string, string>> {
    const owners = new Map<string, string>();
    for (let at = 0; at < requests.length; at += valuesPerQuery) {
      const some = requests.slice(at, at + valuesPerQuery);
      const rows = await this.database.all({
        sql: `select q.hash, r.id from ${this.p}requests q join ${this.p}runs r on r.seq = q.seq where q.hash in (${some.map(() => '?').join(', ')})`,
        values: some,
      });
      for (const { hash, id } of rows) owners.set(String(hash), String(id));
    }
    return owners;
  }

  async below(roots: readonly string[]): Promise<RunSummary[]> {
    const rows = await this.#below(this.#selectShown([...listColumns, titleColumn]), this.join, roots);
    const labels = await this.#labelsOf(rows);
    return rows.map((row) => summaryOf(row, labels(row)));
  }

  async usageBelow(roots: readonly string[]): Promise<RunUsage[]> {
    return (await this.#below(this.select(usageColumns), '', roots)).map(usageOf);
  }

  async find(idOrShort: string): Promise<string[]> {
    const text = plainText(idOrShort.trim().toLowerCase());
    if (text === '') return [];
    const rows = await this.database.all({
      sql: `select id from ${this.p}runs where id = ? or (substr(id, 19) >= ? and substr(id, 19) < ?) order by id desc limit 10`,
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
    const inParts = isInTime(groupings) && !groupings.includes('tool') && (await this.#hasSeries());
    const query: StatsQuery = { groupings, filter, inParts, offsets: await this.#offsets(timeZone, filter) };
    const zone = zoneNamed(timeZone);
    const whole = await this.database.all(statsSql(this.database, query));
    const rows = inParts ? await this.#withSeries(whole, query, zone) : whole;
    const more = new Map<string, Row>();
    for (const column of percentiles ? (['duration', 'cost'] as const) : []) {
      for (const { a, b, ...found } of await this.database.all(
        percentilesSql(this.database, { ...query, inParts: false }, column),
      )) {
        const key = JSON.stringify([a, b]);
        more.set(key, { ...more.get(key), ...found });
      }
    }
    return rows.map((row) =>
      statsOf({ ...row, ...more.get(JSON.stringify([row['group'], row['subgroup']])) }, groupings, zone),
    );
  }

  async totals(): Promise<Totals[] | undefined> {
    try {
      return (await this.database.all({ sql: totalsSql(this.database), values: [] })).map(totalsOf);
    } catch (error) {
      if (isWithheld(error)) return undefined;
      throw error;
    }
  }

  async #withSeries(rows: readonly Row[], query: StatsQuery, zone: Zone): Promise<readonly Row[]> {
    const sums = new SeriesSums(rows, query.groupings, zone);
    for (let after = ''; ;) {
      const series = await this.database.all(seriesSql(this.database, query, after, seriesAtOnce));
      for (const row of series) sums.add(row);
      if (series.length < seriesAtOnce) return sums.rows();
      after = String(series.at(-1)?.['id']);
    }
  }

  /** Whether it is known of any run that it used something later than when it began. */
  async #hasSeries(): Promise<boolean> {
    try {
      const sql = `select 1 as found from ${this.p}usage_series limit 1`;
      return (await this.database.all({ sql, values: [] })).length > 0;
    } catch (error) {
      if (isWithheld(error)) return false;
      throw error;
    }
  }

  async #offsets(timeZone: string, filter: RunFilter): Promise<Offset[]> {
    if (timeZone === 'UTC') return [];
    const { from, where, values } = select(this.database, filter);
    const sql = `select min(r.started_at) as first, max(r.started_at) as last ${from} ${where}`;
    const [row] = await this.database.all({ sql, values });
    return offsetsOf(timeZone, Number(row?.['first'] ?? 0), Number(row?.['last'] ?? 0));
  }

  async *export(filter: RunFilter, onDamaged?: (damage: DamagedRun) => void): AsyncIterable<RunRecord> {
    const columns = (await this.#recordColumns()).filter((column) => !listColumns.includes(column));
    for (let after: string | undefined; ;) {
      const request = { limit: rowsAtOnce, ...present({ after }) };
      const { rows, labels, next } = await this.#page(filter, request, columns);
      for (const row of rows) {
        const run = unlessDamaged(() => recordOf(row, labels(row)), onDamaged);
        if (run !== undefined) yield run;
      }
      if (next.next === undefined) return;
      after = next.next;
    }
  }

  protected get join(): string {
    return `join ${this.p}documents d on d.seq = r.seq`;
  }

  protected select(columns: readonly string[]): string {
    return `select ${columns.join(', ')}`;
  }

  /** A role that may not read what was used when reads the rest. */
  async #recordColumns(): Promise<readonly string[]> {
    if (this.#maySeeSeries === undefined) {
      const looking = this.database.all({ sql: `select 1 from ${this.p}usage_series limit 0`, values: [] });
      this.#maySeeSeries = looking.then(
        () => true,
        (error: unknown) => {
          this.#maySeeSeries = undefined;
          if (isWithheld(error)) return false;
          throw error;
        },
      );
    }
    const series = `(select u.parts from ${this.p}usage_series u where u.run = r.id) as series`;
    return (await this.#maySeeSeries) ? [...recordColumns, series] : recordColumns;
  }

  /** From a server a run and its labels are read in one query: each round trip costs as much as a page of runs. */
  #selectShown(columns: readonly string[]): string {
    return this.select(this.database.kind === 'postgres' ? [...columns, this.#labels('json_object_agg')] : columns);
  }

  /** An older version took any number of labels, of which a list shows the first. */
  #labels(object: string): string {
    const some = `select key, value from ${this.p}labels where run = r.id order by key limit ${mostKept}`;
    return `(select ${object}(s.key, s.value) from (${some}) s) as labels`;
  }

  async #page(
    filter: RunFilter,
    { limit, after }: PageRequest,
    more: readonly string[],
  ): Promise<{ rows: Row[]; labels: (row: Row) => Labels; next: { next?: string } }> {
    const { id } = select(this.database, filter);
    const { from, where, values } = select(
      this.database,
      filter,
      after === undefined ? [] : [{ sql: `${id} < ?`, values: [after] }],
    );
    const found = await this.database.all({
      sql: `${this.#selectShown([...listColumns, ...more])} ${from} ${this.join} ${where} order by ${id} desc limit ?`,
      values: [...values, limit + 1],
    });
    const rows = found.slice(0, limit);
    const last = rows.at(-1)?.['id'];
    return {
      rows,
      labels: await this.#labelsOf(rows),
      next: found.length > limit && typeof last === 'string' ? { next: last } : {},
    };
  }

  async #labelsOf(runs: readonly Row[]): Promise<(row: Row) => Labels> {
    if (this.database.kind === 'postgres') return ({ labels }) => (labels ?? {}) as Labels;
    const rows = await this.#amongMany(
      runs.map(({ id }) => String(id)),
      (marks) => `select r.id, ${this.#labels('json_group_object')} from ${this.p}runs r where r.id in (${marks})`,
    );
    const byRun = new Map(rows.map(({ id, labels }) => [id, JSON.parse(String(labels)) as Labels]));
    return ({ id }) => byRun.get(id) ?? {};
  }

  async #below(selected: string, join: string, roots: readonly string[]): Promise<Row[]> {
    const rows = await this.#amongMany(
      roots.map(plainText),
      (marks) => `${selected} from ${this.p}runs r ${join} where r.root_run_id in (${marks}) order by r.id`,
    );
    return roots.length <= valuesPerQuery
      ? rows
      : rows.toSorted((a, b) => (String(a['id']) < String(b['id']) ? -1 : 1));
  }

  /** A database accepts some ten thousand values in one query. */
  async #amongMany(values: readonly string[], sql: (marks: string) => string): Promise<Row[]> {
    const rows: Row[] = [];
    for (let at = 0; at < values.length; at += valuesPerQuery) {
      const some = values.slice(at, at + valuesPerQuery);
      for (const row of await this.database.all({ sql: sql(some.map(() => '?').join(', ')), values: some }))
        rows.push(row);
    }
    return rows;
  }
}

const titleColumn = 'substr(d.prompt, 1, 400) as head';
const recordColumns = [...listColumns, 'r.key', 'r.reporter', 'd.prompt', 'd.outcome', 'd.attempts', 'd.owner'];

function isSeveral(grouping: Grouping | readonly Grouping[]): grouping is readonly Grouping[] {
  return Array.isArray(grouping);
}
