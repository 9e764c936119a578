import { defineConfig } from 'vitest/config';
import { Summary } from './test/support/summary.ts';

/** Real agents, each a minute of somebody else's start-up and retries: `npm run test:agents`. */
export default defineConfig({
  test: {
    include: ['test/real-agents/*.live.ts'],
    globalSetup: ['test/support/build.ts'],
    maxConcurrency: 2,
    testTimeout: 300_000,
    // A machine with other work may starve an agent that has its own time limits; what fails twice has failed.
    retry: 0,
    hookTimeout: 60_000,
    reporters: ['verbose', new Summary()],
  },
});
