import { expect, it } from 'vitest';
import { differences, diffLines, wordsOf } from '../../web/parts/differences.ts';

const told = (a: string, b: string, most?: number): string =>
  differences([...a], [...b], most)
    .map(({ kind, value }) => `${{ same: '=', removed: '-', added: '+' }[kind]}${value.join('')}`)
    .join(' ');

it.each([
  ['', '', ''],
  ['abc', 'abc', '=abc'],
  ['', 'ab', '+ab'],
  ['ab', '', '-ab'],
  ['abc', 'axc', '=a -b +x =c'],
  ['abcabba', 'cbabac', '-ab =c +b =ab -b =a +c'],
  ['xaaay', 'xaay', '=xaa -a =y'],
  ['abc', 'xyz', '-abc +xyz'],
])('%j to %j', (a, b, expected) => {
  const found = told(a, b);
  const side = (sign: string): string =>
    found
      .split(' ')
      .filter((part) => part.startsWith('=') || part.startsWith(sign))
      .map((part) => part.slice(1))
      .join('');
  expect([side('-'), side('+')]).toEqual([a, b]);
  expect(found.length).toBeLessThanOrEqual(expected.length);
});

it('leads from any list to any other, and is as short as it can be', () => {
  let seed = 3;
  const next = (most: number): number => (seed = (seed * 48_271) % 0x7fffffff) % most;
  const word = (): string => Array.from({ length: next(14) }, () => 'abc'[next(3)]).join('');
  for (let time = 0; time < 2000; time += 1) {
    const [a, b] = [word(), word()];
    const changes = differences([...a], [...b]);
    const without = (kind: string): string =>
      changes.flatMap((change) => (change.kind === kind ? [] : change.value)).join('');
    expect([without('added'), without('removed')]).toEqual([a, b]);
    const common = changes.flatMap(({ kind, value }) => (kind === 'same' ? value : [])).length;
    expect([a, b, common]).toEqual([a, b, commonIn(a, b)]);
  }
});

/** How long the longest common subsequence is, the slow way. */
function commonIn(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, () => 0);
  for (const letter of a) {
    const before = row;
    row = [0];
    for (let at = 1; at <= b.length; at += 1)
      row[at] = b[at - 1] === letter ? (before[at - 1] ?? 0) + 1 : Math.max(before[at] ?? 0, row[at - 1] ?? 0);
  }
  return row.at(-1) ?? 0;
}

it('gives up on lists that have too little in common', () => {
  expect(told('abcdef', 'uvwxyz', 3)).toBe('-abcdef +uvwxyz');
  expect(told('1abcdef2', '1uvwxyz2', 3)).toBe('=1 -abcdef +uvwxyz =2');
});

it('shows lines around a change, and nothing where there is none', () => {
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);
  const after = lines.map((line) => (line === 'line 9' ? 'other' : line));
  expect(diffLines(lines.join('\n'), `${after.join('\n')}\n`).split('\n')).toEqual([
    ' line 6',
    ' line 7',
    ' line 8',
    '-line 9',
    '+other',
    ' line 10',
    ' line 11',
    ' line 12',
  ]);
  expect(diffLines('', 'a\nb\n')).toBe('+a\n+b');
  expect(diffLines('a', 'a\n')).toBe('');
  expect(wordsOf('sum += é1(x);').join('|')).toBe('sum| |+|=| |é1|(|x|)|;');
});
