import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ledgerOutcome } from '../../src/stores/ledger-outcome.ts';
import { gitLabels, labelsFromEnvironment } from '../../src/stores/labels.ts';
import { parseLabels } from '../../src/contract/labels.ts';
import { ledgerPlace } from '../../src/stores/open-store.ts';
import { openTapes } from '../../src/stores/open-tapes.ts';
import { termsOf, wordsOf } from '../../src/stores/words.ts';
import { outcomeWith } from './support/runs.ts';

describe('words', () => {
  it.each([
    ['Fix the Parser, please: src/parser.ts!', ['fix', 'the', 'parser', 'please', 'src', 'ts']],
    ['Größe ÉTÉ naïve', ['größe', 'été', 'naïve']],
    ['日本語 test', ['日', '本', '語', 'test']],
    ['', []],
    ['\0\u2028 -- "*" \ud800', []],
    ['x'.repeat(100), ['x'.repeat(64)]],
  ])('of %j', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it('of a query may be beginnings', () => {
    expect(termsOf('Fix pars* a.b*')).toEqual([
      { word: 'fix', prefix: false },
      { word: 'pars', prefix: true },
      { word: 'a', prefix: false },
      { word: 'b', prefix: true },
    ]);
  });

  it('of a huge text have an end', () => {
    const text = Array.from({ length: 200_000 }, (_, index) => `word${index}`).join(' ');
    expect(wordsOf(text).join('').length).toBeLessThanOrEqual(512 * 1024);
  });
});

describe('labels', () => {
  it.each([
    ['team=x', ['team', 'x']],
    ['a.b/c-d_e = two words=3 ', ['a.b/c-d_e', 'two words=3']],
    ['empty=', ['empty', '']],
  ])('%s', (text, label) => expect(Object.entries(parseLabels([text]))).toEqual([label]));
  it('has one value: the same twice is one label, two values are none', () => {
    expect(parseLabels(['team=a', 'team= a'])).toEqual({ team: 'a' });
    expect(() => parseLabels(['team=a', 'job=x', 'team=b'])).toThrow(
      /^--label team is given twice, as "a" and "b": a label has one value$/,
    );
  });
  it.each(['team', '=x', 'a b=c', ''])('"%s" is none', (text) =>
    expect(() => parseLabels([text])).toThrow(/expected key=value/),
  );

  it.each([
    ['no service', { CI: 'true', GIT_COMMIT: 'abc' }, {}],
    [
      'GitHub Actions',
      {
        GITHUB_ACTIONS: 'true',
        GITHUB_JOB: 'test',
        GITHUB_SERVER_URL: 'https://github.com',
        GITHUB_REPOSITORY: 'o/r',
        GITHUB_RUN_ID: '7',
        GITHUB_HEAD_REF: '',
        GITHUB_REF_NAME: 'main',
        GITHUB_SHA: 'abc',
      },
      {
        ci: 'github',
        'ci.job': 'test',
        'ci.url': 'https://github.com/o/r/actions/runs/7',
        'git.repo': 'o/r',
        'git.branch': 'main',
        'git.commit': 'abc',
      },
    ],
    [
      'GitLab',
      {
        GITLAB_CI: 'true',
        CI_JOB_NAME: 'unit',
        CI_JOB_URL: 'https://gitlab/j/1',
        CI_PROJECT_PATH: 'g/p',
        CI_COMMIT_REF_NAME: 'fix',
        CI_COMMIT_SHA: 'abc',
      },
      {
        ci: 'gitlab',
        'ci.job': 'unit',
        'ci.url': 'https://gitlab/j/1',
        'git.repo': 'g/p',
        'git.branch': 'fix',
        'git.commit': 'abc',
      },
    ],
    [
      'Jenkins',
      {
        JENKINS_URL: 'http://j/',
        JOB_NAME: 'nightly',
        BUILD_URL: 'http://j/1',
        GIT_URL: 'https://user:token@host/r.git',
        GIT_BRANCH: 'origin/main',
      },
      {
        ci: 'jenkins',
        'ci.job': 'nightly',
        'ci.url': 'http://j/1',
        'git.repo': 'https://host/r.git',
        'git.branch': 'origin/main',
      },
    ],
    [
      'Buildkite',
      {
        BUILDKITE: 'true',
        BUILDKITE_LABEL: 'unit',
        BUILDKITE_BUILD_URL: 'u',
        BUILDKITE_REPO: 'git@host:o/r.git',
        BUILDKITE_BRANCH: 'b',
        BUILDKITE_COMMIT: 'c',
      },
      {
        ci: 'buildkite',
        'ci.job': 'unit',
        'ci.url': 'u',
        'git.repo': 'host:o/r.git',
        'git.branch': 'b',
        'git.commit': 'c',
      },
    ],
    [
      'CircleCI',
      { CIRCLECI: 'true', CIRCLE_JOB: 'unit', CIRCLE_BRANCH: 'b' },
      { ci: 'circleci', 'ci.job': 'unit', 'git.branch': 'b' },
    ],
    [
      'Azure Pipelines',
      {
        TF_BUILD: 'True',
        BUILD_DEFINITIONNAME: 'd',
        BUILD_REPOSITORY_NAME: 'r',
        BUILD_SOURCEBRANCH: 'refs/heads/main',
      },
      { ci: 'azure', 'ci.job': 'd', 'git.repo': 'r', 'git.branch': 'main' },
    ],
  ])('of %s', (_name, env, labels) => expect(labelsFromEnvironment(env)).toEqual(labels));

  it('of a repository', () => expect(gitLabels({ repo: 'r', branch: '' })).toEqual({ 'git.repo': 'r' }));
});

describe('the place of the ledger', () => {
  const home = { HOME: '/home/u' };
  it.each([
    ['by default', undefined, home, { kind: 'sqlite', path: '/home/u/.local/state/runwire/ledger.db' }],
    [
      'in the state folder',
      undefined,
      { ...home, XDG_STATE_HOME: '/state' },
      { kind: 'sqlite', path: '/state/runwire/ledger.db' },
    ],
    [
      'not in a relative one',
      undefined,
      { ...home, XDG_STATE_HOME: 'state' },
      { kind: 'sqlite', path: '/home/u/.local/state/runwire/ledger.db' },
    ],
    [
      'from the environment',
      undefined,
      { RUNWIRE_LEDGER: 'postgres://h/d' },
      { kind: 'postgres', url: 'postgres://h/d' },
    ],
    ['from the flag', 'my.db', { RUNWIRE_LEDGER: 'postgres://h/d' }, { kind: 'sqlite', path: '/repo/my.db' }],
    ['nowhere', 'none', home, { kind: 'none' }],
  ])('%s', (_name, flag, env, place) => expect(ledgerPlace(flag, env, '/repo')).toEqual(place));

  it('is not anywhere else', () => {
    expect(() => ledgerPlace('mysql://h/d', {}, '/')).toThrow(/cannot be at mysql:\/\//);
    expect(() => ledgerPlace('', {}, '/')).toThrow(/has no name/);
  });

  it('has the tapes beside it', () => {
    const chunks = () => Promise.reject(new Error('not asked'));
    const files = { place: { kind: 'files' }, chunks } as const;
    expect(openTapes({ kind: 'sqlite', path: '/a/b.db' }, {}, files).name).toBe(join('/a', 'tapes'));
    expect(openTapes({ kind: 'postgres', url: 'postgres://h/d' }, home, files).name).toBe(
      join('/home/u/.local/state/runwire', 'tapes'),
    );
  });
});

it('keeps an outcome short, and the same when it is kept again', () => {
  const long = ledgerOutcome(
    outcomeWith({
      message: 'y'.repeat(2_000_000),
      tool_calls: Array.from({ length: 5000 }, (_, index) => ({
        name: `t${index}`,
        inputs: 'secret',
        outputs: 'secret',
        status: 'completed' as const,
      })),
      warnings: Array.from({ length: 1001 }, String),
      session_id: 'z'.repeat(100_000),
      artifacts: [{ path: 'z'.repeat(100_000), operation: 'created', type: 'file' }],
      error_details: { type: 'z'.repeat(100_000), message: 'z'.repeat(100_000) },
    }),
  );
  expect(long.omitted).toEqual({ tool_calls: 4000, warnings: 1 });
  expect(long.tool_calls.map(({ name }) => name).filter((_, index) => index === 499 || index === 500)).toEqual([
    't499',
    't4500',
  ]);
  expect(JSON.stringify(long).length).toBeLessThan(400_000);
  expect(JSON.stringify(long)).not.toContain('secret');
  expect(ledgerOutcome(long)).toEqual(long);
});
