import { join, normalize } from 'node:path';
import { matchesPath } from '../files/path-pattern.ts';
import type { Change } from '../workspace/changes.ts';

/** Facts that put a verification in context: a test that was deleted cannot fail. */
export interface Facts {
  tests_changed: string[];
  tests_deleted: string[];
  protected_touched: string[];
  /** Files that define what the verify command does. */
  verify_touched: string[];
}

const testFolders = new Set(['test', 'tests', '__tests__', 'spec', 'specs', 'e2e']);
const testNames = [
  /(?:^|[._-])(?:test|tests|spec)\.[^.]+$/i,
  /^test_.*\.py$/,
  /_test\.[^.]+$/,
  /(?:Test|Tests|Spec)\.(?:java|kt|cs|swift|scala|php)$/,
];

/** Whether a file holds tests, by its name or its folder. */
export function isTest(path: string): boolean {
  const parts = path.split('/');
  const name = parts.at(-1) ?? '';
  return (
    parts.slice(0, -1).some((folder) => testFolders.has(folder)) || testNames.some((pattern) => pattern.test(name))
  );
}

/** The files that tell programs in a verify command what to do. */
const filesOf = new Map<string, readonly string[]>([
  ...['npm', 'npx', 'pnpm', 'yarn', 'bun'].map((name) => [name, ['package.json']] as const),
  ...['make', 'gmake'].map((name) => [name, ['Makefile', 'makefile', 'GNUmakefile']] as const),
  ...['pytest', 'tox'].map(
    (name) => [name, ['pyproject.toml', 'pytest.ini', 'tox.ini', 'setup.cfg', 'conftest.py']] as const,
  ),
  ['just', ['justfile']],
  ['cargo', ['Cargo.toml']],
  ['mvn', ['pom.xml']],
  ['rake', ['Rakefile']],
  ['deno', ['deno.json']],
  ['composer', ['composer.json']],
]);

interface FactsAsk {
  protect: readonly string[];
  verify?: string | undefined;
  /** Where the work is done: paths given by the user may be relative to it or to the top. */
  repository?: { below: string };
}

export function factsOf(
  changes: readonly Change[],
  { protect, verify = '', repository: { below } = { below: '' } }: FactsAsk,
): Facts {
  const words = verify.split(/[\s;&|()'"=]/).filter((word) => word !== '');
  const named = words.flatMap((word) => [word, ...(filesOf.get(word) ?? [])]);
  const ofVerify = new Set(named.flatMap((name) => [normalize(name), join(below, name)]));
  const matchers = protect.flatMap((pattern) => [matchesPath(pattern), matchesPath(join(below, pattern))]);
  const paths = (list: readonly Change[]): string[] => list.map(({ path }) => path);
  const tests = changes.filter(({ path }) => isTest(path));
  return {
    tests_changed: paths(tests.filter(({ operation }) => operation === 'modified')),
    tests_deleted: paths(tests.filter(({ operation }) => operation === 'deleted')),
    protected_touched: paths(changes.filter(({ path }) => matchers.some((matches) => matches(path)))),
    verify_touched: paths(changes.filter(({ path }) => ofVerify.has(path))),
  };
}

/** The same in one sentence; empty: there is nothing to say. */
export function wordsOfFacts({ tests_changed, tests_deleted, protected_touched, verify_touched }: Facts): string {
  const say = (what: string, paths: readonly string[]): string[] =>
    paths.length === 0 ? [] : [`${what}: ${some(paths)}`];
  return [
    ...say('tests deleted', tests_deleted),
    ...say('tests changed', tests_changed),
    ...say('protected files touched', protected_touched),
    ...say('files of the verify command touched', verify_touched),
  ].join('; ');
}

function some(paths: readonly string[]): string {
  return paths.length <= 5 ? paths.join(', ') : `${paths.slice(0, 5).join(', ')} and ${paths.length - 5} more`;
}
