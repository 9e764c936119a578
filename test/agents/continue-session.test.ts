import { expect, it } from 'vitest';
import { readContinueSession } from '../../src/agents/continue-session.ts';

const session = JSON.stringify({
  sessionId: 's-1',
  title: 't',
  workspaceDirectory: '/w',
  history: [
    { message: { role: 'user', content: 'Do it' }, contextItems: [] },
    ...Array.from({ length: 2 }, () => ({
      message: { role: 'assistant', content: '' },
      toolCallStates: [{ status: 'done' }],
    })),
  ],
  usage: {
    totalCost: 0.02,
    promptTokens: 900,
    completionTokens: 30,
    promptTokensDetails: { cachedTokens: 100, cacheWriteTokens: 0 },
  },
});

it('reads the session of Continue, and nothing else', () => {
  expect(readContinueSession(session)).toEqual({
    sessionId: 's-1',
    cwd: '/w',
    turns: 2,
    goesOn: true,
    inputTokens: 900,
    outputTokens: 30,
    cacheReadTokens: 100,
    costUsd: 0.02,
  });
  for (const text of ['', '{', '[]', '{"sessionId":"x"}', '{"sessionId":1,"history":{}}'])
    expect(readContinueSession(text)).toBeUndefined();
});
