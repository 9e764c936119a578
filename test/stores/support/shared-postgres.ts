import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { sharedProcess } from '../../support/build.ts';
import { type PostgresDatabase, startPostgres } from './postgres.ts';

let count = 0;

/**
 * A database on the one server that all test files of a vitest share, whose start takes longer than most tests: whoever needs it first
 * starts it, and it ends with vitest. A test that stops its server, or counts what is in all databases, starts one of its own.
 */
export async function sharedPostgres(): Promise<PostgresDatabase> {
  const address = await sharedAddress();
  const name = `file_${process.pid}_${(count += 1)}`;
  await query(address, `create database ${name}`);
  const base = address.replace(/\/postgres$/, `/${name}`);
  let names = 0;
  return {
    url: (schema) => `${base}?schema=${schema}`,
    // Roles are those of all databases.
    newName: (word) => `${word}_${name}_${(names += 1)}`,
    remove: () => query(address, `drop database ${name} with (force)`),
  };
}

/** Another worker may be as far at the same moment: the first to make the folder starts the server, the others wait for its address. */
async function sharedAddress(): Promise<string> {
  const place = join(tmpdir(), 'runwire-postgres-shared');
  const told = join(place, 'address');
  if (isFirst(place)) {
    const server = await startPostgres();
    writeFileSync(sharedProcess(tmpdir()), String(server.pid()));
    writeFileSync(`${told}.new`, server.url('').replace(/\?.*/, ''));
    renameSync(`${told}.new`, told);
  }
  for (let look = 0; !existsSync(told); await sleep(20), look += 1)
    if (look > 10_000) throw new Error('whoever starts PostgreSQL for all has not said where it is');
  return readFileSync(told, 'utf8');
}

function isFirst(place: string): boolean {
  try {
    mkdirSync(place);
    return true;
  } catch {
    return false;
  }
}

async function query(address: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: address });
  client.on('error', () => {});
  await client.connect();
  await client.query(text).finally(() => client.end());
}
