import { expect, it } from 'vitest';
import { jsonOrText, objectIn, parseInput, parseJson, parseObject } from '../../src/json/parse.ts';

it.each([
  ['{"a":1}', { a: 1 }],
  [' {"a":1}', { a: 1 }],
  ['[1]', [1]],
  ['null', null],
  ['"a"', 'a'],
])('%s is JSON', (text, value) =>
  expect([parseJson(text), jsonOrText(text), parseInput(text)]).toEqual([value, value, value]),
);

it.each(['', '{', 'a', 'undefined', '{"a":1} b'])('%j is not', (text) => {
  expect([parseJson(text), parseObject(text), objectIn(text), jsonOrText(text)]).toEqual([
    undefined,
    undefined,
    {},
    text,
  ]);
  expect(() => parseInput(text, 'file x: ')).toThrow(/^file x: not JSON: /);
});

it('an object is no list', () => {
  expect(['{"a":1}', '[1]', 'null', '"a"'].map(parseObject)).toEqual([{ a: 1 }, undefined, undefined, undefined]);
});

it('the object in a text begins the text', () => {
  expect(['{"a":1}', ' {"a":1}', '[1]', '{"a":'].map(objectIn)).toEqual([{ a: 1 }, {}, {}, {}]);
});
