import { expect, it } from 'vitest';
import { recordJson } from '../../src/events/record-json.ts';

it('is made once for all who ask for the same record one after the other', () => {
  let times = 0;
  const counted = (n: number) => ({ n, toJSON: () => ({ n, times: ++times }) });
  const [first, second] = [counted(1), counted(2)];
  expect([first, first, second, second, first].map(recordJson)).toEqual([
    '{"n":1,"times":1}',
    '{"n":1,"times":1}',
    '{"n":2,"times":2}',
    '{"n":2,"times":2}',
    '{"n":1,"times":3}',
  ]);
});
