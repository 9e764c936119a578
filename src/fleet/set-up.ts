import { Failure } from '../failure.ts';
import type { QueueDatabase, Transaction } from './database.ts';
import { tables } from './tables.ts';

/** One lock number for everything that sets up queues on a server. */
const setUpLock = 0x52756e51;

/** Of several processes that start at once, one creates the tables and the others wait for it. */
export async function setUp(database: QueueDatabase): Promise<void> {
  const { schema } = database;
  const version = async (sql: Transaction | QueueDatabase): Promise<number> => {
    const [there] = await sql.query(`select 1 from pg_catalog.pg_tables where schemaname = $1 and tablename = 'runwire'`, [schema]);
    if (there === undefined) return 0;
    const [row] = await sql.query<{ version: number }>(`select version from ${schema}.runwire`);
    return row?.version ?? 0;
  };
  if ((await version(database)) >= tables.length) return;
  await database.transaction(async (sql) => {
    const from = await version(sql);
    if (from >= tables.length) return;
    const [foreign] =
      from > 0 ? [] : await sql.query(`select 1 from pg_catalog.pg_tables where schemaname = $1 and tablename = 'jobs'`, [schema]);
    if (foreign !== undefined)
      throw new Failure(
        'config',
        `the schema ${schema} of ${database.name} has a table "jobs" that is not Runwire's; choose another with ?schema=`,
      );
    await sql.query(`create schema if not exists ${schema}`);
    await sql.query(`create table if not exists ${schema}.runwire (version integer not null)`);
    for (const table of tables.slice(from)) await sql.query(table(`${schema}.`));
    await sql.query(`delete from ${schema}.runwire`);
    await sql.query(`insert into ${schema}.runwire values ($1)`, [tables.length]);
  }, `select pg_advisory_xact_lock(${setUpLock})`);
}
