import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/json/json.ts';
import {
  asText,
  count,
  filled,
  integer,
  list,
  number,
  object,
  string,
  time,
  whole,
  wordIn,
} from '../../src/json/read.ts';

const values: readonly (Json | undefined)[] = [
  undefined,
  null,
  true,
  0,
  -1,
  1.5,
  1e300,
  '',
  ' ',
  'text',
  [],
  [1],
  {},
  { a: 1 },
];

describe('a value that is not what is wanted reads as nothing', () => {
  it.each([
    ['object', object, [{}, { a: 1 }], {}],
    ['list', list, [[], [1]], []],
    ['string', string, ['', ' ', 'text'], undefined],
    ['filled', filled, ['text'], undefined],
    ['number', number, [0, -1, 1.5, 1e300], undefined],
    ['count', count, [0, 1.5], undefined],
    ['integer', integer, [0, -1], undefined],
    ['whole', whole, [0], undefined],
    ['time', time, [1.5], undefined],
  ] as const)('%s', (_name, read, wanted, otherwise) => {
    const isWanted = new Set(wanted.map((each) => JSON.stringify(each)));
    for (const value of values)
      expect({ value, is: read(value) }).toEqual({
        value,
        is: isWanted.has(JSON.stringify(value)) ? value : otherwise,
      });
  });
});

it('reads a time in text or in milliseconds', () => {
  expect([time('2026-01-02T03:04:05Z'), time(1.5e12), time('yesterday'), time(9e15)]).toEqual([
    1767323045000,
    1.5e12,
    undefined,
    undefined,
  ]);
});

it('makes a text of any JSON', () => {
  expect([asText('a'), asText(null), asText(undefined), asText({ a: [1] })]).toEqual(['a', '', '', '{"a":[1]}']);
});

it('finds in a table only what the table itself has', () => {
  expect([wordIn({ a: 1 }, 'a'), wordIn({ a: 1 }, 'toString')]).toEqual([1, undefined]);
});
