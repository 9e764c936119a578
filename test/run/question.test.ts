import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asksForPermission } from '../../src/run/question.ts';
import { steepest, steepnessOf } from '../support/growth.ts';

const filled = (piece: string, size: number): string => piece.repeat(Math.ceil(size / piece.length));

/** What the command line of a program may end with, without the limits of length: the shape as one pattern. */
const choice = /[[(](?:y(?:es)?\/no?|yes\/no\/\w+|y\/n\/\w+)[\])]\s*[:?>]?\s*$/i;
const wish =
  /\b(?:allow|approve|permission|permit|proceed|trust|confirm|authori[sz]e|grant)\b[^\n]*\?\s*(?:[[(][^\])\n]*[\])])?\s*[:>]?\s*$/i;

describe('questions', () => {
  it('are the same as by one pattern', () => {
    const piece = fc.constantFrom(
      'allow',
      'Trust',
      '?',
      ' ',
      '[',
      ']',
      '(',
      ')',
      'y/n',
      'yes/no',
      'y/n/a',
      ':',
      '>',
      'x',
      '1',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const line = pieces.join('').trim();
        expect(asksForPermission(line)).toBe(line !== '' && (choice.test(line) || wish.test(line)) ? line : undefined);
      }),
      { numRuns: 3000 },
    );
  });

  // A line of 2000 is the longest that is looked at; half of it took seconds to minutes.
  it.each<[string, (size: number) => string]>([
    [
      'wishes and marks',
      (size) => `${filled('allow ', 0.3 * size)}${filled('?', 0.3 * size)}${filled(' ', 0.35 * size)}x`,
    ],
    ['answers that begin', (size) => `${filled('allow?[', 0.95 * size)}x`],
    ['answers that begin, and blanks', (size) => `${filled('allow? (', 0.45 * size)}${filled(' ', 0.45 * size)}x`],
    ['a choice, and blanks', (size) => `(y/n)${filled(' ', 0.9 * size)}x`],
  ])('are told from a line made to be slow, for its length: %s', (_, line) => {
    expect(line(2000).length).toBeLessThanOrEqual(2000);
    expect(asksForPermission(line(2000))).toBeUndefined();
    expect(steepnessOf((size) => void asksForPermission(line(size)), 1000)).toBeLessThan(steepest);
  });
});
