import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Job } from '../../src/fleet/job.ts';
import type { WorkerRow } from '../../src/fleet/worker-row.ts';
import { QueueState } from '../../src/server/queue.ts';
import { version } from '../../src/version.ts';
import type { RunRecord } from '../../src/stores/run-store.ts';
import type { PostgresDatabase } from '../stores/support/postgres.ts';
import { sharedPostgres } from '../stores/support/shared-postgres.ts';
import { serving } from '../server/serving.ts';
import { type Result, runwire } from '../support/command.ts';
import { isSweep } from '../support/sweep.ts';
import { Fleet, newRepository, temporary, until } from './support/fleet.ts';

let server: PostgresDatabase;
const fleets: Fleet[] = [];

beforeAll(async () => void (server = await sharedPostgres()));
afterAll(async () => {
  for (const fleet of fleets) fleet.end();
  await server.remove();
});

/** With tables of its own at each try of a test: workers of the one before may still be there. */
function newFleet(name: string): Fleet {
  const fleet = new Fleet(server.url(server.newName(name)));
  fleets.push(fleet);
  return fleet;
}

interface Noted {
  what: string;
  pid: number;
  at: number;
  does: string;
}

function notes(fleet: Fleet): Noted[] {
  return linesOf<Noted>(readFileSync(fleet.log, 'utf8'));
}

function linesOf<Line>(text: string): Line[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

async function shown(fleet: Fleet, run: string): Promise<RunRecord> {
  return JSON.parse((await fleet.runwire(['runs', 'show', run, '--json'])).stdout) as RunRecord;
}

describe.concurrent('a fleet', () => {
  it('never runs more of a key than its limit, over three workers, and starts the urgent first', async () => {
    const fleet = newFleet('limits');
    await fleet.runwire(['queue', 'limit', 'repo=*', '2']);
    await fleet.runwire(['queue', 'limit', 'model=big', '1']);
    const lines = Array.from({ length: 8 }, (_, index) =>
      fleet.line(
        { keys: ['repo=web', ...(index % 3 === 0 ? ['model=big'] : [])], priority: index === 7 ? 9 : 0 },
        'sleep',
        '700',
        'number',
        String(index),
      ),
    );
    const queued = await fleet.runwire(['enqueue', '-'], lines.join(''));
    expect({ ...queued, count: queued.stdout.split('\n').length - 1 }).toMatchObject({
      status: 0,
      stderr: '',
      count: 8,
    });
    const ids = queued.stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => (JSON.parse(line) as { id: string }).id);
    const workers = ['a', 'b', 'c'].map((machine) => fleet.worker(['--slots', '3'], machine));
    const waited = await fleet.runwire(['runs', 'wait', ...ids, '--timeout', '90s', '--quiet']);
    expect(waited).toMatchObject({ status: 0, stderr: '' });
    const told = notes(fleet);
    const at = (of: readonly Noted[]): number[] => {
      let now = 0;
      return of.map(({ what }) => (now += what === 'begin' ? 1 : -1));
    };
    const big = told.filter(({ does }) => [0, 3, 6].some((index) => does.endsWith(`number ${index}`)));
    expect({ all: Math.max(...at(told)), big: Math.max(...at(big)) }).toEqual({ all: 2, big: 1 });
    expect(told.filter(({ what }) => what === 'begin')).toHaveLength(8);
    expect(told.slice(0, 2).map(({ does }) => does)).toContain('sleep 700 number 7');
    for (const worker of workers) worker.kill('SIGTERM');
    expect(await Promise.all(workers.map(({ ended }) => ended))).toEqual([0, 0, 0]);
  });

  it('waits for a time, for another run, and for a worker that has what is needed', async () => {
    const fleet = newFleet('order');
    const goal = join(fleet.folder, 'goal');
    const first = await fleet.enqueue(['--id', 'first'], 'until', goal);
    const [second, late, gpu, never] = await Promise.all([
      fleet.enqueue(['--after', 'first']),
      fleet.enqueue(['--at', '1h']),
      fleet.enqueue(['--label', 'gpu', '--label', 'team=a']),
      fleet.enqueue(['--id', 'bad'], 'fail', ''),
    ]);
    const after = await fleet.enqueue(['--after', 'bad']);
    expect((await fleet.job(second)).state).toBe('waiting');
    const early = await fleet.runwire(['runs', 'show', 'first']);
    expect(early).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/is not in the ledger yet: queued; "runwire runs wait/) as string,
    });
    const worker = fleet.worker();
    const waiting = fleet.start(['runs', 'wait', first, second, never, after, '--timeout', '90s']);
    await until('it says who waits', () => waiting.stderr.includes(': waiting\n'));
    writeFileSync(goal, '');
    expect([await waiting.ended, waiting.stderr]).toEqual([4, expect.stringMatching(/: waiting\n[^]*: cancelled\n/)]);
    expect(await fleet.job(after)).toMatchObject({
      state: 'ended',
      class: 'cancelled',
      message: `${never} did not succeed, and it was to come after it`,
    });
    expect(await shown(fleet, 'first')).toMatchObject({ id: first, status: 'success' });
    expect([(await fleet.job(late)).state, (await fleet.job(gpu)).state]).toEqual(['queued', 'queued']);
    expect(await fleet.runwire(['runs', 'wait', gpu, '--timeout', '0.1s', '--quiet'])).toMatchObject({
      status: 124,
      stdout: '',
    });
    expect(await fleet.once(['--label', 'gpu'])).toBe(0);
    expect((await shown(fleet, gpu)).labels).toMatchObject({ team: 'a' });
    worker.kill('SIGTERM');
    expect(await worker.ended).toBe(0);
    expect(worker.events.filter(({ event }) => event === 'started').map(({ run }) => run)).toEqual(
      expect.arrayContaining([first, second, never]),
    );
  });

  it.runIf(isSweep)('takes one run with --once and exits as it did; with 0 when there is none', async () => {
    const fleet = newFleet('once');
    await fleet.enqueue([], 'fail', '');
    const worker = fleet.worker(['--once']);
    expect(await worker.ended).toBe(4);
    expect(await fleet.once()).toBe(0);
  });

  it('queues a name once, and nothing at all when a line is wrong', async () => {
    const fleet = newFleet('lines');
    const good = fleet.line({ id: 'issue-1' });
    const [once, twice] = [
      await fleet.runwire(['enqueue', '-'], good),
      await fleet.runwire(['enqueue', '-'], good + fleet.line({ id: 'issue-2' })),
    ];
    const { id } = JSON.parse(once.stdout) as { id: string };
    expect(twice.stdout.split('\n')[0]).toBe(JSON.stringify({ id, state: 'queued', known: true }));
    for (const [line, why] of [
      ['{"prompt":7}', 'stdin, line 2: prompt: '],
      ['{"prompt":"x","colour":"red"}', 'Unrecognized key: "colour"'],
      ['no json', 'stdin, line 2: not JSON: '],
      ['[]', 'stdin, line 2: expected a RunSpec'],
      ['{}', 'it has neither a prompt nor a command'],
      ['{"prompt":"x","directories":["/etc"]}', 'a worker has nothing from this machine except the repository'],
      ['{"prompt":"x","base_url":"https://me:secret@example.com/v1"}', 'base_url contains a password'],
      ['{"prompt":"x","after":["nothing"]}', 'after "nothing": no such run in the queue'],
      ['{"prompt":"x","keys":["repo"]}', 'expected a key such as repo=web'],
    ] as const) {
      const { status, stdout, stderr } = await fleet.runwire(
        ['enqueue', '--cwd', fleet.folder, '-'],
        `${fleet.line({ id: 'issue-3' })}${line}\n`,
      );
      expect({ line, status, stdout, isSaid: stderr.includes(why) || stderr }).toEqual({
        line,
        status: 2,
        stdout: '',
        isSaid: true,
      });
      expect(stderr).not.toContain('secret@');
    }
    expect(await fleet.jobs()).toHaveLength(2);
    const file = join(fleet.folder, 'spec.json');
    writeFileSync(file, JSON.stringify({ prompt: 'from a file', cwd: fleet.folder }, null, 2));
    expect(await fleet.runwire(['enqueue', file, '--priority', '3'])).toMatchObject({ status: 0, stderr: '' });
    expect((await fleet.jobs())[0]).toMatchObject({ title: 'from a file', priority: 3, agent: 'builtin' });
    expect(
      await fleet.runwire(['enqueue', '--cwd', fleet.folder, '--agent', 'acp:./tools/agent --acp', 'over ACP']),
    ).toMatchObject({
      status: 0,
    });
    expect((await fleet.jobs()).find(({ title }) => title === 'over ACP')).toMatchObject({ agent: './tools/agent' });
    expect((await fleet.runwire(['enqueue', '--env', 'KEY=value', 'do it'])).stderr).toContain(
      'never holds their values',
    );
  });

  it.runIf(isSweep)('cancels what is queued and what runs, with who and why', async () => {
    const fleet = newFleet('cancel');
    const [running, queued] = [await fleet.enqueue([], 'sleep', '60000'), await fleet.enqueue(['--at', '1h'])];
    const worker = fleet.worker();
    await until('it runs', () => notes(fleet).length === 1);
    expect(await fleet.runwire(['runs', 'cancel', queued, running, '--reason', 'wrong branch'])).toMatchObject({
      status: 0,
    });
    const waited = await fleet.runwire(['runs', 'wait', running, queued, '--timeout', '90s', '--quiet']);
    expect(waited.status).toBe(130);
    const by = (await fleet.job(queued)).cancel_by ?? '';
    expect(await fleet.job(queued)).toMatchObject({
      state: 'ended',
      class: 'cancelled',
      attempt: 0,
      message: `cancelled by ${by}: wrong branch`,
    });
    expect(await fleet.job(running)).toMatchObject({
      class: 'cancelled',
      exit_code: 130,
      message: `cancelled by ${by}: wrong branch`,
    });
    expect(await shown(fleet, running)).toMatchObject({
      status: 'cancelled',
      labels: { 'stopped.by': by, 'stopped.reason': 'wrong branch' },
    });
    expect(notes(fleet).map(({ what }) => what)).toEqual(['begin', 'told']);
    expect(await fleet.runwire(['runs', 'cancel', running])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('it has ended already') as string,
    });
    worker.kill('SIGTERM');
    await worker.ended;
  });

  it('gives the run of a killed worker to another, as the next attempt of the same run', async () => {
    const fleet = newFleet('killed');
    const run = await fleet.enqueue([], 'first', '60000');
    const lost = fleet.worker([], 'lost');
    await until('it runs', () => notes(fleet).length === 1);
    await until('the ledger knows it', async () => (await fleet.runwire(['runs', 'list'])).stdout.includes(run));
    lost.kill('SIGKILL');
    const other = fleet.worker([], 'other');
    expect(await fleet.runwire(['runs', 'wait', run, '--timeout', '90s', '--quiet'])).toMatchObject({ status: 0 });
    expect(await fleet.job(run)).toMatchObject({ attempt: 2, class: 'success' });
    expect(await shown(fleet, run)).toMatchObject({
      status: 'success',
      attempts: [
        { number: 1, status: 'incomplete', class: 'incomplete', reason: expect.stringContaining('was lost') as string },
      ],
    });
    other.kill('SIGTERM');
    await other.ended;
    expect(readdirSync(join(fleet.folder, 'other', 'runwire', 'fleet', 'places'))).toEqual([]);
  });

  it.runIf(isSweep)('lets a frozen worker that wakes settle nothing, and stops what it ran', async () => {
    const fleet = newFleet('frozen');
    const run = await fleet.enqueue([], 'first', '60000', 'sleep', '3000');
    const frozen = fleet.worker([], 'frozen');
    await until('it runs', () => notes(fleet).length === 1);
    frozen.kill('SIGSTOP');
    const other = fleet.worker([], 'other');
    await until('another has it', () => other.events.length === 1);
    frozen.kill('SIGCONT');
    await until('it is told', () => frozen.events.some(({ event }) => event === 'lost'));
    expect(notes(fleet).filter(({ what, pid }) => what === 'told' && pid === notes(fleet)[0]?.pid)).toHaveLength(1);
    expect(await fleet.runwire(['runs', 'wait', run, '--timeout', '90s', '--quiet'])).toMatchObject({ status: 0 });
    await until('it has ended', () => other.events.length === 2);
    expect(other.events.at(-1)).toMatchObject({ event: 'ended', attempt: 2, exit_code: 0 });
    expect((await shown(fleet, run)).attempts).toHaveLength(1);
    for (const worker of [frozen, other]) worker.kill('SIGTERM');
    expect(await Promise.all([frozen.ended, other.ended])).toEqual([0, 0]);
  });

  it.runIf(isSweep)(
    'starts nothing while the queue is paused, lists its workers, and lets one that is drained end what it has',
    async () => {
      const fleet = newFleet('operated');
      const workers = async (): Promise<WorkerRow[]> =>
        linesOf<WorkerRow>((await fleet.runwire(['queue', 'workers'])).stdout);
      expect(await fleet.runwire(['queue', 'workers'])).toEqual({
        status: 0,
        stdout: '',
        stderr: 'runwire: there are no workers\n',
      });
      expect(await fleet.runwire(['queue', 'pause', '--reason', 'a flood'])).toMatchObject({
        status: 0,
        stdout: '',
        stderr: '',
      });
      const run = await fleet.enqueue([], 'say', '1');
      expect([await fleet.once(), notes(fleet)]).toEqual([0, []]);
      expect((await fleet.runwire(['queue', 'workers'])).stderr).toMatch(
        /^runwire: the queue is paused by \S+: a flood\n/,
      );
      await fleet.runwire(['queue', 'resume']);
      expect([await fleet.once(), (await fleet.job(run)).class]).toEqual([0, 'success']);
      const goal = join(fleet.folder, 'goal');
      const slow = await fleet.enqueue([], 'until', goal);
      const worker = fleet.worker(['--slots', '2', '--label', 'gpu']);
      await until('it runs', () => notes(fleet).length === 3);
      const [row] = await workers();
      expect({ ...row, started_at: '', heard_at: '' }).toEqual({
        name: expect.stringMatching(/:\d+$/) as string,
        state: 'working',
        running: 1,
        slots: 2,
        labels: ['gpu'],
        version,
        started_at: '',
        heard_at: '',
      });
      expect(await fleet.runwire(['queue', 'drain', 'nobody:1'])).toMatchObject({
        status: 2,
        stdout: '',
        stderr: expect.stringContaining('no worker "nobody:1"') as string,
      });
      expect((await fleet.runwire(['queue', 'drain', row?.name ?? ''])).stdout).toBe(`${row?.name ?? ''}\n`);
      const { heard_at: drainedAt = '' } = (await workers())[0] ?? {};
      await until('it has heard of it', async () => ((await workers())[0]?.heard_at ?? '') > drainedAt);
      writeFileSync(goal, '');
      expect(await worker.ended).toBe(0);
      expect([(await fleet.job(slow)).class, await workers()]).toEqual(['success', []]);
    },
  );

  it.runIf(isSweep)(
    'queues a run that did not succeed once more, as the next attempt of the same run, and knows the dead',
    async () => {
      const fleet = newFleet('retried');
      const run = await fleet.enqueue(['--id', 'again'], 'fail', '');
      expect(await fleet.runwire(['queue', 'retry', 'again'])).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('has not ended yet') as string,
      });
      expect(await fleet.once()).toBe(4);
      expect(await fleet.runwire(['queue', 'retry', 'again'])).toMatchObject({
        status: 0,
        stdout: `${JSON.stringify({ id: run, state: 'queued' })}\n`,
      });
      expect(await fleet.job(run)).toMatchObject({ state: 'queued', attempt: 1 });
      expect(await fleet.once()).toBe(4);
      expect(await fleet.job(run)).toMatchObject({ state: 'ended', attempt: 2, class: 'provider' });
      expect(await shown(fleet, run)).toMatchObject({
        class: 'provider',
        attempts: [{ number: 1, status: 'error', class: 'provider', reason: 'it was queued again' }],
      });
      expect((await fleet.runwire(['queue', 'list', '--dead'])).stderr).toBe('runwire: there are no dead runs\n');
      const lost = await fleet.enqueue([], 'say', '1');
      await fleet.loseWorkers(lost, 5);
      expect(await fleet.once()).toBe(0);
      expect(linesOf<Job>((await fleet.runwire(['queue', 'list', '--dead'])).stdout)).toMatchObject([
        { run: lost, class: 'incomplete', exit_code: 8 },
      ]);
      const page = await serving(fleet.env()['XDG_STATE_HOME'] ?? '', ['--ledger', fleet.url]);
      const figures = (await (await page.ask('/metrics')).text())
        .split('\n')
        .filter((line) => /^runwire_(?:queue|worker)/.test(line));
      expect(figures).toEqual([
        'runwire_queue_up 1',
        'runwire_queue_runs{state="waiting"} 0',
        'runwire_queue_runs{state="queued"} 0',
        'runwire_queue_runs{state="running"} 0',
        'runwire_queue_runs{state="dead"} 1',
        'runwire_queue_due_runs 0',
        'runwire_queue_oldest_wait_seconds 0',
        'runwire_queue_paused 0',
        'runwire_workers{state="working"} 0',
        'runwire_workers{state="draining"} 0',
        'runwire_workers{state="silent"} 0',
        'runwire_worker_slots 0',
      ]);
      expect(QueueState.parse(await page.json('/api/queue'))).toMatchObject({
        workers: [],
        jobs: [],
        dead: [{ run: lost }],
      });
      page.child.kill('SIGTERM');
      expect((await fleet.runwire(['queue', 'retry', '--dead'])).stdout).toBe(
        `${JSON.stringify({ id: lost, state: 'queued' })}\n`,
      );
      expect([await fleet.once(), (await fleet.job(lost)).class]).toEqual([0, 'success']);
      expect(await fleet.runwire(['queue', 'retry', lost])).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('has succeeded') as string,
      });
    },
  );

  it('is at the first of several servers that can be written to, as psql takes their addresses', async () => {
    const url = server.url(server.newName('servers')).replace(/^postgres:(.*)@/, 'postgresql:$1@127.0.0.1:1,');
    const fleet = new Fleet(`${url}&target_session_attrs=read-write`);
    const run = await fleet.enqueue([], 'say', '1');
    expect([await fleet.once(), (await fleet.job(run)).class]).toEqual([0, 'success']);
    expect(await shown(fleet, run)).toMatchObject({ id: run, status: 'success' });
    const standby = { ...fleet.env(), RUNWIRE_LEDGER: `${url}&target_session_attrs=standby` };
    expect(await runwire(['queue'], { env: standby })).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/ECONNREFUSED.*is not what target_session_attrs asks for/) as string,
    });
  });

  it('lets runs end when it is told to leave, and gives back what does not', async () => {
    const fleet = newFleet('drain');
    const goal = join(fleet.folder, 'goal');
    const short = await fleet.enqueue([], 'until', goal);
    const patient = fleet.worker();
    await until('it runs', () => notes(fleet).length === 1);
    patient.kill('SIGTERM');
    writeFileSync(goal, '');
    expect(await patient.ended).toBe(0);
    expect(await fleet.job(short)).toMatchObject({ state: 'ended', class: 'success' });
    const long = await fleet.enqueue([], 'sleep', '60000');
    const hasty = fleet.worker();
    await until('it runs', () => notes(fleet).length === 3);
    // Of the same signal, twice at once would be once.
    for (const signal of ['SIGTERM', 'SIGINT'] as const) hasty.kill(signal);
    expect(await hasty.ended).toBe(0);
    expect(hasty.events.map(({ event }) => event)).toEqual(['started', 'given_back']);
    expect(await fleet.job(long)).toMatchObject({ state: 'queued', attempt: 1 });
  });

  it.runIf(isSweep)(
    'works on the commit of a remote, keeps the changes as a branch, and publishes only when asked',
    async () => {
      const fleet = newFleet('repository');
      const { checkout, remote, git } = newRepository();
      const at = ['--cwd', checkout];
      const [quiet, loud] = [
        await fleet.enqueue(at, 'write', 'b.txt'),
        await fleet.enqueue([...at, '--publish', 'branch'], 'write', 'c.txt'),
      ];
      const worker = fleet.worker(['--slots', '2']);
      expect(await fleet.runwire(['runs', 'wait', quiet, loud, '--timeout', '90s', '--quiet'])).toMatchObject({
        status: 0,
      });
      const branches = git('ls-remote', '--heads', remote);
      expect({ quiet: branches.includes(quiet), loud: branches.includes(loud) }).toEqual({ quiet: false, loud: true });
      expect((await fleet.job(loud)).message).toBe(`pushed to ${remote} as ${(await fleet.job(loud)).branch ?? ''}`);
      expect((await shown(fleet, quiet)).labels['git.repo']).toBe('team/web');
      const fetched = await fleet.runwire(['runs', 'fetch', quiet, ...at]);
      expect(fetched).toMatchObject({ status: 0, stderr: '' });
      expect(git('diff', '--name-status', `main...${fetched.stdout.trim()}`)).toBe('A\tb.txt');
      expect([git('status', '--porcelain'), existsSync(join(checkout, 'b.txt'))]).toEqual(['', false]);
      expect(await fleet.runwire(['apply', loud, ...at])).toMatchObject({ status: 0 });
      expect(existsSync(join(checkout, 'c.txt'))).toBe(true);
      worker.kill('SIGTERM');
      await worker.ended;
    },
  );

  it.runIf(isSweep)('sends a commit that no remote has with the job, when asked', async () => {
    const fleet = newFleet('bundle');
    const { checkout, git } = newRepository();
    writeFileSync(join(checkout, 'a.txt'), 'local\n');
    git('commit', '-qam', 'local');
    const refused = await fleet.runwire(['enqueue', '--cwd', checkout, 'do it']);
    expect(refused).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('push it first, or use --bundle to send it') as string,
    });
    const run = await fleet.enqueue(['--cwd', checkout, '--bundle'], 'write', 'b.txt');
    git('remote', 'set-url', 'origin', '/nowhere');
    expect(await fleet.once()).toBe(0);
    expect((await shown(fleet, run)).outcome?.message).toBe('done');
    expect(git('for-each-ref', 'refs/runwire')).toBe('');
  });

  it.runIf(isSweep)('gives a run only the variables that it names and the worker allows', async () => {
    const fleet = newFleet('variables');
    const runs = await Promise.all([
      fleet.enqueue(['--env', 'FLEET_LOG'], 'env', 'FLEET_LOG'),
      fleet.enqueue(['--env', '*'], 'env', 'FLEET_LOG'),
    ]);
    for (const [flags, seen] of [
      [[], 'unset'],
      [['--allow-env', 'FLEET_*'], fleet.log],
    ] as const) {
      expect(await fleet.once(flags)).toBe(0);
      const messages = await Promise.all(
        runs.map((run) =>
          shown(fleet, run).then(
            ({ outcome }) => outcome?.message,
            () => undefined,
          ),
        ),
      );
      expect(messages).toContain(seen);
    }
  });
});

/** `runwire` and `codex` as commands on a path. */
function programs(fleet: Fleet): string {
  const folder = join(fleet.folder, 'bin');
  const root = join(import.meta.dirname, '..', '..');
  mkdirSync(folder, { recursive: true });
  const write = (name: string, line: string): void =>
    writeFileSync(join(folder, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  write('runwire', `exec '${process.execPath}' '${join(root, 'bin', 'runwire.js')}' "$@"`);
  write(
    'codex',
    `[ "$1" = --version ] && { echo 'codex-cli 0.166.0'; exit; }\nexec '${process.execPath}' '${join(root, 'test', 'fleet', 'support', 'agent.ts')}' '${fleet.log}' write b.txt`,
  );
  return `${folder}:${process.env['PATH'] ?? ''}`;
}

/** A script of a user's, in a folder. */
function shell(fleet: Fleet, cwd: string, args: readonly string[], env: Record<string, string> = {}): Promise<Result> {
  return new Promise((resolve) => {
    const options = { cwd, env: { ...process.env, ...fleet.env(), PATH: programs(fleet), ...env } };
    execFile('/bin/sh', args, options, (error, stdout, stderr) =>
      resolve({ stdout, stderr, status: error === null ? 0 : Number(error.code) }),
    );
  });
}

describe.concurrent('what the docs say', () => {
  it.runIf(isSweep)('is from one machine to ten in five commands', async () => {
    const fleet = newFleet('documented');
    const { checkout } = newRepository();
    const docs = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'fleet.md'), 'utf8');
    const [first = '', second = ''] = [...docs.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block);
    const commands = first.trim().split('\n');
    expect(commands).toHaveLength(5);
    const script = first
      .replace(/^export RUNWIRE_LEDGER='[^']*'/m, `export RUNWIRE_LEDGER='${fleet.url}'`)
      .replace(/^(runwire worker --slots 4).*$/m, '$1 --poll 0.2s > worker.log &\nworker=$!');
    const { stdout, stderr, status } = await shell(fleet, checkout, [
      '-e',
      '-c',
      `${script}\nkill $worker; wait $worker; rm worker.log`,
    ]);
    expect({ status, stderr, ids: stdout.trim().split('\n').length }).toMatchObject({ status: 0, ids: 2 });
    expect(stdout).toContain('"class":"success"');
    const diff = second.split('\n').find((line) => line.startsWith('git diff')) ?? '';
    expect((await shell(fleet, checkout, ['-e', '-c', diff])).stdout).toContain('+++ b/b.txt');
  });

  it.runIf(isSweep)('is a script for Slurm', async () => {
    const fleet = newFleet('slurm');
    await fleet.enqueue(['--label', 'gpu', '--env', 'ANTHROPIC_API_KEY'], 'env', 'ANTHROPIC_API_KEY');
    mkdirSync(join(fleet.folder, 'config', 'runwire'), { recursive: true });
    writeFileSync(
      join(fleet.folder, 'config', 'runwire', 'fleet.env'),
      `RUNWIRE_LEDGER='${fleet.url}'\nANTHROPIC_API_KEY=none-of-yours\n`,
    );
    const script = join(import.meta.dirname, '..', '..', 'examples', 'fleet', 'slurm-array.sh');
    const env = { XDG_CONFIG_HOME: join(fleet.folder, 'config'), TMPDIR: fleet.folder, RUNWIRE_LEDGER: '' };
    const { status, stdout } = await shell(fleet, fleet.folder, [script], env);
    expect({ status, ended: stdout.includes('"event":"ended"') }).toEqual({ status: 0, ended: true });
  });
});

it('says that a queue needs PostgreSQL', async () => {
  const env = { XDG_STATE_HOME: temporary(), RUNWIRE_LEDGER: '' };
  for (const args of [['enqueue', 'do it'], ['worker', '--once'], ['queue']])
    expect({ args, ...(await runwire(args, { env })) }).toMatchObject({
      args,
      status: 1,
      stdout: '',
      stderr: expect.stringContaining(
        'the queue needs PostgreSQL: name the server with --ledger postgres://',
      ) as string,
    });
  const away = await runwire(['worker', '--once', '--ledger', 'postgres://me:hidden@127.0.0.1:1/x'], { env });
  expect(away).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('cannot use the queue at postgres://me@127.0.0.1:1/x') as string,
  });
  expect(away.stderr).not.toContain('hidden');
});
