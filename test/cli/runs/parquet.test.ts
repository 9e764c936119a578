import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { exported, fill, hostile, newLedger, runs, sample, temporary } from './ledger.ts';

describe('runs export --format parquet', () => {
  it('holds what the JSON lines hold, in columns of their types', async () => {
    const ledger = newLedger();
    await fill(ledger, [
      sample(1, {
        labels: { team: 'core' },
        metrics: { input_tokens: 5_000_000_000, output_tokens: 7, cost: 0.25, cost_source: 'reported' },
      }),
      sample(2, { verdict: 'provider', prompt: hostile, answer: '', more: { error_details: { message: 'HTTP 500' } } }),
    ]);
    const file = join(temporary(), 'runs.parquet');
    expect(await runs(ledger, ['export', '--format', 'parquet', '--output', file])).toEqual({
      stdout: '',
      stderr: '',
      status: 0,
    });
    const rows = await parquetReadObjects({ file: await asyncBufferFromFile(file) });
    const told = await exported(ledger);
    expect(rows.map(({ outcome }) => outcome)).toEqual(told.map(({ outcome }) => outcome));
    expect(rows).toMatchObject([
      { class: 'provider', prompt: hostile, error: 'HTTP 500', input_tokens: null, cost: null, labels: {} },
      { class: 'success', input_tokens: 5_000_000_000n, cost: 0.25, labels: { team: 'core' }, answer: 'Answer 1' },
    ]);
    expect(rows.map(({ started_at }) => (started_at as Date).getTime())).toEqual(told.map((run) => run.started_at));
  });

  it('of an empty ledger is a file without rows', async () => {
    const ledger = newLedger();
    await fill(ledger, []);
    const file = join(temporary(), 'runs.parquet');
    expect((await runs(ledger, ['export', '--format', 'parquet', '-o', file])).status).toBe(0);
    expect(await parquetReadObjects({ file: await asyncBufferFromFile(file) })).toEqual([]);
  });

  it('needs a file, and leaves no half of one', async () => {
    const ledger = newLedger();
    await fill(ledger, [sample(1)]);
    const folder = temporary();
    expect(await runs(ledger, ['export', '--format', 'parquet'])).toMatchObject({ status: 2, stdout: '' });
    expect(await runs(ledger, ['export', '-o', join(folder, 'x')])).toMatchObject({ status: 2, stdout: '' });
    const nowhere = join(folder, 'no', 'such', 'folder.parquet');
    const refused = await runs(ledger, ['export', '--format', 'parquet', '-o', nowhere]);
    expect(refused).toMatchObject({ status: 2, stdout: '' });
    expect(refused.stderr).toContain(`cannot write ${nowhere}`);
    expect([existsSync(nowhere), readdirSync(folder)]).toEqual([false, []]);
  });
});
