/** The names of the tests that failed, as the common runners print them. Empty: it prints none, or nothing failed. */
const shapes: readonly RegExp[] = [
  // pytest: FAILED tests/test_a.py::test_b - AssertionError; ERROR tests/test_a.py
  /^(?:FAILED|ERROR) ([\w./\\-]+\.py(?:::[^\s[]+)?)/,
  // unittest: FAIL: test_a (tests.test_b.Case.test_a)
  /^(?:FAIL|ERROR): ([\w.]+) \(/,
  // TAP, with node:test's own reporter
  /^\s{0,16}not ok \d+ (?:- )?([^#]+)/,
  /^\s{0,16}✖ (.+?) \(\d/,
  // vitest: FAIL  test/a.test.ts > suite > name; jest: ● suite › name
  /^\s{0,4}(?:FAIL|×) {1,3}(\S+ > .+)$/,
  /^\s{0,4}● (\S.*)$/,
  // go test, cargo test, ctest
  /^\s{0,16}--- FAIL: (\S+)/,
  /^test (\S+) \.\.\. FAILED/,
  // mocha and rspec: 1) suite name:
  /^\s{1,8}\d+\) (.+)$/,
  /^rspec (\S+)/,
];
const mostLine = 500;
const mostNames = 1000;
const summaries = /^(?:failing tests|snapshots? |failed tests|fail \d|todo |cancelled )/i;

export function failingTests(output: string): string[] {
  const names = new Set<string>();
  for (const line of output.split('\n')) {
    if (names.size >= mostNames || line.length > mostLine) continue;
    const bare = line.replaceAll(ansi, '').trimEnd();
    const name = shapes.map((shape) => shape.exec(bare)?.[1]?.trim()).find((each) => each !== undefined && each !== '');
    if (name !== undefined && !summaries.test(name)) names.add(name);
  }
  return [...names];
}

// eslint-disable-next-line no-control-regex -- colours begin with a control character
const ansi = /\u001b\[[\d;]*m/g;
