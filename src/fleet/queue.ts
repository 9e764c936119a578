import { Failure } from '../failure.ts';
import { whyUnusable } from '../stores/postgres.ts';
import { readAddress } from '../stores/postgres-address.ts';
import { type Boss, openBoss } from './boss.ts';
import { QueueDatabase } from './database.ts';
import { type Plans, plansOf } from './plans.ts';
import { setUp } from './set-up.ts';
import type { Ends } from './settle-job.ts';

/**
 * The queue of a team: pg-boss records which worker has a run, our own rows record what it is. Every change to both is one transaction.
 * What can be done with it are functions beside this file.
 */
export interface Queue {
  /** Its name in messages, without a password. */
  readonly name: string;
  readonly database: QueueDatabase;
  readonly boss: Boss;
  readonly plans: Plans;
  readonly ends: Ends;
  close(): Promise<void>;
}

/** What is enough to look at it. */
export type QueueTables = Pick<Queue, 'database' | 'plans'>;

export async function openQueue(url: string): Promise<Queue> {
  const address = readAddress(url);
  let database: QueueDatabase | undefined;
  try {
    database = await QueueDatabase.open(url, address);
    const plans = plansOf(database.schema);
    await setUp({ database, plans });
    return queueOf({ database, plans }, await openBoss(database, database.schema));
  } catch (error) {
    await database?.close();
    throw error instanceof Failure
      ? error
      : new Failure('config', `cannot use the queue at ${address.name}: ${whyUnusable(error)}`, { cause: error });
  }
}

function queueOf({ database, plans }: QueueTables, { boss, close }: Awaited<ReturnType<typeof openBoss>>): Queue {
  return {
    name: database.name,
    database,
    boss,
    plans,
    ends: { waiting: [], isSettling: false },
    async close() {
      await close().catch(() => {});
      await database.close();
    },
  };
}
