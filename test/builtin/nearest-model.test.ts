import { expect, it } from 'vitest';
import { nearestModel } from '../../src/builtin/models/nearest-model.ts';

it.each([
  ['anthropic/claude-sonet-4-5', ' (did you mean "anthropic/claude-sonnet-4-5"?)'],
  ['anthropic/claude-opus-4-1', ''],
  ['openai-compatible/anything', ''],
  ['openai/something-else-entirely', ''],
])('%s', async (model, hint) => expect(await nearestModel(model)).toBe(hint));
