import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import { brokenProject } from '../orchestrate/crew.ts';
import { live, modelAt, project, serve, twoTurns } from './run/live.ts';
import { some } from '../support/sweep.ts';

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

  it.each(formats.map((flags) => [flags.join(' ') || 'text', flags]))('a run in %s is not a success', async (_name, flags) => {
    const server = await serve(twoTurns);
    const { status, stderr } = await live(['-p', 'Do it', ...modelAt(server), ...flags], full);
    expect(stderr).toContain(told);
    expect(stderr).not.toMatch(/^\s+at |unexpected/m);
    expect(status).toBe(flags[0] === '--json' ? 1 : 10);
  });

  it('stops a run that nobody can follow, and its outcome says why', async () => {
    const server = await serve(twoTurns);
    const cwd = project();
    await live(['-p', 'Do it', ...modelAt(server), '--output-format', 'json', '--outcome', 'outcome.json'], { ...full, cwd });
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
    beforeAll(async () => {
      env = { HOME: mkdtempSync(join(tmpdir(), 'runwire-full-')) };
      for (const _ of [1, 2]) await live(['-p', 'Do it', ...modelAt(await serve(twoTurns))], { env });
      await live(['budget', 'set', 'team', '--usd', '1', '--per', 'day'], { env });
    });

    const printing: readonly string[][] = [
      ['--version'],
      ['--help'],
      ['help', 'run'],
      ['outcome', example],
      ['convert', '--to', 'claude', example],
      ['convert', '--to', 'dexter', example],
      ['play', example],
      ['schema', 'outcome'],
      ['dialects'],
      ['agents'],
      ['doctor'],
      ['completion', 'bash'],
      ['budget'],
      ['runs'],
      ['runs', 'list', '--json'],
      ['runs', 'show', 'last'],
      ['runs', 'show', 'last', '--json'],
      ['runs', 'tail', 'last'],
      ['runs', 'tail', 'last', '--tree'],
      ['runs', 'tail', 'last', '--to', 'text'],
      ['runs', 'stats'],
      ['runs', 'export'],
      ['runs', 'otel', 'last'],
      ['runs', 'wait', 'last'],
    ];
    it.each(some(printing, 3).map((args) => [args.join(' '), args]))('%s', async (_name, args) => {
      const { status, stderr } = await live(args, { ...full, env });
      expect(stderr).not.toMatch(/^\s+at |unexpected/m);
      expect(stderr).toContain(told);
      expect(status).toBe(10);
    });
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
    const run = (): string => execFileSync('/bin/bash', ['-c', script], { cwd, env: { HOME: cwd }, encoding: 'utf8', stdio: 'pipe' });
    expect(run).toThrow(/stdout could not be written: file too large \(EFBIG\)/);
  });
});

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
