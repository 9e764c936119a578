import { expect, it } from 'vitest';
import { durationOf } from '../../src/duration.ts';

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
