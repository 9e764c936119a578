/** What makes a script of package.json a matter of seconds. */
export interface Small {
  env?: Readonly<Record<string, string>>;
  args?: readonly string[];
}

const benchOf = (settings: Readonly<Record<string, number>>): Small => ({
  env: Object.fromEntries(Object.entries(settings).map(([name, value]) => [`BENCH_${name}`, String(value)])),
});

/** `npm run test:scripts` runs each of these to its end. */
export const smallScripts: Readonly<Record<string, Small>> = {
  bench: benchOf({ MB: 2, ROUNDS: 1, STARTS: 1 }),
  // A shallow clone has no commit before this one.
  'bench:before': { ...benchOf({ MB: 1, ROUNDS: 1, STARTS: 1 }), args: ['HEAD'] },
  'bench:fleet': benchOf({ JOBS: 20, ROUNDS: 1 }),
  'bench:fleet-live': benchOf({ RUNS: 2, RATE: 100, SECONDS: 1 }),
  'bench:growth': { args: ['--only', 'outcome', '--shape', 'plain'] },
  'bench:install': benchOf({ ROUNDS: 1 }),
  'bench:ledger': benchOf({ RUNS: 200, MB: 1, ROUNDS: 1, MS: 1 }),
  'bench:live': benchOf({ LINES: 50, MB: 1, ROUNDS: 1, STARTS: 1 }),
  'bench:usage': benchOf({ MB: 1, LARGE_MB: 1, FILES: 20, ROUNDS: 1 }),
  'bench:serve': benchOf({ RUNS: 5, RATE: 100, VIEWERS: 3, SECONDS: 1 }),
  'bench:serve:attacked': benchOf({ RUNS: 5, RECORDS: 100, UPLOADS: 1, SECONDS: 0.2, MOST_MS: 60_000 }),
  'bench:serve:killed': benchOf({ RUNS: 5, RATE: 100, VIEWERS: 3, SECONDS: 2, KILLS: 1 }),
  'bench:serve:list': { args: ['200'] },
  'bench:wire': benchOf({ REQUESTS: 5, STREAMS: 3, EVENTS: 10, MB: 1, ROUNDS: 1 }),
  'bench:workspace': benchOf({ FILES: 100, ROUNDS: 1, AT_ONCE: 2 }),
  // A test by itself: it has no size.
  costs: { env: { RUNWIRE_SWEEP: '' } },
  chaos: { args: ['--jobs', '10', '--every', '2', '--workers', '2', '--restarts', '1', '--away', '2', '--seed', '1'] },
  flood: { env: { FAKE_MEGABYTES: '24' } },
  'redaction-table': {},
  'soak:workspace': { env: { SOAK_RUNS: '2' } },
  'test:hosts': {},
};

/** What CI runs neither as it is nor small, and why. */
export const notInCi: Readonly<Record<string, string>> = {
  build: 'npm ci runs it, as "prepare"',
  prepare: 'npm ci runs it',
  format: 'npm run check looks at the format',
  generate: 'npm run check looks at what is generated',
  'test:sweeps': 'CI runs npm test with a sixth of them, another one for each commit; a release with all',
  picture: 'it draws a picture that is looked at before it is committed',
  release: 'test/scripts tries its steps',
};
