import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agents } from '../../src/agents/registry.ts';
import { isolations } from '../../src/words/vocabulary.ts';
import { live, type Live, type LiveOptions } from '../cli/run/live.ts';
import { folder } from '../cli/run/scripted.ts';
import { newFleet, until } from '../fleet/support/fleet.ts';
import { call, done, orchestrate, pathWithCodex, reportOf } from '../orchestrate/asking.ts';
import { serveModels } from '../orchestrate/crew.ts';
import type { PostgresDatabase } from '../stores/support/postgres.ts';
import { sharedPostgres } from '../stores/support/shared-postgres.ts';
import { makeCheckout } from '../support/checkouts.ts';
import { filterNames, plainFiles, plantFiles, plantInRepository, plantPrograms } from '../support/execution-points.ts';
import { isSweep, some, sweep } from '../support/sweep.ts';

type Kind = (typeof isolations)[number];

const place = makeCheckout('runwire-points-');
afterAll(() => place.remove());
const { git } = place;
let server: PostgresDatabase;
beforeAll(async () => void (server = await sharedPostgres()));
afterAll(() => server.remove());

const example = join(import.meta.dirname, '..', '..', 'examples', 'codex-run.jsonl');
/** For scripts of ours that run where PATH begins with what was planted. */
const ownTools = 'PATH=/usr/bin:/bin';
/** With these an agent's git runs nothing of what was planted before. */
const harmless = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  ...filterNames.flatMap((name) => ['clean', 'process'].map((part) => `filter.${name}.${part}=`)),
]
  .map((setting) => `-c ${setting}`)
  .join(' ');

/** Somebody's checkout with a remote, and the folder for what a program leaves that runs outside of an overlay. */
interface Ground {
  root: string;
  remote: string;
  leaves: string;
  env: Record<string, string>;
  /** What an agent does that plants every point in its copy, in a submodule, and in repositories that it makes there. */
  does: string;
}

function sh(cwd: string, script: string): void {
  execFileSync('/bin/sh', ['-c', script], { cwd, env: place.env, stdio: 'ignore' });
}

function fresh(): Ground {
  const inner = place.checkout('inner', { 'file.clean': 'inner\n', 'file.process': 'inner\n' });
  const root = place.checkout('project', {
    'README.md': 'read me\n',
    'value.txt': 'wrong\n',
    '.gitignore': 'node_modules\n',
    ...plainFiles,
  });
  git(root, 'submodule', 'add', '-q', inner, 'sub');
  git(root, 'commit', '-qm', 'with a submodule');
  const remote = `${root}.git`;
  git(root, 'clone', '-q', '--bare', root, remote);
  git(root, 'remote', 'add', 'origin', remote);
  git(root, 'fetch', '-q', 'origin');
  // Writes to the checkout that happen in an overlay do not reach it.
  const leaves = join(root, '.git', 'leaves');
  for (const owner of ['checkout', 'copy', 'nested', 'programs']) mkdirSync(join(leaves, owner), { recursive: true });
  const bin = join(root, 'node_modules', '.bin');
  sh(root, plantPrograms(bin, join(leaves, 'programs')));
  // As `npx` leaves it, and worse.
  const PATH = `node_modules/.bin:${bin}:${place.env['PATH']}`;
  const nested = (name: string): string =>
    `git init -q ${name}; (cd ${name}; echo a > file.clean; git add -A; git commit -qm a; ${planting(`${leaves}/nested`)})`;
  const does = [
    ownTools,
    nested('known'),
    `git ${harmless} update-index --add known`,
    nested('unknown'),
    `[ ! -e sub/.git ] || (cd sub; ${planting(`${leaves}/nested`)})`,
    planting(`${leaves}/copy`),
    plantPrograms('node_modules/.bin', join(leaves, 'programs')),
  ].join('\n');
  return { root, remote, leaves, env: { ...place.env, PATH, XDG_STATE_HOME: `${root}.state` }, does };
}

function planting(leaves: string): string {
  return `${plantInRepository(leaves)}\n${plantFiles}`;
}

/** The same points in the checkout, its submodule and a repository below, where uncommitted changes make git look at everything. */
function plantedBefore(): Ground {
  const ground = fresh();
  const { root, leaves } = ground;
  sh(join(root, 'sub'), planting(`${leaves}/nested`));
  sh(
    root,
    `git init -q below; cd below; echo a > file.clean; git add -A; git commit -qm a; ${planting(`${leaves}/nested`)}`,
  );
  sh(root, plantInRepository(`${leaves}/checkout`));
  for (const path of Object.keys(plainFiles)) utimesSync(join(root, path), 1, 1);
  writeFileSync(join(root, 'README.md'), 'changed\n');
  writeFileSync(join(root, 'new.clean'), 'new\n');
  return ground;
}

/** What ran. */
function ran({ leaves }: Ground): string[] {
  return readdirSync(leaves, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('/'));
}

/** The command as a user starts it in the checkout; nothing may have run when it is done. */
async function runwire(ground: Ground, args: readonly string[], options: LiveOptions = {}): Promise<Live> {
  const result = await live(args, { cwd: ground.root, env: ground.env, ...options });
  expect({ ran: ran(ground), args, stderr: result.stderr }).toEqual({ ran: [], args, stderr: result.stderr });
  return result;
}

const limits = ['--timeout', '120s'];
const verify = `${ownTools}; grep -q right value.txt`;

function filesOf({ root }: Ground, commit: string): string[] {
  return git(root, 'ls-tree', '-r', '--name-only', commit).split('\n');
}

const branches = ({ root }: Ground): string[] =>
  git(root, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/runwire').split('\n').filter(Boolean);

const kept = expect.arrayContaining(['.gitattributes', 'known/file.clean', 'unknown/file.clean']) as string[];

/** A folder with the program that opens pull requests. */
function withGh(): string {
  const bin = folder();
  writeFileSync(join(bin, 'gh'), '#!/bin/sh\necho https://example.com/pull/1\n', { mode: 0o755 });
  return bin;
}

/** Every command that makes, keeps, uses or removes copies. */
const commands: Readonly<Record<string, (isolate: Kind) => Promise<void>>> = {
  'run, apply and drop': async (isolate) => {
    const ground = plantedBefore();
    const agent = ['--', '/bin/sh', '-c', `${ground.does}\ncat '${example}'`];
    const { status, stderr } = await runwire(ground, [
      'run',
      '--isolate',
      isolate,
      '--dirty',
      'include',
      ...limits,
      ...agent,
    ]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining('kept as runwire/') });
    const [branch = ''] = branches(ground);
    const run = branch.split('/')[1] ?? '';
    expect(filesOf(ground, branch)).toEqual(kept);
    for (const flags of [['--dry-run', '--3way'], ['--dry-run'], []])
      expect(await runwire(ground, ['apply', run, ...flags])).toMatchObject({ status: 0 });
    expect(existsSync(join(ground.root, 'unknown', 'file.clean'))).toBe(true);
    expect(await runwire(ground, ['drop', run])).toMatchObject({ status: 0 });
    expect(branches(ground)).toEqual([]);
  },
  race: async (isolate) => {
    const ground = plantedBefore();
    const env = { ...ground.env, PATH: pathWithCodex(ground.env['PATH'] ?? '', ground.does) };
    const race = [
      'race',
      'Make the test pass',
      '--agents',
      'codex=fixer,codex=spoiler',
      '--isolate',
      isolate,
      '--dirty',
      'include',
    ];
    const { status, stdout } = await runwire(ground, [...race, ...limits, '--verify', verify], { env });
    const { lineage } = JSON.parse(stdout) as { lineage: { branches: { commit?: string; verified?: string }[] } };
    expect({ status, verified: lineage.branches.slice(1).map(({ verified }) => verified) }).toEqual({
      status: 0,
      verified: ['passed', 'base_red'],
    });
    expect(filesOf(ground, lineage.branches[1]?.commit ?? '')).toEqual(kept);
  },
  orchestrate: async (isolate) => {
    const ground = plantedBefore();
    const work = (model: string) => call('execute_agent', { agent: 'codex', model, prompt: 'Fix it' });
    const merge = call('merge_branches', { branch_ids: ['1', '2'] });
    const look = call('branch_output', { branch_id: '1' });
    const { stdout, status } = await orchestrate({
      brain: [work('fixer'), work('spoiler'), merge, look, done],
      cwd: ground.root,
      codex: ['fixer', 'spoiler'],
      does: ground.does,
      flags: ['--stream-json', '--isolate', isolate, '--dirty', 'include', ...limits, '--verify', verify],
      env: ground.env,
      start: (args, options) => runwire(ground, args, options),
    });
    const [, ...all] = reportOf(stdout).lineage.branches;
    expect({ status, verified: all.map(({ verified }) => verified) }).toEqual({
      status: 0,
      verified: ['passed', 'base_red'],
    });
    // Only an overlay has the submodule.
    expect(stdout).toMatch(isolate === 'overlay' ? /conflicts in sub, value\.txt/ : /conflicts in value\.txt/);
    for (const { commit = '' } of all) expect(filesOf(ground, commit)).toEqual(kept);
  },
  'orchestrate, which pushes': async (isolate) => {
    // A push runs the hooks that were there before; these are of the work alone.
    const ground = fresh();
    const { stdout, status } = await orchestrate({
      brain: [call('execute_agent', { agent: 'codex', prompt: 'Fix it' }), done],
      cwd: ground.root,
      codex: ['fixer'],
      does: ground.does,
      flags: ['--stream-json', '--isolate', isolate, ...limits, '--publish', 'pr'],
      env: { ...ground.env, PATH: `${ground.env['PATH']}:${withGh()}` },
      start: (args, options) => runwire(ground, args, options),
    });
    const { publish, lineage } = reportOf(stdout);
    const pushed = git(ground.remote, 'for-each-ref', '--format=%(objectname)', 'refs/heads/runwire');
    if (isolate === 'worktree') {
      expect({ status, pushed }).toEqual({ status: 3, pushed: '' });
      expect(publish?.message).toContain('what git does at a push was changed while the agents worked');
    } else
      expect({ status, pushed, publish: publish?.status }).toEqual({
        status: 0,
        pushed: lineage.branches[1]?.commit,
        publish: 'success',
      });
  },
  'enqueue and worker': async (isolate) => {
    const ground = plantedBefore();
    const fleet = await newFleet(server, `points_${isolate}`);
    const env = { ...ground.env, ...fleet.env('there') };
    const agent = ['--', '/bin/sh', '-c', `${ground.does}\ncat '${example}'`];
    const flags = ['--isolate', isolate, '--dirty', 'include', '--bundle', '--publish', 'branch', ...limits];
    expect(await runwire(ground, ['enqueue', ...flags, ...agent], { env })).toMatchObject({ status: 0 });
    const { status, stderr } = await runwire(ground, ['worker', '--once', '--poll', '0.1s'], { env });
    const pushed = git(ground.remote, 'for-each-ref', '--format=%(objectname)', 'refs/heads/runwire');
    expect({ status, stderr, pushed }).toEqual({ status: 0, stderr, pushed: expect.stringMatching(/^[0-9a-f]{40}$/) });
    expect(git(ground.remote, 'ls-tree', '-r', '--name-only', pushed).split('\n')).toEqual(kept);
  },
  'run with a file that waits for a filter': async (isolate) => {
    const ground = fresh();
    sh(ground.root, 'git config filter.hang.clean "sleep 3600"; git config filter.hang.required true');
    const agent = [
      '--',
      '/bin/sh',
      '-c',
      `${ground.does}\necho '*.hang filter=hang' >> .gitattributes; echo a > a.hang; cat '${example}'`,
    ];
    const env = { ...ground.env, RUNWIRE_PATIENCE: '0.1' };
    const flags = ['--isolate', isolate, '--timeout', '20s'];
    const { status, stderr } = await runwire(ground, ['run', ...flags, ...agent], { env });
    expect({ status, stderr }).toEqual(
      isolate === 'overlay'
        ? { status: 124, stderr: expect.stringContaining('the work could not be kept within') }
        : { status: 1, stderr: expect.stringContaining('a.hang: the filter hang, which it needs, did not run') },
    );
  },
  'clean after kill -9': async (isolate) => {
    const ground = plantedBefore();
    const begun = join(place.folder, `begun-${isolate}-${Date.now()}`);
    const agent = ['--', '/bin/sh', '-c', `${ground.does}\n: > '${begun}'; exec sleep 3600`];
    const flags = ['--isolate', isolate, '--dirty', 'include', ...limits];
    await runwire(ground, ['run', ...flags, ...agent], {
      watch: (child) => void until('it has begun', () => existsSync(begun)).finally(() => child.kill('SIGKILL')),
    });
    const { status, stdout } = await runwire(ground, ['orchestrate', 'clean']);
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('"branch"') });
    const [branch = ''] = branches(ground);
    expect(filesOf(ground, branch)).toEqual(kept);
  },
};

describe.skipIf(process.platform !== 'linux')('nothing that files of a repository name is run', () => {
  it.concurrent.each(some(sweep(Object.keys(commands), isolations), 3))(
    'by %s, in a copy by %s',
    async (name, isolate) => commands[name]?.(isolate),
  );

  it.concurrent('to free the disk of what was read, and to tell the CI', async () => {
    const ground = fresh();
    const flood = `${ownTools}; yes "$(head -c 50000 /dev/zero | tr '\\0' x)" | head -c 70000000; echo; cat '${example}'`;
    const env = { ...ground.env, BUILDKITE: 'true' };
    expect(await runwire(ground, ['run', ...limits, '--', '/bin/sh', '-c', flood], { env })).toMatchObject({
      status: 0,
    });
  });

  it.runIf(isSweep).concurrent('to find out which agents are installed', async () => {
    const ground = fresh();
    const bin = join(ground.root, 'node_modules', '.bin');
    sh(
      ground.root,
      plantPrograms(
        bin,
        join(ground.leaves, 'programs'),
        agents.flatMap(({ binaries }) => binaries),
      ),
    );
    const { baseUrl } = await serveModels({ brain: [done] });
    const model = ['--model', 'openai-compatible/brain', '--base-url', baseUrl('chat')];
    expect(
      await runwire(ground, ['orchestrate', '--task', 'x', '--isolate', 'overlay', ...model, ...limits]),
    ).toMatchObject({ status: 0 });
  });
});

it.skipIf(process.platform !== 'linux')('and all of it would be, by git and a shell as they are', () => {
  const ground = plantedBefore();
  const script = [
    'for each in file.*; do echo more >> "$each"; git add "$each"; done; git commit -qm more; git diff HEAD~1; git checkout -q -b other HEAD~1; echo other > file.clean; git commit -qam other',
    'git merge main; git rebase main; git push origin main; git fetch; cd sub; git status; git add -A; git commit -qm more',
  ].join('\n');
  // Each command may fail: what it was made to run is all that counts.
  spawnSync('/bin/sh', ['-c', script], {
    cwd: ground.root,
    env: { ...place.env, GIT_TERMINAL_PROMPT: '0' },
    stdio: 'ignore',
  });
  spawnSync('git', ['--version'], { cwd: ground.root, env: ground.env, stdio: 'ignore' });
  expect(ran(ground)).toEqual(
    expect.arrayContaining([
      ...[
        'core.fsmonitor',
        'filter.clean',
        'filter.lfs',
        'filter.process',
        'include',
        'hook-reference-transaction',
        'remote.receivepack',
      ].map((name) => `checkout/ran-${name}`),
      ...['core.fsmonitor', 'filter.clean', 'filter.process', 'hook-pre-commit'].map((name) => `nested/ran-${name}`),
      'programs/ran-path-git',
    ]),
  );
});
