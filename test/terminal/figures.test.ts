import { expect, it } from 'vitest';
import { ago, tokens } from '../../src/terminal/figures.ts';

it.each([
  [-9005404415852965, '?'],
  [Date.UTC(2025, 0, 2), '2025-01-02'],
  [Date.UTC(2026, 0, 1, 11, 59), '1m ago'],
])('tells when %j was', (at, told) => expect(ago(at, Date.UTC(2026, 0, 1, 12))).toBe(told));

it('groups the digits of a count', () => {
  expect([tokens(0, 999), tokens(1000, 12_345_678), tokens(undefined, 100_000)]).toEqual([
    '0 in 999 out',
    '1,000 in 12,345,678 out',
    '100,000 out',
  ]);
});
