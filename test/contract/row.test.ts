import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { cellFields, rowFields } from '../../src/contract/row.ts';
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
  more: { provenance: { agent: 'claude', version: '2.0.1', dialect: 'claude', runwire_version: '0.1.0', unknown_lines: 0, notes: [] } },
});

const sorted = (names: Iterable<string>): string[] => [...names].toSorted();

describe('what is known of a stored run', () => {
  it('is in the JSON of a list and of an export, in CSV and in Parquet', async () => {
    const ledger = newLedger();
    await fill(ledger, [parent, whole]);
    const [listed = {}] = jsonLines<Record<string, unknown>>((await runs(ledger, ['list', '--json'])).stdout);
    expect(sorted(Object.keys(listed))).toEqual(sorted(Object.keys(rowFields)));
    const [told = {}] = (await exported(ledger)) as unknown as Record<string, unknown>[];
    expect(told).toMatchObject(listed);

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
