import type { Database, Statement, Value } from './database.ts';
import { figuresOf, figureTables } from './figures.ts';
import { fittingLabels, mostKept } from '../contract/label-limits.ts';
import { plainText } from './rows.ts';
import type { LedgerOutcome } from './run-store.ts';
import type { Labels } from '../contract/labels.ts';

const rowsPerStatement = 500;

/** The SQL statements that write a run. */
export class RunStatements {
  readonly #database: Database;
  readonly #prefix: string;

  constructor(database: Database) {
    this.#database = database;
    this.#prefix = database.prefix;
  }

  /** Each column is a value, or an expression that the database evaluates. */
  insert(table: string, columns: Record<string, Value | Pick<Statement, 'sql'>>): Statement {
    const given = Object.values(columns);
    const marks = given.map((value) => (isSql(value) ? value.sql : '?'));
    return {
      sql: `insert into ${this.#prefix}${table} (${Object.keys(columns).join(', ')}) values (${marks.join(', ')}) on conflict do nothing`,
      values: given.flatMap((value) => (isSql(value) ? [] : [value])),
    };
  }

  insertDocument(id: string, columns: Record<string, Value | Cast>): Statement {
    const given = Object.values(columns);
    const marks = given.map((value) => (isSql(value) ? value.sql : '?'));
    return {
      sql: `insert into ${this.#prefix}documents (seq, ${Object.keys(columns).join(', ')}) select seq, ${marks.join(', ')} from ${this.#prefix}runs where id = ?`,
      values: [...given.map((value) => (isSql(value) ? value.value : value)), id],
    };
  }

  updateDocument(id: string, columns: Record<string, Value>): Statement {
    const names = Object.keys(columns);
    return {
      sql: `update ${this.#prefix}documents set ${names.map((name) => `${name} = ?`).join(', ')} where seq = (select seq from ${this.#prefix}runs where id = ?)`,
      values: [...Object.values(columns), id],
    };
  }

  /** Whoever reported a run below one that was not known yet could only guess whose it would be. */
  takeOutOfTree(top: string, reporter: string | undefined): Statement {
    const others = reporter === undefined ? 'reporter is not null' : 'reporter is not null and reporter <> ?';
    return {
      sql: `update ${this.#prefix}runs set parent_run_id = null, root_run_id = null where (parent_run_id = ? or root_run_id = ?) and ${others}`,
      values: [top, top, ...(reporter === undefined ? [] : [plainText(reporter)])],
    };
  }

  labels(run: string, labels: Labels): Statement[] {
    const { kept } = fittingLabels(labels);
    return this.#insertMany(
      'labels',
      Object.entries(kept).map(([key, value]) => ({ key: plainText(key), value: plainText(value), run })),
    );
  }

  /** One more label of an existing run, unless it has too many. */
  addLabel(run: string, key: string, value: string): Statement {
    return {
      sql: `insert into ${this.#prefix}labels (key, value, run) select ?, ?, ? where (select count(*) from ${this.#prefix}labels where run = ?) < ${mostKept}
        on conflict do nothing`,
      values: [plainText(key), plainText(value), run, run],
    };
  }

  /** Rows with the same columns. A server gets many at once, since each statement is a round trip. */
  #insertMany(table: string, rows: readonly Record<string, Value>[]): Statement[] {
    if (this.#database.kind === 'sqlite') return rows.map((row) => this.insert(table, row));
    const statements: Statement[] = [];
    for (let at = 0; at < rows.length; at += rowsPerStatement) {
      const some = rows.slice(at, at + rowsPerStatement);
      const names = Object.keys(some[0] ?? {});
      const marks = `(${names.map(() => '?').join(', ')})`;
      statements.push({
        sql: `insert into ${this.#prefix}${table} (${names.join(', ')}) values ${some.map(() => marks).join(', ')} on conflict do nothing`,
        values: some.flatMap((row) => names.map((name) => row[name] ?? null)),
      });
    }
    return statements;
  }

  /** A model call that another run has stays with that one. In order: who waits for another transaction is not waited for by it. */
  requests(run: string, hashes: readonly string[]): (Statement & { changes: number })[] {
    const statements: (Statement & { changes: number })[] = [];
    const inOrder = [...new Set(hashes)].toSorted();
    for (let at = 0; at < inOrder.length; at += rowsPerStatement) {
      const some = inOrder.slice(at, at + rowsPerStatement);
      statements.push({
        changes: some.length,
        sql: `insert into ${this.#prefix}requests (hash, seq) select v.column1, r.seq from (values ${some.map(() => '(?)').join(', ')}) v, ${this.#prefix}runs r where r.id = ?
          on conflict do nothing`,
        values: [...some, run],
      });
    }
    return statements;
  }

  handOver(from: string, to: string, hashes: readonly string[]): (Statement & { changes: number })[] {
    const statements: (Statement & { changes: number })[] = [];
    const inOrder = [...new Set(hashes)].toSorted();
    const seqOf = `(select seq from ${this.#prefix}runs where id = ?)`;
    for (let at = 0; at < inOrder.length; at += rowsPerStatement) {
      const some = inOrder.slice(at, at + rowsPerStatement);
      statements.push({
        changes: some.length,
        sql: `update ${this.#prefix}requests set seq = ${seqOf} where seq = ${seqOf} and hash in (${some.map(() => '?').join(', ')})`,
        values: [to, from, ...some],
      });
    }
    return statements;
  }

  words(id: string, words: readonly string[]): Statement[] {
    if (this.#database.kind === 'postgres') {
      return [
        {
          sql: `update ${this.#prefix}documents set words = cast(? as tsvector) where seq = (select seq from ${this.#prefix}runs where id = ?)`,
          values: [vectorOf(words), id],
        },
      ];
    }
    return [
      { sql: 'delete from words where rowid = (select seq from runs where id = ?)', values: [id] },
      { sql: 'insert into words (rowid, text) select seq, ? from runs where id = ?', values: [words.join(' '), id] },
    ];
  }

  figures(run: string, outcome: LedgerOutcome): Statement[] {
    const figures = figuresOf(outcome);
    return figureTables.flatMap((name) =>
      this.#insertMany(
        name,
        figures.filter(({ table }) => table === name).map(({ about, columns }) => ({ run, ...about, ...columns })),
      ),
    );
  }

  /** Removes the figures of an earlier end of the run; a role that may not delete changes them instead, and does not even try if there are none. */
  async replaceFigures(id: string, outcome: LedgerOutcome): Promise<Statement[]> {
    const added = this.figures(id, outcome);
    const [found] = await this.#database.all({
      sql: `${figureTables.map((table) => `select 1 as found from ${this.#prefix}${table} where run = ?`).join(' union all ')} limit 1`,
      values: figureTables.map(() => id),
    });
    if (found === undefined) return added;
    if (this.#database.rights.delete)
      return [
        ...figureTables.map((table) => ({ sql: `delete from ${this.#prefix}${table} where run = ?`, values: [id] })),
        ...added,
      ];
    const changed = figuresOf(outcome)
      .filter(({ columns }) => Object.keys(columns).length > 0)
      .map(({ table, about, columns }) => ({
        sql: `update ${this.#prefix}${table} set ${marked(columns, ', ')} where ${marked({ run: id, ...about }, ' and ')}`,
        values: [...Object.values(columns), id, ...Object.values(about)],
      }));
    return [...added, ...changed];
  }
}

/** A value that the database is to cast to another type. */
interface Cast {
  sql: string;
  value: Value;
}

function isSql<Sql extends { sql: string }>(value: Value | Sql): value is Sql {
  return typeof value === 'object' && value !== null && 'sql' in value;
}

export function vectorOf(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(' ');
}

function marked(columns: Record<string, Value>, between: string): string {
  return Object.keys(columns)
    .map((name) => `${name} = ?`)
    .join(between);
}
