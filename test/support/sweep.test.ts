import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isSwept } from './sweep.ts';

const root = join(import.meta.dirname, '..', '..');
const files = globSync('test/**/*.test.ts', { cwd: root }).filter((path) =>
  readFileSync(join(root, path), 'utf8').includes('support/sweep.ts'),
);

it.each([1, 4, 6, 8])('every file is swept in one of %d parts, and no part has most of them', (count) => {
  const parts = files.map((file) =>
    Array.from({ length: count }, (_, part) => part).filter((part) => isSwept(file, `${part}/${count}`)),
  );
  expect(parts.every(({ length }) => length === 1)).toBe(true);
  const sizes = Object.values(Object.groupBy(parts, ([part]) => String(part))).map((each) => each?.length ?? 0);
  expect(sizes).toHaveLength(count);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(Math.ceil((files.length / count) * 2));
});

it('is told which files', () => {
  expect([undefined, '', 'all'].map((parts) => isSwept('test/a.test.ts', parts))).toEqual([false, false, true]);
  for (const parts of ['some', '6/6', '1/0', '-1/4', '1'])
    expect(() => isSwept('test/a.test.ts', parts)).toThrow('RUNWIRE_SWEEP is "all" or a part such as 3/8');
});
