import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { describe, expect, it, onTestFinished } from 'vitest';
import { askableFilters } from '../../src/contract/row-filters.ts';
import { cellFields, rowFields } from '../../src/contract/row.ts';
import { openPostgres } from '../../src/stores/postgres.ts';
import { serving } from '../server/serving.ts';
import { sharedPostgres } from '../stores/support/shared-postgres.ts';
import { isSweep } from '../support/sweep.ts';
import { exported, fill, jsonLines, newLedger, runs, sample, temporary } from '../cli/runs/ledger.ts';

const parent = sample(1);
/** A run of which everything is known. */
const whole = sample(2, {
  agent: 'claude',
  model: 'fable-5',
  cwd: '/srv/shop',
  user: 'kim',
  repo: 'acme/shop',
  host: 'laptop',
  labels: { team: 'core' },
  tape: '2025/a.jsonl',
  tape_sha256: 'ab12',
  parent_run_id: parent.id,
  root_run_id: parent.id,
  last_sequence: 9,
  metrics: {
    duration_ms: 900,
    input_tokens: 10,
    output_tokens: 11,
    reasoning_tokens: 12,
    cache_read_tokens: 13,
    cache_write_tokens: 14,
    cost: 0.25,
    cost_source: 'computed',
    cost_is: 'at_least',
    tool_calls_count: 3,
  },
  more: {
    artifacts: [{ path: 'src/app.ts', operation: 'modified' }],
    claims: [{ quote: 'All tests pass.', start: 0, kind: 'tests_pass', verdict: 'contradicted', evidence: [] }],
    provenance: {
      agent: 'claude',
      version: '2.0.1',
      dialect: 'claude',
      runwire_version: '0.1.0',
      unknown_lines: 0,
      notes: [],
    },
  },
});

const sorted = (names: Iterable<string>): string[] => [...names].toSorted();

describe('what is known of a stored run', () => {
  it('is in the JSON of a list and of an export, in CSV and in Parquet', async () => {
    const ledger = newLedger();
    await fill(ledger, [parent, whole]);
    const [listed = {}] = jsonLines<Record<string, unknown>>((await runs(ledger, ['list', '--json'])).stdout);
    // Only a run that has not ended may wait.
    expect(sorted([...Object.keys(listed), 'waits_until'])).toEqual(sorted(Object.keys(rowFields)));
    const [told = {}] = (await exported(ledger)) as unknown as Record<string, unknown>[];
    expect(told).toMatchObject(listed);

    const withoutCell = Object.keys(rowFields).filter((name) => !(name in cellFields));
    expect(withoutCell).toEqual(['waits_until', 'last_sequence', 'heartbeat_at', 'tape', 'tape_sha256']);
    const columns = [...Object.keys(cellFields), 'prompt', 'answer', 'error'];
    const [header = '', line = ''] = (await runs(ledger, ['export', '--format', 'csv'])).stdout.split('\r\n');
    expect(header.split(',')).toEqual(columns);
    const inCsv = Object.fromEntries(header.split(',').map((name, at) => [name, line.split(',')[at]]));

    const file = join(temporary(), 'runs.parquet');
    await runs(ledger, ['export', '--format', 'parquet', '-o', file]);
    const [inParquet = {}] = await parquetReadObjects({ file: await asyncBufferFromFile(file) });
    expect(Object.keys(inParquet)).toEqual([...columns, 'outcome']);

    for (const [name, { cell }] of Object.entries(cellFields)) {
      const value = told[name];
      const [text, typed] =
        cell === 'time'
          ? [new Date(Number(value)).toISOString(), new Date(Number(value))]
          : cell === 'labels'
            ? ['team=core', value]
            : [String(value), cell === 'whole' ? BigInt(Number(value)) : value];
      expect([name, inCsv[name], inParquet[name]]).toEqual([name, text, typed]);
    }
  });
});

/** Words that find the run, and words that do not, for the filters that do not take any value of the run. */
const particular: Readonly<Record<string, readonly [hit: string, miss: string]>> = {
  status: ['success', 'error'],
  class: ['success', 'tool'],
  parent: [parent.id, whole.id],
  root: [parent.id, whole.id],
  labels: ['team=core', 'team=other'],
  started_from: ['2025-03-02', '2025-03-03'],
  started_to: ['2025-03-03', '2025-03-02'],
  cost_min: ['0.25', '0.26'],
  cost_max: ['0.25', '.24'],
  file: ['./src/app.ts', 'pp.ts'],
  text: ['tas* 2', 'absent'],
};

describe('which runs', () => {
  async function everyFilterWorks(ledger: string): Promise<void> {
    const server = await serving(temporary(), ['--ledger', ledger]);
    const [told = {}] = (await exported(ledger)) as unknown as Record<string, unknown>[];
    for (const { name, filter, flag, query } of askableFilters) {
      const [hit, miss] = particular[name] ?? [String(told[filter.of ?? '']), 'nothing-like-it'];
      for (const [word, isFound] of [
        [hit, true],
        [miss, false],
      ] as const) {
        const { stdout } = await runs(ledger, ['list', '--json', `--${flag.name}=${word}`]);
        const asked = await server.json<{ runs: { id: string }[] }>(`/api/runs?${query}=${encodeURIComponent(word)}`);
        const found = [jsonLines<{ id: string }>(stdout), asked.runs].map((some) =>
          some.some(({ id }) => id === whole.id),
        );
        expect([flag.name, word, ...found]).toEqual([flag.name, word, isFound, isFound]);
      }
    }
    server.child.kill('SIGTERM');
    await server.ended;
  }

  it('can be said in a flag and in a query', async () => {
    const ledger = newLedger();
    await fill(ledger, [parent, whole]);
    await everyFilterWorks(ledger);
  });

  it.runIf(isSweep)('can be said the same of PostgreSQL', async () => {
    const server = await sharedPostgres();
    onTestFinished(() => server.remove());
    const ledger = server.url(server.newName('filters'));
    const store = await openPostgres(ledger);
    for (const each of [parent, whole]) await store.put(each);
    await store.close();
    await everyFilterWorks(ledger);
  });
});
