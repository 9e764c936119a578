import fc from 'fast-check';
import { expect, it } from 'vitest';
import { costAt } from '../../src/outcome/price.ts';

it.each([
  ['no cache', { input: 2, output: 10 }, { input: 1000, output: 50 }, 0.0025],
  [
    'a price of its own for cache reads',
    { input: 2, output: 10, cacheRead: 0.5 },
    { input: 1000, output: 50, cacheRead: 400 },
    0.0019,
  ],
  ['cache reads at the price of input', { input: 2, output: 10 }, { input: 1000, output: 50, cacheRead: 400 }, 0.0025],
  [
    'more cache reads than input',
    { input: 2, output: 10, cacheRead: 0.5 },
    { input: 10, output: 0, cacheRead: 100 },
    0.000005,
  ],
  ['cache writes at the price of input', { input: 2, output: 10 }, { input: 1000, output: 0, cacheWrite: 400 }, 0.002],
  [
    'a price of its own for cache writes',
    { input: 2, output: 10, cacheWrite: 4 },
    { input: 1000, output: 0, cacheWrite: 400 },
    0.0028,
  ],
  [
    'an hour at the price of five minutes',
    { input: 2, output: 10, cacheWrite: 4 },
    { input: 1000, cacheWrite: 400, cacheWriteHour: 100 },
    0.0028,
  ],
  [
    'an hour',
    { input: 2, output: 10, cacheWrite: 4, cacheWriteHour: 8 },
    { input: 1000, cacheWrite: 400, cacheWriteHour: 100 },
    0.0032,
  ],
  ['searches and calls', { input: 2, output: 10, webSearch: 10, call: 5 }, { webSearches: 3 }, 0.035],
  ['nothing counted', { input: 2, output: 10 }, {}, 0],
])('%s', (_, price, tokens, usd) => {
  expect(costAt(price, tokens)).toBe(usd);
});

it('is never negative, and never more than without a cache', () => {
  const count = fc.nat(1e9);
  fc.assert(
    fc.property(count, count, count, fc.double({ min: 0, max: 100, noNaN: true }), (input, output, cacheRead, usd) => {
      const cost = costAt({ input: usd, output: usd, cacheRead: usd / 10 }, { input, output, cacheRead });
      expect(cost).toBeGreaterThanOrEqual(0);
      expect(cost).toBeLessThanOrEqual(costAt({ input: usd, output: usd }, { input, output }) * (1 + 1e-9));
    }),
  );
});
