import { readFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunRecord } from '../../src/stores/run-store.ts';
import type { PostgresDatabase } from '../stores/support/postgres.ts';
import { sharedPostgres } from '../stores/support/shared-postgres.ts';
import { codex, scriptedAgents, type Step } from '../support/scripted-agents.ts';
import { Fleet, newRepository, until } from './support/fleet.ts';

let server: PostgresDatabase;
const fleets: Fleet[] = [];

beforeAll(async () => void (server = await sharedPostgres()));
afterAll(async () => {
  for (const fleet of fleets) fleet.end();
  await server.remove();
});

function fleetOf(steps: readonly Step[], others: Record<string, readonly Step[]> = {}) {
  const agents = scriptedAgents({ codex: steps, ...others });
  const fleet = new Fleet(server.url(server.newName('waiting')), { PATH: agents.env['PATH'] ?? '' });
  fleets.push(fleet);
  return { fleet, agents };
}

const limit = (words: string, more: Partial<Step> = {}): Step => ({
  lines: [...codex.began('session-1'), codex.says('I begin.'), codex.done(40, 2), ...codex.failed(words)],
  exit: 1,
  ...more,
});
const good = (more: Partial<Step> = {}): Step => ({
  lines: [...codex.began('session-2'), codex.says('All done.'), codex.done(100, 20)],
  ...more,
});

async function shown(fleet: Fleet, run: string): Promise<RunRecord> {
  return JSON.parse((await fleet.runwire(['runs', 'show', run, '--json'])).stdout) as RunRecord;
}

describe('a run of a fleet that waits for a limit', () => {
  it('goes back to the queue with its time and its work, and goes on there', async () => {
    const { fleet, agents } = fleetOf([
      limit('Rate limit reached. Please try again in 3s.', { files: { 'begun.txt': 'half\n' } }),
      good({ files: { 'rest.txt': 'rest\n' } }),
    ]);
    const { checkout: repository, git } = newRepository();
    const { stdout } = await fleet.runwire([
      'enqueue',
      '--cwd',
      repository,
      '--bundle',
      '--agent',
      'codex',
      '--on-limit',
      'wait',
      '--max-tokens',
      '5000',
      'Do it',
    ]);
    const { id: run } = JSON.parse(stdout) as { id: string };
    const worker = fleet.worker([]);
    await until('the next state', async () => (await fleet.jobs())[0]?.state === 'ended');
    // The queue knows of its end before the ledger does.
    await until('its end in the ledger', async () => (await shown(fleet, run)).status !== 'running');
    worker.kill('SIGTERM');
    const record = await shown(fleet, run);
    expect(record).toMatchObject({ status: 'success', input_tokens: 100, output_tokens: 20 });
    expect(record.attempts).toMatchObject([{ class: 'provider', tokens_used: 42 }]);
    expect(record.waits_until).toBeUndefined();
    // A session of Codex is found wherever it is started.
    expect(agents.starts('codex')[1]?.args).toContain('session-1');
    const job = await fleet.job(run);
    await fleet.start(['runs', 'fetch', run, '--cwd', repository]).ended;
    expect(git('ls-tree', '--name-only', job.branch ?? '')).toContain('begun.txt');
  });

  it('is told of as waiting, and goes on at once when somebody says so', async () => {
    const { fleet, agents } = fleetOf([limit('Rate limit reached. Please try again in 3 hours.'), good()]);
    const { stdout } = await fleet.runwire([
      'enqueue',
      '--cwd',
      newRepository().checkout,
      '--bundle',
      '--agent',
      'codex',
      '--on-limit',
      'wait',
      'Do it',
    ]);
    const worker = fleet.worker([]);
    await until(
      'the next state',
      async () => (await fleet.jobs())[0]?.message?.startsWith('waits for a limit until ') === true,
    );
    const { id: run } = JSON.parse(stdout) as { id: string };
    expect(await shown(fleet, run)).toMatchObject({ status: 'running', waits_until: expect.any(Number) });
    expect((await fleet.runwire(['runs', 'resume', run])).stderr).toContain('as soon as a worker takes it');
    await until('the next state', async () => (await fleet.jobs())[0]?.state === 'ended');
    worker.kill('SIGTERM');
    expect(agents.starts('codex')).toHaveLength(2);
  });

  it('is told by its worker to stand still and to go on', async () => {
    const { fleet, agents } = fleetOf([{ lines: [...codex.began('s'), codex.says('Working.')], stays: true }]);
    const { stdout } = await fleet.runwire([
      'enqueue',
      '--cwd',
      newRepository().checkout,
      '--bundle',
      '--isolate',
      'clone',
      '--agent',
      'codex',
      'Do it',
    ]);
    const { id: run } = JSON.parse(stdout) as { id: string };
    const worker = fleet.worker([]);
    const states = (): string => {
      try {
        return agents
          .processes('codex')
          .map(({ state }) => state)
          .join('');
      } catch {
        return '';
      }
    };
    await until('the next state', () => states() !== '');
    await fleet.runwire(['runs', 'pause', run]);
    await until('the next state', () => states() === 'TT');
    await fleet.runwire(['runs', 'resume', run]);
    await until('the next state', () => !states().includes('T'));
    await fleet.runwire(['runs', 'limit', run, '--timeout', '0.1s']);
    await until('the next state', async () => (await fleet.jobs())[0]?.class === 'time_limit');
    worker.kill('SIGTERM');
  });

  it('goes on with the agent that waited, where another had its turn before', async () => {
    const noKey: Step = { lines: [...codex.began('s'), ...codex.failed('401 Unauthorized: invalid api key')], exit: 1 };
    const { fleet, agents } = fleetOf([noKey], {
      qwen: [{ lines: [], exit: 1, stderr: 'Rate limit reached. Please try again in 3 hours.\n' }],
    });
    const { stdout } = await fleet.runwire([
      'enqueue',
      '--cwd',
      newRepository().checkout,
      '--bundle',
      '--agent',
      'codex,qwen',
      '--on-limit',
      'wait',
      'Do it',
    ]);
    const { id: run } = JSON.parse(stdout) as { id: string };
    const worker = fleet.worker([]);
    const isParked = async (): Promise<boolean> =>
      (await fleet.jobs())[0]?.message?.startsWith('waits for a limit') === true;
    await until('the wait', isParked);
    await fleet.runwire(['runs', 'resume', run]);
    await until('the second start', () => agents.starts('qwen').length === 2);
    await until('the next wait', isParked);
    worker.kill('SIGTERM');
    expect(agents.starts('codex')).toHaveLength(1);
  });

  it('costs no process and next to no memory, however many there are', async () => {
    const { fleet } = fleetOf([limit('Rate limit reached. Please try again in 3 hours.')]);
    const { checkout } = newRepository();
    await fleet.runwire(['enqueue', '--cwd', checkout, '--bundle', '--agent', 'codex', '--on-limit', 'wait', 'Do it']);
    const worker = fleet.worker([]);
    await until('the wait', async () => (await fleet.jobs())[0]?.message?.startsWith('waits for a limit') === true);
    const pid = worker.child.pid ?? 0;
    const memory = (): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1000;
    const client = new pg.Client({ connectionString: fleet.url.replace(/\?.*/, '') });
    await client.connect();
    const schema = `"${new URL(fleet.url).searchParams.get('schema') ?? ''}_queue"`;
    const { rows: columns } = await client.query<{ list: string }>(
      `select string_agg(quote_ident(column_name), ', ') as list from information_schema.columns
       where table_schema = $1 and table_name = 'jobs' and column_name not in ('run', 'id', 'job')`,
      [schema.replaceAll('"', '')],
    );
    const list = columns[0]?.list ?? '';
    const sizeOf = async (): Promise<number> => {
      const { rows } = await client.query<{ mb: string }>(
        `select sum(pg_total_relation_size(quote_ident(schemaname) || '.' || quote_ident(tablename))) / 1e6 as mb from pg_tables where schemaname = $1`,
        [schema.replaceAll('"', '')],
      );
      return Number(rows[0]?.mb);
    };
    const [before, size] = [memory(), await sizeOf()];
    // As 499 more that wait alike.
    await client.query(
      `insert into ${schema}.jobs (run, job, ${list}) select '01m7jjvt4at84v6yrbekj' || lpad(n::text, 5, '0'), gen_random_uuid(), ${list} from ${schema}.jobs, generate_series(1, 499) n`,
    );
    expect(await fleet.jobs()).toHaveLength(500);
    // The worker looks for work many times meanwhile.
    const looked = Date.now() + 2000;
    await until('some looks at the queue', () => Date.now() > looked);
    const below = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    const [grown, stored] = [memory() - before, (await sizeOf()) - size];
    await client.end();
    worker.kill('SIGTERM');
    expect(below).toBe('');
    expect({ grown, stored, isSmall: grown + stored < 50 }).toMatchObject({ isSmall: true });
  });
});
