import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { EventRecord } from '../../src/events/event.ts';
import { beginJson, LineEnd, recordJson, recordLine } from '../../src/events/record-json.ts';
import { bytesOf } from '../../src/tapes/encode-pieces.ts';
import { isSweep } from '../support/sweep.ts';

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
const beginnings = fc.record(
  {
    type: fc.constant('log'),
    stream: fc.constantFrom('stdout', 'stderr'),
    text,
    timestamp: fc.constantFrom(null, '2026-01-01T00:00:00.000Z'),
  },
  { requiredKeys: ['type', 'text', 'timestamp'] },
);
const belongings = fc.record({
  thread_id: fc.oneof(fc.constant('thread'), text),
  source: fc.constantFrom('agent', 'runner'),
  synthetic: fc.boolean(),
});

it('is the same when it is begun before the record has its last fields', () => {
  const told = fc.record({ beginning: beginnings, belonging: belongings, isBegun: fc.boolean() });
  fc.assert(
    fc.property(fc.array(told, { minLength: 1, maxLength: 20 }), (records) => {
      for (const { beginning, belonging, isBegun } of records) {
        const record: object = { ...beginning };
        if (isBegun) beginJson(record, new LineEnd(belonging));
        const whole = Object.assign(record, belonging) as EventRecord;
        const line = [recordLine(whole) ?? ''];
        const json = JSON.stringify({ ...beginning, ...belonging });
        expect(line.join('')).toBe(`${json}\n`);
        expect(Buffer.from(bytesOf(line))).toEqual(Buffer.from(`${json}\n`));
        expect(recordJson(whole)).toBe(json);
      }
    }),
  );
});

it('is not made of what is nested too deeply', () => {
  let args: unknown = 'x';
  for (let depth = 0; depth < 100_000; depth += 1) args = [args];
  const record: object = { type: 'item.started', args };
  const belonging = { thread_id: 't', source: 'agent', synthetic: false } as const;
  beginJson(record, new LineEnd(belonging));
  const whole = Object.assign(record, belonging) as EventRecord;
  expect([recordLine(whole), recordJson(whole)]).toEqual([undefined, undefined]);
});

it.runIf(isSweep)('is not made of what is longer than any text', () => {
  const longest = 2 ** 29 - 24;
  const belonging = { thread_id: 'thread', source: 'agent', synthetic: false } as const;
  const end = new LineEnd(belonging);
  const room = longest - JSON.stringify({ type: 'log', text: '' }).length - end.text.length;
  const isWritten = (characters: number): boolean => {
    const record: object = { type: 'log', text: 'x'.repeat(characters) };
    beginJson(record, end);
    const whole = Object.assign(record, belonging) as EventRecord;
    const line = recordLine(whole);
    expect(recordJson(whole)?.length).toBe(line === undefined ? undefined : line.toString().length - 1);
    return line !== undefined;
  };
  expect([isWritten(room), isWritten(room + 1)]).toEqual([true, false]);
});
