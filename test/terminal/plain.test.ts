import fc from 'fast-check';
import { expect, it } from 'vitest';
import { oneLine, plain } from '../../src/terminal/plain.ts';
import { anyText } from '../support/any-text.ts';

it('any text is harmless, and one line stays one line', () => {
  fc.assert(
    fc.property(anyText(300), (text) => {
      // eslint-disable-next-line no-control-regex -- control characters are what must not be there
      expect(plain(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/);
      expect(oneLine(text, 40)).not.toContain('\n');
      expect(Array.from(oneLine(text, 40)).length).toBeLessThanOrEqual(40);
    }),
  );
});
