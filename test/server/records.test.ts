import { expect, it } from 'vitest';
import type { EventRecord } from '../../src/events/event.ts';
import { recordJson } from '../../src/events/record-json.ts';
import { messagesOf } from '../../src/server/records.ts';

/** Arguments that are long enough to be cut, and nested this deeply. */
function nested(depth: number): EventRecord {
  let args: unknown = 'x';
  for (let level = 0; level < depth; level += 1) args = [args];
  const place = { sequence: 1, timestamp: null, thread_id: 't', source: 'agent', synthetic: false } as const;
  return {
    type: 'item.started',
    item_id: 'a',
    kind: 'tool_call',
    name: 'n',
    args: { long: 'x'.repeat(5000), args },
    ...place,
  } as unknown as EventRecord;
}

it('sends a record of any depth, or leaves it out', () => {
  let [fits, fails] = [0, 50_000];
  while (fails - fits > 1) {
    const depth = (fits + fails) >> 1;
    if (recordJson(nested(depth)) === undefined) fails = depth;
    else fits = depth;
  }
  // Cutting needs some more of the stack than writing does.
  for (let depth = fits - 150; depth < fails + 10; depth += 1)
    expect(
      [...messagesOf([nested(depth)], 2000)].flatMap(({ lines = [] }) => lines).length,
      `depth ${depth}`,
    ).toBeLessThanOrEqual(1);
});
