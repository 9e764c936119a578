import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Stats } from '../../src/ledger/stats.ts';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import { priceTable } from '../../src/outcome/price-source.ts';
import { inside } from '../cli/run/live.ts';
import { folder } from '../cli/run/scripted.ts';
import { cases } from '../support/costs/cases.ts';
import { storedCases } from '../support/costs/stores.ts';
import { type StreamName, streams, textOf } from '../support/costs/streams.ts';
import { some } from '../support/sweep.ts';
import { homeWith, places, usageOf } from '../usage/stores.ts';
import { runsOfApi } from './support/runs-of-api.ts';

interface Told {
  cost?: number | undefined;
  cost_is?: string | undefined;
}

/** Whole millionths, since a sum of dollars has noise in its last digits; a lower bound is marked as one. */
const told = (rows: readonly Told[]): { micro: number; is: 'at_least' | undefined } => ({
  micro: Math.round(rows.reduce((sum, { cost = Number.NaN }) => sum + cost, 0) * 1e6),
  is: rows.some(({ cost_is: is }) => is === 'at_least') ? 'at_least' : undefined,
});
const json = async (...args: string[]): Promise<string> => (await inside(args)).stdout;
const linesOf = <Value>(text: string): Value[] =>
  text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Value]));

/** What a ledger says in all its ways. */
async function toldBy(path: string) {
  const at = ['--ledger', path];
  const [stats] = linesOf<Stats>(await json('runs', 'stats', '--by', 'all', '--json', ...at));
  const byDay = linesOf<Stats>(await json('runs', 'stats', '--by', 'day', '--json', ...at));
  const exported = linesOf<{ outcome: RunOutcome }>(await json('runs', 'export', ...at));
  const csv = await json('runs', 'export', '--format', 'csv', ...at);
  const [head = '', ...rows] = csv
    .trimEnd()
    .split('\r\n')
    .flatMap((line) => line.split('\n'));
  const column = (name: string): number => head.split(',').indexOf(name);
  const ofStats = (each: readonly Stats[]): ReturnType<typeof told> =>
    told(each.map(({ cost, cost_at_least: bound }) => ({ cost, cost_is: bound > 0 ? 'at_least' : undefined })));
  return {
    list: told(linesOf<Told>(await json('runs', 'list', '--json', ...at))),
    stats: ofStats(stats === undefined ? [] : [stats]),
    // A day on which a run began, but used nothing, has no cost.
    days: ofStats(byDay.filter(({ cost }) => cost !== undefined)),
    page: told(await runsOfApi(path)),
    export: told(exported.map(({ outcome }) => outcome.metrics)),
    csv: told(
      rows.map((row) => {
        const cells = row.split(',');
        return { cost: Number(cells[column('cost')]), cost_is: cells[column('cost_is')] };
      }),
    ),
    dates: [...new Set(exported.map(({ outcome }) => outcome.provenance.prices?.as_of))],
  };
}

const everywhere = (expected: { micro: number; is: string | undefined }) => ({
  list: expected,
  stats: expected,
  days: expected,
  page: expected,
  export: expected,
  csv: expected,
  dates: [priceTable.as_of],
});

const inStores: Partial<Record<StreamName, string>> = {
  'claude session': places.claude,
  'codex session': places.codex,
  'qwen session': places.qwen,
  'pi session': places.pi,
};

describe('a cost that was worked out by hand is the same through every door', () => {
  it.each(some(cases, 8))('$title', async ({ stream, model, calls, micro, is }) => {
    const home = folder();
    const [file, path, other, tape] = ['run.jsonl', 'ledger.db', 'other.db', 'run.tape'].map((name) =>
      join(home, name),
    );
    if (file === undefined || path === undefined || other === undefined || tape === undefined) throw new Error('none');
    writeFileSync(file, textOf(stream, model, calls));
    const { dialect } = streams[stream];
    const expected = { micro: Math.round(micro), is };
    await inside(['budget', 'set', 'team', '--usd', '1000', '--ledger', path]);
    const flags = ['--model', model, '--from', dialect, '--budget', 'team', '--tape', tape, '--ledger', path];
    await inside(['run', ...flags, '--', 'cat', file]);
    expect(await toldBy(path)).toEqual(everywhere(expected));
    const [budget] = linesOf<{ spent: { usd: number } }>(await json('budget', 'list', '--json', '--ledger', path));
    expect(Math.round((budget?.spent.usd ?? 0) * 1e6)).toBe(expected.micro);
    const { metrics, provenance } = JSON.parse(await json('outcome', '--json', tape)) as RunOutcome;
    expect(told([metrics])).toEqual(expected);
    expect(provenance.prices).toEqual(priceTable);
    await inside(['runs', 'import', '--from', dialect, '--ledger', other, file]);
    const [{ cost } = {}] = linesOf<Told>(await json('runs', 'list', '--json', '--ledger', other));
    // What is stored may not name the model: then its price is not known.
    if (cost !== undefined) expect(await toldBy(other)).toEqual(everywhere(expected));
    const place = inStores[stream];
    if (place !== undefined)
      expect(told([(await usageOf(homeWith({ [place]: textOf(stream, model, calls) }))).total])).toEqual(expected);
  });
});

describe('a call that stands in several places, and one that stands nowhere by itself', () => {
  it.each(some(storedCases))('$title', async ({ agent, files, micro, calls, repeated = 0, is }) => {
    const home = homeWith(files);
    const expected = { micro: Math.round(micro), is };
    const { total, repeated_calls } = await usageOf(home);
    expect({ ...told([total]), calls: total.calls, repeated: repeated_calls }).toEqual({
      ...expected,
      calls,
      repeated,
    });
    const path = join(home, 'ledger.db');
    await inside(['runs', 'import', '--ledger', path, join(home, agent === 'claude' ? '.claude' : '.codex')]);
    expect(await toldBy(path)).toEqual(everywhere(expected));
  });
});

it('names the prices that were given, or are of the config', async () => {
  const home = homeWith({
    'run.jsonl': textOf('claude stream', 'claude-sonnet-4-5', [{ fresh: 1000, output: 100 }]),
    '.config/runwire/config.json': JSON.stringify({ prices: { 'claude-sonnet-4-5': { input: 1, output: 1 } } }),
  });
  const file = join(home, 'run.jsonl');
  const pricesOf = async (args: readonly string[], env: Record<string, string> = {}): Promise<unknown> => {
    const path = join(home, `${args.length}-${Object.keys(env).length}.db`);
    await inside(['run', ...args, '--ledger', path, '--', 'cat', file], { env });
    return (JSON.parse(await json('runs', 'show', 'last', '--json', '--ledger', path)) as { outcome: RunOutcome })
      .outcome.provenance.prices;
  };
  expect(await pricesOf([])).toEqual(priceTable);
  expect(await pricesOf([], { HOME: home })).toEqual({ name: 'config' });
  expect(await pricesOf(['--price', 'input=1,output=2'])).toEqual({ name: 'given' });
});
