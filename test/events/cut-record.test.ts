import { expect, it } from 'vitest';
import { cutRecord } from '../../src/events/cut-record.ts';
import type { EventRecord } from '../../src/events/event.ts';
import { cutText } from '../../src/outcome/bounded.ts';

const record = (args: unknown): EventRecord => ({
  type: 'item.started',
  item_id: 'i1',
  turn_id: 'turn',
  kind: 'tool_call',
  name: 'tool',
  args: args as never,
  sequence: 1,
  timestamp: new Date(1000).toISOString(),
  thread_id: 't',
  source: 'agent',
  synthetic: false,
});

it('leaves a short record as it is', () => {
  const short = record({ a: 'x', b: [1, null, { c: true }] });
  expect(cutRecord(short, 20)).toBe(short);
});

it('cuts as short as it is asked to, and tells what is missing where', () => {
  const long = record({ a: 'x'.repeat(30), b: ['y'.repeat(21), 'z'] });
  const args = { a: 'x'.repeat(20), b: ['y'.repeat(20), 'z'] };
  expect(cutRecord(long, 20)).toEqual({ ...long, args, cut: { '/args/a': 10, '/args/b/0': 1 } });
  expect(cutRecord(record({ a: 'x'.repeat(30) }), 20, cutText)).toMatchObject({
    args: { a: expect.stringContaining('[… 10 characters …]') },
  });
});
