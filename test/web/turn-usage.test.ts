import { expect, it } from 'vitest';
import { TurnUsages } from '../../web/model/turn-usage.ts';

it('gives each turn what the totals grew by while it went on, and none what several used', () => {
  const usages = new TurnUsages();
  // Before the first turn, nothing has a place.
  usages.report({ input: 10, output: 1 });
  usages.begin(3);
  usages.report({ input: 110, output: 6, cost: 0.5 });
  usages.report({ input: 210, output: 8, cacheRead: 40, cost: 0.75 });
  usages.begin(9);
  usages.begin(12);
  usages.report({ input: 900, output: 90, cacheRead: 40, cost: 2 });
  usages.begin(20);
  usages.report({ input: 1000, output: 91, cacheRead: 90, cost: 2 });
  usages.begin(30);
  // A total that shrinks takes nothing from anybody.
  usages.report({ input: 500, output: 50 });
  expect([0, 3, 9, 12, 20, 30, 31].map((row) => usages.of(row))).toEqual([
    undefined,
    { input: 200, cached: 40, output: 7, cost: 0.75 },
    undefined,
    undefined,
    { input: 100, cached: 50, output: 1 },
    undefined,
    undefined,
  ]);
});

it('finds any of many turns', () => {
  const usages = new TurnUsages();
  for (let turn = 1; turn <= 1000; turn += 1) {
    usages.begin(turn * 7);
    usages.report({ input: (turn * (turn + 1)) / 2, output: turn });
  }
  for (const turn of [1, 2, 500, 999, 1000]) expect(usages.of(turn * 7)).toEqual({ input: turn, cached: 0, output: 1 });
  expect(usages.of(8)).toBeUndefined();
});
