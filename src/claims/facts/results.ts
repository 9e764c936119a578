import { complaintsIn } from '../runners/complaints.ts';
import { talliesIn } from '../runners/summaries.ts';
import type { Tally } from '../runners/tally.ts';
import type { Check, Family } from './checks.ts';
import type { Exit, Started } from './exits.ts';

type Result = 'pass' | 'fail' | 'unknown';

/** What one run of a checker showed. */
export interface Shown {
  result: Result;
  /** What of the output says so. */
  line: string;
  tally?: Tally;
  errors?: number;
  warnings?: number;
}

/** How tools end, in words of their own: who of several in one output said it. */
const signatures: Record<string, { clean?: RegExp; dirty?: RegExp }> = {
  ruff: {
    clean: /^All checks passed!|files? already formatted|files? left unchanged/,
    dirty: /^Found \d+ errors?(?:\.| \()|^\[\*\] \d+|would be reformatted|^Would reformat/,
  },
  mypy: { clean: /Success: no issues found/, dirty: /^Found \d+ errors? in \d+ files?/ },
  flake8: { dirty: /^\S{1,300}:\d+:\d+: [A-Z]{1,3}\d{2,4} / },
  pylint: { clean: /rated at 10/, dirty: /^\S{1,300}:\d+:\d+: [CRWEF]\d{4}:/ },
  black: { clean: /would be left unchanged|left unchanged\.$/, dirty: /would be reformatted|^would reformat/ },
  isort: { dirty: /Imports are incorrectly sorted/ },
  eslint: {
    clean: /^\W{0,6}No ESLint warnings/,
    dirty: /\d+ problems? \(|too many warnings|^\s{2,8}\d+:\d+\s{1,8}error\s/,
  },
  oxlint: { clean: /^Found 0 warnings and 0 errors/, dirty: /^Found \d+ warnings? and [1-9]\d* errors?/ },
  biome: { clean: /No fixes (?:applied|needed)/, dirty: /^Found \d+ errors?/ },
  prettier: { clean: /All matched files use Prettier/, dirty: /Code style issues|^\[warn\]|^\[error\]/ },
  tsc: { clean: /^Found 0 errors/, dirty: /error TS\d+/ },
  'vue-tsc': { dirty: /error TS\d+/ },
  pyright: { clean: /^0 errors/, dirty: /^[1-9]\d* errors?,/ },
  basedpyright: { clean: /^0 errors/, dirty: /^[1-9]\d* errors?,/ },
  'svelte-check': { clean: /found 0 errors/, dirty: /found [1-9]\d* errors?/ },
  rubocop: { clean: /no offenses detected/, dirty: /\d+ offenses? detected/ },
  'cargo clippy': { dirty: /^error(?:\[|:)|^warning: / },
  'cargo fmt': { dirty: /^Diff in / },
  'go vet': { dirty: /^(?:# |vet: |\S{1,300}\.go:\d+:\d+: )/ },
  'golangci-lint': { clean: /^0 issues\./, dirty: /^[1-9]\d* issues:|^\S{1,300}\.go:\d+:\d+: .{0,300}\(\w+\)$/ },
  gofmt: { dirty: /^\S{1,300}\.go$/ },
  phpstan: { clean: /\[OK\] No errors/, dirty: /\[ERROR\] Found \d+/ },
  shellcheck: { dirty: /^In \S{1,300} line \d+:|SC\d{4}/ },
  'dart analyze': { clean: /^No issues found!/, dirty: /\d+ issues? found/ },
  'flutter analyze': { clean: /^No issues found!/, dirty: /\d+ issues? found/ },
  'mix credo': { clean: /found no issues/, dirty: /found \d+ / },
  stylelint: { dirty: /\d+ problems?/ },
  yamllint: { dirty: /^\s{2,6}\d+:\d+ {2,6}error/ },
  swiftlint: { clean: /Found 0 violations/, dirty: /Found [1-9]\d* violations?/ },
  'next build': { clean: /Compiled successfully/, dirty: /Failed to compile|Build error occurred/ },
  vite: { clean: /built in /, dirty: /Build failed|error during build/ },
};

/** The reader of summaries that a tool's output has. */
const readerOf: Record<string, string> = {
  pytest: 'pytest',
  unittest: 'unittest',
  jest: 'jest',
  vitest: 'vitest',
  mocha: 'mocha',
  'go test': 'go',
  'cargo test': 'cargo',
  'cargo nextest': 'cargo',
  rspec: 'rspec',
  phpunit: 'phpunit',
  'dotnet test': 'dotnet',
  'swift test': 'swift',
  ctest: 'ctest',
  'bun test': 'bun',
  'deno test': 'deno',
  'node --test': 'node:test',
  playwright: 'playwright',
  mvn: 'maven',
  gradle: 'gradle',
  'rebar3 eunit': 'rspec',
  'mix test': 'rspec',
  prove: 'prove',
  'dart test': 'dart',
  'flutter test': 'dart',
};

/** Lines in which only a part of the output can be seen. */
function isPicked(started: Started): boolean {
  return started.through.some(({ name }) => /^(?:grep|egrep|rg|head|sed|awk|ag|ack)$/.test(name));
}

interface Seen {
  started: Started;
  check: Check;
  exit: Exit;
  lines: readonly string[];
  /** Other programs of the call print into the same output. */
  isShared: boolean;
  isTimedOut: boolean;
  isCut: boolean;
  /** An output is there at all: not sent elsewhere. */
  isVisible: boolean;
}

export function shownFor(family: Family, seen: Seen): Shown {
  return family === 'tests' ? ofTests(seen) : ofCode(family, seen);
}

function ofTests({ started, check, exit, lines, isShared, isTimedOut, isVisible }: Seen): Shown {
  const all = isVisible ? talliesIn(lines) : [];
  const reader = Object.hasOwn(readerOf, check.tool) ? readerOf[check.tool] : undefined;
  const own = reader === undefined ? [] : all.filter(({ tool }) => tool === reader);
  const tallies = own.length > 0 ? own : isShared && reader !== undefined ? [] : all;
  const tally = merged(tallies);
  const line = tally?.line ?? '';
  const withTally = tally === undefined ? {} : { tally };
  if (tally?.isPass === false) return { result: 'fail', line, ...withTally };
  const ending =
    /^(?:gradle|mvn)$/.test(check.tool) && isVisible && !isShared
      ? lines.findLast((each) => /\bBUILD (?:SUCCESS|FAIL)/.test(each))
      : undefined;
  if (ending !== undefined && exit === 'unknown' && tally?.isPass === undefined)
    return { result: /\bBUILD SUCCESS/.test(ending) ? 'pass' : 'fail', line: ending.trim(), ...withTally };
  if (isTimedOut) return { result: 'unknown', line: 'timed out' };
  // A target that is no test (`npm run check`) may end well without one.
  if (exit === 'nonzero') return { result: 'fail', line, ...withTally };
  if (exit === 'zero') return { result: 'pass', line, ...withTally };
  if (tally?.isPass === true && (tally.excludesFailures || !isPicked(started)))
    return { result: 'pass', line, ...withTally };
  return { result: 'unknown', line, ...withTally };
}

/** One summary of several: the numbers of several runners of one command are added. */
function merged(tallies: readonly Tally[]): Tally | undefined {
  const [first, ...rest] = tallies;
  if (first === undefined || rest.length === 0) return first;
  const failing = tallies.find(({ isPass }) => isPass === false);
  const add = (name: 'passed' | 'failed' | 'skipped' | 'total'): number | undefined => {
    const known = tallies.map((each) => each[name]).filter((each) => each !== undefined);
    return known.length === 0 ? undefined : known.reduce((sum, each) => sum + each, 0);
  };
  const sums = Object.fromEntries(
    (['passed', 'failed', 'skipped', 'total'] as const)
      .map((name) => [name, add(name)] as const)
      .filter(([, value]) => value !== undefined),
  );
  const isPass = failing === undefined ? first.isPass : false;
  return {
    ...(failing ?? first),
    ...sums,
    ...(isPass === undefined ? {} : { isPass }),
    excludesFailures: tallies.every((each) => each.excludesFailures),
  };
}

function ofCode(family: Family, { started, check, exit, lines, isShared, isTimedOut, isVisible }: Seen): Shown {
  const seen = isVisible ? lines : [];
  const signature = Object.hasOwn(signatures, check.tool) ? signatures[check.tool] : undefined;
  const dirty =
    signature?.dirty === undefined
      ? undefined
      : seen.findLast((line) => line.length < 2000 && signature.dirty?.test(line));
  const clean =
    signature?.clean === undefined
      ? undefined
      : seen.findLast((line) => line.length < 2000 && signature.clean?.test(line));
  const general = complaintsIn(seen, family === 'build');
  const isClean = dirty !== undefined ? false : clean !== undefined ? true : isShared ? undefined : general.isClean;
  const line = (dirty ?? clean ?? (isShared ? '' : general.line)).trim();
  const numbers = {
    ...(general.errors === undefined || isShared ? {} : { errors: general.errors }),
    ...(general.warnings === undefined || isShared ? {} : { warnings: general.warnings }),
  };
  if (isTimedOut) return { result: 'unknown', line: 'timed out' };
  if (exit === 'nonzero') return { result: 'fail', line, ...numbers };
  if (exit === 'zero') {
    const isBad = dirty !== undefined && family !== 'build' && !(general.errors === 0) && !/warning/i.test(dirty);
    return { result: isBad && !check.isFixing ? 'fail' : 'pass', line, ...numbers };
  }
  if (isClean === false) return { result: 'fail', line, ...numbers };
  if (isClean === true && (!isPicked(started) || family === 'lint')) return { result: 'pass', line, ...numbers };
  return { result: 'unknown', line, ...numbers };
}
