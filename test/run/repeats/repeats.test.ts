import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../src/events/event.ts';
import { type Repetition, Repeats } from '../../../src/run/repeats/repeats.ts';
import { pass } from '../../support/pipeline.ts';
import { isSweep } from '../../support/sweep.ts';
import { bash, eventsOf, read, times } from './calls.ts';
import { loops, polls } from './cases.ts';

/** The longest row in these events; a restarted agent begins anew. */
function longest(events: readonly AgentEvent[]): Repetition | undefined {
  let repeats = new Repeats();
  let worst: Repetition | undefined;
  for (const event of events) {
    if (event.type === 'item.started') repeats.started(event);
    if (event.type === 'item.output') repeats.printed(event);
    if (event.type === 'retry.scheduled' && event.scope === 'run') repeats = new Repeats();
    const row = event.type === 'item.completed' ? repeats.completed(event) : undefined;
    if (row !== undefined && row.count > (worst?.count ?? 1)) worst = row;
  }
  return worst;
}

const row = (events: readonly AgentEvent[]): number => longest(events)?.count ?? 1;

describe('loops', () => {
  it('thirty-four are planted', () => expect(loops).toHaveLength(34));
  it.each(loops)('%s', (_, calls) => expect(row(eventsOf(calls))).toBeGreaterThanOrEqual(5));

  it('the message names the calls, in order, and how often', () => {
    const calls = times(5, () => [read('a.txt', 'x'), bash('npm test', '1 failed', 1)]);
    expect(longest(eventsOf(calls))).toEqual({
      count: 5,
      message: 'the same 2 calls with the same results 5 times in a row: read a.txt; bash npm test',
    });
  });

  it('calls that run at the same time may end in any order', () => {
    const events = eventsOf(times(6, (index) => (index % 2 === 0 ? read('a', 'x') : read('b', 'y'))));
    const swapped = times(6, () => bash('', '')).flatMap((_, index) => {
      const pair = events.slice(2 + 4 * Math.floor(index / 2), 6 + 4 * Math.floor(index / 2));
      const [startA, endA, startB, endB] = pair as [AgentEvent, AgentEvent, AgentEvent, AgentEvent];
      const isFirst = index % 4 === 0;
      return index % 2 === 1 ? [] : isFirst ? [startA, startB, endB, endA] : [startA, startB, endA, endB];
    });
    expect(longest(swapped)?.count).toBe(3);
  });

  it('output that is streamed counts as the result', () => {
    const streamed = (chunk: (index: number) => string): AgentEvent[] =>
      Array.from({ length: 6 }, (_, index): AgentEvent[] => {
        const item_id = `i-${index}`;
        return [
          { type: 'item.started', item_id, turn_id: 't', kind: 'command', name: 'bash', args: { command: 'make' } },
          { type: 'item.output', item_id, stream: 'stdout', chunk: chunk(index) },
          { type: 'item.completed', item_id, status: 'success' },
        ];
      }).flat();
    expect(row(streamed(() => 'same'))).toBe(6);
    expect(row(streamed(String))).toBe(1);
  });

  it('a call that never ends does not hide what follows it', () => {
    const [begin, turn, , , ...rest] = eventsOf([bash('npm start', ''), ...times(60, () => bash('ls', 'a.txt'))]);
    const open = eventsOf([bash('npm start', '')])[2];
    expect(row([begin, turn, open, ...rest].filter((event) => event !== undefined))).toBeGreaterThanOrEqual(20);
  });
});

describe('no loops', () => {
  it('twenty-eight are made up', () => expect(polls).toHaveLength(28));
  it.each(polls)('%s', (_, calls) => expect(row(eventsOf(calls))).toBeLessThan(5));
});

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

it('remembers little, however many calls, files and agents there are', () => {
  const repeats = new Repeats();
  const big = 'x'.repeat(100_000);
  const heap = (): number => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = heap();
  for (let index = 0; index < 1000; index += 1) {
    const item_id = `i-${index}`;
    repeats.started({
      type: 'item.started',
      item_id,
      turn_id: 't',
      parent_item_id: `p-${index}`,
      kind: 'file_edit',
      name: 'write',
      args: { path: `${index}.txt`, content: big + index },
    });
    if (index % 3 > 0) repeats.completed({ type: 'item.completed', item_id, status: 'success', output: big + index });
  }
  // All of it together would be 200 MB.
  expect((heap() - before) / 1e6).toBeLessThan(5);
  expect(repeats).toBeDefined();
});

const here = join(import.meta.dirname, '..', '..');
const shared = join(here, '..', '..', 'shared');
const filesIn = (folder: string, ends: RegExp): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => ends.test(name))
        .map((name) => join(folder, name))
    : [];

it('no recording and no fixture has a loop', () => {
  const files = [
    ...filesIn(join(here, 'recordings'), /events\.jsonl$/),
    ...filesIn(join(here, 'fixtures'), /events\.jsonl$/),
  ];
  const rows = files.map((file) => {
    const events = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as AgentEvent);
    return [relative(here, file), row(events)] as const;
  });
  expect(files.length).toBeGreaterThan(300);
  expect(Object.fromEntries(rows.filter(([, count]) => count >= 5))).toEqual({});
});

// They lie beside the checkout where there are any; without them there is nothing to try.
it.runIf(isSweep && existsSync(shared))('nor do the streams of others', () => {
  const files = [
    ...filesIn(join(shared, 'public-streams'), /\.(?:jsonl|json|log|txt)$/),
    ...filesIn(join(shared, 'recordings'), /stdout\.jsonl$/),
    ...filesIn(join(shared, 'claims', 'dev'), /stream\.jsonl$/),
  ];
  expect(files).not.toEqual([]);
  const rows = files.map(
    (file) => [relative(shared, file), row(pass({ stdout: readFileSync(file, 'utf8') }).events)] as const,
  );
  expect(Object.fromEntries(rows.filter(([, count]) => count >= 5))).toEqual({});
});
