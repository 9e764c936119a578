import { expect, it } from 'vitest';
import { shadesOf } from '../../web/parts/shades.ts';
import { languageOf, partsOf } from '../../web/parts/syntax.ts';

const esc = '\u001b[';

it.each([
  ['plain', [['plain', '']]],
  [
    `${esc}31mred${esc}0m plain`,
    [
      ['red', 'ansi-red'],
      [' plain', ''],
    ],
  ],
  [
    `${esc}1;92mbold green${esc}22m thin${esc}39m none`,
    [
      ['bold green', 'ansi-green ansi-bold'],
      [' thin', 'ansi-green'],
      [' none', ''],
    ],
  ],
  [`${esc}38;5;196mpalette${esc}m`, [['palette', 'ansi-red']]],
  [`${esc}38;5;244mgrey`, [['grey', '']]],
  [`${esc}38;2;20;200;220mtrue`, [['true', 'ansi-cyan']]],
  [
    `${esc}48;2;255;0;0mground${esc}48;5;1;4mtoo`,
    [
      ['ground', ''],
      ['too', 'ansi-underline'],
    ],
  ],
  [`${esc}38;5m${esc}38m${esc}999999999999mcut`, [['cut', '']]],
  [
    `${esc}2;3;9mall${esc}23;29m dim`,
    [
      ['all', 'ansi-dim ansi-italic ansi-strikethrough'],
      [' dim', 'ansi-dim'],
    ],
  ],
] as const)('%j has the looks of a terminal', (text, expected) => {
  expect(shadesOf(text).map(({ text: part, classes }) => [part, classes])).toEqual(expected);
});

it.each([
  [
    'a.ts',
    "const a = 'it\\'s'; // 1\nreturn x.return + 0x1f",
    ['word:const', "string:'it\\'s'", 'comment:// 1', 'word:return', 'number:0x1f'],
  ],
  ['b.py', 'def f(): # why\n  return "x"', ['word:def', 'comment:# why', 'word:return', 'string:"x"']],
  ['run.sh', 'echo $# http://a#b # end', ['comment:# end']],
  ['q.sql', "select 'a' -- b", ['word:select', "string:'a'", 'comment:-- b']],
  ['c.css', 'a { /* x */ b: 1px }', ['comment:/* x */', 'number:1px']],
  ['d.json', '{"a": true, "b": "\\"c"}', ['string:"a"', 'word:true', 'string:"b"', 'string:"\\"c"']],
  ['Makefile', 'if x # y', ['word:if', 'comment:# y']],
  ['e.ts', "'not closed\nnext", ["string:'not closed"]],
  ['e.ts', '/* not closed', ['comment:/* not closed']],
  ['e.ts', '`a\nb` c', ['string:`a\nb`']],
  ['e.ts', "'\\", ["string:'\\"]],
] as const)('%s: %j', (name, text, expected) => {
  const language = languageOf(name);
  expect(language).toBeDefined();
  const parts = language === undefined ? [] : partsOf(text, language);
  expect(parts.map(({ from, to, kind }) => `${kind}:${text.slice(from, to)}`)).toEqual(expected);
});

it('knows no language of other files', () => {
  for (const name of ['', 'notes.txt', 'a/b', '.', '__proto__', 'constructor'])
    expect(languageOf(name)).toBeUndefined();
});

it('covers any text from its beginning to its end, in order and once', () => {
  const letters = ['"', "'", '`', '\\', '/', '*', '#', '-', '\n', ' ', 'a', '1', '.', '\u2028', '\ud83d'];
  let seed = 7;
  for (let time = 0; time < 300; time += 1) {
    const text = Array.from({ length: 60 }, () => letters[(seed = (seed * 48_271) % 0x7fffffff) % letters.length]).join(
      '',
    );
    for (const name of ['ts', 'py', 'sql', 'css', 'json', 'html', 'yaml']) {
      const language = languageOf(name);
      let at = 0;
      for (const { from, to } of language === undefined ? [] : partsOf(text, language)) {
        expect(from).toBeGreaterThanOrEqual(at);
        expect(to).toBeGreaterThan(from);
        at = to;
      }
      expect(at).toBeLessThanOrEqual(text.length);
    }
  }
});
