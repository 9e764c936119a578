import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cells } from '../../src/terminal/cells.ts';
import { type Column, grid, table } from '../../src/terminal/table.ts';
import { fuzzRuns, fuzzSeed } from '../support/fuzz.ts';

type Row = readonly [string, string, string];
const columns: Column<Row>[] = [
  { title: 'ID', cell: ([id]) => id },
  { title: 'NUMBER', align: 'right', cell: ([, number]) => number, leaves: 1 },
  { title: 'TEXT', fills: true, cell: ([, , text]) => text },
];
const screen = (width: number) => ({ width, colours: false });

describe('a table', () => {
  const rows: Row[] = [
    ['a', '1', 'short'],
    ['b', '1000', 'a longer text that fills what is left'],
  ];
  it('fits the screen: what fills is cut, what may leave leaves', () => {
    expect(table(columns, rows, screen(60))).toBe(
      'ID  NUMBER  TEXT\na        1  short\nb     1000  a longer text that fills what is left\n',
    );
    expect(table(columns, rows, screen(30))).toBe(
      'ID  NUMBER  TEXT\na        1  short\nb     1000  a longer text tha…\n',
    );
    expect(table(columns, rows, screen(22))).toBe('ID  TEXT\na   short\nb   a longer text tha…\n');
  });

  it('leaves out a column that says nothing', () => {
    expect(table(columns, [['a', '', 'x']], screen(60))).toBe('ID  TEXT\na   x\n');
  });

  it('is never wider than the screen, whatever is in it', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'é', '変', '👩‍💻', '🎉', ' ', 'e\u0301'), maxLength: 60 });
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), fc.integer({ min: 24, max: 100 }), (texts, width) => {
        const lines = table(
          columns,
          texts.map((each): Row => ['id', '12', each]),
          screen(width),
        )
          .trimEnd()
          .split('\n');
        expect(lines).toHaveLength(texts.length + 1);
        for (const line of lines) expect(cells(line)).toBeLessThanOrEqual(width);
      }),
      { numRuns: fuzzRuns(200), seed: fuzzSeed },
    );
  });

  it('takes more rows than a function takes arguments', () => {
    const many = Array.from({ length: 200_000 }, (_, index): Row => [String(index), '', '']);
    expect(table(columns, many, screen(80)).split('\n')).toHaveLength(200_002);
  });
});

it('a grid has columns as wide as their widest cell', () => {
  expect(grid([['a', 'bb'], ['変更', 'c', 'd'], ['']])).toBe('a     bb\n変更  c   d\n\n');
  expect(grid([])).toBe('');
});
