import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { runsSchemas } from '../../../src/ledger/schemas.ts';
import type { RunSummary } from '../../../src/stores/run-store.ts';
import { runwire } from '../../support/command.ts';
import { day, fill, hostile, jsonLines, newLedger, obeyed, runs, runsProgram, sample, temporary } from './ledger.ts';

const golden = (name: string): string => join(import.meta.dirname, 'golden', `${name}.txt`);
const ledger = newLedger();

beforeAll(async () => {
  await fill(ledger, [
    sample(1, {
      prompt: 'Fix the flaky test',
      metrics: { duration_ms: 65_000, input_tokens: 12_300, output_tokens: 400, cost: 0.12 },
    }),
    sample(2, {
      verdict: 'provider',
      prompt: 'Review 変更 of the parser 👩‍💻 please',
      agent: 'codex',
      model: 'gpt-5.5',
      labels: { 'git.branch': 'main', team: 'a' },
      metrics: { duration_ms: 900, cost: 2.5 },
    }),
    sample(3, {
      verdict: 'incomplete',
      agent: 'codex',
      model: 'gpt-5.5',
      labels: { 'git.branch': 'main' },
      answer: 'half of it',
    }),
    sample(4, {
      prompt: 'x'.repeat(300),
      model: 'claude-sonnet-4-5',
      metrics: { duration_ms: 7_384_000, input_tokens: 4_500_000, cost: 0 },
    }),
  ]);
});

const ids = async (...flags: string[]): Promise<string[]> =>
  jsonLines<RunSummary>((await runs(ledger, ['list', ...flags])).stdout).map(
    ({ session_id }) => session_id?.at(-1) ?? '',
  );

describe('the table', () => {
  it.each([50, 80, 120])('fits %i columns', async (width) => {
    const { stdout, status } = await runsProgram(ledger, ['list', '--format', 'table'], {
      env: { COLUMNS: String(width) },
    });
    expect(status).toBe(0);
    await expect(stdout).toMatchFileSnapshot(golden(`list-${width}`));
  });

  it('has colours where they are wanted, also in a pipe', async () => {
    const coloured = async (env: Record<string, string>): Promise<boolean> =>
      (await runs(ledger, ['list', '--format', 'table'], { env })).stdout.includes('\u001b[32msuccess\u001b[0m');
    expect([await coloured({ FORCE_COLOR: '1' }), await coloured({}), await coloured({ FORCE_COLOR: '0' })]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('shows hostile words without obeying them', async () => {
    const place = newLedger();
    const labels = { team: hostile };
    await fill(place, [
      sample(1, { prompt: hostile, agent: hostile, model: hostile, answer: hostile, labels, cwd: hostile }),
    ]);
    for (const args of [
      ['list', '--format', 'table'],
      ['show', 'last', '--text'],
      ['stats', '--format', 'table'],
      ['stats', '--by', 'label:team', '--format', 'table'],
    ]) {
      const { stdout, status } = await runs(place, args);
      expect({ args, status, obeyed: obeyed.exec(stdout), forged: /^runwire:/m.test(stdout) }).toEqual({
        args,
        status: 0,
        obeyed: null,
        forged: false,
      });
    }
  });
});

describe('filters', () => {
  it.each<[string, string[], string[]]>([
    ['nothing', [], ['4', '3', '2', '1']],
    ['statuses', ['--status', 'error,incomplete'], ['3', '2']],
    ['a class', ['--class', 'provider'], ['2']],
    ['an agent', ['--agent', 'claude'], ['4', '1']],
    ['models', ['--model', 'gpt-5.5', '--model', 'none'], ['3', '2']],
    ['labels', ['--label', 'git.branch=main', '--label', 'team=a'], ['2']],
    ['since a date', ['--since', '2025-03-03'], ['4', '3']],
    ['until a moment', ['--until', new Date(day(2)).toISOString()], ['1']],
    ['a span', ['--since', '1h'], []],
    ['costs', ['--min-cost', '0.1', '--max-cost', '1'], ['1']],
    ['words', ['--text', 'flak* TEST'], ['1']],
    ['words of the answer', ['--text', 'half'], ['3']],
  ])('by %s', async (_name, flags, expected) => {
    expect(await ids(...flags)).toEqual(expected);
  });

  it.each([
    [['--status', 'broken'], '--status broken: expected one of'],
    [['--since', 'yesterday'], '--since yesterday: expected a span'],
    [['--label', 'x'], 'expected key=value'],
    [['--min-cost', 'cheap'], '--min-cost cheap: expected dollars'],
    [['--limit', 'many'], '--limit many: expected a number'],
    [['--json', '--csv'], 'one format at a time'],
    [['--colour'], 'unknown option --colour'],
    [['words'], 'unexpected "words"'],
  ])('%j is refused', async (flags, message) => {
    const { stderr, status } = await runs(ledger, ['list', ...flags]);
    expect({ stderr, status }).toEqual({ stderr: expect.stringContaining(message) as string, status: 2 });
  });
});

it('prints JSON lines in a pipe, as its schema says', async () => {
  const { stdout } = await runs(ledger, ['list']);
  const found = jsonLines(stdout);
  expect(found).toHaveLength(4);
  for (const run of found) expect(runsSchemas['run-summary'].safeParse(run).error).toBeUndefined();
});

it('turns pages: every run once, the newest first', async () => {
  const all: string[] = [];
  let after: string[] = [];
  for (;;) {
    const { stdout, stderr } = await runs(ledger, ['list', '--limit', '1', ...after]);
    all.push(...jsonLines<RunSummary>(stdout).map(({ id }) => id));
    const next = /--after (\w+)/.exec(stderr)?.[1];
    if (next === undefined) break;
    after = ['--after', next];
  }
  expect(all).toEqual(jsonLines<RunSummary>((await runs(ledger, ['list', '-n', '0'])).stdout).map(({ id }) => id));
});

it('writes CSV that a spreadsheet does not run', async () => {
  const place = newLedger();
  await fill(place, [sample(1, { prompt: '=HYPERLINK("http://x","y")\nand, more', labels: { a: 'b' } })]);
  const { stdout } = await runs(place, ['list', '--csv']);
  const [head, ...rest] = stdout.split('\r\n');
  expect(head).toMatch(/^id,status,class,.*,title,labels$/);
  expect(rest.join('\r\n')).toContain(`"'=HYPERLINK(""http://x"",""y"") and, more",a=b\r\n`);
});

it('is patient with a ledger that was never written', async () => {
  const missing = join(temporary(), 'none', 'ledger.db');
  for (const command of ['list', 'stats', 'export', 'verify']) {
    const { stdout, stderr, status } = await runs(missing, [command]);
    expect({ command, stdout, stderr, status }).toEqual({
      command,
      stdout: '',
      stderr: expect.stringContaining('no runs yet') as string,
      status: 0,
    });
  }
  const { stderr, status } = await runs(missing, ['show', 'last']);
  expect({ stderr, status }).toEqual({ stderr: expect.stringContaining('no runs yet') as string, status: 2 });
  const off = await runwire(['runs', '--ledger', 'none']);
  expect({ status: off.status, stderr: off.stderr }).toEqual({
    status: 2,
    stderr: expect.stringContaining('--ledger') as string,
  });
});

it('says which run is meant', async () => {
  const unknown = await runs(ledger, ['show', 'zzzz']);
  expect({ status: unknown.status, stderr: unknown.stderr }).toEqual({
    status: 2,
    stderr: expect.stringContaining('no run "zzzz"') as string,
  });
  const place = newLedger();
  const one = sample(1);
  const other = { ...sample(2), id: `${sample(2).id.slice(0, -8)}${one.id.slice(-8, -1)}0` };
  await fill(place, [one, other]);
  const both = await runs(place, ['show', one.id.slice(-8, -2)]);
  expect({ status: both.status, stderr: both.stderr }).toEqual({
    status: 2,
    stderr: expect.stringMatching(/may be \w{8}, \w{8}/) as string,
  });
  expect((await runs(place, ['show', one.id])).status).toBe(0);
});
