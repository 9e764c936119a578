import { Failure } from '../failure.ts';
import type { QueueDatabase, Transaction } from './database.ts';
import type { QueueTables } from './queue.ts';
import { tables } from './tables.ts';

/** Of several processes that start at once, one creates the tables and the others wait for it. */
export async function setUp({ database, plans }: QueueTables): Promise<void> {
  const { schema } = database;
  const version = async (sql: Transaction | QueueDatabase): Promise<number> => {
    const [there] = await sql.query(plans.hasTable, [schema, 'runwire']);
    if (there === undefined) return 0;
    const [row] = await sql.query<{ version: number }>(plans.getVersion);
    return row?.version ?? 0;
  };
  if ((await version(database)) >= tables.length) return;
  await database.transaction(async (sql) => {
    const from = await version(sql);
    if (from >= tables.length) return;
    const [foreign] = from > 0 ? [] : await sql.query(plans.hasTable, [schema, 'jobs']);
    if (foreign !== undefined)
      throw new Failure(
        'config',
        `the schema ${schema} of ${database.name} has a table "jobs" that is not Runwire's; choose another with ?schema=`,
      );
    await sql.query(plans.makeSchema);
    await sql.query(plans.makeVersion);
    for (const table of tables.slice(from)) await sql.query(table(`${schema}.`));
    await sql.query(plans.forgetVersion);
    await sql.query(plans.setVersion, [tables.length]);
  }, plans.setUpLock);
}
