import { expect, it } from 'vitest';
import { upstreamOf } from '../../src/wire/route.ts';

it.each([
  ['https://api.openai.com/v1', '/responses', '', 'https://api.openai.com/v1/responses'],
  ['https://api.openai.com/v1/', '/responses', '', 'https://api.openai.com/v1/responses'],
  ['https://api.anthropic.com', '/v1/messages', 'beta=true', 'https://api.anthropic.com/v1/messages?beta=true'],
  [
    'https://me.openai.azure.com/openai?api-version=2026-01-01',
    '/responses',
    'a=b%2Fc&d',
    'https://me.openai.azure.com/openai/responses?api-version=2026-01-01&a=b%2Fc&d',
  ],
  [
    'https://generativelanguage.googleapis.com',
    '/v1beta/models/gemini-3-pro:generateContent',
    'key=TOKEN&alt=sse',
    'https://generativelanguage.googleapis.com/v1beta/models/gemini-3-pro:generateContent?key=real%20key&alt=sse',
  ],
])('%s, %s and %s make %s', (upstream, path, query, whole) =>
  expect(upstreamOf({ name: 'own', upstream, key: 'real key' }, { path, query }, 'TOKEN').href).toBe(whole),
);
