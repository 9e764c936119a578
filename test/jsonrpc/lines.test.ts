import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Lines } from '../../src/jsonrpc/lines.ts';
import { anyText } from '../support/any-text.ts';

it('keeps nothing of a line that is too long, and reads the next', () => {
  const heard: string[] = [];
  const lines = new Lines(
    (line) => heard.push(new TextDecoder().decode(line)),
    () => heard.push('too long'),
    10,
  );
  for (const piece of ['{"a"', ':1}\n\nxxxxxx', 'yyyyyyy', 'zzz', 'z\n[]', '\n0123456789\n01234567890\nend'])
    lines.push(Buffer.from(piece));
  expect(heard).toEqual(['{"a":1}', 'too long', '[]', '0123456789', 'too long']);
  expect(lines.isBetweenLines).toBe(false);
});

it('reads the same lines however the bytes are cut', () => {
  fc.assert(
    fc.property(
      fc.array(anyText(8), { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }),
      (texts, cuts) => {
        const said = texts.map((text) => text.replaceAll('\n', ' '));
        const heard: string[] = [];
        const lines = new Lines((line) => heard.push(Buffer.from(line).toString()), expect.unreachable);
        const bytes = Buffer.from(said.map((text) => `${text}\n`).join(''));
        const chunk = Buffer.alloc(5);
        for (let [at, cut] = [0, 0]; at < bytes.length; cut += 1) {
          // Whoever reads a socket uses its memory again.
          const length = bytes.copy(chunk, 0, at, at + (cuts[cut % cuts.length] ?? 1));
          lines.push(chunk.subarray(0, length));
          at += length;
        }
        expect(heard).toEqual(said.filter((text) => text !== ''));
        expect(lines.isBetweenLines).toBe(true);
      },
    ),
  );
});
