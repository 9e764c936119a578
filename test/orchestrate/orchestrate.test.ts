import { createServer, type Server } from 'node:http';
import { readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inside, live } from '../cli/run/live.ts';
import { folder } from '../cli/run/scripted.ts';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import { conformanceProblems } from '../support/dev-agent-conformance.ts';
import type { TurnInput } from '../support/model-server/index.ts';
import { isSweep, some } from '../support/sweep.ts';
import { call, done, eventsOf, orchestrate, type Report, reportOf, withRemote } from './asking.ts';
import { brokenProject, fingerprint, git, serveModels, verify } from './crew.ts';

const example = join(import.meta.dirname, '..', '..', 'examples', 'codex-run.jsonl');

describe('two agents in parallel, merged and published', async () => {
  const cwd = brokenProject();
  const remote = withRemote(cwd);
  const before = fingerprint(cwd);
  const home = folder();
  const brain = [
    call('parallel_explore', { prompts: ['Fix the value', 'Write notes'] }),
    call('merge_branches', { branch_ids: ['1', '2'] }),
    call('read_artifact', { branch_id: '3', path: 'notes.txt' }),
    call('publish', { branch_id: '3', message: 'Fix it' }),
    done,
  ];
  const flags = ['--stream-json', '--verify', verify, '--publish', 'branch', '--price', 'input=1,output=1'];
  const { stdout, stderr, status, server } = await orchestrate({
    brain,
    flags,
    cwd,
    env: { XDG_STATE_HOME: home },
    start: live,
  });
  const events = eventsOf(stdout);
  const report = reportOf(stdout);
  const branches = report.lineage.branches;

  it('ends well and says nothing but the stream', () => {
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('has the stream of the document, to the letter', () => {
    expect(conformanceProblems(stdout.split('\n'))).toEqual([]);
  });

  it('tells of its turns, its calls and its kinds in order', () => {
    const told = events.map(({ type, name, kind, branch_id }) =>
      [type, name ?? kind ?? '', branch_id === undefined ? '' : 'branch'].join(' ').trim(),
    );
    const turn = (...middle: string[]): string[] => ['turn.started', 'assistant.message', ...middle, 'turn.completed'];
    expect(told).toEqual([
      'thread.started',
      ...turn('item.started parallel_explore', 'item.completed'),
      ...turn('item.started merge_branches', 'item.completed  branch'),
      ...turn('item.started read_artifact', 'item.completed  branch'),
      ...turn('item.started publish', 'item.completed  branch'),
      ...turn(),
      'thread.completed',
    ]);
    expect(events.filter(({ kind }) => kind === 'publish')).toHaveLength(1);
  });

  it('leaves the checkout as it was', () => {
    expect(fingerprint(cwd)).toBe(before);
  });

  it('reports what git has', () => {
    for (const { branch_id, commit } of branches) expect(git(cwd, 'rev-parse', branch_id)).toBe(commit);
    const [, fix, notes, merged] = branches;
    expect(git(cwd, 'diff', '--name-only', 'main', fix?.branch_id ?? '')).toBe('value.txt');
    expect(git(cwd, 'diff', '--name-only', 'main', notes?.branch_id ?? '')).toBe('notes.txt');
    expect(git(cwd, 'diff', '--name-only', 'main', merged?.branch_id ?? '')).toBe('notes.txt\nvalue.txt');
    expect(branches.map(({ verified }) => verified)).toEqual([undefined, 'passed', 'base_red', 'passed']);
    expect(branches.map(({ files }) => files)).toEqual([undefined, 1, 1, 2]);
    expect(report.lineage).toMatchObject({ start_branch_id: 'main', latest_branch_id: merged?.branch_id });
  });

  it('published the branch, by its own hand', () => {
    expect(git(remote, 'rev-parse', report.publish?.ref ?? '')).toBe(branches[3]?.commit);
    expect(git(remote, 'for-each-ref', '--format=%(refname)').split('\n')).toEqual([report.publish?.ref]);
    const copy = folder();
    git(copy, 'clone', '-q', '--branch', branches[3]?.branch_id ?? '', remote, '.');
    expect(() => git(copy, '-c', 'alias.check=!sh test/value.sh', 'check')).not.toThrow();
  });

  it('counts what was served, once, and so does the outcome of the stream', async () => {
    const tokens = server.served.requests.reduce(
      (sum, { answer }) => sum + (answer?.usage.input ?? 0) + (answer?.usage.output ?? 0),
      0,
    );
    expect(report.usage).toMatchObject({ runs: 3, tokens_used: tokens });
    const read = await inside(['outcome'], { stdin: stdout });
    const outcome = JSON.parse(read.stdout) as {
      metrics: { tokens_used: number };
      children: { tokens_used: number };
      lineage: unknown;
    };
    expect(outcome.metrics.tokens_used + outcome.children.tokens_used).toBe(tokens);
    expect(outcome.lineage).toEqual(report.lineage);
    expect(await inside(['validate'], { stdin: stdout })).toMatchObject({ status: 0, stdout: '' });
  });

  it('is a tree of runs in the ledger', async () => {
    const { stdout: listed } = await inside(['runs', 'list', '--tree'], { cwd, env: { XDG_STATE_HOME: home } });
    const runs = listed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string; depth: number; class: string; parent_run_id?: string });
    expect(runs.map(({ depth, class: name }) => [depth, name])).toEqual([
      [0, 'success'],
      [1, 'success'],
      [1, 'success'],
    ]);
    expect(
      runs
        .slice(1)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(branches.flatMap(({ run_id }) => run_id ?? []).toSorted());
    const [top] = runs;
    const shownTree = await inside(['runs', 'tail', '-f', '--tree', top?.id ?? ''], {
      cwd,
      env: { XDG_STATE_HOME: home },
    });
    const threads = shownTree.stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { thread_id: string }).thread_id);
    expect(new Set(threads).size).toBe(3);
    const shown = await inside(['runs', 'show', '--text', top?.id ?? ''], { cwd, env: { XDG_STATE_HOME: home } });
    expect(shown.stdout).toContain(`${branches[3]?.branch_id}: winner, success, verify passed, 2 files`);
    expect(shown.stdout).toContain('published: pushed to origin as');
  });
});

describe('the truth about the end', () => {
  it.concurrent('a brain that says done over a branch that does not pass has failed', async () => {
    const { stdout, status } = await orchestrate({
      brain: [call('execute_agent', { agent: 'builtin', prompt: 'Write notes' }), done],
      agents: ['writer'],
      flags: ['--verify', verify],
    });
    expect({ status, report: JSON.parse(stdout) as unknown }).toMatchObject({
      status: 3,
      report: { status: 'FINISHED_WITH_ERROR' },
    });
  });

  it.concurrent('a rejected push is a failed item, an error, and a failed run', async () => {
    const cwd = brokenProject();
    const remote = withRemote(cwd);
    writeFileSync(join(remote, 'hooks', 'pre-receive'), '#!/bin/sh\necho not today >&2\nexit 1\n', { mode: 0o755 });
    const brain = [
      call('execute_agent', { agent: 'codex', prompt: 'Fix it' }),
      call('publish', { branch_id: '1' }),
      done,
    ];
    const { stdout, status } = await orchestrate({
      brain,
      cwd,
      codex: ['fixer'],
      flags: ['--stream-json', '--publish', 'branch'],
    });
    const events = eventsOf(stdout);
    expect(conformanceProblems(stdout.split('\n'))).toEqual([]);
    expect(events.filter(({ type }) => type === 'error')).toMatchObject([
      { scope: 'publish', item_id: expect.any(String) as string },
    ]);
    const { status: published, message } = reportOf(stdout).publish ?? {};
    const words = 'the push was refused: [remote rejected] (pre-receive hook declined); remote: not today';
    expect({ status, published, message }).toEqual({ status: 3, published: 'error', message: words });
  });

  it.concurrent('counts the calls of an answer before they are made', async () => {
    const one = { name: 'branch_output', args: { branch_id: '1' } };
    const invalid = { name: 'branch_output', args: {} };
    const calls = [invalid, ...Array.from({ length: 11 }, () => one)];
    const brain: TurnInput[] = [{ calls, usage: { input: 10, output: 10 } }, done];
    const { stdout } = await orchestrate({ brain, codex: ['fixer'], flags: ['--stream-json'] });
    const messages = eventsOf(stdout).filter(({ type }) => type === 'assistant.message');
    expect(messages.map(({ tool_call_count: count }) => count)).toEqual([12, 0]);
  });

  it.runIf(isSweep).concurrent(
    'publishes the last good branch when the brain forgot to, and --dry-run only says so',
    async () => {
      const cwd = brokenProject();
      const remote = withRemote(cwd);
      const { stdout, status } = await orchestrate({
        brain: [call('execute_agent', { agent: 'codex', prompt: 'Fix it' }), done],
        cwd,
        codex: ['fixer'],
        flags: ['--stream-json', '--publish', 'branch', '--dry-run', '--max-turns', '2'],
      });
      expect(conformanceProblems(stdout.split('\n'))).toEqual([]);
      expect({ status, publish: reportOf(stdout).publish }).toMatchObject({
        status: 0,
        publish: { status: 'success', dry_run: true },
      });
      expect(git(remote, 'for-each-ref')).toBe('');
      const told = eventsOf(stdout).map(({ type, iteration, name }) =>
        [type, iteration ?? name].filter(Boolean).join(' '),
      );
      expect(told.slice(told.indexOf('turn.started 2'))).toEqual([
        'turn.started 2',
        'assistant.message',
        'item.started publish',
        'item.completed',
        'turn.completed 2',
        'thread.completed',
      ]);
      const read = await inside(['outcome'], { stdin: stdout });
      expect((JSON.parse(read.stdout) as RunOutcome).metrics).toMatchObject({ turns: 2 });
    },
  );

  const pushes: [string, string[]][] = [
    ['pushed', []],
    ['would be pushed', ['--dry-run']],
  ];
  it.concurrent.each(some(pushes))('tells no password of the address that it is %s to', async (_, dry) => {
    const brain = [call('execute_agent', { agent: 'builtin', prompt: 'Fix it' }), done];
    const flags = [
      '--publish',
      'branch',
      '--remote',
      'http://me:p@ssw0rd@127.0.0.1:1/x.git',
      '--stream-json',
      '--no-redact',
      ...dry,
    ];
    const { stdout, stderr } = await orchestrate({ brain, cwd: brokenProject(), agents: ['fixer'], flags });
    expect(reportOf(stdout).publish).toMatchObject({
      status: dry.length === 0 ? 'error' : 'success',
      remote: 'http://127.0.0.1:1/x.git',
    });
    expect(stdout + stderr).not.toContain('ssw0rd');
  });

  it.runIf(isSweep).concurrent('a remote that asks for a password is an error, and nobody waits', async () => {
    const cwd = brokenProject();
    const asking: Server = createServer((_, response) =>
      response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="git"' }).end(),
    );
    await new Promise<void>((resolve) => void asking.listen(0, '127.0.0.1', () => resolve()));
    git(cwd, 'remote', 'add', 'origin', `http://127.0.0.1:${(asking.address() as AddressInfo).port}/x.git`);
    const { stdout, status } = await orchestrate({
      brain: [call('execute_agent', { agent: 'codex', prompt: 'Fix it' }), done],
      cwd,
      codex: ['fixer'],
      flags: ['--publish', 'branch'],
    });
    asking.close();
    expect({ status, publish: (JSON.parse(stdout) as Report).publish }).toMatchObject({
      status: 3,
      publish: { status: 'error' },
    });
  });

  it.runIf(isSweep).concurrent(
    'an agent that fails does not stop the others, and results come in the order asked',
    async () => {
      let told: string[] = [];
      const brain: TurnInput[] = [call('parallel_explore', { prompts: ['Break it', 'Fix it'] }), done];
      const { stdout, status, server } = await orchestrate({
        brain,
        agents: ['breaker', 'fixer'],
        flags: ['--stream-json'],
      });
      told = server.served.requests
        .filter(({ model }) => model === 'brain')
        .flatMap(({ toolResults = [] }) => toolResults.map(({ result }) => result));
      expect(status).toBe(0);
      const [first, second] = (told[0] ?? '').split('\n}\n{').map((text) => /"message": "([^"]*)"/.exec(text)?.[1]);
      expect([first, second]).toEqual(['It failed.', 'Fixed.']);
      expect(reportOf(stdout).lineage.branches).toHaveLength(3);
    },
  );
});

it.concurrent('with --task, an open stdin is neither waited for nor spoken of', async () => {
  const { status, stderr } = await orchestrate({
    brain: [{ text: 'Nothing to do.' }],
    agents: ['fixer'],
    flags: ['--stream-json'],
    stdin: null,
    start: live,
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

const limits: [string, string[], string, string][] = [
  ['the turn limit', ['--max-turns', '1'], 'iteration_limit', 'turn_limit'],
  ['the cost limit', ['--max-cost-usd', '0.0001', '--price', 'input=1,output=1'], 'error', 'cost_limit'],
];
it.concurrent.each(some(limits))('the report tells %s from other errors', async (_name, flags, status, reason) => {
  const brain = [call('branch_output', { branch_id: '1' }), call('branch_output', { branch_id: '1' }), done];
  const { stdout } = await orchestrate({ brain, codex: ['fixer'], flags });
  expect(JSON.parse(stdout)).toMatchObject({ status, reason });
});

describe('--interactive', () => {
  it.concurrent('takes the next task from stdin, with one final report: that of the last answer', async () => {
    const brain = [
      call('execute_agent', { agent: 'builtin', prompt: 'Fix it' }),
      done,
      { text: 'Nothing else is wrong.' },
    ];
    const { stdout, status } = await orchestrate({
      brain,
      agents: ['fixer'],
      flags: ['--stream-json', '--interactive'],
      stdin: 'Is anything else wrong?\n',
      start: live,
    });
    expect(conformanceProblems(stdout.split('\n'))).toEqual([]);
    const ends = eventsOf(stdout).filter(({ type }) => type === 'turn.completed');
    expect(ends.map((each) => each['has_final_report'])).toEqual([false, false, true]);
    expect({ status, summary: reportOf(stdout).summary }).toEqual({ status: 0, summary: 'Nothing else is wrong.' });
  });
});

describe('what is wrong is said before the first model call', () => {
  const mistakes: [string, (cwd: string) => void, string[], string][] = [
    [
      'uncommitted changes',
      (cwd) => writeFileSync(join(cwd, 'value.txt'), 'mine\n'),
      [],
      'there are uncommitted changes (value.txt)',
    ],
    ['an unknown branch', () => {}, ['--parent-branch-id', 'nowhere'], 'there is no branch or commit "nowhere"'],
    ['an unknown agent', () => {}, ['--agents', 'codxe'], 'unknown agent "codxe"'],
    [
      'an odd isolation',
      () => {},
      ['--isolate', 'chroot'],
      '--isolate chroot: expected auto, overlay, clone or worktree',
    ],
    ['a missing file', () => {}, ['--copy', '.env'], '--copy .env: there is no such file'],
    [
      'a file from elsewhere',
      () => {},
      ['--copy', '/etc/passwd'],
      '--copy /etc/passwd: expected a file inside the repository',
    ],
    ['an empty pattern', () => {}, ['--protect', ''], "--protect is empty; expected for example 'test/**'"],
    ['a task without quotes', () => {}, ['the', 'rest'], 'unexpected "the rest"; a task of several words is quoted'],
  ];
  it.concurrent.each(some(mistakes, 3))('%s', async (_what, spoil, flags, message) => {
    const cwd = brokenProject();
    spoil(cwd);
    const { status, stderr, stdout } = await inside(
      [
        'orchestrate',
        '--task',
        'x',
        '--model',
        'openai-compatible/brain',
        '--base-url',
        'http://127.0.0.1:9/v1',
        '--agents',
        'builtin',
        ...flags,
      ],
      { cwd },
    );
    expect({ status, stdout, said: stderr.includes(message) ? message : stderr }).toEqual({
      status: 2,
      stdout: '',
      said: message,
    });
  });

  it.concurrent('a folder without git, and no task', async () => {
    const cwd = folder();
    const first = await inside(
      ['orchestrate', '--task', 'x', '--model', 'openai-compatible/brain', '--agents', 'builtin'],
      { cwd },
    );
    expect({ status: first.status, said: first.stderr.includes('not a git repository') }).toEqual({
      status: 2,
      said: true,
    });
    const second = await inside(['orchestrate', '--agents', 'builtin'], { cwd: brokenProject() });
    expect({ status: second.status, said: second.stderr.includes('no task') }).toEqual({ status: 2, said: true });
  });
});

it('sends no agent of others to the model server of the brain', async () => {
  const place = folder();
  const codex = `#!/bin/sh\n[ "$1" = --version ] && exec echo codex-cli 0.166.0\nprintf '%s\\n' "$@" > '${place}/words'\ncat '${example}'\n`;
  writeFileSync(join(place, 'codex'), codex, { mode: 0o755 });
  const brain = [call('execute_agent', { agent: 'codex', prompt: 'Fix the value' }), done];
  const server = await serveModels({ brain });
  const flags = ['--model', 'openai-compatible/brain', '--base-url', server.baseUrl('chat')];
  const env = { PATH: `${place}:${process.env['PATH']}` };
  await inside(['orchestrate', '--task', 'Make the test pass', '--agents', 'codex', ...flags], {
    cwd: brokenProject(),
    env,
  });
  const words = readFileSync(join(place, 'words'), 'utf8');
  expect(words).toContain('Fix the value');
  expect(words).not.toContain(server.url);
});
