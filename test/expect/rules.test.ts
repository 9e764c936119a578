import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareWith } from '../../src/expect/against.ts';
import { Expectations } from '../../src/expect/expectations.ts';
import { checkCode, judgedBy } from '../../src/expect/judged.ts';
import { holdsWords, matchesFile } from '../../src/expect/patterns.ts';
import { parseRule, parseRules, wordsOf } from '../../src/expect/words.ts';
import { passRate } from '../../src/expect/wilson.ts';
import type { EventRecord } from '../../src/events/event.ts';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import { Reader } from '../../src/pipeline/reader.ts';
import { Redactor } from '../../src/redact/redactor.ts';
import { folderItself, judgesIn } from '../../src/run/judges.ts';
import { loadRecording } from '../support/recordings.ts';

const judges = judgesIn({
  workspace: folderItself(import.meta.dirname),
  env: process.env,
  passEnv: [],
  variables: {},
  signal: new AbortController().signal,
});
const read = new Map<string, { records: EventRecord[]; outcome: RunOutcome }>();

function recorded(name: string): { records: EventRecord[]; outcome: RunOutcome } {
  const known = read.get(name);
  if (known !== undefined) return known;
  const [folder = '', scenario = ''] = name.split('/');
  const { stdout, stderr, exit } = loadRecording(folder, scenario);
  const records: EventRecord[] = [];
  const reader = new Reader({
    redact: new Redactor({ values: ['wrote notes.txt and changed'] }),
    onRecord: (record) => void records.push(record),
  });
  reader.stdout(stdout);
  reader.stderr(stderr);
  const fresh = { records, outcome: reader.end(exit) };
  read.set(name, fresh);
  return fresh;
}

async function judged(rule: string, name: string): Promise<RunOutcome> {
  const { records, outcome } = recorded(name);
  const expectations = new Expectations([parseRule(rule)]);
  for (const record of records) expectations.record(record);
  return judgedBy(await expectations.judge(outcome, judges), outcome);
}

const [plain, shell, failing, denied] = ['plain', 'shell', 'failing-shell', 'denied'].map(
  (name) => `codex@0.166.0/${name}`,
) as [string, string, string, string];
const edits = 'opencode@1.18.33/multi-tool';
const retried = 'gemini@0.61.0/rate-limit-then-ok';

/** Each rule, a recording that it holds for, and one that it does not. */
const rules: readonly (readonly [rule: string, holds: string, fails: string])[] = [
  ['must call command_execution', shell, plain],
  ['must call COMMAND', shell, plain],
  ['must call file_*', edits, shell],
  ['must call {read,grep}', edits, shell],
  ['must not call bash', shell, edits],
  ['must not call command', plain, failing],
  ['must not call *', plain, edits],
  ['must run ls -1', shell, failing],
  ['must run git status', edits, shell],
  ['must run cat*git', edits, shell],
  ['must not run echo', edits, shell],
  ['must not run exit 3', shell, failing],
  ['must touch notes.txt', edits, shell],
  ['must touch *.txt', edits, plain],
  ['must not touch **', plain, edits],
  ['must not touch *.txt', shell, edits],
  ['at most 1 turn', plain, edits],
  ['at most 2 tools', shell, edits],
  ['at most 0 files', shell, edits],
  ['at most $0.01', edits, 'codex@0.166.0/plain'],
  ['at least 0.005 dollars', edits, plain],
  ['at most 2 seconds', edits, retried],
  ['at most 1m', retried, plain],
  ['at most 3000 tokens', plain, edits],
  ['at least 1 tool', shell, plain],
  ['answer contains BRAVO', edits, plain],
  ['answer does not contain status 3', shell, failing],
  ['answer matches /^hello!/i', plain, shell],
  ['answer does not match /\\bnot allowed\\b/', plain, denied],
  ['answer fits {"type":"string"}', 'codex@0.166.0/json', plain],
  ['after: test -f rules.test.ts', plain, denied],
  ['after: true', shell, denied],
  ['no secrets', plain, edits],
  ['no denials', plain, denied],
  ['no failed tools', shell, failing],
  ['no warnings', plain, retried],
  ['no retries', plain, retried],
  ['ends success', plain, denied],
  ['ends permission or tool', denied, plain],
];

// No recorded agent answered with JSON alone.
read.set('codex@0.166.0/json', { ...recorded(plain), outcome: { ...recorded(plain).outcome, message: '"yes"' } });

describe('rules', () => {
  it.each(rules)('%s', async (rule, holds, fails) => {
    const [good, bad] = await Promise.all([judged(rule, holds), judged(rule, fails)]);
    expect([good, bad].map(({ expectations }) => expectations?.map(({ passed }) => passed))).toEqual([[true], [false]]);
    expect(checkCode(bad)).toBe(
      recorded(fails).outcome.verdict.class === 'success' || rule.startsWith('ends ') ? 9 : 7,
    );
    expect(checkCode(good)).toBe(0);
  });

  it('are the same in words and as data', () => {
    for (const [rule] of rules) expect(parseRule(wordsOf(parseRule(rule)))).toEqual(parseRule(rule));
    expect(parseRules(JSON.stringify([{ rule: 'call', tool: 'bash', not: true }, 'no secrets']))).toEqual(
      parseRules('# remark\n\nmust not call bash\nno secrets\n'),
    );
  });

  it.each([
    'must dance',
    'at most many turns',
    'answer matches /(/',
    'ends well',
    'no fun',
    'after:',
    'at most $1 turns',
    '[{"rule":"x"}]',
    '[1',
    '',
  ])('are refused: %s', (text) =>
    expect(() => (text.startsWith('[') ? parseRules(text) : parseRule(text))).toThrow(
      /rule|JSON|answer matches|runwire schema/,
    ),
  );

  it('end an expression that would never end', async () => {
    const { records, outcome } = recorded(plain);
    const expectations = new Expectations([parseRule('answer matches /^(a+)+$/')]);
    for (const record of records) expectations.record(record);
    const [told] = await expectations.judge({ ...outcome, message: `${'a'.repeat(60)}!` }, judges);
    expect(told).toMatchObject({ passed: false, detail: 'it takes longer than 0.5 s' });
  });

  it('make a success a failure with its evidence, and leave other failures as they are', async () => {
    const { verdict, status } = await judged('must run npm test', shell);
    expect({ status, ...verdict }).toEqual({
      status: 'error',
      class: 'expectation',
      exit_code: 9,
      code: 'expectation',
      evidence: [
        { signal: 'verdict', detail: '1 of 1 expectations not met: must run npm test' },
        { signal: 'claim', detail: expect.any(String) as string },
        { signal: 'process', detail: 'exit code 0' },
        { signal: 'expectation', detail: 'must run npm test: it did not' },
      ],
    });
    expect((await judged('must run npm test', denied)).verdict.class).toBe('permission');
  });
});

it.each([
  ['rm -rf', '/bin/bash -lc "cd x && rm  -rf y"', true],
  ['rm -rf', 'charm -rf', false],
  ['npm test', 'npm test:unit', true],
  ['npm test', 'npm tests', false],
  ['git*--force', 'git push origin --force', true],
  ['git*--force', 'git push --force-with-lease', false],
])('%s in %s: %s', (pattern, command, is) => expect(holdsWords(pattern)(command)).toBe(is));

it.each([
  ['test/', '/w/test/a/b.ts', '/w', true],
  ['src/**', '/w/src/../test/a.ts', '/w', false],
  ['test/**', '/w/src/../test/a.ts', '/w', true],
  ['src/**', '/elsewhere/src/a.ts', '/w', false],
  ['src/**', '/anywhere/src/a.ts', '', true],
  ['/etc/**', '/etc/passwd', '/w', true],
  ['*.lock', 'a/b/yarn.lock', '/w', true],
])('%s has %s in %s: %s', (pattern, path, folder, is) => expect(matchesFile(pattern)(path, folder)).toBe(is));

it('compares a run with another', () => {
  const [one, other] = [recorded(edits).outcome, recorded('pi@0.73.1/multi-tool').outcome];
  expect(compareWith(one, one, 1).every(({ passed }) => passed)).toBe(true);
  expect(compareWith(one, other, 1).map(({ rule, passed }) => [rule, passed])).toEqual([
    ['ends as before', true],
    ['same tools as before', true],
    ['same files as before', true],
    ['at most 1 times the turns of before', true],
    ['at most 1 times the dollars of before', true],
  ]);
  expect(compareWith(other, one, 1.1).map(({ passed }) => passed)).toEqual([true, true, true, true, false]);
  expect(compareWith(one, recorded(shell).outcome, 10).map(({ passed }) => passed)).toEqual([
    true,
    false,
    false,
    true,
    false,
  ]);
});

it('has an interval that holds the rate', () => {
  expect(passRate(2, 3)).toMatchObject({
    rate: 2 / 3,
    low: expect.closeTo(0.2077, 3) as number,
    high: expect.closeTo(0.9385, 3) as number,
  });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1000 }), fc.double({ min: 0, max: 1, noNaN: true }), (runs, share) => {
      const { low, rate, high } = passRate(Math.round(runs * share), runs);
      expect(0 <= low && low <= rate && rate <= high && high <= 1).toBe(true);
    }),
  );
});
