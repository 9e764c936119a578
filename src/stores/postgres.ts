import type pg from 'pg';
import { Failure, messageOf, systemCode } from '../failure.ts';
import { Contested, type Database, type Rights, type Row, type Statement } from './database.ts';
import { type ColumnFact, isLedger, isUsable } from './fitting.ts';
import { postgresMigrations } from './migrations/postgres.ts';
import { NoLedgerYet, type Opening } from './no-ledger-yet.ts';
import { type PostgresAddress, readAddress } from './postgres-address.ts';
import { onConnection, takePool, type TakenPool } from './postgres-pools.ts';
import type { Problem, RunStore } from './run-store.ts';
import { SqlRunStore } from './sql-store.ts';

/** One lock number for all of Runwire's migrations on a server. */
const migrationLock = 0x52756e57;

/** The ledger of a team; `?schema=name` selects another schema than `runwire`. */
export async function openPostgres(url: string, { mayCreate = true }: Opening = {}): Promise<RunStore> {
  const address = readAddress(url);
  let database: PostgresDatabase | undefined;
  try {
    database = new PostgresDatabase(address, await takePool(url, address));
    await database.prepare(mayCreate);
  } catch (error) {
    await database?.close();
    throw error instanceof Failure
      ? error
      : new Failure('config', `cannot use the ledger ${address.name}: ${whyUnusable(error)}`, { cause: error });
  }
  return new SqlRunStore(database);
}

class PostgresDatabase implements Database {
  readonly kind = 'postgres';
  readonly prefix: string;
  readonly now = 'cast(extract(epoch from statement_timestamp()) * 1000 as bigint)';
  readonly name: string;
  readonly #schema: string;
  readonly #pool: pg.Pool;
  readonly #release: () => Promise<void>;
  #rights: Rights = { update: true, delete: true, budgets: true };

  constructor({ name, schema }: PostgresAddress, { pool, release }: TakenPool) {
    this.name = name;
    // Quoted, because `order` and `user` are SQL keywords.
    this.prefix = `"${schema}".`;
    this.#schema = schema;
    this.#pool = pool;
    this.#release = release;
  }

  get rights(): Rights {
    return this.#rights;
  }

  /** As in SQLite: of several processes that start at once, one creates the tables and the others wait for it. */
  async prepare(mayCreate: boolean): Promise<void> {
    const { version = 0, isWhole } = await this.#look(this.#pool);
    if (version === 0 && !mayCreate) throw new NoLedgerYet(`the schema ${this.#schema} of ${this.name}`);
    if (version < postgresMigrations.length)
      await this.#migrate().catch((error: unknown) => {
        if (version === 0 || !isRefused(error)) throw error;
        // What is missing only makes queries faster: another role will add it.
        if (!isWhole)
          throw new Failure(
            'config',
            `the ledger ${this.name} was written by an older Runwire (version ${version}, this one needs ${postgresMigrations.length}); a role that owns its tables has to upgrade them first: ${messageOf(error)}`,
            { cause: error },
          );
      });
    const { rows } = await this.#pool.query<Rights>(
      `select has_table_privilege($1, 'update') as update, has_table_privilege($2, 'delete') as delete,
        has_table_privilege($3, 'insert') and has_table_privilege($3, 'update') as budgets`,
      [`${this.prefix}runs`, `${this.prefix}usage`, `${this.prefix}spendings`],
    );
    this.#rights = rows[0] ?? this.#rights;
  }

  async #migrate(): Promise<void> {
    await this.#transaction(async (client) => {
      await client.query('select pg_advisory_xact_lock($1)', [migrationLock]);
      const { version: from = 0 } = await this.#look(client);
      if (from >= postgresMigrations.length) return;
      if (from === 0) {
        await client.query(`create schema if not exists "${this.#schema}"`);
        await client.query(`create table ${this.prefix}ledger (version integer not null)`);
        await client.query(`insert into ${this.prefix}ledger values (0)`);
      }
      for (const sql of postgresMigrations.slice(from)) await client.query(sql(this.prefix));
      await client.query(`update ${this.prefix}ledger set version = $1`, [postgresMigrations.length]);
    });
  }

  async all({ sql, values }: Statement): Promise<Row[]> {
    const { rows } = await this.#pool.query<Row>(numbered(sql), [...values]);
    return rows;
  }

  async write(statements: readonly Statement[]): Promise<boolean> {
    return this.#transaction(async (client) => {
      for (const [index, { sql, values, changes }] of statements.entries()) {
        const { rowCount } = await client.query(numbered(sql), [...values]);
        if (index === 0 && rowCount === 0) return false;
        if (changes !== undefined && rowCount !== changes) throw new Contested();
      }
      return true;
    });
  }

  async decide(lock: string, { sql, values }: Statement, answer: (rows: Row[]) => readonly Statement[]): Promise<void> {
    await this.#transaction(async (client) => {
      await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`${this.prefix}${lock}`]);
      const { rows } = await client.query<Row>(numbered(sql), [...values]);
      for (const each of answer(rows)) await client.query(numbered(each.sql), [...each.values]);
    });
  }

  /** The server guards its own files; without owning them one can only check whether every index is valid. */
  async problems(): Promise<Problem[]> {
    const { rows } = await this.#pool.query<{ name: string }>(
      `select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = $1 and not (i.indisvalid and i.indisready)`,
      [this.#schema],
    );
    return rows.map(({ name }) => ({ where: name, what: 'the index is not valid' }));
  }

  /** Only the owner of a table may do this; otherwise the server does it in its own time. */
  async compact(): Promise<void> {
    const tables = ['runs', 'documents', 'labels', 'usage', 'tools', 'run_chunk'].map(
      (table) => `${this.prefix}${table}`,
    );
    await this.#pool.query(`vacuum ${tables.join(', ')}`);
  }

  async listen(channel: string, onWord: (word: string) => void, onLost: () => void): Promise<() => void> {
    const client = await this.#pool.connect();
    let isOver = false;
    function end(): void {
      if (isOver) return;
      isOver = true;
      // It must not go back to the pool, because it would still listen.
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

  close(): Promise<void> {
    return this.#release();
  }

  /** Without a version the schema is empty. Tables of other programs are refused before anything is written. */
  async #look(client: Pick<pg.Pool, 'query'> | pg.PoolClient): Promise<{ version?: number; isWhole: boolean }> {
    // Not to_regclass: inside a transaction it may answer from a cache that is older than the lock.
    const { rows: found } = await client.query<ColumnFact>(
      `select c.relname as "table", coalesce(a.attname, '') as "column",
        coalesce(a.attnotnull and not a.atthasdef and a.attidentity = '', false) as "isDemanded"
        from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
        left join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        where n.nspname = $1 and c.relkind in ('r', 'p', 'v', 'm', 'f')`,
      [this.#schema],
    );
    if (found.length === 0) return { isWhole: false };
    if (!isLedger(found)) {
      const names = [...new Set(found.map(({ table }) => table))].toSorted();
      const some = names.slice(0, 3).join(', ') + (names.length > 3 ? ', …' : '');
      throw new Failure(
        'config',
        `the schema ${this.#schema} of ${this.name} has tables of another program (${some}); name another with ?schema=`,
      );
    }
    const { rows } = await client.query<{ version: number }>(`select version from ${this.prefix}ledger`);
    const version = rows[0]?.version ?? 0;
    const isWhole = isUsable(found);
    if (version > postgresMigrations.length && !isWhole)
      throw new Failure(
        'config',
        `the ledger ${this.name} was written by a newer Runwire (version ${version}, this one knows ${postgresMigrations.length}); update Runwire, or name another with --ledger`,
      );
    return { version, isWhole };
  }

  #transaction<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    return onConnection(this.#pool, async (client) => {
      await client.query('begin');
      const result = await work(client);
      await client.query('commit');
      return result;
    });
  }
}

/** Whether the role lacks the right to do this. */
function isRefused(error: unknown): boolean {
  return systemCode(error) === '42501';
}

/** `?` → `$1`, `$2`, …: none of our statements contains a literal question mark. */
function numbered(sql: string): string {
  let count = 0;
  return sql.replaceAll('?', () => `$${(count += 1)}`);
}

/** Each address of a host may fail in its own way. */
export function whyUnusable(error: unknown): string {
  return error instanceof AggregateError ? error.errors.map(messageOf).join('; ') : messageOf(error);
}
