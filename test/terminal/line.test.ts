import { expect, it } from 'vitest';
import { canDraw, wantsColours } from '../../src/terminal/line.ts';

it.each([
  [{}, true, { colours: true, draws: true }],
  [{}, false, { colours: false, draws: false }],
  [{ NO_COLOR: '1' }, true, { colours: false, draws: true }],
  [{ NO_COLOR: '' }, true, { colours: true, draws: true }],
  [{ FORCE_COLOR: '1' }, false, { colours: true, draws: false }],
  [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false, { colours: true, draws: false }],
  [{ FORCE_COLOR: '0' }, true, { colours: false, draws: true }],
  [{ TERM: 'dumb' }, true, { colours: false, draws: false }],
  [{ CI: 'true' }, true, { colours: true, draws: false }],
  [{ CI: 'false' }, true, { colours: true, draws: true }],
])('%j, a terminal: %s', (env, isTerminal, expected) => {
  expect({ colours: wantsColours(env, isTerminal), draws: canDraw(env, isTerminal) }).toEqual(expected);
});
