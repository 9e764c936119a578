import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { cutText } from '../../src/outcome/bounded.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heldBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

it('a text that was cut does not keep the whole in memory', () => {
  const before = heldBytes();
  const cut = Array.from({ length: 100 }, (_, index) =>
    cutText(JSON.parse(`"${index}${'x'.repeat(1_000_000)}"`) as string),
  );
  const held = heldBytes() - before;
  expect(cut.every((text) => text.length < 5000)).toBe(true);
  expect(held).toBeLessThan(20_000_000);
});

it('a cut inside a character leaves no half of it', () => {
  const text = `${'x'.repeat(2047)}🦊${'y'.repeat(5000)}🦊${'x'.repeat(2047)}`;
  expect(cutText(text).isWellFormed()).toBe(true);
  expect(cutText(text)).toContain('characters …]');
});
