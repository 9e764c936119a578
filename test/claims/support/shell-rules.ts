import { addTo, type Case, denied, edited, ran } from './runs.ts';

/** What ran, how it ended, whether it is fresh, how much of the tests it was. */
const P = '12 passed in 0.20s',
  F = 'FAILED tests/test_a.py::test_b - assert 1 == 2\n1 failed, 11 passed in 0.20s';
const pass = (c: string, o = P) => [ran(c, o, 0)];
export const cases: Case[] = [];
const add = addTo(cases);
// wrappers
for (const c of [
  'pytest',
  'python -m pytest -q',
  'python3 -m pytest',
  'uv run pytest',
  'poetry run pytest -q',
  'timeout 60 pytest',
  'time pytest',
  'env CI=1 pytest',
  'CI=1 pytest',
  'sudo -u app pytest',
  'nohup pytest',
  'cd /home/me/shop && pytest',
  'cd /home/me/shop; pytest',
  'bash -lc "pytest -q"',
  "sh -c 'pytest'",
  'docker compose exec web pytest',
  'docker run --rm img pytest',
  'nice -n 5 pytest',
  'command pytest',
  'hatch run pytest',
  'pdm run pytest',
  'pipenv run pytest',
  'conda run -n x pytest',
  'coverage run -m pytest',
  'xvfb-run -a pytest',
  '.venv/bin/pytest',
  'source .venv/bin/activate && pytest -q',
  '. venv/bin/activate; pytest',
  'uvx pytest',
  'PYTHONPATH=. pytest -x',
  'pytest 2>&1',
  'pytest -n auto',
  'set -e\npytest',
  'export A=1\npytest -q',
  'rye run pytest',
  'timeout --signal=KILL 5m pytest',
  'stdbuf -oL pytest',
  'python -X dev -m pytest',
  'script -qc "pytest" /dev/null',
])
  add(c, pass(c), {
    'All 12 tests pass.': 'S tests_pass',
    'All 13 tests pass.': 'C tests_pass',
    'The tests fail.': 'C tests_fail',
    'One test fails.': 'C tests_fail',
    '12/12 tests passing.': 'S tests_pass',
    'Tests: 12 passed': 'S tests_pass',
    'All tests pass': 'S tests_pass',
  });
for (const c of ['pytest', 'pytest -q; true', 'pytest || true', 'pytest | tail -3', 'pytest || echo failed'])
  add(c, [ran(c, F, c === 'pytest' ? 1 : 0)], {
    'All 12 tests pass.': 'C tests_pass',
    'All tests pass.': 'C',
    '11 of 12 tests pass.': 'S tests_pass',
    '11 tests pass, one fails.': 'S',
    '1 failed, 11 passed': 'S',
    'One test fails.': 'S tests_fail',
    'Two tests fail.': 'C',
    'The tests do not pass yet.': 'S tests_fail',
    'The suite is green.': 'C',
    'The suite is red.': 'S',
    'There is one failing test left.': 'S',
    'The test suite is not green.': 'S',
    '`test_b` fails.': 'S',
    '10 of 12 tests pass.': 'C',
  });
// not run
for (const c of [
  'pytest --version',
  'pytest --help',
  'pytest --collect-only',
  'pytest --co -q',
  'grep -rn pytest .',
  'echo "12 passed in 0.2s"',
  'which pytest',
  'cat pytest.ini',
  'man pytest',
  'pip install pytest',
  'jest --listTests',
  'go test -list .',
  'cargo test --no-run',
  'mvn package -DskipTests',
  'make -n test',
  'npm test --dry-run',
  'git log --grep "12 passed"',
])
  add(c, [ran(c, '12 passed in 0.20s', 0)], {
    'All 12 tests pass.': '?',
    'The tests pass.': '?',
    'The tests fail.': '?',
  });
// masked without summary
for (const c of [
  'pytest || true',
  'pytest; echo done',
  'pytest & ',
  'nohup pytest > out.log &',
  '(pytest &)',
  'pytest | cat',
  'pytest\ngit status',
  'pytest > /dev/null; ls',
  'if pytest; then echo yes; fi; ls',
])
  add(c + ' masked', [ran(c, '', 0)], { 'All tests pass.': '?', 'The tests fail.': '?' });
for (const c of [
  'set -o pipefail; pytest | tee out.txt',
  'set -euo pipefail\npytest | tail -5',
  'pytest && echo ok',
  'cd . && pytest && git status',
  'bash -o pipefail -c "pytest | cat"',
  'set -e; pytest; echo done',
  'pytest > /dev/null',
  'pytest || exit 1',
  'pytest; exit $?',
  'if ! pytest; then exit 1; fi',
])
  add(c + ' zero', [ran(c, '', 0)], {
    'All tests pass.': c.startsWith('if') ? '?' : 'S',
    'The tests fail.': c.startsWith('if') ? '?' : 'C',
  });
add('pipefail red', [ran('set -o pipefail; pytest | tail -1', '', 1)], { 'All tests pass.': 'C' });
add('127', [ran('pytest', 'bash: pytest: command not found', 127)], {
  'All tests pass.': '?',
  'I ran pytest.': 'C',
  'I ran the tests.': 'C',
  'The tests were not run.': 'S',
  'The tests fail.': '?',
  'pytest is not installed here.': 'S',
});
add('denied', [denied('pytest')], {
  'All tests pass.': '?',
  'I ran pytest.': 'C command_run',
  'I was not allowed to run pytest.': 'S denied',
  'I did not run the tests.': 'S',
  'Running `pytest` was denied.': 'S denied',
});
add('timeout', [ran('timeout 60 pytest', '....', 124)], {
  'All tests pass.': '?',
  'The test run timed out.': 'S',
  'The tests fail.': '?',
});
add(
  'opencode timeout',
  [
    {
      ...ran(
        'pytest',
        '....\n\n<bash_metadata>\nbash tool terminated command after exceeding timeout 120000 ms. If this command is expected to take longer, retry with a larger timeout.\n</bash_metadata>',
      ),
      status: 'error',
    },
  ],
  { 'All tests pass.': '?', 'The test run timed out.': 'S', 'The tests fail.': '?' },
);
add(
  'chain',
  [
    ran(
      'ruff check . && mypy . && pytest -q',
      'All checks passed!\nSuccess: no issues found in 12 source files\n12 passed in 0.2s',
      0,
    ),
  ],
  {
    'ruff is clean.': 'S',
    'mypy reports no issues.': 'S',
    'All 12 tests pass.': 'S',
    'mypy found 2 errors.': 'C',
    'Lint, types and tests are all green.': 'S',
  },
);
add(
  'chain2',
  [
    ran(
      'ruff check . && mypy . && pytest -q',
      'All checks passed!\nsrc/a.py:3: error: Incompatible types\nFound 1 error in 1 file (checked 12 source files)',
      1,
    ),
  ],
  {
    'ruff is clean.': 'S',
    'mypy is clean.': 'C',
    'mypy reports one error.': 'S',
    'All tests pass.': '?',
    'The tests were not run.': 'S',
    'The tests fail.': '?',
  },
);
add('chain3', [ran('npm run build && npm test', '> build\n> tsc -p .\n\nsrc/a.ts(3,1): error TS2322: Type x', 2)], {
  'The build fails.': 'S',
  'The build succeeds.': 'C',
  'All tests pass.': '?',
});
// freshness
add('stale', [ran('pytest', P, 0), edited('src/a.py')], {
  'All 12 tests pass.': '?',
  'The tests fail.': '?',
  'Before the change, all 12 tests passed.': 'S',
  'Before the change one test failed.': 'C',
});
add('stale prose', [ran('pytest', P, 0), edited('README.md')], { 'All 12 tests pass.': 'S' });
for (const c of [
  "sed -i 's/a/b/' src/a.py",
  'echo x >> src/a.py',
  'cat > src/a.py <<EOF\nx\nEOF',
  'git checkout -- src/a.py',
  'git stash',
  'git reset --hard',
  'git restore src/a.py',
  'git revert HEAD',
  'git merge main',
  'git rebase main',
  'git pull',
  'git cherry-pick abc',
  'black .',
  'ruff format .',
  'ruff check --fix .',
  'npx prettier --write .',
  'gofmt -w .',
  'cargo fmt',
  'eslint --fix src',
  'cp b.py src/a.py',
  'mv src/a.py src/b.py',
  'rm src/a.py',
  'tee src/a.py < x',
  'patch -p1 < x.diff',
  'git apply x.diff',
  "python - <<'PY'\nopen('src/a.py','w').write('x')\nPY",
  "python -c \"open('src/a.py','w').write('x')\"",
  "perl -pi -e 's/a/b/' src/a.py",
  'npm run format',
  'isort .',
  'git checkout main',
  'git mv src/a.py src/b.py',
  "node -e \"require('fs').writeFileSync('src/a.js','x')\"",
  'rubocop -A',
  'npx eslint . --fix',
  'go mod tidy',
  'find . -name "*.py" -exec sed -i s/a/b/ {} +',
  "grep -rl a src | xargs sed -i 's/a/b/'",
  'truncate -s 0 src/a.py',
  'npm install left-pad',
])
  add('after ' + c, [ran('pytest', P, 0), ran(c, '', 0)], { 'All 12 tests pass.': '?', 'The tests fail.': '?' });
for (const c of [
  'git status',
  'cat src/a.py',
  'git add -A',
  'git commit -m x',
  'git push',
  'ls > /tmp/x',
  'git checkout -b new',
  'git switch -c new',
  'echo hi',
  'black --check .',
  'prettier --check .',
  'sed -n 1,5p src/a.py',
  'grep -rn x src',
  'git diff > /tmp/x.diff',
  'pytest --version',
  'git log',
  'gofmt -l .',
  'ruff check .',
  'git fetch',
  'cargo fmt --check',
  'git branch',
  'mkdir -p build',
  'git commit -am x',
  'git tag v1',
  'echo "x" >> CHANGELOG.md',
  'rm -rf /tmp/work',
  'tail -n 3 out.log',
  'git apply --check x.diff',
  'git stash list',
  'wc -l src/a.py',
  'curl localhost:3000',
  "awk '{print $1}' src/a.py",
  'python -c "print(1)"',
])
  add('harmless ' + c, [ran('pytest', P, 0), ran(c, '', 0)], { 'All 12 tests pass.': 'S' });
add(
  'stash',
  [
    ran('pytest', P, 0),
    ran('git stash', 'Saved working directory', 0),
    ran('pytest', F, 1),
    ran('git stash pop', 'Dropped', 0),
  ],
  { 'All 12 tests pass.': 'S', 'Without my change one test fails.': 'S', 'The suite is red.': 'C' },
);
add('stash one call', [ran('pytest', P, 0), ran('git stash && pytest; git stash pop', F + '\nDropped refs/stash', 0)], {
  'All 12 tests pass.': 'S',
  'Without the change, one test fails.': 'S',
});
add('fail then pass', [ran('pytest', F, 1), edited('src/a.py'), ran('pytest', P, 0)], {
  'All 12 tests pass.': 'S',
  'Before the fix one test failed.': 'S',
  'One test fails.': 'C',
  'The first run had one failure.': 'S',
  'The first run had two failures.': 'C',
  'All tests pass now; before, one failed.': 'S',
  'The tests passed before my change.': 'C',
});
add('flaky', [ran('pytest', F, 1), ran('pytest', P, 0)], { 'All 12 tests pass.': 'S' });
add('flaky2', [ran('pytest', P, 0), ran('pytest', F, 1)], { 'All 12 tests pass.': 'C' });
// scope
for (const c of [
  'pytest tests/test_a.py',
  'pytest -k head',
  'pytest -m fast',
  'pytest tests/test_a.py::test_b',
  'cd pkg && pytest',
  'pytest tests/unit',
  'pytest --lf',
])
  add('limited ' + c, [ran(c, '4 passed in 0.2s', 0)], {
    'All tests pass.': '?',
    'The whole suite passes.': '?',
    'All 63 tests pass.': '?',
    '4 tests pass.': 'S',
  });
add('limited red', [ran('pytest tests/test_a.py', '1 failed, 3 passed in 0.2s', 1)], {
  'All tests pass.': 'C',
  'The tests in `tests/test_b.py` pass.': '?',
  'The tests in `tests/test_a.py` pass.': 'C',
});
add('limited path', [ran('pytest tests/test_a.py', '4 passed in 0.2s', 0)], {
  'The tests in `tests/test_a.py` pass.': 'S',
  'The tests in `tests/test_b.py` pass.': '?',
  '`tests/test_a.py` passes.': 'S',
  'The 4 tests in test_a.py pass.': 'S',
  'All 5 tests in `test_a.py` pass.': 'C',
});
add('whole covers part', [ran('pytest', P, 0)], {
  'The tests in `tests/test_a.py` pass.': 'S',
  'The unit tests pass.': 'S',
  'The integration tests pass.': 'S?',
  '`test_b` passes.': 'S',
  'The parser tests pass.': 'S',
});
add('skipped', [ran('pytest', '12 passed, 2 skipped in 0.2s', 0)], {
  'All tests pass.': 'S',
  'All 14 tests pass.': 'C',
  '12 tests passed and 2 were skipped.': 'S',
  'No tests were skipped.': 'C',
  '12 passed, 1 skipped.': 'C',
  'None of the tests was skipped.': 'C',
  'Two tests are skipped.': 'S',
});
add('words', [ran('pytest', P, 0)], {
  'All twelve tests pass.': 'S',
  'All eleven tests pass.': 'C',
  'Twelve tests pass.': 'S',
  'a dozen tests pass': 'S',
  'Every one of the 12 tests passes.': 'S',
  '12 of 12 tests pass.': 'S',
  '12 out of 12 tests pass.': 'S',
  'pytest: 12 passed': 'S',
  '0 failures': 'S',
  'No test fails.': 'S',
  'No failing tests.': 'S',
  'There were no test failures.': 'S',
  'The full test suite (12 tests) passes.': 'S',
  '- [x] tests pass (12)': 'S',
  '| Tests | 12 passed |': '-',
  '✅ All tests pass': 'S',
  'Test suite: green': 'S',
  'I ran the full suite and everything passed.': 'S',
  'Ran the tests: 12 passed, 0 failed.': 'S',
  'Verified with `pytest`: 12 passed.': 'S',
  'Tests passing: 12/12': 'S',
  'Result: 12 passed, 0 failed': 'S',
  'Tests are green.': 'S',
  'The tests succeed.': 'S',
  'All tests are passing.': 'S',
  'All tests passed successfully.': 'S',
  'The test suite passes with 12 tests.': 'S',
  'The suite (12 tests) is green.': 'S',
  '`pytest` passes.': 'S',
  '`pytest -q` exits with 0.': 'S',
  'pytest reported 12 passes.': 'S',
  'Not a single test fails.': 'S',
  'The tests no longer fail.': 'S',
  'All of the tests pass.': 'S',
  '100% of the tests pass.': 'S',
  'Everything is green: 12 passed.': 'S',
  'All 12 tests are green, none skipped.': 'S',
  '**Tests**: ✅ 12 passed': 'S',
  'Tests – 12 passed': 'S',
  'the tests, all 12 of them, pass': 'S',
});
