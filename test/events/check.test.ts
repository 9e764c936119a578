import { expect, it } from 'vitest';
import { eventIn } from '../../src/events/check.ts';
import { AgentEvent } from '../../src/events/event.ts';
import { shapes } from '../../src/events/shapes.ts';
import { loadRecording } from '../support/recordings.ts';
import { Reader } from '../../src/pipeline/reader.ts';

/** Values of every kind that a field may have, and what no field takes. */
const values: readonly unknown[] = [
  '',
  'x',
  'stop',
  'success',
  'stdout',
  0,
  1,
  -1,
  1.5,
  2 ** 60,
  true,
  null,
  [],
  ['x'],
  [1],
  {},
  undefined,
];

// The verdict and the report of an end are read by who needs them, with schemas of their own.
it.each(Object.entries(shapes).filter(([type]) => type !== 'thread.completed'))(
  '%s is taken for an event by the quick check just when the schema takes it',
  (type, shape) => {
    const fill = (kind: string): unknown => {
      const plain = kind.replace(/^~/, '').replace(/\?$/, '');
      const examples: Record<string, unknown> = {
        json: {},
        string: '',
        id: 'i',
        boolean: false,
        count: 0,
        integer: -1,
        amount: 0.5,
        number: -0.5,
        strings: ['x'],
      };
      return plain in examples ? examples[plain] : plain.split('|')[0];
    };
    const whole = { type, ...Object.fromEntries(Object.entries(shape).map(([field, kind]) => [field, fill(kind)])) };
    expect(eventIn(whole)).toEqual(AgentEvent.parse(whole));
    for (const field of Object.keys(shape))
      for (const value of values) {
        const { [field]: _, ...rest } = whole as Record<string, unknown>;
        const wire = value === undefined ? rest : { ...rest, [field]: value };
        const bySchema = AgentEvent.safeParse(wire);
        expect({ field, value, event: eventIn(wire) }).toEqual({
          field,
          value,
          event: bySchema.success ? bySchema.data : undefined,
        });
      }
  },
);

it('takes the event out of its record, and nothing else for one', () => {
  const reader = new Reader({
    onRecord({ sequence, timestamp, thread_id, source, synthetic, ...event }) {
      expect(eventIn({ sequence, timestamp, thread_id, source, synthetic, ...event })).toEqual(event);
    },
  });
  reader.stdout(loadRecording('codex@0.166.0', 'multi-tool').stdout);
  reader.end();
  for (const wire of [{}, { type: 5 }, { type: 'toString' }, { type: 'something.new' }])
    expect(eventIn(wire)).toBeUndefined();
});
