import fc from 'fast-check';
import { expect, it } from 'vitest';
import { placeAbove } from '../../src/tapes/place-above.ts';
import { fuzzRuns, fuzzSeed } from '../support/fuzz.ts';
import { linesOf, recordOf } from './support/tape-records.ts';

/** Looks for a place in some bytes; tells also how many were read. */
async function looked(bytes: Buffer, after: number): Promise<{ place: number; read: number }> {
  let read = 0;
  const place = await placeAbove(after, bytes.length, async (from, length) => {
    const part = bytes.subarray(from, from + length);
    read += part.length;
    return part;
  });
  return { place, read };
}

const line = fc.record({
  gap: fc.integer({ min: 1, max: 5 }),
  length: fc.oneof(fc.integer({ max: 400, min: 0 }), fc.constant(90_000)),
});

it('is at the beginning of a line that is not above, or of the first one that is, wherever that is', () =>
  fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 600 }), fc.nat(2000), async (lines, after) => {
      let sequence = 0;
      const records = lines.map(({ gap, length }) => recordOf((sequence += gap), 'x'.repeat(length)));
      const text = linesOf(records);
      const { place } = await looked(Buffer.from(text), after);
      expect(place === 0 || text[place - 1] === '\n').toBe(true);
      expect(linesOf(records.filter((record) => record.sequence <= after)).length).toBeGreaterThanOrEqual(place);
    }),
    { numRuns: fuzzRuns(100), seed: fuzzSeed },
  ));

it('is found by looking at a few lines, and close', async () => {
  const records = Array.from({ length: 40_000 }, (_, index) => recordOf(index + 1, 'x'.repeat(100)));
  const text = Buffer.from(linesOf(records));
  for (const after of [1, 20_000, 39_999, 50_000]) {
    const { place, read } = await looked(text, after);
    expect(read).toBeLessThan(text.length / 5);
    expect(linesOf(records.slice(0, after)).length - place).toBeLessThanOrEqual(64 * 1024 + 400);
  }
});

it('is the beginning of what is no tape', async () => {
  expect(await looked(Buffer.from('noise\n'.repeat(50_000)), 7)).toEqual({ place: 0, read: 1 });
  expect((await looked(Buffer.from(`${JSON.stringify({ type: 'noise' })}\n`.repeat(50_000)), 7)).place).toBe(0);
  expect((await looked(Buffer.from(`{"text":"${'x'.repeat(500_000)}"}\n`), 7)).place).toBe(0);
  expect(await looked(Buffer.alloc(0), 7)).toEqual({ place: 0, read: 0 });
});
