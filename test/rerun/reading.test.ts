import { describe, expect, it } from 'vitest';
import { parseRules } from '../../src/builtin/permissions/rules.ts';
import { rerunnableIn } from '../../src/rerun/command.ts';
import { failingTests } from '../../src/rerun/failing-tests.ts';
import { readTests } from '../../src/rerun/test-text.ts';
import { trialOf } from '../../src/rerun/trial.ts';

describe('the command to run again', () => {
  const rules = parseRules('full');
  const place = { root: '/home/ada/shop', below: '' };
  const read = (line: string, given = rules) => rerunnableIn(line, 'tests', place, given);

  it.each([
    ['npm test', 'npm test', ''],
    ["/bin/bash -lc 'npm test 2>&1 | tail -5'", 'npm test', ''],
    ['cd pkg && FOO="a b" npx vitest run', "FOO='a b' npx vitest run", 'pkg'],
    ['cd /home/ada/shop/api && npm test || true', 'npm test', 'api'],
    ['cd /home/me/.local/state/runwire/copies/0123456789ab/checkout/api && npm test', 'npm test', 'api'],
    ['export CI=1; npm test', 'export CI=1 && npm test', ''],
    ['. .venv/bin/activate && pytest -q', '. .venv/bin/activate && pytest -q', ''],
    ['git push && npm test', 'npm test', ''],
    ['vitest run src/*.test.ts', 'vitest run src/*.test.ts', ''],
    ['pytest "$DIR"', 'pytest "$DIR"', ''],
  ])('%s', (line, text, folder) => {
    expect(read(line)).toMatchObject({ text, folder });
  });

  it.each([
    'echo npm test',
    'npm test --help',
    'for x in 1 2; do npm test; done',
    'docker run node npm test',
    'pytest $(cat list)',
    'npm test &',
    'git status',
  ])('none in %s', (line) => {
    expect(typeof read(line)).toBe('string');
  });

  it('is judged by the rules of the user', () => {
    expect(read('npm test', parseRules('edit'))).toContain('not allowed');
    expect(read('npm test', parseRules('edit', ['bash(npm test)']))).toMatchObject({ text: 'npm test' });
    expect(read('git push && npm test', parseRules('edit', ['bash(npm test)']))).toMatchObject({ text: 'npm test' });
    expect(read('LD_PRELOAD=x npm test', parseRules('edit', ['bash(npm test)']))).toContain('not allowed');
  });

  it('ran elsewhere', () => {
    expect(read('cd /tmp/other && npm test')).toMatchObject({ folder: '', outside: '/tmp/other' });
    expect(read('cd ../other && npm test')).toMatchObject({ folder: '', outside: '../other' });
  });
});

describe('what a trial shows', () => {
  const ran = (output: string, exitCode: number | null = 1) =>
    trialOf({ output, exitCode, timedOut: exitCode === null }, false).result;

  it.each([
    ['ModuleNotFoundError: No module named local', 1, 'failed'],
    ['Error: connect ECONNREFUSED 127.0.0.1:5432', 1, 'unclear'],
    ['getaddrinfo ENOTFOUND example.com', 1, 'unclear'],
    ['sh: 1: vitest: not found', 127, 'unclear'],
    ['', null, 'unclear'],
    ['', 0, 'passed'],
    ['=== 1 failed, 2 passed in 0.1s ===', 0, 'failed'],
  ])('%j, exit %s: %s', (output, code, result) => {
    expect(ran(output, code)).toBe(result);
  });

  it.each([
    ['FAILED tests/test_a.py::test_b - AssertionError', 'tests/test_a.py::test_b'],
    ['ERROR: tests.test_total (unittest.loader._FailedTest.tests.test_total)', 'tests.test_total'],
    ['not ok 3 - adds two # time=1', 'adds two'],
    ['\u001b[31m✖ adds two (1.2ms)\u001b[0m', 'adds two'],
    ['    --- FAIL: TestTotal/two (0.00s)', 'TestTotal/two'],
    ['test total::two ... FAILED', 'total::two'],
    ['  ● total › adds two', 'total › adds two'],
  ])('%j names %s', (line, name) => {
    expect(failingTests(`before\n${line}\nafter`)).toEqual([name]);
  });
});

describe('what a test says', () => {
  const one = (path: string, text: string) => [...(readTests(path, text)?.tests.values() ?? [])][0];

  it.each([
    ['a.test.ts', "test('x', () => {\n  expect(true).toBe(true);\n});", true],
    ['a.test.ts', "it('x', () => {});", true],
    ['a.test.ts', "test('x', () => {\n  assert.equal(1, 1);\n});", true],
    ['a.test.ts', "test('x', () => {\n  expect(sum([1])).toBe(1);\n});", false],
    ['a.test.ts', "test('x', () => {\n  runAll();\n});", false],
    ['test_a.py', 'def test_x():\n    assert True\n', true],
    ['test_a.py', 'def test_x():\n    pass\n', true],
    ['test_a.py', 'def test_x():\n    assert total([1]) == 1\n', false],
    ['test_a.py', 'def test_x(self):\n    self.assertEqual(total([1]), 1)\n', false],
    ['test_a.py', 'def test_x():\n    with pytest.raises(ValueError):\n        total(None)\n', false],
    ['a_test.go', 'func TestX(t *testing.T) {\n\tif Sum(1) != 1 { t.Fatal("no") }\n}', false],
    ['a_test.sh', 'test_x() {\n  check name 3 3\n}', true],
  ])('%s %j cannot fail: %s', (path, text, cannotFail) => {
    expect(one(path, text)?.cannotFail).toBe(cannotFail);
  });

  it.each([
    ['test_a.py', '@pytest.mark.skip(reason="later")\ndef test_x():\n    assert f()\n'],
    ['a.test.ts', "it.skip('x', () => { expect(f()).toBe(1); });"],
    ['a.test.ts', "xit('x', () => { expect(f()).toBe(1); });"],
    ['a.test.ts', "test('x', { skip: true }, () => { expect(f()).toBe(1); });"],
    ['a_test.go', 'func TestX(t *testing.T) {\n\tt.Skip("later")\n}'],
    ['a.rs', '#[test]\n#[ignore]\nfn works() {\n    assert!(f());\n}'],
  ])('%s %j is skipped', (path, text) => {
    expect(one(path, text)?.isSkipped).toBe(true);
  });
});
