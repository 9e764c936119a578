import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leastRunId, newRunId, shortRunId } from '../../src/ids/run-id.ts';
import { fuzzRuns, fuzzSeed } from '../support/fuzz.ts';

describe('ids of runs', () => {
  it('sort by time', () => {
    const time = fc.integer({ min: 0, max: 2 ** 48 - 1 });
    fc.assert(
      fc.property(time, time, (one, other) => {
        expect(newRunId(one)).toMatch(/^[0-9a-hjkmnp-tv-z]{26}$/);
        if (one !== other) expect(newRunId(one) < newRunId(other)).toBe(one < other);
        expect(newRunId(one) >= leastRunId(one)).toBe(true);
      }),
      { numRuns: fuzzRuns(500), seed: fuzzSeed },
    );
  });

  it('differ, also in their short form, within one millisecond', () => {
    const ids = Array.from({ length: 2000 }, () => newRunId(1e12));
    expect(new Set(ids).size).toBe(2000);
    expect(new Set(ids.map(shortRunId)).size).toBe(2000);
    expect(ids[0]?.endsWith(shortRunId(ids[0]))).toBe(true);
  });
});
