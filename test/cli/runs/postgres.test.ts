import { cpSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openLedger } from '../../../src/index.ts';
import type { PostgresDatabase } from '../../stores/support/postgres.ts';
import { sharedPostgres } from '../../stores/support/shared-postgres.ts';
import { scenariosOf } from '../../support/recordings.ts';
import { newLedger, runs, temporary } from './ledger.ts';
import { some } from '../../support/sweep.ts';

const scenarios = some(scenariosOf('codex@0.166.0'), 3);

/** Old enough for a list to say the date: an age changes between two commands. */
function oldRecordings(): string {
  const folder = temporary();
  const from = join(import.meta.dirname, '..', '..', 'recordings', 'codex@0.166.0');
  for (const name of scenarios) cpSync(join(from, name), join(folder, name), { recursive: true });
  const then = new Date('2026-01-02T03:04:05Z');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    utimesSync(join(folder, name), then, then);
  return folder;
}

let server: PostgresDatabase;

beforeAll(async () => void (server = await sharedPostgres()));
afterAll(() => server.remove());

it('is the same ledger in PostgreSQL as in a file', async () => {
  // A ledger in PostgreSQL would keep its tapes there.
  const env = { XDG_STATE_HOME: temporary(), RUNWIRE_TAPES: 'files' };
  const recordings = oldRecordings();
  const file = newLedger();
  const team = server.url(server.newName('team'));
  for (const ledger of [file, team]) {
    expect(await runs(ledger, ['import', recordings, '--label', 'a=b'], { env })).toMatchObject({
      status: 0,
      stderr: `runwire: ${scenarios.length} runs added\n`,
    });
    expect((await runs(ledger, ['import', recordings], { env })).stderr).toBe(
      `runwire: 0 runs added, ${scenarios.length} there before\n`,
    );
  }
  for (const args of [
    ['export'],
    ['list', '--format', 'table', '--class', 'provider', '--label', 'a=b'],
    ['list', '--text', 'hello'],
    ['stats', '--by', 'class'],
    ['stats', '--by', 'label:a', '--csv'],
    ['show', 'last'],
    ['verify'],
    ['prune', '--keep', '5', '--yes'],
    ['export', '--format', 'csv'],
  ])
    expect({ args, ...(await runs(team, args, { env })) }).toEqual({ args, ...(await runs(file, args, { env })) });
});

it('says that a server is not there, without its password', async () => {
  const { stderr, status } = await runs(server.url('team').replace(/:\d+\//, ':1/'), ['list']);
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: expect.stringContaining('cannot use the ledger postgres://postgres@127.0.0.1') as string,
  });
});

it('is not created by a command that only reads', async () => {
  // A ledger in PostgreSQL would keep its tapes there.
  const env = { XDG_STATE_HOME: temporary(), RUNWIRE_TAPES: 'files' };
  const schema = server.newName('typo');
  const url = server.url(schema);
  async function isThere(): Promise<boolean> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rowCount } = await client.query(`select 1 from pg_namespace where nspname = '${schema}'`);
    await client.end();
    return rowCount !== 0;
  }
  const absent = `no runs yet: the schema ${schema} of `;
  for (const args of [['list'], ['stats'], ['export'], ['verify'], ['prune', '--keep', '5', '--yes']])
    expect({ args, ...(await runs(url, args, { env })) }).toEqual({
      args,
      status: 0,
      stdout: '',
      stderr: expect.stringContaining(absent) as string,
    });
  for (const args of [['show', 'last'], ['tail'], ['wait', 'last'], ['diff', 'a', 'b']])
    expect({ args, ...(await runs(url, args, { env })) }).toMatchObject({
      args,
      status: 2,
      stderr: expect.stringContaining(absent) as string,
    });
  expect(await isThere()).toBe(false);
  const library = await openLedger({ ledger: url, env });
  expect(await library.list()).toEqual({ runs: [] });
  await library.close();
  expect(await isThere()).toBe(false);
});
