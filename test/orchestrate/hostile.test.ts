import type { ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { live } from '../cli/run/live.ts';
import { folder } from '../cli/run/scripted.ts';
import { conformanceProblems } from '../support/dev-agent-conformance.ts';
import { isSweep, some } from '../support/sweep.ts';
import { call, done, eventsOf, orchestrate, reportOf, usage, withRemote } from './asking.ts';
import { brokenProject, git, verify } from './crew.ts';

const fix = call('execute_agent', { agent: 'codex', prompt: 'Fix it' });
const fixBuiltin = call('execute_agent', { agent: 'builtin', prompt: 'Fix it' });
const errorsOf = (stdout: string) => eventsOf(stdout).filter(({ type }) => type === 'error');

/** `npm run test:sweeps` has it without a proof, too. */
const asked: readonly (readonly [flags: readonly string[]])[] = isSweep
  ? [[['--verify', 'true']], [[]]]
  : [[['--verify', 'true']]];

describe.concurrent('a brain that cannot be trusted', () => {
  it.concurrent('proves nothing with a command of its own, and pushes neither what fails nor what is not of this task', async () => {
    const cwd = brokenProject();
    const remote = withRemote(cwd);
    git(cwd, 'branch', 'private');
    const brain = [
      fix,
      call('verify', { branch_id: '1', command: 'true' }),
      ...['1', 'private', 'main', 'refs/heads/main', 'HEAD'].map((branch_id) => call('publish', { branch_id })),
      done,
    ];
    const flags = ['--stream-json', '--verify', verify, '--publish', 'branch'];
    const { stdout, status } = await orchestrate({ brain, cwd, codex: ['spoiler'], flags });
    expect(conformanceProblems(stdout.split('\n'))).toEqual([]);
    expect(git(remote, 'for-each-ref')).toBe('');
    expect(errorsOf(stdout).map(({ scope }) => scope)).toEqual(Array.from({ length: 5 }, () => 'publish'));
    expect({ status, verified: reportOf(stdout).lineage.branches[1]?.verified }).toEqual({
      status: 3,
      verified: 'base_red',
    });
  });

  it.concurrent('is told of every call that makes no sense, and so is the stream', async () => {
    const calls = [
      { name: 'execute_agent', args: { agent: 'nobody', prompt: 'x' } },
      { name: 'execute_agent', args: { what: 1 } },
      { name: 'execute_agent', rawArgs: '{{{' },
      { name: 'execute_agent', rawArgs: '{"token":"never-told"' },
      { name: 'no_such_tool', args: {} },
      { name: 'publish', args: { branch_id: 'main' } },
      { name: 'branch_output', args: { branch_id: '--output=x' } },
      { name: 'read_artifact', args: { branch_id: 'main', path: '../../etc/passwd' } },
      { name: 'read_artifact', args: { branch_id: 'main', path: '--output=x' } },
      { name: 'merge_branches', args: { branch_ids: ['main', 'nowhere'] } },
      { name: 'execute_agent', args: { agent: 'builtin', prompt: 'x', parent_branch_id: '-x' } },
    ];
    const { stdout, status } = await orchestrate({
      brain: [{ calls, usage: usage(1, 1) }, done],
      flags: ['--stream-json'],
    });
    expect(conformanceProblems(stdout.split('\n'))).toEqual([]);
    expect(stdout).not.toContain('never-told');
    const failed = eventsOf(stdout).filter((event) => event.type === 'item.completed' && event.status === 'error');
    expect(errorsOf(stdout).map(({ item_id, iteration }) => [item_id, iteration])).toEqual(
      failed.map(({ item_id }) => [item_id, 1]),
    );
    expect({ status, failed: failed.length }).toEqual({ status: 0, failed: calls.length });
  });

  it.concurrent.each(asked)('is not believed when all work came to nothing, with %j', async (flags) => {
    const models = { fixer: [{ fault: { status: 401 } }] };
    const { stdout, status, server } = await orchestrate({
      brain: [fixBuiltin, done],
      agents: ['fixer'],
      models,
      flags,
    });
    expect({ status, summary: (JSON.parse(stdout) as { summary: string }).summary }).toEqual({
      status: 3,
      summary: 'no branch holds finished work',
    });
    // Why it came to nothing is in what the brain was told.
    const told = server.served.requests.flatMap(({ toolResults = [] }) => toolResults.map(({ result }) => result));
    expect(told.join()).toContain('The API key is not valid');
  });
});

describe.concurrent('the branch that counts', () => {
  it.runIf(isSweep).concurrent('is the newest that passes, of those that nothing was built on', async () => {
    const cwd = brokenProject();
    const remote = withRemote(cwd);
    const brain = [call('parallel_explore', { prompts: ['Fix it', 'Spoil it'] }), done];
    const flags = ['--stream-json', '--verify', verify, '--publish', 'branch'];
    const { stdout, status } = await orchestrate({ brain, cwd, codex: ['fixer', 'spoiler'], flags });
    const [, fixed] = reportOf(stdout).lineage.branches;
    expect({ status, pushed: git(remote, 'for-each-ref', '--format=%(objectname)') }).toEqual({
      status: 0,
      pushed: fixed?.commit,
    });
  });

  it.runIf(isSweep).concurrent('is not there when nothing was changed, and is not published', async () => {
    const cwd = brokenProject();
    const remote = withRemote(cwd);
    const models = { fixer: [{ text: 'Nothing to do.', usage: usage(1, 1) }] };
    const { stdout, status } = await orchestrate({
      brain: [fixBuiltin, done],
      cwd,
      agents: ['fixer'],
      models,
      flags: ['--publish', 'branch'],
    });
    expect({ status, publish: reportOf(stdout).publish }).toMatchObject({
      status: 3,
      publish: { status: 'error', message: /changes nothing/ },
    });
    expect([git(remote, 'for-each-ref'), git(cwd, 'branch', '--format=%(refname:short)')]).toEqual(['', 'main']);
  });

  it.runIf(isSweep).concurrent(
    'may be one that only looked at another, and its answer before it was published is the last one',
    async () => {
      const cwd = brokenProject();
      const remote = withRemote(cwd);
      const models = { writer: [{ text: 'Looks good.', usage: usage(1, 1) }] };
      const review = call('parallel_explore', { prompts: ['Fix it', 'Review it'], parent_branch_id: '1' });
      const { stdout, status } = await orchestrate({
        brain: [fixBuiltin, review, done],
        cwd,
        models,
        flags: ['--publish', 'branch'],
      });
      const { lineage, publish, warnings } = reportOf(stdout);
      const pushed = git(remote, 'for-each-ref', '--format=%(refname)');
      expect({ status, warnings, pushed }).toEqual({ status: 0, warnings: [], pushed: publish?.ref });
      expect(git(cwd, 'rev-parse', lineage.latest_branch_id)).toBe(lineage.branches[1]?.commit);
    },
  );

  it.runIf(isSweep).concurrent('never has a secret in its name', async () => {
    const cwd = brokenProject();
    const secret = 'correcthorsebattery';
    const brain = [call('execute_agent', { agent: 'codex', prompt: `Log in with ${secret}, then fix it` }), done];
    const { stdout, status } = await orchestrate({
      brain,
      cwd,
      codex: ['fixer'],
      flags: ['--stream-json'],
      env: { DEPLOY_PASSWORD: secret },
    });
    const [, branch] = reportOf(stdout).lineage.branches;
    expect({ status, commit: git(cwd, 'rev-parse', branch?.branch_id ?? '') }).toEqual({
      status: 0,
      commit: branch?.commit,
    });
    expect(git(cwd, 'for-each-ref')).not.toContain(secret);
  });
});

describe.concurrent('the parent branch moves meanwhile', () => {
  const changes = [
    ['and fits: it is verified together, and pushed', 'echo more > more.txt', 'success', 'pushed to origin'],
    [
      'and fits, but together they fail: nothing is pushed',
      'echo false > test/more.sh',
      'error',
      'merged with it the work does not pass',
    ],
    ['and conflicts: nothing is pushed', 'echo other > value.txt', 'error', 'conflicts with it in value.txt'],
  ] as const;
  it.concurrent.each(some(changes, 3))('%s', async (_what, change, expected, message) => {
    const cwd = brokenProject();
    const remote = withRemote(cwd);
    git(cwd, 'config', 'receive.denyCurrentBranch', 'ignore');
    git(cwd, 'clone', '-q', cwd, `${cwd}.elsewhere`);
    const commit = 'git add -A && git -c user.name=Bo -c user.email=bo@example.com commit -qm moved';
    // Somebody pushes in the middle of it.
    const move = call('verify', {
      branch_id: '1',
      command: `cd ${cwd}.elsewhere && ${change} && ${commit} && git push -q origin HEAD:main`,
    });
    const flags = ['--stream-json', '--verify', verify, '--publish', 'branch', '--isolate', 'clone'];
    const { stdout } = await orchestrate({ brain: [fix, move, done], cwd, codex: ['fixer'], flags });
    expect(git(cwd, 'log', '-1', '--format=%s', 'main')).toBe('moved');
    const { publish } = reportOf(stdout);
    expect(publish).toMatchObject({ status: expected, message: expect.stringContaining(message) as string });
    expect(git(remote, 'for-each-ref').split('\n').filter(Boolean)).toHaveLength(expected === 'success' ? 1 : 0);
  });
});

it.concurrent.each(isSweep ? ['overlay', 'clone'] : ['overlay'])(
  'a commit of the user meanwhile is not where work begins, in %s',
  async (isolate) => {
    const cwd = brokenProject();
    const base = git(cwd, 'rev-parse', 'HEAD');
    const moved = join(folder(), 'moved');
    const wait = call('verify', { branch_id: 'main', command: `until [ -e ${moved} ]; do sleep 0.05; done` });
    function commitOnce(text: string): void {
      if (!text.includes('"name":"verify"') || existsSync(moved)) return;
      writeFileSync(join(cwd, 'mine.txt'), 'mine\n');
      git(cwd, 'add', '-A');
      git(cwd, 'commit', '-qm', 'moved');
      writeFileSync(moved, '');
    }
    const { stdout, status } = await orchestrate({
      brain: [wait, fix, done],
      cwd,
      codex: ['fixer'],
      flags: ['--stream-json', '--isolate', isolate],
      start: (args, options) => live(args, { ...options, watch: (_child, text) => commitOnce(text) }),
    });
    const [, branch] = reportOf(stdout).lineage.branches;
    expect({ status, files: branch?.files, parent: git(cwd, 'rev-parse', `${branch?.commit}^`) }).toEqual({
      status: 0,
      files: 1,
      parent: base,
    });
  },
);

it.concurrent('a remote that never answers can be interrupted, and that is why the run ended', async () => {
  const cwd = brokenProject();
  let child: ChildProcess | undefined;
  const silent = createServer(() => child?.kill('SIGINT'));
  await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', () => resolve()));
  git(cwd, 'remote', 'add', 'origin', `http://127.0.0.1:${(silent.address() as AddressInfo).port}/x.git`);
  const flags = ['--stream-json', '--publish', 'branch', '--protect', 'value.*'];
  const { stdout, status } = await orchestrate({
    brain: [fix, done],
    cwd,
    codex: ['fixer'],
    flags,
    start: (args, options) => live(args, { ...options, watch: (running) => void (child = running) }),
  });
  silent.close();
  expect(conformanceProblems(stdout.split('\n'))).toEqual([]);
  expect({ status, errors: errorsOf(stdout) }).toEqual({ status: 130, errors: [] });
});

it.concurrent.each([
  ['settings', 'git config core.hooksPath HERE/hooks', 'core.hookspath, the hook pre-push'],
  ['a hook', 'cp HERE/hooks/pre-push "$(git rev-parse --git-common-dir)/hooks/"', 'the hook pre-push'],
])(
  '%s that an agent plants where all worktrees have theirs keep the push from happening',
  async (_name, does, changed) => {
    const cwd = brokenProject();
    const remote = withRemote(cwd);
    const here = folder();
    mkdirSync(join(here, 'hooks'));
    mkdirSync(join(cwd, '.git', 'hooks'), { recursive: true });
    writeFileSync(join(here, 'hooks', 'pre-push'), `#!/bin/sh\ntouch ${here}/pwned\n`, { mode: 0o755 });
    const flags = ['--stream-json', '--publish', 'branch', '--isolate', 'worktree'];
    const { stdout } = await orchestrate({
      brain: [fix, done],
      cwd,
      codex: ['fixer'],
      does: does.replaceAll('HERE', here),
      flags,
    });
    const { publish, lineage } = reportOf(stdout);
    expect(publish).toMatchObject({
      status: 'error',
      message: `nothing is pushed: what git does at a push was changed while the agents worked (${changed}); look at it, then push ${lineage.latest_branch_id} yourself`,
    });
    expect([git(remote, 'for-each-ref'), existsSync(join(here, 'pwned'))]).toEqual(['', false]);
  },
);

it.runIf(isSweep).concurrent(
  'a hook that refuses the push is quoted, and a pull request of a tag goes to the usual branch',
  async () => {
    const cwd = brokenProject();
    withRemote(cwd);
    git(cwd, 'tag', 'v1');
    mkdirSync(join(cwd, '.git', 'hooks'), { recursive: true });
    writeFileSync(
      join(cwd, '.git', 'hooks', 'pre-push'),
      '#!/bin/sh\n[ -e "$PWD/.git/allowed" ] || { echo "lint: no good" >&2; exit 1; }\n',
      {
        mode: 0o755,
      },
    );
    const bin = folder();
    writeFileSync(join(bin, 'gh'), `#!/bin/sh\nprintf '%s\\n' "$@" > ${bin}/args; echo https://example.com/pull/1\n`);
    chmodSync(join(bin, 'gh'), 0o755);
    const env = { PATH: `${bin}:${process.env.PATH}` };
    const flags = ['--stream-json', '--publish', 'pr', '--parent-branch-id', 'v1'];
    const refused = await orchestrate({ brain: [fix, done], cwd, codex: ['fixer'], flags, env });
    expect(reportOf(refused.stdout).publish?.message).toBe('the push was refused: lint: no good');
    writeFileSync(join(cwd, '.git', 'allowed'), '');
    const opened = await orchestrate({ brain: [fix, done], cwd, codex: ['fixer'], flags, env });
    expect(reportOf(opened.stdout).publish).toMatchObject({ status: 'success', url: 'https://example.com/pull/1' });
    expect(readFileSync(join(bin, 'args'), 'utf8')).not.toContain('--base');
  },
);
