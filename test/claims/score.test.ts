import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scoreSet } from '../../scripts/claims-score.ts';

const golden = join(import.meta.dirname, 'golden');

it('judges labelled answers as well as it did', () => {
  const { figures, misses } = scoreSet(golden);
  const accused = misses.filter(({ what }) => what === 'false accusation');
  expect(accused).toEqual([]);
  expect(figures.cases).toBeGreaterThan(50);
  expect(figures.recall).toBeGreaterThanOrEqual(0.8);
  expect(figures.found).toBeGreaterThanOrEqual(0.8);
  expect(figures.accuracy).toBeGreaterThanOrEqual(0.95);
  expect(figures.evidence).toBeGreaterThanOrEqual(0.97);
});
