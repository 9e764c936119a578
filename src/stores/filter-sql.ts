import { valueFilters } from '../contract/row-filters.ts';
import type { Database, Statement, Value } from './database.ts';
import { leastRunId } from '../ids/run-id.ts';
import type { RunFilter } from './run-store.ts';
import { columnInRuns, plainText } from './rows.ts';
import { type Term, termsOf } from './words.ts';

export interface Selection {
  /** `from …`: runs are `r`. */
  from: string;
  /** `where …`, or nothing. */
  where: string;
  /** The column with the run's id, whose index gives the order of the rows. */
  id: string;
  values: Value[];
}

/** Translates a filter to SQL; this is the only place that does. */
export function select(database: Database, filter: RunFilter, more: readonly Statement[] = []): Selection {
  const { prefix } = database;
  const conditions: Statement[] = [];
  const [first, ...others] = Object.entries(filter.labels ?? {});
  const id = first === undefined ? 'r.id' : 'l.run';
  // The index of labels gives the runs of a label in order of time; checking the labels of every run would read them all.
  if (first !== undefined) conditions.push({ sql: 'l.key = ? and l.value = ?', values: first.map(plainText) });
  for (const label of others) {
    conditions.push({
      sql: `exists (select 1 from ${prefix}labels o where o.run = r.id and o.key = ? and o.value = ?)`,
      values: label.map(plainText),
    });
  }
  for (const { name, of } of valueFilters) {
    const wanted = filter[name];
    if (wanted !== undefined)
      conditions.push(anyOf(columnInRuns(of), wanted.flatMap(of === 'agent' ? namesOf : plainText), database.kind));
  }
  if (filter.top !== undefined) conditions.push({ sql: `${filter.top ? '' : 'not '}(${isTop(prefix)})`, values: [] });
  // An id begins with the time its run began.
  if (filter.started_from !== undefined)
    conditions.push({ sql: `${id} >= ?`, values: [leastRunId(Math.ceil(filter.started_from))] });
  if (filter.started_to !== undefined)
    conditions.push({ sql: `${id} < ?`, values: [leastRunId(Math.ceil(filter.started_to))] });
  if (filter.cost_min !== undefined) conditions.push({ sql: 'r.cost >= ?', values: [filter.cost_min] });
  if (filter.cost_max !== undefined) conditions.push({ sql: 'r.cost <= ?', values: [filter.cost_max] });
  if (filter.file !== undefined) conditions.push(changed(prefix, filter.file.map(plainText)));
  const terms = termsOf(filter.text ?? '');
  if (terms.length > 0) conditions.push(search(database, terms));
  conditions.push(...more);
  return {
    from: first === undefined ? `from ${prefix}runs r` : `from ${prefix}labels l join ${prefix}runs r on r.id = l.run`,
    where: conditions.length === 0 ? '' : `where ${conditions.map(({ sql }) => sql).join(' and ')}`,
    id,
    values: conditions.flatMap(({ values }) => values),
  };
}

/** The built-in agent is found by both of its names, whichever an older version wrote. */
function namesOf(agent: string): string[] {
  return agent === 'builtin' || agent === 'runwire' ? ['runwire', 'builtin'] : [plainText(agent)];
}

/**
 * Every run is in one tree, which is identified by its root's id, and one run of every tree is its top: the root, or if
 * there is no such run, or it is itself below another, the oldest run. So nothing is left out, whatever was imported.
 */
function isTop(prefix: string): string {
  return `r.root_run_id is null or r.root_run_id = r.id or (
    r.id = (select min(g.id) from ${prefix}runs g where g.root_run_id = r.root_run_id)
    and not exists (
      select 1 from ${prefix}runs t where t.id = r.root_run_id and (t.root_run_id is null or t.root_run_id = t.id)))`;
}

function anyOf(column: string, values: readonly string[], kind: Database['kind']): Statement {
  if (values.length === 1) return { sql: `${column} = ?`, values };
  // With the index of a column SQLite finds the runs of each value, and sorts them all for every page; `+` makes it go through them in order.
  return {
    sql:
      values.length === 0
        ? '1 = 0'
        : `${kind === 'sqlite' ? '+' : ''}${column} in (${values.map(() => '?').join(', ')})`,
    values,
  };
}

/** The last part of a path is found by an index; the rest is compared. */
function changed(prefix: string, paths: readonly string[]): Statement {
  const each = paths.map((path) => ({
    name: path.slice(path.lastIndexOf('/') + 1),
    path,
    end: `%/${path.replaceAll(/[\\%_]/g, '\\$&')}`,
  }));
  return {
    sql: `r.id in (select f.run from ${prefix}files f where ${each.map(() => "(f.name = ? and (f.path = ? or f.path like ? escape '\\'))").join(' or ') || '1 = 0'})`,
    values: each.flatMap(({ name, path, end }) => [name, path, end]),
  };
}

function search({ kind, prefix }: Database, terms: readonly Term[]): Statement {
  if (kind === 'sqlite') {
    const query = terms.map(({ word, prefix: begins }) => `"${word}"${begins ? '*' : ''}`).join(' AND ');
    return { sql: 'r.seq in (select rowid from words where words match ?)', values: [query] };
  }
  const query = terms.map(({ word, prefix: begins }) => `'${word}'${begins ? ':*' : ''}`).join(' & ');
  return { sql: `r.seq in (select seq from ${prefix}documents where words @@ cast(? as tsquery))`, values: [query] };
}
