import { expect, it } from 'vitest';
import type { EventRecord } from '../../src/events/event.ts';
import { ReportRecords } from '../../src/reports/report-records.ts';

function record(sequence: number, args: unknown): EventRecord {
  return {
    type: 'item.started',
    item_id: `i${sequence}`,
    turn_id: 'turn',
    kind: 'tool_call',
    name: 'tool',
    args: args as never,
    sequence,
    timestamp: new Date(sequence * 1000).toISOString(),
    thread_id: 't',
    source: 'agent',
    synthetic: false,
  };
}

/** What a report holds of some records. */
function held(records: readonly EventRecord[]): {
  texts: string[];
  read: { type: string; sequence: number; cut?: object }[];
} {
  const kept = new ReportRecords((json) => json);
  const texts = [...records.flatMap((each) => kept.push(each) ?? []), ...kept.end()];
  return { texts, read: texts.map((text) => JSON.parse(text) as { type: string; sequence: number }) };
}

it('keeps what fits as it is', () => {
  const records = Array.from({ length: 50 }, (_, index) =>
    record(index + 1, { command: 'ls', deep: { list: [1, 'two'] } }),
  );
  expect(held(records).read).toEqual(records);
});

it('keeps the beginning and the end of a long text, and counts the rest', () => {
  const [first] = held([record(1, { command: `begin${'x'.repeat(1_000_000)}end` })]).read;
  expect(first).toMatchObject({ cut: { '/args/command': 1_000_008 - 65_536 } });
  expect(JSON.stringify(first)).toMatch(/begin.*\[… 934472 characters …\].*end/);
});

it.each([
  ['a key', { ['k'.repeat(5_000_000)]: 1 }],
  ['many keys', Object.fromEntries(Array.from({ length: 300_000 }, (_, index) => [`key ${index}`, index]))],
  ['a list', Array.from({ length: 1_000_000 }, (_, index) => index)],
  ['lists in lists', Array.from({ length: 1000 }, () => Array.from({ length: 1000 }, () => 'word'))],
  ['texts', Array.from({ length: 300 }, () => 'x'.repeat(60_000))],
  ['depth', JSON.parse(`${'['.repeat(50)}"${'x'.repeat(5_000_000)}"${']'.repeat(50)}`) as unknown],
])('has an end to %s, which the record tells', (_, args) => {
  const { texts, read } = held([record(1, args)]);
  expect(texts[0]?.length).toBeLessThan(1_200_000);
  expect(Object.keys(read[0]?.cut ?? {}).length).toBeGreaterThan(0);
  expect(read[0]).toMatchObject({ type: 'item.started', item_id: 'i1', name: 'tool', sequence: 1 });
});

it('keeps the first and the last of too many records, and what stands for the others', () => {
  const many = Array.from({ length: 1000 }, (_, index) => record(index + 1, 'x'.repeat(50_000)));
  const { texts, read } = held(many);
  expect(texts.join('').length).toBeLessThan(16 * 1024 * 1024);
  const at = read.findIndex(({ type }) => type === 'records.left_out');
  const [before, after] = [read.slice(0, at), read.slice(at + 1)];
  const count = 1000 - before.length - after.length;
  expect(before.map(({ sequence }) => sequence)).toEqual(before.map((_, index) => index + 1));
  expect(after.map(({ sequence }) => sequence)).toEqual(after.map((_, index) => 1001 - after.length + index));
  expect(Math.abs(before.length - after.length)).toBeLessThan(3);
  expect(read[at]).toEqual({
    type: 'records.left_out',
    sequence: before.length + 1,
    timestamp: new Date((before.length + 1) * 1000).toISOString(),
    last_sequence: before.length + count,
    until: new Date((before.length + count + 1) * 1000).toISOString(),
    count,
  });
});

it('leaves nothing in a record that nobody could write', () => {
  const deep = JSON.parse(`${'['.repeat(100_000)}1${']'.repeat(100_000)}`) as unknown;
  expect(held([record(1, 'a'), record(2, deep), record(3, 'b')]).read.map(({ sequence }) => sequence)).toEqual([1, 3]);
});
