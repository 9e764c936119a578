import { expect, it } from 'vitest';
import type { RunAgent } from '../../../src/builtin/agent.ts';
import type { Run } from '../../../src/run/handle.ts';
import { specOf } from '../../../src/run/ask.ts';
import { start } from '../../../src/run/run.ts';
import { project } from '../../cli/run/live.ts';

it('an agent is loaded once for all attempts, with the run that it works for', async () => {
  const given: Run[] = [];
  let attempts = 0;
  const agent: RunAgent = (_options, emit) => {
    attempts += 1;
    emit({ type: 'agent.finished', status: 'failed', code: 'server', message: 'overloaded' });
    return Promise.resolve();
  };
  const spec = specOf(
    { prompt: 'Do it', model: 'replay/none', retries: 2, retry_delay_ms: 1 },
    { cwd: project(), passEnv: [] },
  );
  const run = start(spec, { env: {}, loadAgent: (its) => (given.push(its), Promise.resolve(agent)) });
  await run.outcome;
  expect([attempts, given]).toEqual([3, [run]]);
});
