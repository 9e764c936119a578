import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Claim } from '../../../src/claims/claim.ts';
import { passRate } from '../../../src/expect/wilson.ts';
import { runsSchemas } from '../../../src/ledger/schemas.ts';
import type { RunDiff } from '../../../src/ledger/diff.ts';
import type { EventRecord } from '../../../src/events/event.ts';
import { fold } from '../../../src/pipeline/convert.ts';
import { FileTapes } from '../../../src/tapes/file-tapes.ts';
import { day, fill, jsonLines, newLedger, runs, sample } from './ledger.ts';

const golden = (name: string): string => join(import.meta.dirname, 'golden', `${name}.txt`);
const ledger = newLedger();
const told = sample(1);
const { key, tape } = new FileTapes(join(ledger, '..', 'tapes')).create(told.id, told.started_at);

type Told = Parameters<typeof JSON.stringify>[0] & { type: string };

/** A run of three calls, with times. */
const events: readonly (readonly [afterMs: number, event: Told])[] = [
  [0, { type: 'thread.started', task: 'Tidy up', agent: 'claude', model: 'm', session_id: 's' }],
  [100, { type: 'turn.started', turn_id: 't1', iteration: 1 }],
  [
    200,
    {
      type: 'item.started',
      item_id: 'a',
      turn_id: 't1',
      kind: 'command',
      name: 'Bash',
      args: { command: 'npm test\u001b[2J' },
    },
  ],
  [5200, { type: 'item.completed', item_id: 'a', status: 'error', exit_code: 1, output: 'no' }],
  [
    5300,
    {
      type: 'item.started',
      item_id: 'b',
      turn_id: 't1',
      kind: 'file_edit',
      name: 'Edit',
      args: { file_path: 'src/a.ts' },
    },
  ],
  [5400, { type: 'item.completed', item_id: 'b', status: 'success' }],
  [5400, { type: 'file.edited', path: 'src/a.ts', operation: 'modified', item_id: 'b', additions: 3, deletions: 1 }],
  [
    5500,
    { type: 'item.started', item_id: 'c', turn_id: 't1', kind: 'command', name: 'Bash', args: { command: 'npm test' } },
  ],
  [9500, { type: 'item.completed', item_id: 'c', status: 'success', exit_code: 0, output: 'ok' }],
  [9900, { type: 'text.completed', turn_id: 't1', message_id: 'm1', block_id: 'b1', text: 'Tidy.\nNow it passes.' }],
  [
    9950,
    {
      type: 'turn.completed',
      turn_id: 't1',
      iteration: 1,
      tool_call_count: 3,
      has_final_report: false,
      finish_reason: 'stop',
    },
  ],
  [10_000, { type: 'agent.finished', status: 'ok' }],
];

const records = events.map(([after, event], index) => ({
  ...event,
  sequence: index + 1,
  timestamp: new Date(day(1) + after).toISOString(),
  thread_id: 's',
  source: 'agent',
  synthetic: false,
})) as unknown as EventRecord[];

beforeAll(async () => {
  const writer = tape.write({ onTrouble: (message) => expect(message).toBe('') });
  for (const record of records) writer.record(record);
  await writer.end();
  const bytes = new TextEncoder().encode(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  const outcome = await fold([bytes]);
  const calls = outcome.tool_calls.map((call, index) =>
    index === 0 ? { ...call, status: 'completed' as const } : call,
  );
  await fill(ledger, [
    { ...told, outcome, tape: key, labels: { team: 'a' }, cwd: '/repo/project' },
    {
      ...sample(2, { prompt: 'Tidy up' }),
      outcome: {
        ...outcome,
        message: 'Tidy.\nNow it fails.\nSorry.',
        tool_calls: calls.slice(0, 2),
        artifacts: [{ path: 'src/b.ts', operation: 'created' }],
        metrics: { ...outcome.metrics, duration_ms: 20_000, cost: 0.25 },
        verdict: { class: 'tool', exit_code: 3, evidence: [{ signal: 'item', detail: 'a tool failed last' }] },
        status: 'error',
      },
    },
  ]);
});

describe('show', () => {
  it('tells people', async () => {
    const { stdout, status } = await runs(ledger, ['show', told.id, '--text'], { env: { COLUMNS: '90' } });
    expect(status).toBe(0);
    await expect(stdout).toMatchFileSnapshot(golden('show'));
  });

  it('tells programs, as its schema says', async () => {
    const { stdout } = await runs(ledger, ['show', told.id]);
    const [run] = jsonLines<{ timeline: unknown[] }>(stdout);
    expect(runsSchemas.run.safeParse(run).error).toBeUndefined();
    expect(run?.timeline).toEqual([
      { name: 'Bash', status: 'error', start_ms: 200, duration_ms: 5000, about: 'npm test\\x1b[2J' },
      { name: 'Edit', status: 'success', start_ms: 5300, duration_ms: 100, about: 'src/a.ts' },
      { name: 'Bash', status: 'success', start_ms: 5500, duration_ms: 4000, about: 'npm test' },
    ]);
  });

  it('takes the format as other commands do', async () => {
    const shown = async (...flags: string[]) => (await runs(ledger, ['show', told.id, ...flags])).stdout;
    expect(await shown('--format', 'json')).toBe(await shown('--json'));
    expect(await shown('--format', 'text')).toBe(await shown('--text'));
    expect((await runs(ledger, ['show', told.id, '--format', 'csv'])).status).toBe(2);
  });

  it('does without a tape', async () => {
    const { stdout, status } = await runs(ledger, ['show', 'last', '--text']);
    expect(status).toBe(0);
    expect(stdout).toContain('Tools\n  Bash  completed  5.0s\n  Edit  completed  100ms\n');
  });
});

describe('diff', () => {
  it('tells people', async () => {
    const { stdout, status } = await runs(ledger, ['diff', told.id, 'last', '--text'], { env: { COLUMNS: '90' } });
    expect(status).toBe(0);
    await expect(stdout).toMatchFileSnapshot(golden('diff'));
  });

  it('tells programs, and exits with the difference when asked', async () => {
    const { stdout, status } = await runs(ledger, ['diff', '--exit-code', told.id, 'last']);
    const [found] = jsonLines<RunDiff>(stdout);
    expect(status).toBe(1);
    expect(runsSchemas['run-diff'].safeParse(found).error).toBeUndefined();
    expect(found?.answer).toEqual([
      { kind: 'same', value: ['Tidy.'] },
      { kind: 'removed', value: ['Now it passes.'] },
      { kind: 'added', value: ['Now it fails.', 'Sorry.'] },
    ]);
  });

  it('finds nothing between a run and itself', async () => {
    const { stdout, status } = await runs(ledger, ['diff', '--exit-code', '--text', 'last', 'last']);
    expect({ stdout, status }).toEqual({ stdout: 'nothing differs\n', status: 0 });
  });

  it('wants two runs', async () => {
    const { stderr, status } = await runs(ledger, ['diff', 'last']);
    expect({ stderr, status }).toEqual({ stderr: 'runwire: expected two runs: ids, or last; see --help\n', status: 2 });
  });
});

describe('stats', () => {
  it.each(['agent', 'class', 'day', 'label:team'])('by %s', async (by) => {
    const { stdout } = await runs(ledger, ['stats', '--by', by, '--format', 'table', '--chart', 'time'], {
      env: { COLUMNS: '100' },
    });
    await expect(stdout).toMatchFileSnapshot(golden(`stats-${by.replace(':', '-')}`));
  });

  it('tells programs, as its schema says', async () => {
    const { stdout } = await runs(ledger, ['stats', '--by', 'all']);
    const [row] = jsonLines<Record<string, unknown>>(stdout);
    expect(runsSchemas['run-stats'].safeParse(row).error).toBeUndefined();
    expect(row).toMatchObject({
      by: 'all',
      runs: 2,
      succeeded: 1,
      success_rate: 0.5,
      duration_ms: 30_000,
      mean_duration_ms: 15_000,
    });
    const csv = await runs(ledger, ['stats', '--csv']);
    expect(csv.stdout).toMatch(/^by,group,runs,.*\r\nagent,claude,2,0,1,0.5,0.25,1,/);
  });

  it('says how much of what answers claim is contradicted, and how sure that is', async () => {
    const claimed = newLedger();
    const claims = Array.from({ length: 20 }, (_, index): Claim => ({
      quote: 'All tests pass.',
      start: 0,
      kind: 'tests_pass',
      verdict: index < 3 ? 'contradicted' : 'supported',
      evidence: [],
    }));
    await fill(claimed, [
      sample(1, {
        agent: 'claude',
        metrics: { cost: 12.5, input_tokens: 90_000, duration_ms: 61_000 },
        more: { claims },
      }),
      sample(2),
    ]);
    const [row = {}] = jsonLines<Record<string, unknown>>((await runs(claimed, ['stats'])).stdout);
    expect(runsSchemas['run-stats'].safeParse(row).error).toBeUndefined();
    const { rate, low, high } = passRate(3, 20);
    expect(row).toMatchObject({
      claims_known: 1,
      claims_checked: 20,
      claims_contradicted: 3,
      contradicted_rate: rate,
      contradicted_low: low,
      contradicted_high: high,
    });
    const { stdout } = await runs(claimed, ['stats', '--format', 'table'], { env: { COLUMNS: '80' } });
    expect(stdout).toContain('CONTRADICTED');
    expect(stdout).toContain(`15.0% (${(low * 100).toFixed(0)}–${(high * 100).toFixed(0)}%)`);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    const csv = await runs(claimed, ['stats', '--csv', '--columns', 'claims_checked,contradicted_rate']);
    expect(csv.stdout).toBe(`by,group,claims_checked,contradicted_rate\r\nagent,claude,20,${rate}\r\n`);
    const none = await runs(ledger, ['stats', '--format', 'table']);
    expect(none.stdout).not.toContain('CONTRADICTED');
  });
});
