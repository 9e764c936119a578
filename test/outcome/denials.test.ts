import { expect, it } from 'vitest';
import { agents } from '../../src/agents/registry.ts';
import { allowingFlag } from '../../src/outcome/denials.ts';

it('names the flag for just the agents that have the mode', () => {
  const named = agents.filter(({ id }) => allowingFlag(id) !== undefined).map(({ id }) => id);
  expect(named).toEqual(
    agents.filter(({ abilities }) => abilities.permissionModes.includes('full')).map(({ id }) => id),
  );
});
