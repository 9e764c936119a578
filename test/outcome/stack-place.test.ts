import { expect, it } from 'vitest';
import { placeInStack } from '../../src/outcome/stack-place.ts';
import { steepest, steepnessOf } from '../support/growth.ts';

const filled = (piece: string, size: number): string => piece.repeat(Math.ceil(size / piece.length));

it.each(['/', '/:', 'file://', 'C:\\', '/a(', '/:a '])(
  'a stack trace made to be slow costs no more than its length: %j',
  (piece) => {
    expect(steepnessOf((size) => void placeInStack(filled(piece, size)))).toBeLessThan(steepest);
  },
);
