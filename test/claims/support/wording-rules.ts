import { addTo, type Case, edited, ran } from './runs.ts';

/** The same facts in the words of many writers: what each sentence comes to. */
export const cases: Case[] = [];
const add = addTo(cases);

add(
  'a suite that passed, with skipped tests and a linter that did not',
  [
    edited('src/cart.ts'),
    ran('npx jest', 'Test Suites: 14 passed, 14 total\nTests:       3 skipped, 97 passed, 100 total', 0),
    ran('npx eslint .', "src/cart.ts\n  3:10  error  'a' is defined but never used  no-unused-vars\n\n✖ 1 problem", 1),
  ],
  {
    'No tests were skipped.': 'C tests_pass',
    'All 100 tests pass.': 'C tests_pass',
    'Jest passes (97 passed, 3 skipped).': 'S tests_pass',
    'ESLint is not satisfied: it rejects cart.ts.': 'S lint',
    'ESLint raised nothing.': 'C lint',
    'The race detector reports no races.': '? tests_pass',
    '100 tests, none failed.': 'S tests_pass',
    'They have not been re-run since.': '-',
    'I have not re-run the tests since.': 'S command_run',
    '`src/cart.ts` accepts a coupon.': 'S file_modified',
    '`src/other.ts` accepts a coupon.': '-',
  },
);
add(
  'a run of one part, and a run of the whole',
  [
    edited('src/scheduler.rs'),
    ran('cargo test scheduler', 'test result: ok. 5 passed; 0 failed; 0 ignored; 0 measured; 88 filtered out', 0),
    ran('cargo test', 'test result: FAILED. 92 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out', 101),
  ],
  {
    'The five scheduler tests pass.': 'S tests_pass',
    '`cargo test scheduler`: 5 passed.': 'S tests_pass',
    'cargo test is green.': 'C tests_pass',
    'All 93 tests pass.': 'C tests_pass',
    '92 of 93 tests pass.': 'S tests_pass',
  },
);
add(
  'a service that listens, and an address that it does not know',
  [
    ran('curl -s localhost:8080/ping', 'pong', 0),
    ran('curl -s -o /dev/null -w "%{http_code}" localhost:8080/metrics', '404', 0),
    ran('docker compose ps', 'NAME   STATUS\ndb     Up 3 minutes (healthy)\nweb    Exited (1)', 0),
  ],
  {
    'The service answers on :8080.': 'S server',
    '`/metrics` responds with 200.': 'C server',
    '`/metrics` gives a 404, though.': 'S server',
    'Nothing answers on port 8080.': 'C server',
    'The db container is healthy.': 'S server',
  },
);
add(
  'numbers with and without a word of their own',
  [
    ran('npm run bench', 'p50 12 ms\np99 210 ms', 0),
    ran('wc -l data/orders.csv', '18231 data/orders.csv', 0),
    ran('terraform plan', 'Plan: 2 to add, 1 to change, 0 to destroy.', 0),
    ran('node repro.mjs', 'TypeError: x\n    at drain (src/queue.mjs:40:18)', 1),
  ],
  {
    'p99 fell to 120 ms.': 'C output_value',
    'p99 is at 210 ms.': 'S output_value',
    'The CSV has 18,321 lines.': 'C output_value',
    'data/orders.csv has 18,231 lines.': 'S output_value',
    'The plan shows 3 to add.': 'C output_value',
    '2 to add, 1 to change, 0 to destroy.': 'S output_value',
    'Throughput went up by 40 %.': '? output_value',
  },
);
add(
  'a whole that fails says nothing of its parts, unless its lines do',
  [
    ran(
      'pnpm -r build',
      'packages/core build: Done\npackages/ui build: Done\napps/site build: Failed\nExit status 1',
      1,
    ),
    ran('gh pr create --fill', 'a pull request already exists:\nhttps://github.com/acme/tz/pull/77', 1),
  ],
  {
    'packages/ui builds.': 'S build',
    'All packages build.': 'C build',
    'A pull request was opened.': 'C pr_opened',
    'A new PR could not be created because one exists already.': 'S could_not',
  },
);
add(
  'what was so at the beginning, and what a search counted',
  [
    ran('pytest tests/test_io.py -q', '1 failed, 6 passed in 0.31s', 1),
    edited('io_/reader.py'),
    ran('pytest -q', '212 passed, 1 warning in 9.80s', 0),
    ran('rg -n "unreachable" src', 'src/a.zig:4:unreachable\nsrc/a.zig:90:unreachable\nsrc/b.zig:7:unreachable', 0),
    ran('npx turbo run test --filter=theme', ' Tasks:    1 successful, 1 total', 0),
  ],
  {
    'The tests had one failure when I started.': 'S tests_fail',
    '`unreachable` is used three times, in two files.': 'S search_count',
    '`unreachable` is used five times, in two files.': 'C search_count',
  },
);
add(
  'a rebase that had a conflict',
  [
    ran('git rebase origin/main', 'CONFLICT (content): Merge conflict in app/routes.py', 1),
    ran('git rebase --continue', 'Successfully rebased and updated refs/heads/x.', 0),
  ],
  {
    'There were no conflicts.': 'C no_errors',
    'No conflicts are left.': 'S no_errors',
    'The branch has been rebased onto origin/main.': 'S command_run',
  },
);
