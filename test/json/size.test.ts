import { expect, it } from 'vitest';
import type { Json } from '../../src/json/json.ts';
import { sizeOf } from '../../src/json/size.ts';

it.each([
  ['text', 'abc', 6],
  ['anything short', [1, true, null], 17],
  ['fields with their names', { ab: 'abc', c: [] }, 19],
] as const)('estimates %s', (_name, value, size) => expect(sizeOf(value as Json, 1000)).toBe(size));

it('stops counting at the limit', () => {
  const texts = Array.from({ length: 1000 }, () => 'x'.repeat(997));
  expect(sizeOf(texts, 4500)).toBe(5002);
});

it('takes what is nested too deeply for too long', () => {
  let nested: Json = 'x';
  for (let depth = 0; depth < 100_000; depth += 1) nested = [nested];
  expect(sizeOf(nested, 4500)).toBeGreaterThan(4500);
});
