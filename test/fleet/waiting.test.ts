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

function fleetOf(steps: readonly Step[]) {
  const agents = scriptedAgents({ codex: steps });
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
});
