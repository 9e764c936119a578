import { expect, it } from 'vitest';
import { standardRoutes, standardVariables } from '../../src/wire/standard-routes.ts';

it('goes where the user has set it, or to the provider itself', () => {
  const routes = standardRoutes({
    OPENAI_BASE_URL: 'http://localhost:11434/v1',
    ANTHROPIC_BASE_URL: 'file:///etc/passwd',
  });
  expect(routes).toEqual([
    { name: 'openai', upstream: 'http://localhost:11434/v1' },
    { name: 'anthropic', upstream: 'https://api.anthropic.com' },
    { name: 'google', upstream: 'https://generativelanguage.googleapis.com' },
  ]);
});

it('leads past any proxy', () => {
  expect(standardVariables((route) => `http://127.0.0.1:1/${route}`, { NO_PROXY: 'corp.example' })).toEqual({
    OPENAI_BASE_URL: 'http://127.0.0.1:1/openai',
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:1/anthropic',
    GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:1/google',
    NO_PROXY: 'corp.example,127.0.0.1,localhost',
    no_proxy: '127.0.0.1,localhost',
  });
});
