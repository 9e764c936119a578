import { expect, it } from 'vitest';
import { closingOnFailure } from '../../../src/run/sinks/sink.ts';

it('closes what was opened before something failed', async () => {
  const closed: string[] = [];
  const sink = (name: string) => ({ close: async () => void closed.push(name) });
  await expect(
    closingOnFailure([sink('a'), {}, sink('b')], () => Promise.reject(new Error('no room'))),
  ).rejects.toThrow('no room');
  expect(closed).toEqual(['a', 'b']);
  expect(await closingOnFailure([sink('c')], async () => 'open')).toBe('open');
  expect(closed).toEqual(['a', 'b']);
});
