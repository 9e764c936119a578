import { expect, it } from 'vitest';
import { durationOf, timeInWords } from '../../src/time/duration.ts';

it.each([
  ['90s', 90_000],
  ['1h30m', 5_400_000],
  ['1d12h', 129_600_000],
  ['0.5s', 500],
  ['0s', 0],
  ['90', undefined],
  ['', undefined],
  ['1h 30m', undefined],
  ['-5s', undefined],
])('one way to read a duration: %j', (text, ms) => expect(durationOf(text)).toBe(ms));

it.each([
  [0, '0 s'],
  [300, '0.3 s'],
  [1500, '1.5 s'],
  [3000, '3 s'],
  [60_000, '1 min'],
  [90_000, '1 min 30 s'],
  [90_500, '1 min 30.5 s'],
  [3_600_000, '1 h'],
  [5_400_000, '1 h 30 min'],
  [90_061_000, '25 h 1 min 1 s'],
])('one way to tell a time that was set: %d', (ms, told) => expect(timeInWords(ms)).toBe(told));
