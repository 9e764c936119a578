import { expect, it } from 'vitest';
import { openOutputSchema } from '../../src/builtin/output-schema.ts';

it.each([
  [
    'a missing value is not made up by a default',
    { type: 'object', properties: { a: { type: 'string', default: 'x' } }, required: ['a'] },
    '{}',
    false,
  ],
  ['properties without a type still count', { properties: { a: { type: 'string' } }, required: ['a'] }, '{"a":1}', false],
  ['required without a type still counts', { required: ['a'] }, '{}', false],
  ['items without a type still count', { items: { type: 'integer' } }, '["1"]', false],
  ['other fields are welcome unless forbidden', { type: 'object', properties: {} }, '{"b":1}', true],
  ['other fields can be forbidden', { type: 'object', properties: {}, additionalProperties: false }, '{"b":1}', false],
  ['a value can be one of several types', { type: ['string', 'null'] }, 'null', true],
  ['references are followed', { type: 'array', items: { $ref: '#/$defs/n' }, $defs: { n: { type: 'integer' } } }, '[1,"2"]', false],
  [
    'references may go round',
    { $ref: '#/$defs/t', $defs: { t: { type: 'object', properties: { next: { $ref: '#/$defs/t' } } } } },
    '{"next":{"next":1}}',
    false,
  ],
  ['one of several shapes', { anyOf: [{ type: 'string' }, { type: 'object', required: ['a'] }] }, '{"b":1}', false],
  ['all of several shapes', { allOf: [{ required: ['a'] }, { required: ['b'] }] }, '{"a":1,"b":2}', true],
  ['all of several shapes, one missing', { allOf: [{ required: ['a'] }, { required: ['b'] }] }, '{"a":1}', false],
  ['a list of allowed values', { enum: ['yes', 'no'] }, '"maybe"', false],
  ['numbers have bounds', { type: 'number', minimum: 3 }, '2', false],
  ['a tuple', { type: 'array', items: [{ type: 'string' }, { type: 'integer' }] }, '["a","b"]', false],
  ['anything goes', {}, '{"a":[1,null]}', true],
  ['words around it do not', {}, 'Here: {}', false],
  ['a code fence is not JSON', {}, '```json\n{}\n```', false],
])('%s', (_, schema, text, fits) => {
  expect(openOutputSchema(schema)(text) === undefined).toBe(fits);
});
