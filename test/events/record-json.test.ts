import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { EventRecord } from '../../src/events/event.ts';
import { beginJson, recordJson, recordLine } from '../../src/events/record-json.ts';
import { bytesOf } from '../../src/stores/encode-pieces.ts';

it('is made once for all who ask for the same record one after the other', () => {
  let times = 0;
  const counted = (n: number) => ({ n, toJSON: () => ({ n, times: ++times }) }) as unknown as EventRecord;
  const [first, second] = [counted(1), counted(2)];
  expect([first, first, second, second, first].map(recordJson)).toEqual([
    '{"n":1,"times":1}',
    '{"n":1,"times":1}',
    '{"n":2,"times":2}',
    '{"n":2,"times":2}',
    '{"n":1,"times":3}',
  ]);
});

/** Any text, lone surrogates included. */
const text = fc.string({ unit: 'binary' });
const event = fc.record(
  { type: fc.constant('log'), stream: fc.constantFrom('stdout', 'stderr'), text },
  { requiredKeys: ['type', 'text'] },
);
const place = fc.record({
  timestamp: fc.constantFrom(null, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z'),
  thread_id: fc.oneof(fc.constant('thread'), text),
  source: fc.constantFrom('agent', 'runner'),
  synthetic: fc.boolean(),
});

it('is the same when it is begun before the record has its place', () => {
  const told = fc.record({ event, place, isBegun: fc.boolean() });
  fc.assert(
    fc.property(fc.array(told, { minLength: 1, maxLength: 20 }), (records) => {
      for (const [index, { event: said, place: at, isBegun }] of records.entries()) {
        const record = { ...said, sequence: index + 1 };
        if (isBegun) beginJson(record);
        const placed = Object.assign(record, at) as EventRecord;
        const line = [recordLine(placed) ?? ''];
        const json = JSON.stringify({ ...said, sequence: index + 1, ...at });
        expect(line.join('')).toBe(`${json}\n`);
        expect(Buffer.from(bytesOf(line))).toEqual(Buffer.from(`${json}\n`));
        expect(recordJson(placed)).toBe(json);
      }
    }),
  );
});

it('is not made of what is nested too deeply', () => {
  let args: unknown = 'x';
  for (let depth = 0; depth < 100_000; depth += 1) args = [args];
  const record = { type: 'item.started', args, sequence: 1 };
  beginJson(record);
  const placed = Object.assign(record, { timestamp: null, thread_id: 't', source: 'agent', synthetic: false }) as unknown as EventRecord;
  expect([recordLine(placed), recordJson(placed)]).toEqual([undefined, undefined]);
});
