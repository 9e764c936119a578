import { beforeEach, describe, expect, it } from 'vitest';
import { Timelines } from '../../src/ledger/timelines.ts';
import type { RunSummary } from '../../src/stores/run-store.ts';
import type { Tape } from '../../src/tapes/tape.ts';

const at = (sequence: number): string => new Date(Date.UTC(2026, 0, 1) + sequence * 1000).toISOString();
const recordOf = (sequence: number, event: object): object => ({
  ...event,
  sequence,
  timestamp: at(sequence),
  thread_id: 't',
  source: 'agent',
  synthetic: false,
});
const call = (number: number): object[] => [
  recordOf(number * 2, {
    type: 'item.started',
    item_id: `i${number}`,
    turn_id: 't',
    kind: 'command',
    name: `tool ${number}`,
    args: {},
  }),
  recordOf(number * 2 + 1, { type: 'item.completed', item_id: `i${number}`, status: 'success' }),
];

const verdict = { class: 'success', exit_code: 0, evidence: [] };
const end = recordOf(6, { type: 'thread.completed', status: 'success', summary: '', verdict, final_report: {} });

/** From which sequence on the tape was read, each time. */
let reads: number[];
let lines: { sequence?: number }[];
let grown = 0;
const tape = {
  async *read(after = 0) {
    reads.push(after);
    yield* lines.filter(({ sequence = 0 }) => sequence > after).map((line) => Buffer.from(`${JSON.stringify(line)}\n`));
    return { kind: 'whole' };
  },
  size: async () => lines.length + grown,
} as Pick<Tape, 'read' | 'size'> as Tape;
const run = (status: RunSummary['status'], key = 'k') => ({ tape: key, status }) as RunSummary;
const entry = (number: number) => ({
  name: `tool ${number}`,
  status: 'success',
  start_ms: (number - 1) * 2000,
  duration_ms: 1000,
});

beforeEach(() => {
  reads = [];
  lines = [...call(1), ...call(2)];
  grown = 0;
});

describe('a timeline that is asked for again', () => {
  const both = { entries: [entry(1), entry(2)], length_ms: 3000, omitted: 0 };

  it('is read once, if the run has ended', async () => {
    const timelines = new Timelines();
    expect(await timelines.of(run('success'), tape)).toEqual(both);
    expect(await timelines.of(run('success'), tape)).toEqual(both);
    expect(reads).toEqual([0]);
  });

  it('is read once by those who ask at the same time', async () => {
    const timelines = new Timelines();
    expect(
      await Promise.all([run('running'), run('running'), run('running')].map((each) => timelines.of(each, tape))),
    ).toEqual([both, both, both]);
    expect(reads).toEqual([0]);
  });

  it('is read on from where it was, if the run goes on', async () => {
    const timelines = new Timelines();
    lines = call(1).slice(0, 1);
    expect(await timelines.of(run('running'), tape)).toEqual({
      entries: [{ name: 'tool 1', start_ms: 0 }],
      length_ms: 0,
      omitted: 0,
    });
    lines = call(1);
    expect((await timelines.of(run('running'), tape)).entries).toEqual([entry(1)]);
    lines = [...call(1), ...call(2)];
    expect(await timelines.of(run('success'), tape)).toEqual(both);
    expect(await timelines.of(run('success'), tape)).toEqual(both);
    expect(reads).toEqual([0, 2, 3]);
  });

  it('has all of a tape that has ended before the run did', async () => {
    const timelines = new Timelines();
    lines = [...lines, end];
    for (const status of ['running', 'running', 'success'] as const)
      expect(await timelines.of(run(status), tape)).toEqual(both);
    expect(reads).toEqual([0, 6, 6]);
  });

  it('is read anew from a tape of another size', async () => {
    const timelines = new Timelines();
    await timelines.of(run('success'), tape);
    grown = 7;
    expect(await timelines.of(run('success'), tape)).toEqual(both);
    expect(reads).toEqual([0, 0]);
  });

  it('is read anew after a tape that could not be read', async () => {
    const timelines = new Timelines();
    const away = {
      ...tape,
      read: () => {
        throw new Error('away');
      },
    } as Tape;
    await expect(timelines.of(run('success'), away)).rejects.toThrow('away');
    expect(await timelines.of(run('success'), tape)).toEqual(both);
  });

  it('is that of a damaged tape, too', async () => {
    lines = [...call(1), { type: 'noise' } as object, ...call(2)];
    const timelines = new Timelines();
    expect((await timelines.of(run('running'), tape)).entries.map(({ name }) => name)).toEqual(['tool 1', 'tool 2']);
    expect((await timelines.of(run('success'), tape)).entries.map(({ name }) => name)).toEqual(['tool 1', 'tool 2']);
  });

  it('is forgotten when others were asked for since', async () => {
    const timelines = new Timelines(450);
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await timelines.of(run('success', key), tape);
    // There is room for two; "a" was always asked for lately.
    expect(reads).toHaveLength(4);
  });
});
