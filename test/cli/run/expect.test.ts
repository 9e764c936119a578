import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dialects } from '../../../src/dialects/registry.ts';
import type { RunOutcome } from '../../../src/outcome/outcome.ts';
import { Reader } from '../../../src/pipeline/reader.ts';
import { runwire } from '../../support/command.ts';
import { endings, folder, goodRun, runScripted, telling } from './scripted.ts';

const outcomeIn = (cwd: string): RunOutcome => JSON.parse(readFileSync(join(cwd, 'o.json'), 'utf8')) as RunOutcome;

describe('--expect', () => {
  it('leaves a run that is as expected a success, and tells each rule', async () => {
    const cwd = folder();
    mkdirSync(join(cwd, 'in'));
    writeFileSync(join(cwd, 'rules.txt'), '# of the house\nmust touch b.txt\nafter: test -d in\n');
    const { status } = await runScripted(
      ['Do it', '-q', '--outcome', 'o.json', '--expect', 'rules.txt', '--expect', 'at most $0.03'],
      telling(...goodRun),
      { cwd },
    );
    expect(status).toBe(0);
    expect(outcomeIn(cwd).expectations).toEqual([
      { rule: 'must touch b.txt', passed: true, detail: 'once, first: created b.txt' },
      { rule: 'after: test -d in', passed: true, detail: 'exit code 0' },
      { rule: 'at most 0.03 dollars', passed: true, detail: '0.03 dollars' },
    ]);
  });

  it('fails with 9 where one is not met; its tape says the same', async () => {
    const cwd = folder();
    const args = [
      'Do it',
      '--outcome',
      'o.json',
      '--tape',
      'r.tape',
      '--expect',
      'must not touch b.txt',
      '--expect',
      'after: echo no >&2; exit 4',
    ];
    const { status, stderr } = await runScripted(args, telling(...goodRun), { cwd });
    const outcome = outcomeIn(cwd);
    expect(status).toBe(9);
    expect(outcome.verdict).toMatchObject({ class: 'expectation', code: 'expectation' });
    expect(outcome.expectations?.map(({ detail }) => detail)).toEqual([
      'once, first: created b.txt',
      'exit code 4: no',
    ]);
    expect(stderr).toContain('2 of 2 expectations not met: must not touch b.txt');
    const reader = new Reader();
    reader.stdout(readFileSync(join(cwd, 'r.tape')));
    expect(reader.end()).toMatchObject({ verdict: outcome.verdict, expectations: outcome.expectations });
  });

  it.each(endings.slice(1))('leaves the class of a run that failed: %s', async (_name, code, drafts) => {
    const { status } = await runScripted(
      ['Do it', '-q', '--expect', 'must run x', '--expect', 'after: true'],
      telling(...drafts),
    );
    expect(status).toBe(code);
  });

  it('is no success in any dialect', async () => {
    const written = dialects.filter(({ encoder }) => encoder !== undefined);
    await Promise.all(
      written.map(async ({ id }) => {
        const { stdout } = await runScripted(
          ['Do it', '-q', '--to', id, '--expect', 'must run npm test'],
          telling(...goodRun),
        );
        const reader = new Reader();
        reader.stdout(Buffer.from(stdout));
        expect({ id, status: reader.end().status }).not.toEqual({ id, status: 'success' });
      }),
    );
  });

  it.each([
    ['must dance', 'not a rule'],
    ['nothing.txt', 'there is no such file'],
    ['answer fits nothing.json', 'nothing.json'],
  ])('refuses %s before the run', async (rule, words) => {
    await expect(runScripted(['Do it', '--expect', rule], telling(...goodRun))).rejects.toThrow(words);
  });
});

describe('runwire check', () => {
  it('judges what is stored by rules and by another run, and repeats a run', async () => {
    const cwd = folder();
    const recorded = join(import.meta.dirname, '..', '..', 'recordings');
    const stream = join(recorded, 'opencode@1.18.33', 'multi-tool', 'stdout.jsonl');
    const other = join(recorded, 'opencode@1.18.33', 'shell', 'stdout.jsonl');
    // Every third time it says nothing.
    const agent = join(cwd, 'agent.sh');
    writeFileSync(
      agent,
      `n=$(cat ${cwd}/n 2>/dev/null || echo 0); echo $((n+1)) > ${cwd}/n; [ $((n % 3)) = 2 ] || cat ${join(recorded, 'codex@0.166.0', 'plain', 'stdout.jsonl')}`,
    );
    const [good, bad, same, changed, repeated, nothing] = await Promise.all([
      runwire(['check', stream, '--expect', 'must run git status', '--expect', 'no denials']),
      runwire(['check', stream, '--text', '--expect', 'must not call bash', '--expect', 'at most 9 turns']),
      runwire(['check', stream, '--against', stream]),
      runwire(['check', other, '--against', stream]),
      runwire([
        'check',
        '--repeat',
        '6',
        '--min-rate',
        '0.5',
        '--expect',
        'answer contains Hello',
        '--',
        '--ledger',
        'none',
        '-q',
        '--',
        'sh',
        agent,
      ]),
      runwire(['check', stream]),
    ]);
    expect({ status: good.status, ...(JSON.parse(good.stdout) as object) }).toMatchObject({
      status: 0,
      passed: true,
      class: 'success',
    });
    expect({ status: bad.status, stdout: bad.stdout }).toEqual({
      status: 9,
      stdout: `fails  must not call bash: once, first: bash cat notes.txt && git status --short
holds  at most 9 turns: 6 turns
failed  expectation: 1 of 2 expectations not met: must not call bash
`,
    });
    expect([same.status, changed.status]).toEqual([0, 9]);
    expect(repeated.status).toBe(0);
    expect(JSON.parse(repeated.stdout)).toMatchObject({
      passed: 4,
      runs: 6,
      low: expect.closeTo(0.3, 1) as number,
      high: expect.closeTo(0.9, 1) as number,
      rules: [{ rule: 'answer contains Hello', passed: 4, runs: 6 }],
    });
    const { low, high } = JSON.parse(repeated.stdout) as { low: number; high: number };
    expect(low < 2 / 3 && 2 / 3 < high).toBe(true);
    expect({ status: nothing.status, stderr: nothing.stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining('nothing to check') as string,
    });
  });
});
