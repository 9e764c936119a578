import { createHash } from 'node:crypto';
import { Failure } from '../failure.ts';
import type { Transaction } from './database.ts';
import { largestBundle } from './origin.ts';
import type { Plans } from './plans.ts';
import type { QueueTables } from './queue.ts';

/** The commit that a run began with, or what it changed. */
export async function readBundle(
  { database, plans }: QueueTables,
  run: string,
  kind: 'source' | 'result',
): Promise<Uint8Array | undefined> {
  const [row] = await database.query<{ body: Buffer }>(kind === 'source' ? plans.sourceBundle : plans.resultBundle, [
    run,
    largestBundle,
  ]);
  if (row?.body.length === 0)
    throw new Failure('config', `the bundle of ${run} is empty, or larger than ${largestBundle / 1024 / 1024} MB`);
  return row?.body;
}

/** All runs of one commit share a bundle. */
export async function keepBundle(sql: Transaction, plans: Plans, body: Uint8Array): Promise<string> {
  const hash = createHash('sha256').update(body).digest('hex');
  await sql.query(plans.keepBundle, [hash, body]);
  return hash;
}
