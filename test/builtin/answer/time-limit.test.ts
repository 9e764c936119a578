import { expect, it } from 'vitest';
import { withinMs } from '../../../src/builtin/answer/time-limit.ts';

it('stops work that never ends', () => {
  expect(() =>
    withinMs(20, () => {
      for (;;);
    }),
  ).toThrow('it takes longer than');
});

it('does not count the time in which others had the processor', () => {
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  const beginnings: number[] = [];
  const answer = withinMs(20, () => {
    beginnings.push(0);
    Atomics.wait(sleeper, 0, 0, 200);
    return 'done';
  });
  expect(answer).toBe('done');
  expect(beginnings.length).toBeGreaterThan(1);
});
