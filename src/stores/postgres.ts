import pg from 'pg';
import { Failure, messageOf } from '../failure.ts';
import type { Database, Row, Statement } from './database.ts';
import { postgresMigrations } from './migrations/postgres.ts';
import type { Problem, RunStore } from './run-store.ts';
import { SqlRunStore } from './sql-store.ts';

/** One number for all of Runwire's migrations on a server. */
const migrationLock = 0x52756e57;
const connectMs = 5000;

/** The ledger of a team; `?schema=name` puts it elsewhere than in the schema `runwire`. */
export async function openPostgres(url: string): Promise<RunStore> {
  const database = new PostgresDatabase(url);
  try {
    await database.prepare();
  } catch (error) {
    await database.close();
    throw error instanceof Failure
      ? error
      : new Failure('config', `cannot use the ledger ${database.name}: ${whyUnusable(error)}`, { cause: error });
  }
  return new SqlRunStore(database);
}

class PostgresDatabase implements Database {
  readonly kind = 'postgres';
  readonly prefix: string;
  readonly name: string;
  readonly #schema: string;
  readonly #pool: pg.Pool;

  constructor(text: string) {
    const url = readUrl(text);
    this.#schema = url.searchParams.get('schema') ?? 'runwire';
    if (!/^[a-z_][a-z0-9_]{0,59}$/.test(this.#schema))
      throw new Failure('config', `"${this.#schema}" cannot be the ledger's schema; use small letters, digits and _`);
    this.prefix = `${this.#schema}.`;
    url.searchParams.delete('schema');
    this.#pool = new pg.Pool({
      connectionString: url.href,
      max: 4,
      connectionTimeoutMillis: connectMs,
      keepAlive: true,
      allowExitOnIdle: true,
      application_name: 'runwire',
      types: { getTypeParser: typeParser },
    });
    // A server that goes away tells its idle connections too; the next statement is who must know.
    this.#pool.on('error', () => {});
    this.name = `${url.protocol}//${url.username}@${url.host}${url.pathname}`;
  }

  /** As in SQLite: of several that start at once, one brings the tables, and the others wait for it. */
  async prepare(): Promise<void> {
    const version = await this.#version(this.#pool);
    if (version === postgresMigrations.length) return;
    await this.#transaction(async (client) => {
      await client.query('select pg_advisory_xact_lock($1)', [migrationLock]);
      const from = (await this.#version(client)) ?? 0;
      if (from > postgresMigrations.length)
        throw new Failure(
          'config',
          `the ledger ${this.name} was written by a newer Runwire (version ${from}, this one knows ${postgresMigrations.length}); update Runwire, or name another with --ledger`,
        );
      if (from === postgresMigrations.length) return;
      await client.query(`create schema if not exists ${this.#schema}`);
      await client.query(`create table if not exists ${this.prefix}ledger (version integer not null)`);
      for (const sql of postgresMigrations.slice(from)) await client.query(sql(this.prefix));
      await client.query(`delete from ${this.prefix}ledger`);
      await client.query(`insert into ${this.prefix}ledger values ($1)`, [postgresMigrations.length]);
    });
  }

  async all({ sql, values }: Statement): Promise<Row[]> {
    const { rows } = await this.#pool.query<Row>(numbered(sql), [...values]);
    return rows;
  }

  async write(statements: readonly Statement[]): Promise<boolean> {
    return this.#transaction(async (client) => {
      for (const [index, { sql, values }] of statements.entries()) {
        const { rowCount } = await client.query(numbered(sql), [...values]);
        if (index === 0 && rowCount === 0) return false;
      }
      return true;
    });
  }

  /** The server guards its own files; what can be asked without being its owner is whether every index is whole. */
  async problems(): Promise<Problem[]> {
    const { rows } = await this.#pool.query<{ name: string }>(
      `select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = $1 and not (i.indisvalid and i.indisready)`,
      [this.#schema],
    );
    return rows.map(({ name }) => ({ where: name, what: 'the index is not valid' }));
  }

  async listen(channel: string, onWord: (word: string) => void, onLost: () => void): Promise<() => void> {
    const client = await this.#pool.connect();
    let isOver = false;
    function end(): void {
      if (isOver) return;
      isOver = true;
      // It must not be given to others as it is: it would still listen.
      client.release(true);
    }
    const lost = (): void => {
      if (isOver) return;
      end();
      onLost();
    };
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', ({ payload = '' }) => onWord(payload));
    try {
      await client.query(`listen ${channel}`);
    } catch (error) {
      end();
      throw error;
    }
    return end;
  }

  async close(): Promise<void> {
    if (!this.#pool.ended) await this.#pool.end();
  }

  async #version(client: Pick<pg.Pool, 'query'> | pg.PoolClient): Promise<number | undefined> {
    // Not to_regclass: inside a transaction it may answer from a cache that is older than the lock.
    const { rowCount } = await client.query("select 1 from pg_catalog.pg_tables where schemaname = $1 and tablename = 'ledger'", [
      this.#schema,
    ]);
    if (rowCount === 0) return undefined;
    const { rows } = await client.query<{ version: number }>(`select version from ${this.prefix}ledger`);
    return rows[0]?.version;
  }

  async #transaction<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    const client = await this.#pool.connect();
    let failure: Error | undefined;
    // The connection may break while nothing is asked of it; the next statement fails and says so.
    const onError = (error: Error): void => void (failure = error);
    client.on('error', onError);
    try {
      await client.query('begin');
      const result = await work(client);
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback').catch((broken: unknown) => {
        failure = broken instanceof Error ? broken : new Error(String(broken));
      });
      throw error;
    } finally {
      client.off('error', onError);
      client.release(failure);
    }
  }
}

function readUrl(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw new Failure('config', "the ledger's address cannot be read; expected postgres://user:password@host:port/database");
  }
}

/** `?` → `$1`, `$2`, …: no statement of ours has a question mark for itself. */
function numbered(sql: string): string {
  let count = 0;
  return sql.replaceAll('?', () => `$${(count += 1)}`);
}

/** Counts and sums come as text, lest they be too big for a number; ours never are. */
function typeParser(type: number, format?: 'text' | 'binary'): (value: string) => unknown {
  return type === pg.types.builtins.INT8 || type === pg.types.builtins.NUMERIC ? Number : pg.types.getTypeParser(type, format as 'text');
}

/** Each address of a host may fail in its own way. */
function whyUnusable(error: unknown): string {
  return error instanceof AggregateError ? error.errors.map(messageOf).join('; ') : messageOf(error);
}
