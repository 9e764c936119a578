import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { runsSchemas } from '../../../src/ledger/schemas.ts';
import type { TreeRow } from '../../../src/ledger/tree.ts';
import { exported, fill, jsonLines, newLedger, runs, sample } from './ledger.ts';

const golden = (name: string): string => join(import.meta.dirname, 'golden', `${name}.txt`);
const ledger = newLedger();
const [top, first, second, deep, other] = [1, 2, 3, 4, 5].map((number) => sample(number).id) as [
  string,
  string,
  string,
  string,
  string,
];
const below = (parent: string) => ({ parent_run_id: parent, root_run_id: top });

beforeAll(() =>
  fill(ledger, [
    sample(1, { prompt: 'Orchestrate', metrics: { cost: 0.1, input_tokens: 100 } }),
    sample(2, {
      prompt: 'Write the parser',
      ...below(top),
      metrics: { cost: 0.2, input_tokens: 1000, output_tokens: 50 },
    }),
    sample(3, { prompt: 'Write the tests', ...below(top), agent: 'codex' }),
    sample(4, { prompt: 'Look at one test', ...below(second), metrics: { cost: 0.3 } }),
    sample(5, { prompt: 'Alone' }),
  ]),
);

const ids = async (...flags: string[]): Promise<string[]> =>
  jsonLines<TreeRow>((await runs(ledger, ['list', ...flags])).stdout).map(({ id }) => id);

describe('runs list --tree', () => {
  it('shows runs under the ones that started them', async () => {
    const { stdout, status } = await runs(ledger, ['list', '--tree', '--format', 'table'], { env: { COLUMNS: '90' } });
    expect(status).toBe(0);
    await expect(stdout).toMatchFileSnapshot(golden('list-tree'));
  });

  it('tells programs how deep, as its schema says', async () => {
    const rows = jsonLines<TreeRow>((await runs(ledger, ['list', '--tree'])).stdout);
    for (const row of rows) expect(runsSchemas['run-summary'].safeParse(row).error).toBeUndefined();
    expect(rows.map(({ id, depth }) => [id, depth])).toEqual([
      [other, 0],
      [top, 0],
      [first, 1],
      [second, 1],
      [deep, 2],
    ]);
    expect(rows[1]).toMatchObject({
      cost: 0.1,
      children: { runs: 3, running: 0, cost: 0.5, cost_known: 2, input_tokens: 1000, output_tokens: 50 },
    });
  });

  it('turns pages by the runs at the top, and filters them', async () => {
    const { stderr } = await runs(ledger, ['list', '--tree', '--limit', '1']);
    const cursor = /--after (\w+)/.exec(stderr)?.[1] ?? '';
    expect(await ids('--tree', '--limit', '1')).toEqual([other]);
    expect(await ids('--tree', '--after', cursor)).toEqual([top, first, second, deep]);
    expect(await ids('--tree', '--text', 'orchestrate')).toEqual([top, first, second, deep]);
    expect(await ids('--tree', '--agent', 'codex')).toEqual([]);
  });
});

describe('what is below a run', () => {
  it('is in the list, and can be asked for', async () => {
    const rows = jsonLines<TreeRow>((await runs(ledger, ['list'])).stdout);
    expect(rows.map(({ children }) => children?.runs)).toEqual([undefined, undefined, 1, undefined, 3]);
    expect(await ids('--root', top.slice(-8))).toEqual([deep, second, first]);
    expect(await ids('--parent', `${top},${second}`)).toEqual([deep, second, first]);
    expect(await ids('--parent', '0123456789abcdefghjkmnpqrs')).toEqual([]);
    expect(await runs(ledger, ['list', '--root', 'zzzz'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('no run "zzzz"') as string,
    });
  });

  it('is told by show, in words and as data', async () => {
    const { stdout } = await runs(ledger, ['show', top, '--text']);
    expect(stdout).toContain('tokens   100 in\ncost     $0.1000 (unknown)\n');
    expect(stdout).toContain('children 3 runs, 1.0k in, 50 out, $0.5000 (known of 2)\n');
    expect((await runs(ledger, ['show', deep, '--text'])).stdout).toContain(
      `parent   ${second.slice(-8)}, in the tree of ${top.slice(-8)}\n`,
    );
    const [run] = jsonLines((await runs(ledger, ['show', second])).stdout);
    expect(runsSchemas.run.safeParse(run).error).toBeUndefined();
    expect(run).toMatchObject({ ...below(top), children: { runs: 1, cost: 0.3 } });
  });

  it('is not counted twice by stats', async () => {
    const [all] = jsonLines((await runs(ledger, ['stats', '--by', 'all'])).stdout);
    expect(all).toMatchObject({ runs: 5, cost: 0.6, input_tokens: 1100 });
    expect(jsonLines((await runs(ledger, ['stats', '--by', 'all', '--root', top])).stdout)).toMatchObject([
      { runs: 3, cost: 0.5 },
    ]);
  });

  it('goes to another ledger', async () => {
    const to = newLedger();
    const { stdout } = await runs(ledger, ['export']);
    await runs(to, ['import', '-'], { stdin: stdout });
    expect((await exported(to)).map(({ parent_run_id, root_run_id }) => [parent_run_id, root_run_id])).toEqual([
      [undefined, undefined],
      [second, top],
      [top, top],
      [top, top],
      [undefined, undefined],
    ]);
    expect((await runs(to, ['list', '--tree'])).stdout).toBe((await runs(ledger, ['list', '--tree'])).stdout);
    expect((await runs(ledger, ['list', '--csv'])).stdout).toContain(`,${second},${top},`);
  });
});

it('draws a chain that is deeper than a screen is wide', async () => {
  const chain = newLedger();
  const samples = Array.from({ length: 28 }, (_, index) => sample(index + 1));
  await fill(
    chain,
    samples.map((run, index) =>
      index === 0 ? run : { ...run, parent_run_id: samples[index - 1]?.id ?? '', root_run_id: samples[0]?.id ?? '' },
    ),
  );
  const { stdout } = await runs(chain, ['list', '--tree', '--format', 'table'], { env: { COLUMNS: '60' } });
  const lines = stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(29);
  expect(lines.at(-1)).toMatch(/^ {12}\(27\) \w{8} /);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
});
