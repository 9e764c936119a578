import { isTest } from '../orchestrate/facts.ts';
import { type Changes, changesBetween } from '../workspace/changes.ts';
import type { Git } from '../workspace/git.ts';
import type { OtherTests } from './lab.ts';
import { readTests, type TestCase } from './test-text.ts';

/** How the tests of a run's work differ from those of its base. */
export interface TestsChanged {
  /** Whether anything else was changed. */
  hasOtherChanges: boolean;
  /** The base's tests, for the new code. */
  before: OtherTests;
  /** The new tests, for the base's code; `modified`: without those in new files. */
  after: OtherTests;
  modified: OtherTests;
  /** Tests whose names are in no test file any more. */
  gone: string[];
  /** Tests that are skipped, and were not. */
  skipped: string[];
  /** New or changed tests that assert nothing that could be wrong. */
  cannotFail: string[];
  /** Whether a test is new. */
  hasNew: boolean;
}

const mostFiles = 200;
const mostBytes = 1024 * 1024;

/** Files that say which tests a runner takes; they go with the tests. */
const settings =
  /(?:^|\/)(?:conftest\.py|pytest\.ini|tox\.ini|\.mocharc\.\w+|(?:jest|vitest|karma|playwright|cypress)\.config\.\w+|\.rspec|phpunit\.xml(?:\.dist)?|\.nycrc)$/;

/** Undefined: no test was changed. */
export async function testsChanged(git: Git, base: string, commit: string): Promise<TestsChanged | undefined> {
  const { changes }: Changes = await changesBetween(git, base, commit);
  const tests = changes.filter(({ path }) => isTest(path) || settings.test(path));
  if (tests.length === 0 || tests.length > mostFiles) return undefined;
  const paths = (operation: (typeof tests)[number]['operation']): string[] =>
    tests.filter((each) => each.operation === operation).map(({ path }) => path);
  const [created, modified, deleted] = [paths('created'), paths('modified'), paths('deleted')];
  const [old, now] = await Promise.all([
    casesIn(git, base, [...modified, ...deleted]),
    casesIn(git, commit, [...modified, ...created]),
  ]);
  const changed = [...now.values()].filter((each) => old.get(each.name)?.body !== each.body);
  const names = (cases: readonly TestCase[]): string[] => cases.map(({ name }) => name);
  return {
    hasOtherChanges: changes.length > tests.length,
    before: { commit: base, brought: [...modified, ...deleted], removed: created },
    after: { commit, brought: [...modified, ...created], removed: deleted },
    modified: { commit, brought: modified, removed: deleted },
    gone: names([...old.values()].filter(({ name }) => !now.has(name))),
    skipped: names([...now.values()].filter(({ name, isSkipped }) => isSkipped && old.get(name)?.isSkipped === false)),
    cannotFail: names(
      changed.filter((each) => each.cannotFail && !each.isSkipped && old.get(each.name)?.cannotFail !== true),
    ),
    hasNew: changed.some(({ name }) => !old.has(name)),
  };
}

async function casesIn(git: Git, commit: string, paths: readonly string[]): Promise<Map<string, TestCase>> {
  const found = new Map<string, TestCase>();
  for (const path of paths) {
    const { code, stdout } = await git.ask(['cat-file', 'blob', `${commit}:${path}`]);
    if (code !== 0 || stdout.length > mostBytes) continue;
    for (const [name, each] of readTests(path, stdout.toString())?.tests ?? []) found.set(name, each);
  }
  return found;
}
