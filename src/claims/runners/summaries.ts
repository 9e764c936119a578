import { Sum, type SummaryReader, type Tally } from './tally.ts';

/** The number before a word: `3 failed` in `1 passed, 3 failed`. */
function before(line: string, word: string): string | undefined {
  return new RegExp(String.raw`(?:^|[^\d.])(\d+) (?:tests? )?${word}\b`).exec(line)?.[1];
}
/** The number after a word: `Failures: 3`. */
function after(line: string, word: string): string | undefined {
  return new RegExp(String.raw`\b${word}[:=]? {0,8}(\d+)`, 'i').exec(line)?.[1];
}

/** The counts `12 passed, 1 failed` in whatever order. */
function counts(line: string, sum: Sum, mode: 'add' | 'put' = 'put'): void {
  const failed = before(line, 'failed');
  const errors = before(line, 'errors?');
  sum[mode]('passed', before(line, 'passed') ?? (failed === undefined && errors === undefined ? undefined : 0));
  sum[mode]('failed', failed === undefined && errors === undefined ? 0 : Number(failed ?? 0) + Number(errors ?? 0));
  sum[mode]('skipped', before(line, 'skipped') ?? before(line, 'ignored') ?? before(line, 'pending'));
}

/** The readers of the common runners. Adding one is adding an entry. */
const readers: readonly SummaryReader[] = [
  {
    tool: 'pytest',
    hint: /\d (?:passed|failed|errors?|skipped|xfailed|deselected|warnings?)[^|]{0,120} in \d|no tests ran/,
    read(line, sum) {
      if (/no tests ran/.test(line)) {
        sum.put('passed', 0);
        sum.isPass = false;
      } else if (!/^[=\s]{0,80}(?:\d+ [a-z]+,? ?){1,8}(?:\([^)]*\) )?in [\d.]+/.test(line)) return;
      else counts(line, sum);
      sum.excludesFailures = true;
      sum.saw(line.replaceAll('=', ''));
    },
  },
  {
    tool: 'unittest',
    hint: /^(?:Ran \d+ tests? in|OK\b|FAILED \(|NO TESTS RAN)/,
    read(line, sum) {
      const ran = /^Ran (\d+) tests?/.exec(line)?.[1];
      if (ran !== undefined) {
        sum.put('total', ran);
        sum.saw(line);
      } else if (/^OK(?:$|\s*\((?!\d))/.test(line)) {
        sum.isPass = true;
        sum.put('failed', 0);
        sum.put('skipped', after(line, 'skipped'));
        if (sum.line === '') sum.saw(line);
      } else if (line.startsWith('FAILED (')) {
        sum.isPass = false;
        sum.put('failed', Number(after(line, 'failures') ?? 0) + Number(after(line, 'errors') ?? 0));
        sum.put('skipped', after(line, 'skipped'));
        sum.saw(line);
      }
    },
  },
  {
    tool: 'jest',
    hint: /^\s{0,4}Test(?:s|\sSuites):\s/,
    read(line, sum) {
      if (/^\s{0,4}Test Suites:/.test(line)) {
        sum.put('suites', before(line, 'total') ?? before(line, 'passed'));
        sum.put('suitesFailed', before(line, 'failed'));
        if ((sum.suitesFailed ?? 0) > 0) sum.isPass = false;
        if (sum.line === '') sum.saw(line);
        return;
      }
      if (!/\d+ (?:passed|failed|total|skipped|todo)/.test(line)) return;
      counts(line, sum);
      sum.put('total', before(line, 'total'));
      sum.put('passed', before(line, 'passed') ?? 0);
      sum.excludesFailures = true;
      sum.saw(line);
    },
  },
  {
    tool: 'vitest',
    hint: /^\s{0,12}Test(?:s|\sFiles) {1,4}(?:\d|no tests)/,
    read(line, sum) {
      if (/^\s{0,12}Test Files/.test(line)) {
        sum.put('suites', /\((\d+)\)/.exec(line)?.[1]);
        sum.put('suitesFailed', before(line, 'failed'));
        if ((sum.suitesFailed ?? 0) > 0) sum.isPass = false;
        if (sum.line === '') sum.saw(line);
        return;
      }
      counts(line, sum);
      sum.put('total', /\((\d+)\)/.exec(line)?.[1]);
      sum.excludesFailures = true;
      sum.saw(line);
    },
  },
  {
    tool: 'mocha',
    hint: /^\s{0,8}[✓✔✖x]?\s{0,2}\d+ (?:passing|failing|pending)\b/,
    read(line, sum) {
      sum.put('passed', before(line, 'passing'));
      sum.put('failed', before(line, 'failing'));
      sum.put('skipped', before(line, 'pending'));
      sum.saw(line);
    },
  },
  {
    tool: 'node:test',
    hint: /^[ℹ#] (?:tests|pass|fail|skipped|cancelled|todo) \d+\s*$/,
    read(line, sum) {
      const [, word, number] = /^[ℹ#] (\w+) (\d+)/.exec(line) ?? [];
      if (word === 'tests') sum.put('total', number);
      else if (word === 'pass') sum.put('passed', number);
      else if (word === 'fail') sum.put('failed', number);
      else if (word === 'skipped' || word === 'todo') sum.add('skipped', number);
      else if (word === 'cancelled' && number !== '0') sum.isPass = false;
      if (word === 'fail' || sum.line === '') sum.saw(line);
      if (word === 'fail') sum.excludesFailures = true;
    },
  },
  {
    tool: 'go',
    hint: /^(?:ok {1,4}\t?\S|FAIL\b|PASS$|--- (?:PASS|FAIL|SKIP):|\s+--- (?:FAIL):|panic:|DONE \d|\?\s+\S+\s+\[no test)/,
    read(line, sum) {
      if (/^(?:FAIL\b|\s*--- FAIL:|panic:)/.test(line)) {
        sum.isPass = false;
        if (line.startsWith('--- FAIL:')) sum.add('failed', 1);
      } else if (/^(?:ok\s|PASS$)/.test(line)) sum.says(true);
      else if (line.startsWith('--- PASS:')) sum.add('passed', 1);
      else if (line.startsWith('--- SKIP:')) sum.add('skipped', 1);
      else if (line.startsWith('DONE ')) {
        sum.put('total', /^DONE (\d+)/.exec(line)?.[1]);
        sum.put('failed', before(line, 'failures?') ?? 0);
        sum.passed = undefined;
      } else return;
      if (/^(?:ok\s|FAIL|\s*--- FAIL|DONE|panic)/.test(line) || sum.line === '') sum.saw(line);
    },
  },
  {
    tool: 'cargo',
    hint: /^(?:test result:|\s{0,8}Summary \[|error: test failed|error: could not compile|test \S+ \.\.\. FAILED)/,
    read(line, sum) {
      if (line.startsWith('test result:')) {
        counts(line.replaceAll(';', ','), sum, 'add');
        sum.says(line.startsWith('test result: ok'));
        sum.excludesFailures = true;
        sum.saw(line);
      } else if (/Summary \[/.test(line)) {
        counts(line, sum, 'put');
        sum.excludesFailures = true;
        sum.saw(line);
      } else {
        sum.isPass = false;
        if (sum.line === '') sum.saw(line);
      }
    },
  },
  {
    tool: 'maven',
    hint: /Tests run: \d+/,
    read(line, sum) {
      if (
        /Time elapsed|\bin \S+$/.test(line) &&
        !/^(?:\[\w+\] )?Tests run: \d+, Failures: \d+, Errors: \d+, Skipped: \d+\s*$/.test(line)
      )
        return;
      sum.put('total', after(line, 'Tests run'));
      sum.put('failed', Number(after(line, 'Failures') ?? 0) + Number(after(line, 'Errors') ?? 0));
      sum.put('skipped', after(line, 'Skipped'));
      sum.excludesFailures = true;
      sum.saw(line);
    },
  },
  {
    tool: 'gradle',
    hint: /^(?:\d+ tests? completed|> Task \S+(?:[tT]est|check)\S* FAILED|There were failing tests)/,
    read(line, sum) {
      if (/tests? completed/.test(line)) {
        sum.put('total', /^(\d+)/.exec(line)?.[1]);
        sum.put('failed', before(line, 'failed') ?? 0);
        sum.put('skipped', before(line, 'skipped'));
      } else sum.isPass = false;
      sum.saw(line);
    },
  },
  {
    tool: 'rspec',
    hint: /^\d+ (?:examples?|runs|tests|doctests?|properties|properties,)\b[^|]{0,80}\d+ (?:failures?|errors)/,
    read(line, sum) {
      const total = /(?:^|, )(\d+) (?:examples?|runs|tests?)\b/.exec(line)?.[1];
      const doctests = /(\d+) doctests?/.exec(line)?.[1];
      sum.put(
        'total',
        total === undefined && doctests === undefined ? undefined : Number(total ?? 0) + Number(doctests ?? 0),
      );
      sum.put('failed', Number(before(line, 'failures?') ?? 0) + Number(before(line, 'errors?') ?? 0));
      sum.put(
        'skipped',
        before(line, 'pending') ?? before(line, 'skips?') ?? before(line, 'skipped') ?? before(line, 'excluded'),
      );
      sum.excludesFailures = true;
      sum.saw(line);
    },
  },
  {
    tool: 'phpunit',
    hint: /^(?:OK \(\d+ tests?,|OK, but|Tests: {1,4}\d+, Assertions|FAILURES!|ERRORS!|\s{0,4}Tests: {1,8}\d+ (?:passed|failed))/,
    read(line, sum) {
      if (line.startsWith('OK (')) {
        sum.put('total', /\((\d+) tests?/.exec(line)?.[1]);
        sum.put('failed', 0);
        sum.isPass = true;
      } else if (line.startsWith('OK, but')) sum.isPass = true;
      else if (/^(?:FAILURES|ERRORS)!/.test(line)) sum.isPass = false;
      else if (/Assertions/.test(line)) {
        sum.put('total', after(line, 'Tests'));
        sum.put('failed', Number(after(line, 'Failures') ?? 0) + Number(after(line, 'Errors') ?? 0));
        sum.put('skipped', Number(after(line, 'Skipped') ?? 0) + Number(after(line, 'Incomplete') ?? 0));
      } else counts(line, sum);
      if (/\d/.test(line)) sum.excludesFailures = true;
      if (/\d/.test(line) || sum.line === '') sum.saw(line);
    },
  },
  {
    tool: 'dotnet',
    hint: /^\s{0,4}(?:Passed! {1,4}-|Failed! {1,4}-|Total tests:|Test summary:|Test Run (?:Successful|Failed)|Passed: \d|Failed: \d|Skipped: \d)/,
    read(line, sum) {
      if (/^\s*(?:Passed|Failed)! /.test(line)) {
        sum.add('failed', after(line, 'Failed'));
        sum.add('passed', after(line, 'Passed'));
        sum.add('skipped', after(line, 'Skipped'));
        sum.says(/^\s*Passed!/.test(line));
      } else if (/Test summary:/.test(line)) {
        sum.put('total', after(line, 'total'));
        sum.put('failed', after(line, 'failed'));
        sum.put('passed', after(line, 'succeeded'));
        sum.put('skipped', after(line, 'skipped'));
      } else if (/Test Run/.test(line)) sum.isPass = /Successful/.test(line);
      else {
        sum.put('total', after(line, 'Total tests'));
        sum.put('passed', after(line, 'Passed'));
        sum.put('failed', after(line, 'Failed'));
        sum.put('skipped', after(line, 'Skipped'));
      }
      sum.excludesFailures = true;
      sum.saw(line);
    },
  },
  {
    tool: 'swift',
    hint: /^\s{0,8}(?:Executed \d+ tests?,|.{0,3}\s?Test run with \d+ tests?|\*\* TEST (?:SUCCEEDED|FAILED))/,
    read(line, sum) {
      if (/Executed/.test(line)) {
        sum.put('total', /Executed (\d+)/.exec(line)?.[1]);
        sum.put('failed', /(\d+) failures?/.exec(line)?.[1]);
        sum.put('skipped', /(\d+) tests? skipped/.exec(line)?.[1]);
      } else if (/Test run/.test(line)) {
        const total = Number(/with (\d+) tests?/.exec(line)?.[1]);
        if (total === 0 && sum.line !== '') return;
        sum.put('total', total);
        sum.isPass = / passed /.test(line);
      } else sum.isPass = /SUCCEEDED/.test(line);
      sum.excludesFailures = true;
      sum.saw(line);
    },
  },
  {
    tool: 'ctest',
    hint: /^\d+% tests passed/,
    read(line, sum) {
      sum.put('failed', /(\d+) tests? failed/.exec(line)?.[1]);
      sum.put('total', /out of (\d+)/.exec(line)?.[1]);
      sum.excludesFailures = true;
      sum.saw(line);
    },
  },
  {
    tool: 'meson',
    hint: /^(?:Ok|Fail|Skipped|Expected Fail|Timeout|Unexpected Pass): {1,16}\d+\s*$/,
    read(line, sum) {
      if (line.startsWith('Ok')) sum.put('passed', after(line, 'Ok'));
      else if (line.startsWith('Skipped')) sum.put('skipped', after(line, 'Skipped'));
      else if (/^(?:Fail|Timeout)/.test(line)) sum.add('failed', /(\d+)/.exec(line)?.[1]);
      if (line.startsWith('Ok') || line.startsWith('Fail')) sum.saw(line);
    },
  },
  {
    tool: 'bun',
    hint: /^\s{0,4}\d+ (?:pass|fail|skip|todo)\s*$/,
    read(line, sum) {
      sum.put('passed', before(line, 'pass'));
      sum.put('failed', before(line, 'fail'));
      sum.put('skipped', before(line, 'skip'));
      sum.saw(line);
    },
  },
  {
    tool: 'deno',
    hint: /^(?:ok|FAILED) \| \d+ passed/,
    read(line, sum) {
      counts(line.replaceAll('|', ','), sum);
      sum.isPass = line.startsWith('ok');
      sum.excludesFailures = true;
      sum.saw(line);
    },
  },
  {
    tool: 'eunit',
    hint: /^\s{0,4}(?:All \d+ tests? passed|Failed: \d+\.)/,
    read(line, sum) {
      if (/All/.test(line)) sum.put('passed', /(\d+)/.exec(line)?.[1]);
      else {
        sum.put('failed', after(line, 'Failed'));
        sum.put('skipped', after(line, 'Skipped'));
        sum.put('passed', after(line, 'Passed'));
      }
      sum.put('failed', sum.failed ?? 0);
      sum.excludesFailures = true;
      sum.saw(line);
    },
  },
  {
    tool: 'dart',
    hint: /^\d\d:\d\d \+\d+/,
    read(line, sum) {
      if (!/All tests passed!|Some tests failed\./.test(line)) return;
      sum.put('passed', /\+(\d+)/.exec(line)?.[1]);
      sum.put('skipped', /~(\d+)/.exec(line)?.[1]);
      sum.put('failed', / -(\d+)/.exec(line)?.[1] ?? 0);
      sum.excludesFailures = true;
      sum.saw(line);
    },
  },
  {
    tool: 'tap',
    hint: /^(?:not )?ok \d+\b/,
    read(line, sum) {
      const isSkipped = /# (?:skip|todo)/i.test(line);
      if (isSkipped) sum.add('skipped', 1);
      else if (line.startsWith('ok')) sum.add('passed', 1);
      else sum.add('failed', 1);
      if (line.startsWith('not') || sum.line === '') sum.saw(line);
    },
  },
  {
    tool: 'prove',
    hint: /^(?:All tests successful|Result: (?:PASS|FAIL|NOTESTS)|Files=\d+, Tests=\d+|Failed \d+\/\d+ (?:subtests|test programs))/,
    read(line, sum) {
      if (line.startsWith('Files=')) sum.put('total', /Tests=(\d+)/.exec(line)?.[1]);
      else sum.says(/^All|PASS/.test(line));
      sum.excludesFailures = true;
      sum.saw(line);
    },
  },
  {
    tool: 'playwright',
    hint: /^\s{1,4}\d+ (?:passed|failed|skipped|flaky|did not run|interrupted)\b/,
    read(line, sum) {
      sum.put('passed', before(line, 'passed'));
      sum.put('failed', before(line, 'failed'));
      sum.put('skipped', before(line, 'skipped'));
      sum.saw(line);
    },
  },
  {
    tool: 'cucumber',
    hint: /^\d+ (?:scenarios?|features?) (?:\(|passed)/,
    read(line, sum) {
      if (/^\d+ feature/.test(line)) return;
      const inner = line.replaceAll(/[()]/g, ',');
      counts(inner, sum);
      sum.excludesFailures = true;
      sum.saw(line);
    },
  },
  {
    tool: 'busted',
    hint: /^\d+ success(?:es)? \/ \d+ failures?/,
    read(line, sum) {
      sum.put('passed', /^(\d+)/.exec(line)?.[1]);
      sum.put('failed', Number(before(line, 'failures?') ?? 0) + Number(before(line, 'errors?') ?? 0));
      sum.put('skipped', before(line, 'pending'));
      sum.excludesFailures = true;
      sum.saw(line);
    },
  },
  {
    tool: 'catch2',
    hint: /^(?:All tests passed \(|test cases: +\d+)/,
    read(line, sum) {
      if (line.startsWith('All')) {
        sum.put('passed', /in (\d+) test cases?/.exec(line)?.[1]);
        sum.put('failed', 0);
        sum.isPass = true;
      } else {
        sum.put('total', after(line, 'test cases'));
        sum.put('passed', before(line, 'passed') ?? 0);
        sum.put('failed', before(line, 'failed') ?? 0);
      }
      sum.excludesFailures = true;
      sum.saw(line);
    },
  },
  {
    tool: 'gtest',
    hint: /^\[ {2}(?:PASSED|FAILED|SKIPPED) {1,2}\]/,
    read(line, sum) {
      const count = /\] (\d+) tests?/.exec(line)?.[1];
      if (count === undefined) return;
      if (line.includes('PASSED')) sum.put('passed', count);
      else if (line.includes('FAILED')) sum.put('failed', count);
      else sum.put('skipped', count);
      sum.saw(line);
    },
  },
  {
    tool: 'testthat',
    hint: /^\[ FAIL \d+ \| WARN/,
    read(line, sum) {
      sum.put('passed', after(line, 'PASS'));
      sum.put('failed', after(line, 'FAIL'));
      sum.put('skipped', after(line, 'SKIP'));
      sum.excludesFailures = true;
      sum.saw(line);
    },
  },
  {
    tool: 'scalatest',
    hint: /(?:Tests: succeeded \d+|Passed: Total \d+|Failed: Total \d+)/,
    read(line, sum) {
      sum.put('passed', after(line, 'succeeded') ?? /Passed (\d+)/.exec(line)?.[1]);
      sum.put('failed', after(line, 'failed'));
      sum.put('skipped', after(line, 'ignored'));
      sum.excludesFailures = true;
      sum.saw(line);
    },
  },
  {
    tool: 'lein',
    hint: /^(?:Ran \d+ tests containing|\d+ failures, \d+ errors)/,
    read(line, sum) {
      if (line.startsWith('Ran')) sum.put('total', after(line, 'Ran'));
      else sum.put('failed', Number(before(line, 'failures') ?? 0) + Number(before(line, 'errors') ?? 0));
      sum.saw(line);
    },
  },
  {
    tool: 'julia',
    hint: /^Test Summary:.{0,200}\bTotal/,
    read(line, sum) {
      if (/\b(?:Fail|Error)\b/.test(line)) sum.isPass = false;
      else sum.says(true);
      sum.saw(line);
    },
  },
  {
    tool: 'tox',
    hint: /^\s{0,4}(?:congratulations :\)|evaluation failed :\()/,
    read(line, sum) {
      sum.isPass = /congratulations/.test(line);
      sum.excludesFailures = true;
      sum.saw(line);
    },
  },
];

/** What any runner may also say; asked only where no reader above knew a line. */
const plain: SummaryReader = {
  tool: '',
  hint: /\b(?:tests?|specs?|checks?|cases?|suites?|assertions?|passed|failed|ok)\b/i,
  read(line, sum) {
    const ratio =
      /(?:^|[^\d/.])(\d+) ?(?:\/|of) ?(\d+) (?:tests?|checks?|cases?|specs?)?\s?(?:passed|passing|ok|succeeded|successful)\b/i.exec(
        line,
      );
    const all =
      /\b(?:all )?(\d+) (?:tests?|checks?|cases?|specs?|assertions?)(?: have| were)? (?:passed|pass|ok|succeeded|successful)\b/i.exec(
        line,
      );
    const pair =
      /(?:^|[^\d.])(\d+) (?:passed|ok|succeeded|passing)\b[^\d\n]{1,12}(\d+) (?:failed|failures?|errors?|failing)\b/i.exec(
        line,
      );
    const failed = /(?:^|[^\d.])(\d+) (?:tests?|checks?|cases?|specs?)(?: have)? (?:failed|failing|fail)\b/i.exec(line);
    if (pair !== null) {
      sum.put('passed', pair[1]);
      sum.put('failed', pair[2]);
    } else if (ratio !== null) {
      sum.put('passed', ratio[1]);
      sum.put('total', ratio[2]);
      sum.put('failed', Number(ratio[2]) - Number(ratio[1]));
    } else if (failed !== null) sum.put('failed', failed[1]);
    else if (all !== null) {
      sum.put('passed', all[1]);
      if (/\ball\b/i.test(line)) sum.isPass = true;
    } else if (/^\W{0,4}(?:all tests (?:passed|pass|ok|successful)|all checks passed)\b/i.test(line)) sum.says(true);
    else return;
    sum.excludesFailures = sum.failed !== undefined || sum.isPass !== undefined;
    sum.saw(line);
  },
};

const mostLine = 2000;

/** The summaries of the runners in an output, one per runner. Colours are gone already. */
export function talliesIn(lines: readonly string[]): Tally[] {
  const sums = new Map<string, Sum>();
  const sumOf = (tool: string): Sum => {
    const known = sums.get(tool);
    if (known !== undefined) return known;
    const sum = new Sum();
    sums.set(tool, sum);
    return sum;
  };
  let isKnown = false;
  for (const line of lines) {
    if (line.length > mostLine) continue;
    for (const reader of readers)
      if (reader.hint.test(line)) {
        reader.read(line, sumOf(reader.tool));
        isKnown = true;
      }
  }
  const tallies = [...sums].map(([tool, sum]) => sum.tally(tool)).filter((each) => each !== undefined);
  if (isKnown && tallies.some(({ isPass, passed }) => isPass !== undefined || passed !== undefined))
    return distinct(tallies);
  for (const line of lines) if (line.length <= mostLine && plain.hint.test(line)) plain.read(line, sumOf(''));
  const general = sums.get('')?.tally('');
  return general === undefined ? tallies : [...tallies, general];
}

/** The same line may be read by two readers; the better known runner comes first. */
function distinct(tallies: Tally[]): Tally[] {
  const has = (tool: string): boolean => tallies.some((each) => each.tool === tool);
  return tallies.filter(
    ({ tool, line }, at) =>
      !tallies.slice(0, at).some((each) => each.line === line) &&
      !(tool === 'tap' && tallies.length > 1) &&
      !(tool === 'playwright' && (has('pytest') || has('vitest') || has('jest'))) &&
      !(tool === 'unittest' && (has('phpunit') || has('lein'))),
  );
}
