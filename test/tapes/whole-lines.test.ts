import { expect, it } from 'vitest';
import { wholeLines, type TapeEnd } from '../../src/tapes/tape.ts';

it('does not put together a line that does not end', async () => {
  const chunk = new Uint8Array(1024 * 1024).fill(97);
  async function* flood(): AsyncGenerator<Uint8Array, TapeEnd> {
    for (let i = 0; i < 40; i += 1) yield chunk;
    return { kind: 'whole' };
  }
  let [bytes, longest] = [0, 0];
  for await (const piece of wholeLines(flood())) {
    bytes += piece.length;
    longest = Math.max(longest, piece.length);
  }
  // What is left at the end is told with the end.
  expect(bytes).toBeGreaterThan(30 * chunk.length);
  expect(longest).toBeLessThanOrEqual(9 * chunk.length);
});
