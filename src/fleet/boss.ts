import type { PgBoss } from 'pg-boss';

/** All of pg-boss that is used: its releases are many, and each call more is one more that may change. */
export interface Boss extends Pick<PgBoss, 'insert' | 'fetch'> {
  touch(name: string, claims: Claim[]): Promise<Affected>;
  complete(name: string, claims: Claim[], data: null, options: { db: Sql }): Promise<Affected>;
  fail(name: string, claim: Claim, data: null, options: { db: Sql }): Promise<Affected>;
  deleteJob(name: string, ids: string[], options: { db: Sql }): Promise<Affected>;
}

/** Of a claim that is another's by now, nothing is affected. */
interface Affected {
  affected: number;
  /** The ids of the jobs that were. */
  settled?: string[];
}

/** A place to send SQL to: the pool, or one connection inside a transaction. */
export interface Sql {
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** The claim of a worker: another worker that has the job later has another attempt. */
export interface Claim {
  id: string;
  retryCount: number;
}

export const queueName = 'runs';
const noJob = '00000000-0000-0000-0000-000000000000';

/** pg-boss on our own connections. Its timers stay off: leases are judged where claims are made, under one lock. */
export async function openBoss(db: Sql, schema: string): Promise<{ boss: Boss; close: () => Promise<void> }> {
  const { PgBoss: Loaded } = await import('pg-boss');
  const boss = new Loaded({ db, schema, supervise: false, schedule: false, migrate: true });
  // Without a listener an error of its timers would end the process; each call tells its own.
  boss.on('error', () => {});
  await boss.start();
  await boss.createQueue(queueName, { retryLimit: 1_000_000, retryDelay: 0 });
  // It learns of a queue by a question of its own: not inside a transaction, which would wait for a second connection.
  await boss.deleteJob(queueName, [noJob]);
  // Its types leave out what these calls answer.
  return { boss: boss as unknown as Boss, close: () => boss.stop({ graceful: false, close: false }) };
}
