import { matchesPath } from '../path-pattern.ts';
import type { Change } from '../workspace/changes.ts';

/** What stands beside a verdict: a test that is gone cannot fail. */
export interface Facts {
  tests_changed: string[];
  tests_deleted: string[];
  protected_touched: string[];
  /** Files that the command which verifies is made of. */
  verify_touched: string[];
}

const testFolders = new Set(['test', 'tests', '__tests__', 'spec', 'specs', 'e2e']);
const testNames = [
  /(?:^|[._-])(?:test|tests|spec)\.[^.]+$/i,
  /^test_.*\.py$/,
  /_test\.[^.]+$/,
  /(?:Test|Tests|Spec)\.(?:java|kt|cs|swift|scala|php)$/,
];

function isTest(path: string): boolean {
  const parts = path.split('/');
  const name = parts.at(-1) ?? '';
  return parts.slice(0, -1).some((folder) => testFolders.has(folder)) || testNames.some((pattern) => pattern.test(name));
}

export function factsOf(
  changes: readonly Change[],
  { protect, verify = '' }: { protect: readonly string[]; verify?: string | undefined },
): Facts {
  const words = new Set(verify.split(/[\s;&|()'"=]/).map((word) => (word.startsWith('./') ? word.slice(2) : word)));
  const matchers = protect.map(matchesPath);
  const paths = (list: readonly Change[]): string[] => list.map(({ path }) => path);
  const tests = changes.filter(({ path }) => isTest(path));
  return {
    tests_changed: paths(tests.filter(({ operation }) => operation === 'modified')),
    tests_deleted: paths(tests.filter(({ operation }) => operation === 'deleted')),
    protected_touched: paths(changes.filter(({ path }) => matchers.some((matches) => matches(path)))),
    verify_touched: paths(changes.filter(({ path }) => words.has(path))),
  };
}

/** The same in one sentence; empty: there is nothing to say. */
export function wordsOfFacts({ tests_changed, tests_deleted, protected_touched, verify_touched }: Facts): string {
  const say = (what: string, paths: readonly string[]): string[] => (paths.length === 0 ? [] : [`${what}: ${some(paths)}`]);
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
