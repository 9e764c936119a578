import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { Stats } from '../../src/ledger/stats.ts';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import { inside, serve } from '../cli/run/live.ts';
import { folder } from '../cli/run/scripted.ts';
import { six, sixCost } from '../support/costs/cases.ts';
import { type StreamName, streams, textOf } from '../support/costs/streams.ts';
import { some, sweep } from '../support/sweep.ts';
import { runsOfApi } from './support/runs-of-api.ts';

type Model = keyof typeof sixCost;
interface Told {
  cost?: number | undefined;
  cost_is?: string | undefined;
}

const names = Object.keys(streams) as StreamName[];
const told = ({ cost, cost_is }: Told): Told => ({ cost, cost_is });

function place(name: StreamName, model: Model, calls = six) {
  const home = folder();
  const file = join(home, 'stream.jsonl');
  writeFileSync(file, textOf(name, model, calls));
  const path = join(home, 'ledger.db');
  const run = (flags: readonly string[], options: { env?: Record<string, string> } = {}) => {
    const fixed = ['--format', 'json', '--ledger', path, '--model', model, '--from', streams[name].dialect];
    return inside(['run', ...fixed, ...flags, '--', 'cat', file], options);
  };
  return { home, file, path, run };
}

/** What each door said of the six calls: `npm run costs` prints it. */
const table: string[][] = [];
const shown = ({ cost, cost_is }: Told): string =>
  cost === undefined ? 'unknown' : `${cost_is === undefined ? '' : '≥ '}${cost}`;

afterAll(() => {
  if (process.env['COST_TABLE'] === undefined) return;
  const columns = ['stream', 'model', 'live', 'tape', 'stats', 'page', 'import', 'limit', 'budget'];
  const rows = [columns, columns.map(() => '---'), ...table.toSorted((a, b) => (a[0] ?? '').localeCompare(b[0] ?? ''))];
  process.stdout.write(rows.map((row) => `| ${row.join(' | ')} |\n`).join(''));
});

const boundOf = (name: StreamName): string | undefined => (streams[name].tells === 'calls' ? undefined : 'at_least');
const firstRun = async <Value>(path: string): Promise<Value> => {
  const [line = ''] = (await inside(['runs', 'list', '--json', '--ledger', path])).stdout.split('\n');
  return JSON.parse(line) as Value;
};

it.each(sweep(some(names), Object.keys(sixCost) as Model[]))(
  'six calls of 90,000 tokens cost the same through every door: %s, %s',
  async (name, model) => {
    const { home, path, run, file } = place(name, model);
    const usd = sixCost[model] / 1e6;
    const expected = { cost: usd, cost_is: boundOf(name) };
    const tape = join(home, 'run.tape');
    await run(['--tape', tape]);
    const { metrics } = JSON.parse((await inside(['outcome', '--json', tape])).stdout) as RunOutcome;
    const stats = JSON.parse(
      (await inside(['runs', 'stats', '--by', 'all', '--json', '--ledger', path])).stdout,
    ) as Stats;
    // What is stored may not name the model: then its price is not known.
    const other = join(home, 'other.db');
    await inside(['runs', 'import', '--ledger', other, '--from', streams[name].dialect, file]);
    const imported = await firstRun<Told & { model?: string }>(other);
    const live = told(await firstRun<Told>(path));
    const isLeast = stats.cost_at_least > 0;
    const inStats = { cost: stats.cost, cost_is: isLeast ? 'at_least' : undefined };
    table.push([
      name,
      model,
      ...[live, told(metrics), inStats, ...(await runsOfApi(path)).map(told), told(imported)].map(shown),
      '',
      '',
    ]);
    expect({
      live,
      tape: told(metrics),
      stats: { cost: stats.cost, cost_at_least: stats.cost_at_least },
      page: (await runsOfApi(path)).map(told),
      imported: told(imported),
    }).toEqual({
      live: expected,
      tape: expected,
      stats: { cost: usd, cost_at_least: expected.cost_is === undefined ? 0 : 1 },
      page: [expected],
      imported: imported.model === undefined ? told({}) : expected,
    });
  },
);

it.each(some(names, 3))('a limit and a budget act on what is sure: %s', async (name) => {
  const { path, run } = place(name, 'claude-sonnet-4-5');
  const classOf = async (flags: readonly string[]): Promise<string> => {
    await run(flags);
    return (await firstRun<{ class: string }>(path)).class;
  };
  const free = await classOf([]);
  const limits = [await classOf(['--max-cost-usd', '0.667']), await classOf(['--max-cost-usd', '0.666'])];
  expect(limits).toEqual([free, 'cost_limit']);
  await inside(['budget', 'set', 'team', '--usd', '0.667', '--ledger', path]);
  const budgets = [await classOf(['--budget', 'team']), await classOf(['--budget', 'team'])];
  expect(budgets).toEqual([free, 'cost_limit']);
  const words = [limits, budgets].map((classes) => classes.join(', then '));
  table.push([name, 'claude-sonnet-4-5', '', '', '', '', '', ...words]);
});

it('a cost is unknown through every door where an agent tells no tokens, and a limit on it is a warning: continue', async () => {
  const home = folder();
  const [file, path, other] = [join(home, 'answer.json'), join(home, 'ledger.db'), join(home, 'other.db')];
  writeFileSync(file, JSON.stringify({ response: 'Done.', status: 'success', note: 'wrapped' }));
  const run = (flags: readonly string[]) =>
    inside(['run', '--ledger', path, '--model', 'gpt-5.5', '--from', 'continue', ...flags, '--', 'cat', file]);
  const tape = join(home, 'run.tape');
  await run(['--tape', tape]);
  const { metrics } = JSON.parse((await inside(['outcome', '--json', tape])).stdout) as RunOutcome;
  await inside(['runs', 'import', '--ledger', other, '--from', 'continue', file]);
  const doors = [
    told(await firstRun<Told>(path)),
    told(metrics),
    ...(await runsOfApi(path)).map(told),
    told(await firstRun<Told>(other)),
  ];
  expect(doors).toEqual(doors.map(() => told({})));
  table.push([
    'continue',
    'gpt-5.5',
    ...doors.slice(0, 2).map(shown),
    'unknown',
    ...doors.slice(2).map(shown),
    'a warning',
    '',
  ]);
  const limited = await run(['--max-cost-usd', '0.01']);
  expect([limited.status, limited.stderr]).toEqual([0, expect.stringMatching(/warning: .*cost/) as string]);
});

it.each([
  [
    'dexter',
    [
      {
        type: 'done',
        answer: 'Done.',
        toolCalls: [],
        iterations: 1,
        totalTime: 1,
        tokenUsage: { inputTokens: 540_000, outputTokens: 1200 },
      },
    ],
  ],
  [
    'agent-code',
    [
      { type: 'session_start', session_id: 's', model: 'gpt-5.5', cwd: '/w', timestamp: '2026-11-01T10:00:00Z' },
      ...six.flatMap((_, index) => [
        { type: 'turn_start', turn: index + 1 },
        { type: 'text_delta', content: 'Done.' },
        { type: 'turn_complete', turn: index + 1, input_tokens: 90_000, output_tokens: 200 },
      ]),
      { type: 'session_end', turns: 6, tools_used: 0, duration_ms: 1 },
    ],
  ],
])('a cost is the least that it can be where nothing tells what came from the cache: %s', async (dialect, lines) => {
  const home = folder();
  const [file, path, tape] = [join(home, 'stream.jsonl'), join(home, 'ledger.db'), join(home, 'run.tape')];
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const run = async (flags: readonly string[]): Promise<{ class: string } & Told> => {
    await inside(['run', '--ledger', path, '--model', 'gpt-5.5', '--from', dialect, ...flags, '--', 'cat', file]);
    return firstRun(path);
  };
  const usd = (540_000 * 0.5 + 1200 * 30) / 1e6;
  const free = await run(['--tape', tape]);
  expect(told(free)).toEqual({ cost: usd, cost_is: 'at_least' });
  expect(told((JSON.parse((await inside(['outcome', '--json', tape])).stdout) as RunOutcome).metrics)).toEqual(
    told(free),
  );
  // What it cost in truth is below this limit, what it would have cost without a cache is above.
  expect((await run(['--max-cost-usd', String(sixCost['gpt-5.5'] / 1e6)])).class).toBe(free.class);
  expect((await run(['--max-cost-usd', '0.3'])).class).toBe('cost_limit');
  // A price that is the same from the cache leaves nothing open.
  expect(told(await run(['--price', 'input=1,output=1']))).toEqual({ cost: 0.5412, cost_is: undefined });
});

it('the built-in agent is stopped by what its calls cost, and not by what one call of that size would', async () => {
  const turns = Array.from({ length: 6 }, (_, index) => ({
    ...(index === 5 ? { text: 'Done.' } : { calls: [{ name: 'read', args: { path: 'a.txt' } }] }),
    usage: { input: 90_000, cached: 60_000, output: 200 },
  }));
  const server = await serve(turns);
  const run = async (limit: string): Promise<unknown[]> => {
    const flags = [
      '--model',
      'openai/gpt-5.5',
      '--base-url',
      server.baseUrl('responses'),
      '--max-cost-usd',
      limit,
      '--ledger',
      'none',
    ];
    const { stdout, status } = await inside(['run', '--to', 'runwire', ...flags, 'go'], {
      env: { OPENAI_API_KEY: 'k' },
    });
    const last = stdout.trimEnd().split('\n').at(-1) ?? '';
    const { final_report: report } = JSON.parse(last) as { final_report: RunOutcome };
    return [status, report.metrics.cost];
  };
  expect(await run('1.117')).toEqual([0, 1.116]);
  expect(await run('0.9')).toEqual([5, dollarsOf(5)]);
});

/** What some of the six calls cost with gpt-5.5. */
const dollarsOf = (calls: number): number => Number(((sixCost['gpt-5.5'] / 6e6) * calls).toPrecision(12));

it('is told to people as what it is', async () => {
  const { path, run, file } = place('gemini stream', 'gemini-2.5-pro');
  await run([]);
  const words = [
    (await inside(['outcome', '--text', file])).stdout,
    (await inside(['runs', 'show', 'last', '--text', '--ledger', path])).stdout,
    (await inside(['runs', 'stats', '--by', 'all', '--format', 'table', '--ledger', path])).stdout,
  ];
  expect(words.map((text) => /at least \$0\.2820/.test(text))).toEqual([true, true, true]);
  expect((await inside(['runs', 'export', '--format', 'csv', '--ledger', path])).stdout).toContain(
    ',0.282,computed,at_least,',
  );
});

it('prices of the config hold wherever a cost is computed, also where the agent leaves out the provider', async () => {
  const { home, path, file, run } = place('claude stream', 'claude-sonnet-4-5');
  const config = { prices: { 'anthropic/claude-sonnet-4-5': { input: 1, output: 10, cacheRead: 0.5 } } };
  mkdirSync(join(home, '.config', 'runwire'), { recursive: true });
  writeFileSync(join(home, '.config', 'runwire', 'config.json'), JSON.stringify(config));
  const env = { HOME: home };
  // 6 × (30,000 × $1 + 60,000 × $0.50 + 200 × $10), per million.
  const cost = 0.372;
  const other = join(home, 'other.db');
  await inside(['runs', 'import', '--ledger', other, file], { env });
  await run(['--tape', join(home, 'run.tape')], { env });
  const { metrics } = JSON.parse(
    (await inside(['outcome', '--json', join(home, 'run.tape')], { env })).stdout,
  ) as RunOutcome;
  expect([(await firstRun<Told>(path)).cost, metrics.cost, (await firstRun<Told>(other)).cost]).toEqual([
    cost,
    cost,
    cost,
  ]);
});

it('--price knows what is written to the cache', async () => {
  const { path, run } = place('claude session', 'claude-sonnet-4-5', [
    { fresh: 1000, write: 2000, hour: 3000, output: 100 },
  ]);
  const costAt = async (price: string): Promise<number | undefined> => {
    await run(['--price', price]);
    return (await firstRun<Told>(path)).cost;
  };
  expect(await costAt('input=1,output=2')).toBe(0.0062);
  expect(await costAt('input=1,output=2,cache_write=3')).toBe(0.0162);
  expect(await costAt('input=1,output=2,cache_write=3,cache_write_1h=5')).toBe(0.0222);
});

it('a cost that is not known is not written as 0, and what decides the price is written with it', async () => {
  const file = join(folder(), 'x.jsonl');
  const calls = [{ fresh: 1000, write: 2000, hour: 3000, output: 100, searches: 2 }];
  writeFileSync(file, textOf('the tape of the built-in agent', 'claude-sonnet-4-5', calls));
  const { stdout } = await inside(['convert', '--to', 'claude', file]);
  expect(stdout).not.toMatch(/"(?:total_cost_usd|costUSD)"/);
  writeFileSync(file, stdout);
  const { metrics } = JSON.parse((await inside(['outcome', '--json', file])).stdout) as RunOutcome;
  // 1,000 × $3 + 2,000 × $3.75 + 3,000 × $6 + 100 × $15 per million, and two searches of a cent.
  expect(metrics.cost).toBe(0.05);
});
