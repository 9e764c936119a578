import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openOutputSchema } from '../../src/builtin/answer/output-schema.ts';

/** Written as text: an object with a `then` would be waited for. */
const conditional = JSON.parse('{"if":{"type":"string"},"then":{"minLength":2},"else":{"minimum":2}}') as Record<
  string,
  unknown
>;

it.each([
  [
    'a missing value is not made up by a default',
    { type: 'object', properties: { a: { type: 'string', default: 'x' } }, required: ['a'] },
    '{}',
    false,
  ],
  [
    'properties without a type still count',
    { properties: { a: { type: 'string' } }, required: ['a'] },
    '{"a":1}',
    false,
  ],
  ['required without a type still counts', { required: ['a'] }, '{}', false],
  ['items without a type still count', { items: { type: 'integer' } }, '["1"]', false],
  ['other fields are welcome unless forbidden', { type: 'object', properties: {} }, '{"b":1}', true],
  ['other fields can be forbidden', { type: 'object', properties: {}, additionalProperties: false }, '{"b":1}', false],
  ['a value can be one of several types', { type: ['string', 'null'] }, 'null', true],
  [
    'references are followed',
    { type: 'array', items: { $ref: '#/$defs/n' }, $defs: { n: { type: 'integer' } } },
    '[1,"2"]',
    false,
  ],
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
  ['not', { not: { type: 'string' } }, '"a"', false],
  ['if, then, else', conditional, '"a"', false],
  ['if, then, else, the other way', conditional, '3', true],
  ['dependentRequired', { dependentRequired: { a: ['b'] } }, '{"a":1}', false],
  ['dependentSchemas', { dependentSchemas: { a: { required: ['b'] } } }, '{"a":1}', false],
  ['dependencies of draft-07', { dependencies: { a: ['b'] } }, '{"a":1}', false],
  [
    'unevaluatedProperties',
    { allOf: [{ properties: { a: true } }], unevaluatedProperties: false },
    '{"a":1,"b":2}',
    false,
  ],
  ['a bound without a type', { minimum: 3 }, '2', false],
  ['a bound without a type is nothing to a text', { minimum: 3 }, '"2"', true],
  ['a reference beside other rules', { $ref: '#/$defs/n', minimum: 3, $defs: { n: { type: 'integer' } } }, '2', false],
  ['prefixItems', { prefixItems: [{ type: 'string' }], items: { type: 'integer' } }, '["a","b"]', false],
  ['minContains', { contains: { type: 'string' }, minContains: 2 }, '["a",1]', false],
  [
    '$dynamicRef',
    { $dynamicAnchor: 'node', type: 'object', properties: { next: { $dynamicRef: '#node' } } },
    '{"next":{"next":"x"}}',
    false,
  ],
  [
    'a tuple of draft-07',
    { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }], additionalItems: false },
    '["a",1]',
    false,
  ],
  [
    'a tuple of the old form beside new words',
    { items: [{ type: 'string' }], dependentRequired: { a: ['b'] } },
    '{"a":1}',
    false,
  ],
  [
    'draft 2019-09',
    { $schema: 'https://json-schema.org/draft/2019-09/schema', unevaluatedItems: false, items: [true] },
    '[1,2]',
    false,
  ],
  [
    'draft-04, where it means the same',
    { $schema: 'http://json-schema.org/draft-04/schema#', type: 'integer' },
    '"a"',
    false,
  ],
  ['formats', { type: 'string', format: 'date' }, '"2026-02-30"', false],
  ['formats that is unknown', { type: 'string', format: 'colour' }, '"red"', true],
  ['words that is unknown', { type: 'string', colour: 'red' }, '"red"', true],
  ['patterns', { pattern: '^\\p{L}+$' }, '"été"', true],
  ['patterns with needless escapes', { pattern: '^a\\_b$' }, '"a_b"', true],
  ['a schema that says it waits', { $async: true, type: 'string' }, '1', false],
])('%s', async (_, schema, text, fits) => {
  const check = await openOutputSchema(schema);
  expect(check(text) === undefined).toBe(fits);
});

it.each([
  [{ required: ['sum'] }, '{}', "# must have required property 'sum'"],
  [
    { properties: { a: { type: 'integer' } }, additionalProperties: false },
    '{"a":"x","b":1}',
    '# must NOT have additional properties: "b"; #/a must be integer',
  ],
  [{ items: { enum: ['yes', 'no'] } }, '["maybe"]', '#/0 must be equal to one of the allowed values: ["yes","no"]'],
  [
    { items: false },
    JSON.stringify(Array.from({ length: 14 }, (_, index) => index)),
    /^#\/0 boolean schema is false; .*; and 4 more$/,
  ],
  [{}, '{', /^it is not JSON: /],
] as const)('%j says of %s: %s', async (schema, text, problem) => {
  const check = await openOutputSchema(schema);
  expect(check(text)).toEqual(typeof problem === 'string' ? problem : expect.stringMatching(problem));
});

const bomb = (levels: number): Record<string, unknown> => ({
  $ref: '#/$defs/0',
  $defs: Object.fromEntries(
    Array.from({ length: levels }, (_, level) => {
      const next = { $ref: `#/$defs/${level + 1}` };
      return [level, level === levels - 1 ? { type: 'string' } : { allOf: [next, next] }];
    }),
  ),
});

describe('whatever a schema asks for', () => {
  it.each([
    [
      'a pattern that is slow',
      { pattern: '^(a+)+$' },
      JSON.stringify(`${'a'.repeat(50)}b`),
      'it cannot be checked: it takes longer than 0.5 s',
    ],
    ['references that multiply', bomb(40), '"a"', 'it cannot be checked: it takes longer than 0.5 s'],
    ['endless recursion', { $ref: '#' }, '1', /^it cannot be checked: /],
    [
      'an answer as deep as the sea',
      { items: { $ref: '#' } },
      `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
      /^it cannot be checked: /,
    ],
  ] as const)('%s is told, not waited for', async (_, schema, text, problem) => {
    const check = await openOutputSchema(schema, 500);
    expect(check(text)).toEqual(typeof problem === 'string' ? problem : expect.stringMatching(problem));
  });

  it('a schema as deep as the sea is refused', async () => {
    let schema: Record<string, unknown> = {};
    for (let level = 0; level < 20_000; level += 1) schema = { not: schema };
    await expect(openOutputSchema(schema)).rejects.toMatchObject({
      code: 'config',
      message: 'output schema: it is nested too deeply',
    });
  });

  it('nothing is loaded and no code of it is run', async () => {
    const evil = '"];globalThis.hacked=true;//';
    const check = await openOutputSchema({ properties: { [evil]: { const: evil, pattern: '\n' } }, required: [evil] });
    check('{}');
    expect(globalThis).not.toHaveProperty('hacked');
  });
});

it('loads its library for a schema, and for nothing else', async () => {
  const hook = `import { registerHooks } from 'node:module';
    const seen = new Set();
    registerHooks({ resolve(name, context, next) { if (/^(\\.\\/)?ajv/.test(name)) seen.add(name.replace(/^(\\.\\/)?(ajv(-formats)?).*$/, '$2')); return next(name, context); } });
    process.on('exit', () => console.error(JSON.stringify([...seen].toSorted())));`;
  const cwd = mkdtempSync(join(tmpdir(), 'runwire-schema-'));
  writeFileSync(join(cwd, 'schema.json'), '{"type":"string"}');
  const bin = join(import.meta.dirname, '..', '..', 'bin', 'runwire.js');
  const loadedBy = (...args: string[]): unknown => {
    const given = ['--import', `data:text/javascript,${encodeURIComponent(hook)}`, bin, ...args];
    const { stderr } = spawnSync(process.execPath, given, {
      cwd,
      env: { PATH: process.env['PATH'], HOME: cwd },
      encoding: 'utf8',
    });
    return JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '');
  };
  const run = ['--ledger', 'none', '--model', 'replay/none.jsonl', 'go'];
  try {
    expect([loadedBy('--help'), loadedBy(...run), loadedBy('--output-schema', 'schema.json', ...run)]).toEqual([
      [],
      [],
      ['ajv', 'ajv-formats'],
    ]);
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
});
