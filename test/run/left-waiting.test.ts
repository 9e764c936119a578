import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EventRecord } from '../../src/events/event.ts';
import type { RunRecord } from '../../src/stores/run-store.ts';
import { inside, live, project } from '../cli/run/live.ts';
import { codex, handClock, scriptedAgents, type Step } from '../support/scripted-agents.ts';

const limit: Step = {
  lines: [
    ...codex.began('session-1'),
    codex.says('I begin.'),
    codex.done(40, 2),
    ...codex.failed("You've hit your usage limit. Try again in 3 hours 2 minutes."),
  ],
  files: { 'begun.txt': 'half\n' },
  exit: 1,
};
const good: Step = {
  lines: [...codex.began('session-1'), codex.says('All done.'), codex.done(100, 20)],
  files: { 'rest.txt': 'rest\n' },
};

/** A run whose process is killed while it waits: nothing is left but what is on the disk. */
async function killedWhileItWaits(flags: readonly string[] = [], { cwd = project(), prompt = 'Fix it' } = {}) {
  const agents = scriptedAgents({ codex: [limit, good] });
  const env = { ...agents.env, TZ: 'Europe/Zurich' };
  const ran = await live(['run', '--agent', 'codex', '--to', 'runwire', '--on-limit', 'wait', ...flags, prompt], {
    env,
    cwd,
    watch(child, stdout) {
      if (stdout.includes('"type":"run.paused"')) child.kill('SIGKILL');
    },
  });
  const paused = recordsIn(ran.stdout).find((record) => record.type === 'run.paused');
  const [{ id } = { id: '' }] = (await listed(env)) as [RunRecord];
  return { agents, env, cwd, id, until: paused?.type === 'run.paused' ? (paused.until_ms ?? 0) : 0 };
}

function recordsIn(stdout: string): EventRecord[] {
  return stdout
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line) as EventRecord);
}

async function listed(env: Record<string, string>): Promise<RunRecord[]> {
  const { stdout } = await inside(['runs', 'list', '--json'], { env });
  return stdout
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RunRecord);
}

function waitingFiles(home: string): string[] {
  const folder = join(home, '.local', 'state', 'runwire', 'waiting');
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** An hour later, in another time zone, in another folder. */
const later = (until: number) => handClock(new Date(until - 2 * 3_600_000).toISOString());

describe('a run whose process is killed while it waits for a limit', () => {
  it('is told of by the next start, waits on by one command, and resumes its session', async () => {
    const { agents, env, cwd, id, until } = await killedWhileItWaits(['--max-tokens', '5000']);
    const short = id.slice(-8);
    const [waiting] = await listed(env);
    expect(waiting).toMatchObject({ status: 'running', waits_until: until });

    const next = await inside(['run', '--to', 'runwire', '--', 'true'], { env });
    expect(next.stderr).toContain(`its process is gone; to go on: runwire runs resume ${short}`);

    const { clock, waits } = later(until);
    const ran = await inside(['runs', 'resume', short], { env: { ...env, TZ: 'Asia/Tokyo' }, clock });
    expect(ran.status).toBe(0);
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBe(2 * 3_600_000);
    const starts = agents.starts('codex');
    expect(starts).toHaveLength(2);
    expect(starts[1]).toMatchObject({ cwd, args: expect.arrayContaining(['session-1']) });
    // The same flags, so the same format.
    expect(recordsIn(ran.stdout).map(({ type }) => type)).toEqual(
      expect.arrayContaining(['run.paused', 'run.resumed']),
    );

    const record = JSON.parse((await inside(['runs', 'show', id, '--json'], { env })).stdout) as RunRecord;
    expect(record).toMatchObject({ status: 'success', input_tokens: 100, output_tokens: 20 });
    expect(record.attempts).toMatchObject([{ number: 1, class: 'provider', tokens_used: 42 }]);
    expect(record.waits_until).toBeUndefined();
    expect(waitingFiles(agents.home)).toEqual([]);
    expect((await inside(['run', '--', 'true'], { env })).stderr).not.toContain('its process is gone');
  });

  it('goes on in a copy with the work that was done before', async () => {
    const checkout = project();
    const git = (...args: string[]): string =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
        cwd: checkout,
        encoding: 'utf8',
      }).trim();
    git('init', '-q', '-b', 'main');
    git('add', '.');
    git('commit', '-qm', 'one');
    const { agents, env, id, until } = await killedWhileItWaits(['--isolate', 'clone'], { cwd: checkout });
    const ran = await inside(['runs', 'resume', id], { env, clock: later(until).clock });
    expect(ran.status).toBe(0);
    const branches = git('for-each-ref', '--format=%(refname:short)', `refs/heads/runwire/${id}`).split('\n');
    const last = branches.find((branch) => git('ls-tree', '--name-only', branch).includes('rest.txt')) ?? '';
    expect(git('ls-tree', '--name-only', last)).toContain('begun.txt');
    expect(agents.starts('codex')).toHaveLength(2);
  });

  it('is resumed by one process only', async () => {
    const { agents, env, id, until } = await killedWhileItWaits();
    const both = await Promise.all(
      [1, 2].map(() =>
        live(['runs', 'resume', id], {
          env,
          watch: (child, stdout) => void (stdout.includes('"run.paused"') && child.kill('SIGINT')),
        }),
      ),
    );
    expect(until).toBeGreaterThan(0);
    expect(both.filter(({ stdout }) => stdout.includes('"run.paused"'))).toHaveLength(1);
    expect(agents.starts('codex')).toHaveLength(1);
    // Ctrl-C ends it: nothing is left to go on with.
    expect(waitingFiles(agents.home)).toEqual([]);
  });

  it('is cancelled like any other', async () => {
    const { agents, env, id } = await killedWhileItWaits();
    expect(await inside(['runs', 'cancel', id, '--reason', 'not today'], { env })).toMatchObject({ status: 0 });
    const [record] = await listed(env);
    expect(record).toMatchObject({ status: 'incomplete', labels: { 'stopped.reason': 'not today' } });
    expect(record?.waits_until).toBeUndefined();
    expect(waitingFiles(agents.home)).toEqual([]);
  });

  it('leaves no secret behind', async () => {
    const token = ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_');
    const { agents, env } = await killedWhileItWaits([], { prompt: `Use ${token}` });
    expect(waitingFiles(agents.home)).toEqual([]);
    expect((await inside(['runs', 'resume', 'last'], { env })).stderr).toContain('its process is gone');
  });

  it('asks again for the values of variables, which are never stored', async () => {
    const { env, id, until } = await killedWhileItWaits(['--env', 'COLOUR=blue']);
    const without = await inside(['runs', 'resume', id], { env, clock: later(until).clock });
    expect(without).toMatchObject({ status: 2, stderr: expect.stringContaining('--env COLOUR: set it') });
    const ran = await inside(['runs', 'resume', id], { env: { ...env, COLOUR: 'blue' }, clock: later(until).clock });
    expect(ran.status).toBe(0);
  });
});

describe('a wait', () => {
  it('ends by the clock: a computer that slept goes on when it wakes', async () => {
    const agents = scriptedAgents({ codex: [limit, good] });
    const { clock, waits, jump } = handClock('2026-11-18T14:30:07Z');
    const pause: typeof clock.pause = async (ms, signal) => {
      // The lid is closed during the second look at the clock.
      if (waits.length === 1) jump(9 * 3_600_000);
      return clock.pause?.(ms, signal) ?? true;
    };
    const ran = await inside(['run', '--agent', 'codex', '--on-limit', 'wait', 'Fix it'], {
      env: { ...agents.env, TZ: 'Europe/Zurich' },
      clock: { ...clock, pause },
    });
    expect(ran.status).toBe(0);
    expect(waits).toHaveLength(2);
    expect(agents.starts('codex')).toHaveLength(2);
  });
});
