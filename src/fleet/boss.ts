import type { PgBoss } from 'pg-boss';

/** The only parts of pg-boss that are used: it has frequent releases, and every further call is one that may change. */
export interface Boss extends Pick<PgBoss, 'insert' | 'fetch'> {
  touch(name: string, claims: JobClaim[]): Promise<Affected>;
  complete(name: string, claims: JobClaim[], data: null, options: { db: Sql }): Promise<Affected>;
  fail(name: string, claim: JobClaim, data: null, options: { db: Sql }): Promise<Affected>;
  deleteJob(name: string, ids: string[], options: { db: Sql }): Promise<Affected>;
}

/** A claim that now belongs to another worker affects nothing. */
interface Affected {
  affected: number;
  /** The ids of the affected jobs. */
  settled?: string[];
}

/** A place to send SQL to: the pool, or one connection inside a transaction. */
export interface Sql {
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** The claim of a worker: a worker that gets the job later has another attempt number. */
export interface JobClaim {
  id: string;
  retryCount: number;
}

export const queueName = 'runs';
const noJob = '00000000-0000-0000-0000-000000000000';

/** pg-boss on our own connections. Its timers stay off: leases are checked where claims are made, under one lock. */
export async function openBoss(db: Sql, schema: string): Promise<{ boss: Boss; close: () => Promise<void> }> {
  const { PgBoss: Loaded } = await import('pg-boss');
  const boss = new Loaded({ db, schema, supervise: false, schedule: false, migrate: true });
  // Without a listener an error in its timers would end the process; each call reports its own errors.
  boss.on('error', () => {});
  await boss.start();
  await boss.createQueue(queueName, { retryLimit: 1_000_000, retryDelay: 0 });
  // It looks a queue up with its own query: do that now, since inside a transaction it would wait for a second connection.
  await boss.deleteJob(queueName, [noJob]);
  // Its types leave out what these calls return.
  return { boss: boss as unknown as Boss, close: () => boss.stop({ graceful: false, close: false }) };
}
