import { closeSync, existsSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Failure, messageOf } from '../failure.ts';
import { Contested, type Database, type Row, type Statement } from './database.ts';
import { isUsable } from './fitting.ts';
import { sqliteMigrations } from './migrations/sqlite.ts';
import type { Problem, RunStore } from './run-store.ts';
import { SqlRunStore } from './sql-store.ts';
import { makeFolder } from '../files/make-folder.ts';

/** "RunW": marks our databases, so that those of other programs are never written to. */
const applicationId = 0x52756e57;
/** How long a statement may block the whole process; after that it waits without blocking. */
const briefWaitMs = 50;
const patienceMs = 5000;
const statementsKept = 100;
const settings =
  'pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on; pragma secure_delete = on';

export interface SqliteOptions {
  /** Tests lower it. */
  patienceMs?: number;
}

/** The ledger in one file; created, with its folder, if it does not exist. */
export async function openSqlite(path: string, options: SqliteOptions = {}): Promise<RunStore> {
  const database = new SqliteDatabase(path, options.patienceMs ?? patienceMs);
  try {
    await database.prepare();
  } catch (error) {
    await database.close();
    throw error instanceof Failure
      ? error
      : new Failure('config', `cannot use the ledger ${path}: ${messageOf(error)}`, { cause: error });
  }
  return new SqlRunStore(database);
}

class SqliteDatabase implements Database {
  readonly kind = 'sqlite';
  readonly prefix = '';
  rights = { update: true, delete: true, budgets: true };
  readonly now = "cast(unixepoch('subsec') * 1000 as integer)";
  readonly name: string;
  readonly #patienceMs: number;
  readonly #statements = new Map<string, StatementSync>();
  #database: DatabaseSync;
  /** There is no room for the index that processes share: each piece of work has the file to itself, for as long as it takes. */
  #isHeldAlone = false;

  constructor(path: string, patience: number) {
    this.name = path;
    this.#patienceMs = patience;
    try {
      if (path !== ':memory:' && !existsSync(path)) {
        makeFolder(dirname(path));
        // Only the user may read prompts; the files that SQLite puts beside it get the same permissions.
        closeSync(openSync(path, 'a', 0o600));
      }
      this.#database = new DatabaseSync(path, { timeout: briefWaitMs });
    } catch (error) {
      throw new Failure('config', `cannot open the ledger ${path}: ${messageOf(error)}`, { cause: error });
    }
  }

  /** Brings a new or older ledger to this version; of several processes that start at once, one does it. */
  async prepare(): Promise<void> {
    try {
      await this.#patiently(() => this.#database.exec(settings));
    } catch (error) {
      if (!(await this.#holdAlone(error)) && !this.#reopenToRead(error)) throw error;
    }
    const isReady = (): boolean =>
      this.#version() >= sqliteMigrations.length &&
      this.#isUsable() &&
      this.#pragma('application_id') === applicationId;
    if (await this.#patiently(isReady)) return;
    await this.#patiently(() => this.#transaction(() => this.#migrate()));
  }

  /** On a disk without a free block SQLite cannot create its shared index, which a process that has the file to itself does not need. */
  async #holdAlone(error: unknown): Promise<boolean> {
    if (!hasCode(error, noRoom) || this.name === ':memory:') return false;
    this.#database.close();
    this.#isHeldAlone = true;
    try {
      await this.#patiently(() => this.#version());
    } catch {
      this.#isHeldAlone = false;
      this.#database.open();
    }
    return this.#isHeldAlone;
  }

  #alone<Result>(work: () => Result): Result {
    this.#database.open();
    try {
      this.#database.exec(`pragma locking_mode = exclusive; ${settings}`);
      return work();
    } finally {
      this.#statements.clear();
      this.#database.close();
    }
  }

  /** In WAL mode SQLite creates files beside the ledger even to read it. If it cannot, and no other process writes, the file alone is enough. */
  #reopenToRead(error: unknown): boolean {
    if (!hasCode(error, cannotWrite) || this.name === ':memory:' || existsSync(`${this.name}-wal`)) return false;
    const unchanged = new DatabaseSync(`${pathToFileURL(this.name).href}?immutable=1`, { readOnly: true });
    this.#database.close();
    this.#database = unchanged;
    this.rights = { update: false, delete: false, budgets: false };
    return true;
  }

  async all({ sql, values }: Statement): Promise<Row[]> {
    return this.#patiently(() => this.#statement(sql).all(...values));
  }

  async write(statements: readonly Statement[]): Promise<boolean> {
    return this.#patiently(() =>
      this.#transaction(() => {
        for (const [index, { sql, values, changes: expected }] of statements.entries()) {
          const { changes } = this.#statement(sql).run(...values);
          if (index === 0 && Number(changes) === 0) return false;
          if (expected !== undefined && Number(changes) !== expected) throw new Contested();
        }
        return true;
      }),
    );
  }

  async decide(
    _lock: string,
    { sql, values }: Statement,
    answer: (rows: Row[]) => readonly Statement[],
  ): Promise<void> {
    await this.#patiently(() =>
      this.#transaction(() => {
        for (const each of answer(this.#statement(sql).all(...values))) this.#statement(each.sql).run(...each.values);
      }),
    );
  }

  async problems(): Promise<Problem[]> {
    const found = await this.#patiently(() => this.#database.prepare('pragma integrity_check').all());
    const strays = await this.#patiently(() => this.#database.prepare('pragma foreign_key_check').all());
    return [
      ...found.flatMap(({ integrity_check: what }) =>
        what === 'ok' ? [] : [{ where: this.name, what: String(what) }],
      ),
      ...strays.map(({ table }) => ({ where: String(table), what: 'a row belongs to no run' })),
    ];
  }

  /** The word index keeps the words of deleted runs until it is rewritten. */
  async compact(): Promise<void> {
    await this.#patiently(() => this.#database.exec("insert into words (words) values ('optimize')"));
    this.#statements.clear();
    await this.#patiently(() => this.#database.exec('vacuum'));
    await this.#patiently(() => this.#database.exec('pragma wal_checkpoint(truncate)'));
  }

  async makeRoom(): Promise<void> {
    await this.#patiently(() => this.#database.exec('pragma wal_checkpoint(truncate)'));
  }

  async close(): Promise<void> {
    this.#statements.clear();
    if (this.#database.isOpen) this.#database.close();
  }

  #migrate(): void {
    const from = this.#version();
    const { objects } = this.#database.prepare('select count(*) as objects from sqlite_schema').get() ?? {};
    if (this.#pragma('application_id') !== applicationId && objects !== 0)
      throw new Failure(
        'config',
        `${this.name} is a database, but not a Runwire ledger; name another file with --ledger`,
      );
    if (from > sqliteMigrations.length && !this.#isUsable())
      throw new Failure(
        'config',
        `the ledger ${this.name} was written by a newer Runwire (version ${from}, this one knows ${sqliteMigrations.length}); update Runwire, or name another file with --ledger`,
      );
    if (from >= sqliteMigrations.length) return;
    for (const sql of sqliteMigrations.slice(from)) this.#database.exec(sql);
    this.#database.exec(`pragma application_id = ${applicationId}; pragma user_version = ${sqliteMigrations.length}`);
  }

  /** A newer version only adds to the tables, as a rule. */
  #isUsable(): boolean {
    if (this.#version() <= sqliteMigrations.length) return true;
    const found = this.#database
      .prepare(
        `select m.name as "table", c.name as "column", c."notnull" = 1 and c.dflt_value is null and c.pk = 0 as demanded
          from sqlite_schema m join pragma_table_info(m.name) c where m.type = 'table'`,
      )
      .all();
    return isUsable(
      found.map(({ table, column, demanded }) => ({
        table: String(table),
        column: String(column),
        isDemanded: demanded === 1,
      })),
    );
  }

  #version(): number {
    return this.#pragma('user_version');
  }

  #pragma(name: string): number {
    return Number(this.#database.prepare(`pragma ${name}`).get()?.[name]);
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    if (this.#statements.size >= statementsKept) this.#statements.clear();
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #transaction<Result>(work: () => Result): Result {
    this.#database.exec('begin immediate');
    try {
      const result = work();
      this.#database.exec('commit');
      return result;
    } catch (error) {
      // A full disk has rolled back already.
      if (this.#database.isTransaction) this.#database.exec('rollback');
      throw error;
    }
  }

  /** Waits while others write. Waiting inside SQLite would block the run itself, so most of the waiting happens here. */
  async #patiently<Result>(work: () => Result): Promise<Result> {
    for (const start = performance.now(); ;) {
      try {
        return this.#isHeldAlone ? this.#alone(work) : work();
      } catch (error) {
        if (!hasCode(error, busy) || performance.now() - start > this.#patienceMs) throw error;
        await sleep(5 + Math.random() * 45);
      }
    }
  }
}

/** SQLITE_BUSY, SQLITE_LOCKED. */
const busy = [5, 6];
/** SQLITE_IOERR, SQLITE_FULL. */
const noRoom = [10, 13];
/** SQLITE_READONLY, SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN. */
const cannotWrite = [8, 10, 13, 14];

function hasCode(error: unknown, codes: readonly number[]): boolean {
  // The low byte is the primary code; the rest gives the kind.
  return (
    error instanceof Error &&
    'errcode' in error &&
    typeof error.errcode === 'number' &&
    codes.includes(error.errcode & 0xff)
  );
}
