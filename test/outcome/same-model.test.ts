import { expect, it } from 'vitest';
import { isSameModel } from '../../src/outcome/same-model.ts';

it.each([
  ['gpt-5', 'gpt-5'],
  ['gpt-5', 'gpt-5-2025-08-07'],
  ['claude-sonnet-4-5', 'claude-sonnet-4-5-20250929'],
  ['claude-3-5-sonnet-latest', 'claude-3-5-sonnet-20241022'],
  ['claude-sonnet-4-5[1m]', 'claude-sonnet-4-5'],
  ['anthropic/claude-sonnet-4', 'claude-sonnet-4'],
  ['gemini-2.0-flash', 'gemini-2.0-flash-001'],
  ['gemini-2.5-pro', 'gemini-2.5-pro-preview-05-06'],
  ['models/gemini-2.5-pro', 'gemini-2.5-pro'],
  ['GPT-5', 'gpt-5'],
  ['openrouter/auto', 'anthropic/claude-opus-4.5'],
])('%s is answered by %s', (asked, served) => expect(isSameModel(asked, served)).toBe(true));

it.each([
  ['gpt-5', 'gpt-5-mini'],
  ['gpt-5', 'gpt-4'],
  ['gpt-5', 'gpt-5.1'],
  ['claude-opus-4-5', 'claude-haiku-4-5'],
  ['claude-opus-4', 'claude-opus-4-5'],
  ['gemini-3-pro', 'gemini-3-flash'],
  ['my-alias', 'gpt-5'],
  ['gpt-5', ''],
])('%s is not %s', (asked, served) => expect(isSameModel(asked, served)).toBe(false));
