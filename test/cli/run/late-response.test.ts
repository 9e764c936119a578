import { expect, it } from 'vitest';
import { lateResponse } from '../../../src/cli/run/late-response.ts';
import { loadWriter } from '../../../src/cli/run/writers.ts';
import { JsonResponse } from '../../../src/dialects/dexter/wire.ts';
import { specOf } from '../../../src/run/ask.ts';
import { body } from '../../support/secrets.ts';

it('a run that only the watchdog could end has a response, which tells the time limit', async () => {
  const writer = await loadWriter({ flag: '--json' });
  if (writer === undefined) throw new Error('--json has a writer');
  const key = `${'gh'}p_${body(36)}`;
  const spec = specOf({ prompt: `Use ${key}`, model: 'openai/m' }, { cwd: '/srv', passEnv: [] });
  const text = lateResponse({
    spec,
    writer,
    scratchpad: 'a_b',
    env: {},
    startedAt: 1000,
    now: () => 4000,
    timeoutMs: 3000,
  });
  const response: unknown = JSON.parse(text);
  expect(text.endsWith('\n')).toBe(true);
  expect(JsonResponse.safeParse(response).success).toBe(true);
  expect(response).toEqual({
    status: 'error',
    query: 'Use [redacted:github-token]',
    answer: '',
    tools: [],
    scratchpadFile: '.dexter/scratchpad/a_b.jsonl',
    metadata: { model: 'openai/m', iterations: 0, totalTimeMs: 3000 },
    error: { code: 'AGENT_ERROR', message: 'Time limit reached: the time limit was reached' },
  });
});
