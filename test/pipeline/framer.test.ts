import { array, assert, constantFrom, nat, oneof, property, uint8Array } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json/json.ts';
import { Framer } from '../../src/pipeline/framer.ts';
import { Reader } from '../../src/pipeline/reader.ts';
import { fuzzRuns, fuzzSeed } from '../support/fuzz.ts';
import { steepest, steepnessOf } from '../support/growth.ts';

type Call =
  | { value: JsonObject; line: number }
  | { text: string; cause: string; line: number }
  | { note: string; line: number };

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function frame(chunks: readonly Uint8Array[], limit?: number, mostObjects?: number): Call[] {
  const calls: Call[] = [];
  const framer = new Framer(
    {
      value: (value, line) => void calls.push({ value, line }),
      text: (text, cause, line) => void calls.push({ text, cause, line }),
      note: (kind, what, line) => void calls.push({ note: `${kind}: ${what}`, line }),
    },
    limit,
    mostObjects,
  );
  for (const chunk of chunks) framer.push(chunk);
  framer.end();
  return calls;
}

const said = (calls: readonly Call[]): Call[] => calls.filter((call) => !('note' in call));
const notes = (calls: readonly Call[]): string[] => calls.flatMap((call) => ('note' in call ? [call.note] : []));
const one = { value: { n: 1 }, line: 1 };
const two = { value: { n: 2 }, line: 2 };

/** The same bytes whole, one by one, and cut at every place. */
function everyWay(all: Uint8Array): Uint8Array[][] {
  const ways = [[all], [...all].map((byte) => Uint8Array.of(byte))];
  for (let at = 1; at < all.length; at += 1) ways.push([all.subarray(0, at), all.subarray(at)]);
  return ways;
}

describe('lines', () => {
  it.each([
    ['end with LF', '{"n":1}\n{"n":2}\n', [one, two]],
    ['end with CRLF', '{"n":1}\r\n{"n":2}\r\n', [one, two]],
    ['need no LF at the end', '{"n":1}\n{"n":2}', [one, two]],
    ['may follow a BOM', '\ufeff{"n":1}\n{"n":2}\n', [one, two]],
    ['are counted with the blank ones', '\n\r\n  \n{"n":1}\n', [{ value: { n: 1 }, line: 4 }]],
    ['may be indented', ' \t{"n":1} \n', [one]],
    ['are objects or lists of objects', '[{"n":1},{"n":2}]\n', [one, { value: { n: 2 }, line: 1 }]],
  ])('%s', (_title, text, calls) => {
    expect(frame([bytes(text)])).toEqual(calls);
  });

  it('are not ended by the line ends of Unicode', () => {
    const t = 'a\u2028b\u2029c\u0085d';
    for (const chunks of everyWay(bytes(`{"t":"${t}"}\n`))) expect(frame(chunks)).toEqual([{ value: { t }, line: 1 }]);
  });

  it('keep odd keys as plain data', () => {
    const [call] = frame([bytes('{"__proto__":{"x":1},"constructor":2}\n')]);
    expect(call !== undefined && 'value' in call && Object.entries(call.value)).toEqual([
      ['__proto__', { x: 1 }],
      ['constructor', 2],
    ]);
    expect('x' in {}).toBe(false);
  });
});

describe('noise', () => {
  it('before, between and after is kept as text', () => {
    expect(frame([bytes('hello\n{"n":1}\nthere\n{"n":2}\nbye')])).toEqual([
      { text: 'hello', cause: 'noise', line: 1 },
      { value: { n: 1 }, line: 2 },
      { text: 'there', cause: 'noise', line: 3 },
      { value: { n: 2 }, line: 4 },
      { text: 'bye', cause: 'noise', line: 5 },
    ]);
  });

  it.each([['42'], ['"text"'], ['null'], ['[]'], ['[1, 2]'], ['[{"n":1},2]']])(
    'is JSON that is no object: %s',
    (text) => {
      expect(frame([bytes(`${text}\n`)])).toEqual([{ text, cause: 'noise', line: 1 }]);
    },
  );

  it.each([['[INFO] starting'], ['[12:00:01] hello {'], ['[done]']])('may start with a bracket: %s', (text) => {
    expect(frame([bytes(`${text}\n{"n":2}\n`)])).toEqual([{ text, cause: 'noise', line: 1 }, two]);
    // A last line without LF is cut only if something in it is left open.
    expect(frame([bytes(`{"n":1}\n${text}`)])).toEqual([one, { text, cause: 'noise', line: 2 }]);
  });

  it('around a line is removed: colours, titles, NULs', () => {
    const wrapped = ['\u001b[31m{"n":1}\u001b[0m', '\u001b]0;title\u0007{"n":1}', '\u0000\u0000{"n":1}\u0000'];
    for (const line of wrapped) {
      expect(frame([bytes(`${line}\n`)])).toEqual([
        { note: 'guessed: control characters around a line', line: 1 },
        one,
      ]);
    }
  });

  it('glued before an object is told apart from it', () => {
    expect(frame([bytes('warning: {"n":1}\n')])).toEqual([{ text: 'warning: ', cause: 'noise', line: 1 }, one]);
  });
});

describe('bad UTF-8', () => {
  it('in one line does not hurt the others', () => {
    const all = Uint8Array.from([...bytes('{"n":1}\n{"t":"'), 0xff, 0xfe, ...bytes('"}\n{"t":"é🦊"}\n')]);
    for (const chunks of everyWay(all)) {
      expect(frame(chunks)).toEqual([
        one,
        { note: 'broken: bytes that are not UTF-8', line: 2 },
        { value: { t: '\ufffd\ufffd' }, line: 2 },
        { value: { t: 'é🦊' }, line: 3 },
      ]);
    }
  });
});

describe('broken lines', () => {
  it('that stop at the end of the stream are cut', () => {
    const cut = '{"type":"result","text":"it stops he';
    expect(frame([bytes(`{"n":1}\n${cut}`)])).toEqual([
      one,
      { note: 'broken: last line is cut off', line: 2 },
      { text: cut, cause: 'cut', line: 2 },
    ]);
    expect(said(frame([bytes(`[${cut}`)]))).toEqual([{ text: `[${cut}`, cause: 'cut', line: 1 }]);
  });

  it('that stop before are broken', () => {
    expect(said(frame([bytes('{"t":"it stops he\n{"n":2}\n')]))).toEqual([
      { text: '{"t":"it stops he', cause: 'broken', line: 1 },
      two,
    ]);
    expect(said(frame([bytes('{"t":{"x":1\n{"n":2}\n')]))).toEqual([
      { text: '{"t":{"x":1', cause: 'broken', line: 1 },
      two,
    ]);
    expect(said(frame([bytes('{"nonsense"}\n{"n":2}')]))).toEqual([
      { text: '{"nonsense"}', cause: 'broken', line: 1 },
      two,
    ]);
    expect(said(frame([bytes('{"nonsense"}')]))).toEqual([{ text: '{"nonsense"}', cause: 'broken', line: 1 }]);
  });

  it('that are code are chatter', () => {
    expect(said(frame([bytes('{ return 1; }\n{"n":2}')]))).toEqual([
      { text: '{ return 1; }', cause: 'noise', line: 1 },
      two,
    ]);
  });

  it('may hold several objects', () => {
    const second = { value: { n: 2 }, line: 1 };
    expect(frame([bytes('{"n":1}{"n":2}\n')])).toEqual([
      { note: 'guessed: several objects on one line', line: 1 },
      one,
      second,
    ]);
    expect(said(frame([bytes('{"n":1} {"n":2}')]))).toEqual([one, second]);
    expect(said(frame([bytes('{"n":1}{"t":"}{"}{"n":2}\n')]))).toEqual([one, { value: { t: '}{' }, line: 1 }, second]);
  });

  it('may hold an object and a piece of another', () => {
    expect(said(frame([bytes('{"n":1}{"t":"x\n')]))).toEqual([one, { text: '{"t":"x', cause: 'broken', line: 1 }]);
    expect(said(frame([bytes('{"n":1}{"t":[\n{"n":2}\n')]))).toEqual([
      one,
      { text: '{"t":[', cause: 'broken', line: 1 },
      two,
    ]);
    expect(said(frame([bytes('{"n":1}{"t":"x')]))).toEqual([one, { text: '{"t":"x', cause: 'cut', line: 1 }]);
    expect(said(frame([bytes('{"n":1} tail')]))).toEqual([one, { text: 'tail', cause: 'broken', line: 1 }]);
  });
});

describe('documents over several lines', () => {
  const pretty = JSON.stringify({ a: [{ b: '}' }], c: {} }, null, 2);
  const whole = { a: [{ b: '}' }], c: {} };

  it.each([
    ['alone', pretty, [{ value: whole, line: 8 }]],
    ['with CRLF and a BOM', `\ufeff${pretty.replaceAll('\n', '\r\n')}\r\n`, [{ value: whole, line: 8 }]],
    ['with blank lines', pretty.replaceAll('\n', '\n\n'), [{ value: whole, line: 15 }]],
    [
      'followed by lines',
      `${pretty}\n{"n":2}\n`,
      [
        { value: whole, line: 8 },
        { value: { n: 2 }, line: 9 },
      ],
    ],
    [
      'after noise',
      `hm\n${pretty}`,
      [
        { text: 'hm', cause: 'noise', line: 1 },
        { value: whole, line: 9 },
      ],
    ],
    [
      'as a list',
      JSON.stringify([{ n: 1 }, { n: 2 }], null, 2),
      [
        { value: { n: 1 }, line: 8 },
        { value: { n: 2 }, line: 8 },
      ],
    ],
  ])('%s', (_title, text, calls) => {
    for (const chunks of everyWay(bytes(text))) expect(frame(chunks)).toEqual(calls);
  });

  it('that never close are cut', () => {
    expect(frame([bytes('{\n  "a": 1,\n  "b": [\n')])).toEqual([
      { note: 'broken: document is cut off', line: 1 },
      { text: '{\n  "a": 1,\n  "b": [', cause: 'cut', line: 1 },
    ]);
    expect(said(frame([bytes('{\n  "a": "hal')]))).toEqual([{ text: '{\n  "a": "hal', cause: 'cut', line: 1 }]);
  });

  it('that are broken do not swallow the lines that follow', () => {
    expect(frame([bytes('{\n  "a": oops\n}\n{"n":4}\n')])).toEqual([
      { note: 'broken: document that is not JSON', line: 1 },
      { text: '{\n  "a": oops\n}', cause: 'broken', line: 1 },
      { value: { n: 4 }, line: 4 },
    ]);
    expect(said(frame([bytes('{\n  "a": [\n{"n":3}\n')]))).toEqual([
      { text: '{\n  "a": [', cause: 'broken', line: 1 },
      { value: { n: 3 }, line: 3 },
    ]);
  });
});

it('reads server-sent events', () => {
  const text = 'event: message\ndata: {"n":1}\n\n: ping\nid: 7\nevent: x\nretry: 5\ndata:{"n":2}\n\n';
  expect(frame([bytes(text)])).toEqual([
    { text: 'event: message', cause: 'noise', line: 1 },
    { value: { n: 1 }, line: 2 },
    { value: { n: 2 }, line: 8 },
  ]);
});

describe('a line of more objects than one may hold', () => {
  const tooMany = 'broken: more than 2 objects on one line: the rest is not read';

  it('is read as far, and the rest is told', () => {
    const glued = frame([bytes('{"n":1}{"n":2}{"n":3}{"n":4}\n{"n":2}\n')], undefined, 2);
    expect(said(glued)).toEqual([
      one,
      { ...two, line: 1 },
      { text: '{"n":3}{"n":4}', cause: 'oversize', line: 1 },
      two,
    ]);
    expect(notes(glued)).toEqual(['guessed: several objects on one line', tooMany]);
    expect(notes(frame([bytes('{"n":1}{"n":2}\n')], undefined, 2))).toEqual(['guessed: several objects on one line']);
  });

  it('may be a long list', () => {
    const wide = `{"n":1,"x":"${'x'.repeat(500_000)}"}`;
    const list = frame([bytes(`[${[wide, wide, wide].join(',')}]\n`)], undefined, 2);
    expect(list.filter((call) => 'value' in call)).toHaveLength(2);
    expect(notes(list)).toEqual([tooMany]);
  });
});

describe('oversize lines', () => {
  const limit = 10;
  it.each([
    ['that just fits', '{"n":1234}\n{"n":2}\n', [{ value: { n: 1234 }, line: 1 }, two]],
    [
      'one byte longer',
      '{"n":12345}\n{"n":2}\n',
      [{ note: 'broken: line longer than 10 bytes', line: 1 }, { text: '{"n":12345', cause: 'oversize', line: 1 }, two],
    ],
    [
      'that never ends',
      '{"n":1}\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
      [one, { note: 'broken: line longer than 10 bytes', line: 2 }, { text: 'xxxxxxxxxx', cause: 'oversize', line: 2 }],
    ],
    [
      'counted in bytes, not characters',
      '{"n":"éé"}\n',
      [
        { note: 'broken: line longer than 10 bytes', line: 1 },
        { text: '{"n":"éé', cause: 'oversize', line: 1 },
      ],
    ],
    [
      'inside a document',
      '{\n"a":123456789\n}\n',
      [
        { text: '{', cause: 'noise', line: 1 },
        { note: 'broken: line longer than 10 bytes', line: 2 },
        { text: '"a":123456', cause: 'oversize', line: 2 },
        { text: '}', cause: 'noise', line: 3 },
      ],
    ],
  ])('%s', (_title, text, calls) => {
    for (const chunks of everyWay(bytes(text))) expect(frame(chunks, limit)).toEqual(calls);
  });

  it('do not let a document grow for ever', () => {
    const calls = frame([bytes(`{\n${'"a":1,\n'.repeat(100)}`)], 50);
    expect(notes(calls)[0]).toBe('broken: document that is not JSON');
    expect(calls.every((call) => !('text' in call) || call.text.length <= 100)).toBe(true);
  });
});

describe('deep nesting', () => {
  const deep = 100_000;
  it.each([
    ['a list', '['.repeat(deep) + ']'.repeat(deep)],
    ['an object', '{"a":'.repeat(deep) + '1' + '}'.repeat(deep)],
    ['never closed', '{"a":['.repeat(deep)],
    ['over lines', '[\n'.repeat(deep) + ']\n'.repeat(deep)],
  ])('of %s does not throw', (_title, text) => {
    const calls = said(frame([bytes(`${text}\n{"n":2}\n`)]));
    expect(calls.length).toBeGreaterThan(0);
    expect(calls.at(-1)).toHaveProperty('value', { n: 2 });
  });

  it('does not stop a reader, on either stream', () => {
    const object = `${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}\n`;
    const reader = new Reader();
    reader.stdout(bytes(object));
    reader.stderr(bytes(object));
    expect(reader.end({ exit_code: 0, signal: null }).verdict.class).toBe('incomplete');
  });
});

describe('any bytes in any pieces', () => {
  const token = constantFrom(
    '{',
    '}',
    '[',
    ']',
    '"',
    '\\',
    ',',
    ':',
    '\n',
    '\r',
    '\n{"n":1}\n',
    '{"n":1}',
    'data: ',
    '\u001b[0m',
    '\u0000',
    '\ufeff',
    ' ',
    'a',
    'é',
    '🦊',
    '\u2028',
  );
  const hostile = oneof(
    uint8Array({ maxLength: 60 }),
    array(token, { maxLength: 40 }).map((tokens) => bytes(tokens.join(''))),
    array(oneof(token.map(bytes), uint8Array({ minLength: 1, maxLength: 3 })), { maxLength: 30 }).map((parts) =>
      Uint8Array.from(parts.flatMap((part) => [...part])),
    ),
  );

  it.each([[undefined], [6], [20]])('make the same calls, with the limit %s', (limit) => {
    assert(
      property(hostile, array(nat(60), { maxLength: 6 }), (all, cuts) => {
        const places = [...new Set(cuts.map((cut) => Math.min(cut, all.length)))].toSorted((a, b) => a - b);
        const chunks = [0, ...places].map((start, index) => all.subarray(start, places[index] ?? all.length));
        const whole = frame([all], limit);
        expect(frame(chunks, limit)).toEqual(whole);
        expect(
          frame(
            [...all].map((byte) => Uint8Array.of(byte)),
            limit,
          ),
        ).toEqual(whole);
      }),
      { numRuns: fuzzRuns(300), seed: fuzzSeed },
    );
  });

  it.each([
    ['an array', new Uint8Array(4)],
    ['a Buffer', Buffer.alloc(4)],
  ])('may be in %s that is used again', (_title, buffer) => {
    const calls: Call[] = [];
    const framer = new Framer({
      value: (value, line) => void calls.push({ value, line }),
      text: () => {},
      note: () => {},
    });
    for (const part of ['{"n"', ':1}\n', '{"n"', ':2}\n']) {
      buffer.set(bytes(part));
      framer.push(buffer);
    }
    framer.end();
    expect(calls).toEqual([one, two]);
  });
});

describe('what a caller may do', () => {
  it('reuses its buffer, also a Node.js Buffer, whose slices are views', () => {
    const calls: JsonObject[] = [];
    const framer = new Framer({ value: (value) => void calls.push(value), text: () => {}, note: () => {} });
    const buffer = Buffer.alloc(8);
    for (let rest = '{"n":1}\n{"n":12345}\n'; rest !== ''; rest = rest.slice(8)) {
      const length = buffer.write(rest.slice(0, 8));
      framer.push(buffer.subarray(0, length));
    }
    framer.end();
    expect(calls).toEqual([{ n: 1 }, { n: 12345 }]);
  });

  it('finds damage behind a document that ended early', () => {
    const calls = frame([bytes('{\n "a": 1\n}\n },\n "error": {\n }\n}\nbye\n')]);
    expect(said(calls).map((call) => ('cause' in call ? call.cause : 'value'))).toEqual([
      'value',
      'broken',
      'broken',
      'broken',
      'broken',
      'noise',
    ]);
  });

  it.each([
    ['brackets alone', '  {\n  }\n}\n'],
    ['a block of code', 'if (x) {\n  return 1;\n}\n'],
    ['an object and a stray bracket', '{\n "a": 1\n}\n}\n'],
    ['a setting that never ends', '[12:00] config {\n  "a": 1\n'],
    ['many brackets', 'a {\n'.repeat(50)],
  ])('reads a line after %s, and nothing is cut', (_title, noise) => {
    const calls = said(frame([bytes(`${noise}{"n":1}\n`)]));
    expect(calls.at(-1)).toMatchObject({ value: { n: 1 } });
    expect(calls.filter((call) => 'cause' in call && call.cause === 'cut')).toEqual([]);
  });

  it('takes time in proportion to brackets behind a prefix', () => {
    expect(steepnessOf((size) => void frame([bytes('a {\na "x": [\n'.repeat(size))]))).toBeLessThan(steepest);
  });

  it('gets the whole elements of a list that was cut', () => {
    const calls = said(frame([bytes('[{"n":1},{"n":12345}, {"n":1')]));
    expect(calls).toEqual([one, { value: { n: 12345 }, line: 1 }, { text: '{"n":1', cause: 'cut', line: 1 }]);
  });
});

it('does not parse what is nested more deeply than any agent nests', () => {
  const line = `{"type":"x","a":${'['.repeat(2 * 1024 * 1024)}`;
  expect(notes(frame([bytes(`${line}\n{"n":2}\n`)]))).toEqual(['broken: document that is not JSON']);
  const text = JSON.stringify({ text: '['.repeat(2 * 1024 * 1024) });
  expect(notes(frame([bytes(`${text}\n`)]))).toEqual([]);
});

describe('a small file that holds a flood of objects', () => {
  const many = 400_000;

  it.each([
    ['one after the other', '{}'.repeat(many)],
    ['in a list', `[${'{}, '.repeat(many - 1)}{} ]`],
  ])('%s, is read object by object', (_, text) => {
    const found = { values: 0, notes: 0, texts: 0 };
    const framer = new Framer({
      value: () => void (found.values += 1),
      note: () => void (found.notes += 1),
      text: () => void (found.texts += 1),
    });
    framer.push(bytes(`${text}\n`));
    framer.end();
    expect(found).toEqual({ values: many, notes: text.startsWith('[') ? 0 : 1, texts: 0 });
  });

  it('in one object, is too much', () => {
    const calls = frame([bytes(`{"a":[${'[],'.repeat(2_000_000)}[]]}\n{"n":2}\n`)]);
    expect(notes(calls)).toEqual(['broken: line that is not JSON']);
    expect(calls.at(-1)).toEqual(two);
  });

  it('a long list with something else in it is no list of objects', () => {
    const calls = frame([bytes(`[${'{"n":1},'.repeat(150_000)}7]\n{"n":2}\n`)]);
    expect(calls.filter((call) => 'value' in call)).toEqual([two]);
  });
});
