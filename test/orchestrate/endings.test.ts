import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inside, live } from '../cli/run/live.ts';
import { folder } from '../cli/run/scripted.ts';
import { processesWith, until } from '../support/processes.ts';
import { call, orchestrate, type Report } from './asking.ts';
import { bash, brokenProject, fingerprint, git, serveModels, write } from './crew.ts';
import { isSweep } from '../support/sweep.ts';

/** Writes a file, says in which copy it is at work, and works for ever. */
const busy = [
  { calls: [write('work.txt', 'half of it\n')] },
  { calls: [bash(`echo "$RUNWIRE_SLOT" >> "$SLOTS"; sleep 601`)] },
];

async function raceOfFour(
  cwd: string,
  state: string,
  end: (pid: number) => void,
): Promise<{ status: number | null; stdout: string; slots: string }> {
  const server = await serveModels({ busy });
  const slots = join(folder(), 'slots');
  const agents = Array.from({ length: 4 }, () => 'builtin=openai-compatible/busy').join(',');
  const args = [
    'race',
    'Work',
    '--agents',
    agents,
    '--base-url',
    server.baseUrl('chat'),
    '--permission-mode',
    'full',
    '--env',
    `SLOTS=${slots}`,
  ];
  let ended = false;
  const told = await live(args, {
    cwd,
    env: { XDG_STATE_HOME: state },
    watch(child) {
      const timer = setInterval(() => {
        const at = existsSync(slots) ? readFileSync(slots, 'utf8').trim().split('\n').length : 0;
        if (at < 4 || ended || child.pid === undefined) return;
        ended = true;
        clearInterval(timer);
        end(child.pid);
      }, 100);
      child.once('exit', () => clearInterval(timer));
    },
  });
  return { ...told, slots };
}

const workOn = (cwd: string): string[] =>
  git(cwd, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/runwire')
    .split('\n')
    .map((branch) => git(cwd, 'show', `${branch}:work.txt`));

it.runIf(process.platform === 'linux')(
  'Ctrl-C with four agents at work: all ends, their work is kept, the copies and processes are gone, the ledger is closed',
  async () => {
    const cwd = brokenProject();
    const before = fingerprint(cwd);
    const state = folder();
    const { status, stdout, slots } = await raceOfFour(cwd, state, (pid) => process.kill(pid, 'SIGINT'));
    expect(status).toBe(130);
    expect(processesWith(slots)).toEqual([]);
    expect(readdirSync(join(state, 'runwire', 'copies'))).toEqual([]);
    expect(workOn(cwd)).toEqual(Array.from({ length: 4 }, () => 'half of it'));
    expect(fingerprint(cwd)).toBe(before);
    expect(JSON.parse(stdout)).toMatchObject({ verdict: { class: 'cancelled' } });
    const { stdout: listed } = await inside(['runs', 'list'], { env: { XDG_STATE_HOME: state } });
    expect(
      listed
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { class: string }).class),
    ).toEqual(Array.from({ length: 5 }, () => 'cancelled'));
  },
);

it.runIf(process.platform === 'linux')(
  'kill -9: nothing runs on, "clean" keeps the work and removes the copies',
  async () => {
    const cwd = brokenProject();
    const before = fingerprint(cwd);
    const state = folder();
    const { slots } = await raceOfFour(cwd, state, (pid) => process.kill(pid, 'SIGKILL'));
    const env = { XDG_STATE_HOME: state };
    expect(await until(() => processesWith(slots).length === 0)).toBe(true);
    const looked = await inside(['orchestrate', 'clean', '--dry-run'], { env });
    expect(looked.stdout.trim().split('\n')).toHaveLength(4);
    const { status, stdout } = await inside(['orchestrate', 'clean'], { env });
    expect({
      status,
      files: stdout
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { files: number }).files),
    }).toEqual({ status: 0, files: [1, 1, 1, 1] });
    expect(readdirSync(join(state, 'runwire', 'copies')).filter((name) => !name.endsWith('.gone'))).toEqual([]);
    expect(workOn(cwd)).toEqual(Array.from({ length: 4 }, () => 'half of it'));
    expect(fingerprint(cwd)).toBe(before);
    expect((await inside(['orchestrate', 'clean'], { env })).stderr).toContain('there are no copies to reclaim');
    expect(await inside(['orchestrate', 'clean', 'x'], { env })).toMatchObject({
      status: 2,
      stderr: /x: there is no such copy/,
    });
  },
);

/** A git that waits, while the work of an agent is put on its branch, until it is told to go on. */
function heldGit(): { folder: string; keeping: string; go: string } {
  const place = folder();
  const held = { folder: place, keeping: join(place, 'keeping'), go: join(place, 'go') };
  const real = git(place, '--exec-path');
  const lines = [
    '#!/bin/sh',
    `case " $* " in *"runwire: keep"*) : > '${held.keeping}'; until [ -e '${held.go}' ]; do sleep 0.05; done ;; esac`,
    `exec '${real}/git' "$@"`,
  ];
  writeFileSync(join(place, 'git'), `${lines.join('\n')}\n`, { mode: 0o755 });
  return held;
}

it.runIf(isSweep && process.platform === 'linux')(
  'stopped while work is being kept, and out of patience by then: the report has the branch, its commit and its run',
  async () => {
    const held = heldGit();
    const atWork = join(held.folder, 'at-work');
    const { stdout, status, cwd } = await orchestrate({
      brain: [call('execute_agent', { agent: 'codex', prompt: 'Fix it' })],
      codex: ['fixer'],
      does: `: > '${atWork}'; sleep 601`,
      env: { PATH: `${held.folder}:${process.env['PATH']}` },
      start: (args, options) =>
        live(args, {
          ...options,
          watch(child, said) {
            if (said !== '') return;
            // The second signal ends the time that the run gives its work to stop, as the clock would.
            const steps: [string, () => void][] = [
              [atWork, () => child.kill('SIGINT')],
              [held.keeping, () => child.kill('SIGINT')],
              [held.keeping, () => writeFileSync(held.go, '')],
            ];
            const timer = setInterval(() => {
              if (existsSync(steps[0]?.[0] ?? atWork)) steps.shift()?.[1]();
            }, 100);
            child.once('exit', () => clearInterval(timer));
          },
        }),
    });
    const report = JSON.parse(stdout) as Report;
    const branch = git(cwd, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/runwire');
    expect({ status, told: [report.status, report.reason] }).toEqual({ status: 130, told: ['error', 'cancelled'] });
    expect(report.lineage.branches.slice(1)).toEqual([
      {
        branch_id: branch,
        parent_branch_id: 'main',
        agent: 'codex',
        run_id: expect.any(String) as string,
        status: 'cancelled',
        commit: git(cwd, 'rev-parse', branch),
        verified: 'not_run',
        files: 1,
        additions: 1,
        deletions: 1,
      },
    ]);
  },
);
