import { createHash } from 'node:crypto';
import { Failure } from '../failure.ts';
import type { Transaction } from './database.ts';
import { largestBundle } from './origin.ts';
import type { QueueParts } from './parts.ts';

/** The commit that a run began with, or what it changed. */
export async function readBundle({ database, p }: QueueParts, run: string, kind: 'source' | 'result'): Promise<Uint8Array | undefined> {
  const [row] = await database.query<{ body: Buffer }>(
    `select case when length(body) <= $2 then body else '' end as body from ${p}bundles where hash = (select ${kind} from ${p}jobs where run = $1)`,
    [run, largestBundle],
  );
  if (row?.body.length === 0)
    throw new Failure('config', `the bundle of ${run} is empty, or larger than ${largestBundle / 1024 / 1024} MB`);
  return row?.body;
}

/** All runs of one commit share a bundle. */
export async function keepBundle(sql: Transaction, p: string, body: Uint8Array): Promise<string> {
  const hash = createHash('sha256').update(body).digest('hex');
  await sql.query(`insert into ${p}bundles values ($1, $2, now()) on conflict (hash) do update set used_at = now()`, [hash, body]);
  return hash;
}
