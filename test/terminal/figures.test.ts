import { expect, it } from 'vitest';
import { ago, dollarsSet, tokens } from '../../src/terminal/figures.ts';

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

it.each([
  [0, '$0'],
  [1, '$1'],
  [1.5, '$1.5'],
  [0.1 + 0.2, '$0.3'],
  [0.00012, '$0.00012'],
  [1234.56789, '$1234.5679'],
])('tells an amount as it was set: %d', (amount, told) => expect(dollarsSet(amount)).toBe(told));
