import { defineConfig } from 'vitest/config';
import { Order } from './test/support/order.ts';
import { Summary } from './test/support/summary.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build.ts'],
    setupFiles: ['test/support/setup.ts'],
    // The tests start thousands of processes, and each costs as much as the memory of who starts it: less than that of all workers.
    pool: 'forks',
    isolate: false,
    // So each of them is kept small, too.
    execArgv: ['--expose-gc', '--max-semi-space-size=8', '--heap-growing-percent=30'],
    sequence: { sequencer: Order },
    // Most tests wait for processes that they started: more of them than cores can wait at once.
    maxWorkers: 4,
    // What a CI changes is tested where it is asked for.
    env: { GITHUB_ACTIONS: '', GITLAB_CI: '', BUILDKITE: '' },
    // Only what hangs: on a busy machine an orchestration takes minutes. No test has a shorter limit of its own.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // A worker that has passed every test may also take its time to end.
    teardownTimeout: 180_000,
    // The same for what a page shows in the end: a second, the default, is a clock that a busy machine misses.
    expect: { poll: { timeout: 280_000 } },
    // A machine that others use too may stand still once. What passes at the second try is named at the end: it is a bug, of the test or of the code.
    retry: process.env['CI'] === undefined ? 0 : 1,
    reporters: ['default', new Summary()],
  },
});
