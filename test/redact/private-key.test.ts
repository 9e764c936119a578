import { expect, it } from 'vitest';
import { PrivateKeyLines } from '../../src/redact/private-key.ts';
import { steepest, steepnessOf } from '../support/growth.ts';

const filled = (piece: string, size: number): string => piece.repeat(Math.ceil(size / piece.length));

it.each([
  ['blanks', (size: number) => `${filled(' ', size)}-`],
  ['keys that begin', (size: number) => `${filled('-----BEGIN PRIVATE KEY-----', size)}-----END`],
  ['keys that nearly begin', (size: number) => `-----BEGIN ${filled('PRIVATE KEY ', size)}`],
])('a line made to be slow costs no more than its length: %s', (_, text) => {
  const steepness = steepnessOf((size) => {
    const lines = new PrivateKeyLines();
    lines.isBody('-----BEGIN PRIVATE KEY-----');
    lines.isBody(text(size));
  });
  expect(steepness).toBeLessThan(steepest);
});
