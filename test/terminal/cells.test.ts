import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cells, fit, wrap } from '../../src/terminal/cells.ts';

describe('columns', () => {
  it.each([
    ['plain', 5],
    ['日本語', 6],
    ['e\u0301', 1],
    ['👍', 2],
    ['❤\ufe0f', 2],
    ['ﾊﾝ', 2],
    ['…·✓', 3],
    ['\u2329\u232a', 4],
    ['☰', 2],
    ['👩‍💻', 4],
    ['🕮', 2],
    ['\ud83d', 1],
  ])('%s takes %d', (text, columns) => expect(cells(text)).toBe(columns));

  it('never exceeds what there is, and loses only blanks', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), fc.integer({ min: 2, max: 40 }), (text, columns) => {
        expect(cells(fit(text, columns))).toBeLessThanOrEqual(columns);
        const rows = wrap(text, columns);
        for (const row of rows) expect(cells(row)).toBeLessThanOrEqual(columns);
        expect(rows.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
      }),
    );
  });
});
