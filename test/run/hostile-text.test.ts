import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeInStack } from '../../src/outcome/stack-place.ts';
import { PrivateKeyLines } from '../../src/redact/private-key.ts';
import { asksForPermission } from '../../src/run/question.ts';
import { steepest, steepnessOf } from '../support/growth.ts';

const filled = (piece: string, size: number): string => piece.repeat(Math.ceil(size / piece.length));

describe('a text made to be slow costs no more than its length', () => {
  it.each([
    ['blanks', (size: number) => `${filled(' ', size)}-`],
    ['keys that begin', (size: number) => `${filled('-----BEGIN PRIVATE KEY-----', size)}-----END`],
    ['keys that nearly begin', (size: number) => `-----BEGIN ${filled('PRIVATE KEY ', size)}`],
  ])('lines of a private key: %s', (_, text) => {
    const steepness = steepnessOf((size) => {
      const lines = new PrivateKeyLines();
      lines.isBody('-----BEGIN PRIVATE KEY-----');
      lines.isBody(text(size));
    });
    expect(steepness).toBeLessThan(steepest);
  });

  it.each(['/', '/:', 'file://', 'C:\\', '/a(', '/:a '])('a stack trace of %j', (piece) => {
    expect(steepnessOf((size) => void placeInStack(filled(piece, size)))).toBeLessThan(steepest);
  });
});

/** What the command line of a program may end with, without the limits of length: the shape as one pattern. */
const choice = /[[(](?:y(?:es)?\/no?|yes\/no\/\w+|y\/n\/\w+)[\])]\s*[:?>]?\s*$/i;
const wish =
  /\b(?:allow|approve|permission|permit|proceed|trust|confirm|authori[sz]e|grant)\b[^\n]*\?\s*(?:[[(][^\])\n]*[\])])?\s*[:>]?\s*$/i;

describe('questions', () => {
  it('are the same as by one pattern', () => {
    const piece = fc.constantFrom('allow', 'Trust', '?', ' ', '[', ']', '(', ')', 'y/n', 'yes/no', 'y/n/a', ':', '>', 'x', '1');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const line = pieces.join('').trim();
        expect(asksForPermission(line)).toBe(line !== '' && (choice.test(line) || wish.test(line)) ? line : undefined);
      }),
      { numRuns: 3000 },
    );
  });

  // The longest line that is looked at, many times over: each took seconds to minutes.
  it.each([
    `${filled('allow ', 600)}${filled('?', 600)}${filled(' ', 700)}x`,
    `${filled('allow?[', 1900)}x`,
    `${filled('allow? (', 900)}${filled(' ', 900)}x`,
    `(y/n)${filled(' ', 1900)}x`,
  ])('are found out in little time, case %#', (line) => {
    const before = process.threadCpuUsage();
    for (let times = 0; times < 100; times += 1) expect(asksForPermission(line)).toBeUndefined();
    const { user } = process.threadCpuUsage(before);
    expect(user / 1000).toBeLessThan(1000);
  });
});
