import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Entry } from '../../src/cli/command.ts';
import { commands } from '../../src/cli/commands.ts';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import { brokenProject } from '../orchestrate/crew.ts';
import { sharedPostgres } from '../stores/support/shared-postgres.ts';
import { isSweep, some, sweep } from '../support/sweep.ts';
import { inside, live, modelAt, project, serve, twoTurns } from './run/live.ts';

const full = { stdoutFile: '/dev/full' };
const told = 'stdout could not be written: no space left on device (ENOSPC)';
const example = join(import.meta.dirname, '..', '..', 'examples', 'codex-run.jsonl');

describe('stdout on a full disk', () => {
  const formats = [
    [],
    ['--json'],
    ['--stream-json'],
    ['--output-format', 'json'],
    ['--format', 'json'],
    ['--to', 'runwire'],
    ['--outcome', '-'],
  ];

  it.each(some(formats, 3).map((flags) => [flags.join(' ') || 'text', flags]))(
    'a run in %s is not a success',
    async (_name, flags) => {
      const server = await serve(twoTurns);
      const { status, stderr } = await live(['-p', 'Do it', ...modelAt(server), ...flags], full);
      expect(stderr).toContain(told);
      expect(stderr).not.toMatch(/^\s+at |unexpected/m);
      expect(status).toBe(flags[0] === '--json' ? 1 : 10);
    },
  );

  it('stops a run that nobody can follow, and its outcome says why', async () => {
    const server = await serve(twoTurns);
    const cwd = project();
    await live(['-p', 'Do it', ...modelAt(server), '--output-format', 'json', '--outcome', 'outcome.json'], {
      ...full,
      cwd,
    });
    const { status, verdict } = JSON.parse(readFileSync(join(cwd, 'outcome.json'), 'utf8')) as RunOutcome;
    expect({ status, class: verdict.class, exit: verdict.exit_code, code: verdict.code }).toEqual({
      status: 'error',
      class: 'output',
      exit: 10,
      code: 'output',
    });
  });

  it.each([
    [['--json'], 1],
    [['--json', '--no-such-flag', 'x'], 1],
    [['--outcome', '-', '--max-turns', 'many', 'x'], 2],
  ])('a run that is refused stays refused: %s', async (flags, code) => {
    const { status, stderr } = await live(flags, full);
    expect(stderr).toContain(told);
    expect(stderr).not.toMatch(/^\s+at |unexpected/m);
    expect(status).toBe(code);
  });

  it.each([
    ['text', []],
    ['--stream-json', ['--stream-json']],
  ])('an orchestration in %s is not a success', async (_name, flags) => {
    const server = await serve([{ text: 'Nothing to do.', usage: { input: 10, output: 10 } }]);
    const args = ['orchestrate', '--task', 'Do it', '--agents', 'builtin', ...modelAt(server), ...flags];
    const { status, stderr } = await live(args, { ...full, cwd: brokenProject() });
    expect(stderr).toContain(told);
    expect(stderr).not.toMatch(/^\s+at |unexpected/m);
    expect(status).toBe(10);
  });

  describe('every other command that prints', () => {
    let env: Record<string, string>;
    let cwd: string;
    beforeAll(async () => {
      env = { HOME: mkdtempSync(join(tmpdir(), 'runwire-full-')) };
      cwd = brokenProject();
      const server = await serve([...twoTurns, ...twoTurns]);
      for (const _ of [1, 2]) await inside(['-p', 'Do it', ...modelAt(server)], { env });
      await inside(['run', '-q', '--isolate', 'clone', '--', 'sh', '-c', 'echo more > more.txt'], { env, cwd });
      await inside(['budget', 'set', 'team', '--usd', '1', '--per', 'day'], { env });
    });

    /** By the name of the command: what makes it print. */
    const printing: Readonly<Record<string, readonly string[][]>> = {
      '': [['--version'], ['--help'], ['help', 'run']],
      outcome: [['outcome', example]],
      convert: [
        ['convert', '--to', 'claude', example],
        ['convert', '--to', 'dexter', example],
      ],
      check: [['check', example, '--expect', 'at most 99 turns']],
      validate: [['validate', '--from', 'claude', example]],
      play: [['play', example]],
      schema: [['schema', 'outcome']],
      dialects: [['dialects']],
      agents: [['agents']],
      doctor: [['doctor']],
      completion: [['completion', 'bash']],
      apply: [['apply', 'last', '--dry-run']],
      drop: [['drop', 'last']],
      budget: [['budget']],
      'budget list': [['budget', 'list']],
      runs: [['runs']],
      'runs list': [['runs', 'list', '--json']],
      'runs show': [
        ['runs', 'show', 'last'],
        ['runs', 'show', 'last', '--json'],
      ],
      'runs tail': [
        ['runs', 'tail', 'last'],
        ['runs', 'tail', 'last', '--tree'],
        ['runs', 'tail', 'last', '--to', 'text'],
      ],
      'runs diff': [['runs', 'diff', 'last', 'last']],
      'runs stats': [['runs', 'stats']],
      'runs export': [['runs', 'export']],
      'runs otel': [['runs', 'otel', 'last']],
      'runs wait': [['runs', 'wait', 'last']],
      'runs prune': [['runs', 'prune', '--older-than', '1d']],
      claims: [['claims', example]],
      usage: [
        ['usage', '--json'],
        ['usage', '--csv'],
      ],
    };
    const elsewhere: Readonly<Record<string, string>> = {
      run: 'above, in every format',
      orchestrate: 'above',
      race: 'below',
      serve: 'prints nothing: its address is for people, on stderr',
      acp: 'speaks with an editor, and ends with it',
      worker: 'says so on stderr, and goes on with its runs',
      'orchestrate clean': 'prints only what a crash left',
      'budget set': 'prints nothing',
      'budget remove': 'prints nothing',
      'runs import': 'prints nothing',
      'runs cancel': 'prints nothing',
      'runs pause': 'prints nothing',
      'runs resume': 'prints nothing',
      'runs limit': 'prints nothing',
      replay: 'needs a recorded conversation: test/cli/replay',
      rehearse: 'needs one too',
      'runs fetch': 'prints the branch of a queued run, as "runs wait" does its end',
      'runs verify': 'prints only problems',
      enqueue: 'below, with a queue',
      queue: 'below, with a queue',
    };

    async function namesOf(entries: readonly Entry[], before = ''): Promise<string[]> {
      const families = entries.map(async ({ name, load }) => [
        `${before}${name}`,
        ...(await namesOf((await load()).subcommands ?? [], `${before}${name} `)),
      ]);
      return (await Promise.all(families)).flat();
    }

    it('is here, or it is said why not', async () => {
      const known = new Set([...Object.keys(printing), ...Object.keys(elsewhere)]);
      const names = await namesOf(commands);
      expect(names.filter((name) => !known.has(name) && !name.startsWith('queue '))).toEqual([]);
      expect([...known].filter((name) => name !== '' && !names.includes(name))).toEqual([]);
    });

    const cases = Object.values(printing).flat();
    it.each(some(cases, 6).map((args) => [args.join(' '), args]))('%s', async (_name, args) => {
      const { status, stderr } = await live(args, { ...full, env, cwd });
      expect(stderr).not.toMatch(/^\s+at |unexpected/m);
      expect(stderr).toContain(told);
      expect(status).toBe(10);
    });
  });

  it('a race is not a success', async () => {
    const server = await serve(twoTurns);
    const agents = ['--agents', 'builtin=openai-compatible/test-model', '--base-url', server.baseUrl('chat')];
    const { status, stderr } = await live(['race', 'Do it', ...agents], { ...full, cwd: brokenProject() });
    expect(stderr).toContain(told);
    expect(status).toBe(10);
  });

  it.runIf(isSweep)('with a queue', async () => {
    const postgres = await sharedPostgres();
    try {
      const env = { RUNWIRE_LEDGER: postgres.url('full') };
      const cwd = brokenProject();
      await live(['enqueue', '--id', 'one', '--bundle', 'Do it'], { env, cwd });
      await live(['queue', 'limit', 'repo=*', '2'], { env, cwd });
      for (const args of [['enqueue', '--bundle', 'Do it'], ['queue'], ['queue', 'list'], ['queue', 'limit']]) {
        const { status, stderr } = await live(args, { ...full, env, cwd });
        expect({ args, status, stderr }).toEqual({ args, status: 10, stderr: expect.stringContaining(told) as string });
      }
    } finally {
      await postgres.remove();
    }
  });

  it('is an error as well when stderr cannot be written either', async () => {
    const server = await serve(twoTurns);
    const both = { stdoutFile: '/dev/full', stderrFile: '/dev/full' };
    expect(await live(['-p', 'Do it', ...modelAt(server)], both)).toMatchObject({ status: 10 });
    expect(await live(['outcome', example], both)).toMatchObject({ status: 10 });
  });

  it('is not hidden by a disk that still takes a part', async () => {
    const cwd = project();
    // bash counts in blocks of 1024 bytes; SIGXFSZ is ignored by Node.js, so the write ends short.
    const script = `ulimit -f 1; exec "${process.execPath}" "${join(import.meta.dirname, '..', '..', 'bin', 'runwire.js')}" schema outcome > part`;
    const run = (): string =>
      execFileSync('/bin/bash', ['-c', script], { cwd, env: { HOME: cwd }, encoding: 'utf8', stdio: 'pipe' });
    expect(run).toThrow(/stdout could not be written: file too large \(EFBIG\)/);
  });
});

describe('a file that was asked for and cannot be written', () => {
  const flags = ['--outcome', '--report-md', '--report-html', '--junit', '--tape'];
  const places = [
    ['/dev/full', /ENOSPC|no space left/],
    ['/proc/none/file', /ENOENT|ENOTDIR|no such file/],
  ] as const;
  const cases = sweep(flags, places).map(([flag, [place, why]]) => [flag, place, why] as const);

  it.each(cases)('%s %s is said, and never a success', async (flag, place, why) => {
    // The page of a report comes with the built command.
    const start = flag === '--report-html' ? live : inside;
    const { status, stderr } = await start(['run', '-q', flag, place, '--', 'echo', 'hello']);
    expect(stderr).toMatch(why);
    expect(stderr).toContain(place);
    expect(status).toBe(10);
  });

  it.each(places)('with --json it is exit code 1: %s', async (place, why) => {
    const { status, stdout, stderr } = await inside(['run', '--json', '--outcome', place, '--', 'cat', example]);
    expect(`${stdout}${stderr}`).toMatch(why);
    expect(status).toBe(1);
    expect(() => JSON.parse(stdout) as unknown).not.toThrow();
  });

  it.runIf(isSweep)('is the end of a race and a check as well', async () => {
    const server = await serve(twoTurns);
    const agents = ['--agents', 'builtin=openai-compatible/test-model', '--base-url', server.baseUrl('chat')];
    const raced = await live(['race', 'Do it', ...agents, '--junit', '/dev/full'], { cwd: brokenProject() });
    expect(raced).toMatchObject({
      status: 10,
      stderr: expect.stringContaining('--junit /dev/full: not written') as string,
    });
    const checked = await inside(['check', example, '--expect', 'at most 99 turns', '--junit', '/dev/full']);
    expect(checked).toMatchObject({
      status: 10,
      stderr: expect.stringContaining('--junit /dev/full: not written') as string,
    });
  });
});

it.runIf(process.platform === 'linux')(
  'work that a full disk did not keep is told with its cause and its place',
  () => {
    const script = `mount -t tmpfs -o size=24m tmpfs "$1" && export XDG_STATE_HOME="$1" HOME="$1" && cd "$4" &&
    "$2" "$3" run -q --ledger none --isolate clone -- sh -c 'head -c 14000000 /dev/urandom > big; echo done'`;
    const bin = join(import.meta.dirname, '..', '..', 'bin', 'runwire.js');
    const state = mkdtempSync(join(tmpdir(), 'runwire-small-'));
    const args = [
      process.getuid?.() === 0 ? '-m' : '-rm',
      'sh',
      '-c',
      script,
      'sh',
      state,
      process.execPath,
      bin,
      brokenProject(),
    ];
    const { status, stderr } = spawnSync('unshare', args, { encoding: 'utf8' });
    expect(stderr).toMatch(
      /the work could not be kept: .*No space left on device.*; its copy is still in \S*runwire-small-\S+: see "runwire/i,
    );
    expect(status).toBe(1);
  },
);

describe('a working directory that was deleted', () => {
  it.each([
    [['--json', 'x'], 1],
    [['x'], 1],
    [['runs'], 1],
    [['outcome', example], 1],
  ])('%s', async (args, code) => {
    const cwd = project();
    const bin = join(import.meta.dirname, '..', '..', 'bin', 'runwire.js');
    const words = [process.execPath, bin, ...args].map((word) => `'${word}'`).join(' ');
    const script = `rm -r "$PWD"; ${words} < /dev/null 2>&1; echo "exit $?"`;
    const said = execFileSync('/bin/bash', ['-c', script], {
      cwd,
      env: { HOME: mkdtempSync(join(tmpdir(), 'runwire-home-')) },
      encoding: 'utf8',
    });
    rmSync(cwd, { recursive: true, force: true });
    expect(said).toMatch(new RegExp(`exit ${code}\n$`));
    expect(said).not.toMatch(/^\s+at |unexpected/m);
    if (args[0] === '--json')
      expect(JSON.parse(said.slice(said.indexOf('{'), said.lastIndexOf('}') + 1))).toMatchObject({
        status: 'error',
        error: { code: 'CONFIG_ERROR', message: expect.stringContaining('working directory') as string },
      });
  });
});
