import { expect, it } from 'vitest';
import { nearest, nearestWord } from '../../src/words/nearest.ts';

const known = ['codex', 'claude', 'gemini', 'pi'];

it.each([
  ['claude-code', 'claude'],
  ['Claude', 'claude'],
  ['gemini-cli', 'gemini'],
  ['cluade', 'claude'],
  ['x', undefined],
  ['c'.repeat(1_000_000), undefined],
])('%.20s was meant as %s', (word, meant) => expect(nearestWord(word, known)).toBe(meant));

it('asks, where a known word is near', () => {
  expect([nearest('codx', known), nearest('emacs', known)]).toEqual([' (did you mean "codex"?)', '']);
});
