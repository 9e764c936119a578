import { expect, it } from 'vitest';
import { allowedModels } from '../../src/run/allowed-models.ts';

it.each([
  ['gpt-5', 'gpt-5', true],
  ['gpt-5', 'gpt-5-2025-08-07', true],
  ['gpt-5', 'GPT-5', true],
  ['gpt-5', 'openai/gpt-5', true],
  ['gpt-5', 'gpt-5-pro', false],
  ['gpt-5', 'gpt-5.1', false],
  ['gpt-5-2025-08-07', 'gpt-5', false],
  ['claude-*', 'claude-sonnet-4-5', true],
  ['claude-*', 'anthropic/claude-sonnet-4-5', true],
  ['claude-*', 'my-claude-1', false],
  ['deepseek/*', 'deepseek/deepseek-r1', true],
  ['deepseek/*', 'deepseek-r1', false],
  ['openrouter/auto', 'gpt-5-pro', false],
  ['auto', 'openrouter/auto', true],
  ['gpt-5', undefined, false],
])('%s allows %s: %s', (name, model, isAllowed) => {
  expect(allowedModels([name])(model) === undefined).toBe(isAllowed);
});

it('without names, any model is allowed', () => {
  expect(allowedModels([])(undefined)).toBeUndefined();
});
