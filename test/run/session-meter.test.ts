import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import { specOf, type RunAsk } from '../../src/run/ask.ts';
import { start } from '../../src/run/run.ts';

const home = mkdtempSync(join(tmpdir(), 'runwire-session-meter-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const session = (cwd: string, turns: number): string =>
  JSON.stringify({
    sessionId: 's-1',
    title: 't',
    workspaceDirectory: cwd,
    history: [
      { message: { role: 'user', content: 'Do it' }, contextItems: [] },
      ...Array.from({ length: turns }, () => ({ message: { role: 'assistant', content: '' }, toolCallStates: [{ status: 'done' }] })),
    ],
    usage: { totalCost: 0.02, promptTokens: 900, completionTokens: 30, promptTokensDetails: { cachedTokens: 100, cacheWriteTokens: 0 } },
  });

/** A program that writes its session, and then answers, or goes on for ever. */
async function run(turns: number, after: string, ask: RunAsk): Promise<RunOutcome> {
  const cwd = mkdtempSync(join(home, 'agent-'));
  mkdirSync(join(cwd, '.continue', 'sessions'), { recursive: true });
  writeFileSync(join(cwd, 'session'), session(cwd, turns));
  writeFileSync(
    join(cwd, 'cn'),
    `#!/bin/sh\n[ "$1" = --version ] && { echo 1.5.47; exit; }\ncp ${cwd}/session ${cwd}/.continue/sessions/s-1.json\n${after}\n`,
  );
  chmodSync(join(cwd, 'cn'), 0o755);
  const spec = specOf({ prompt: 'Do it', agent: 'continue', ...ask }, { cwd, passEnv: [] });
  return start(spec, { env: { PATH: `${cwd}:/usr/bin:/bin`, HOME: cwd } }).outcome;
}
const answer = `echo '{"response":"Done.","status":"success"}'`;

describe.concurrent('an agent that tells nothing while it runs', () => {
  it('is billed by its own books', async () => {
    const outcome = await run(2, answer, {});
    expect(outcome.verdict.class).toBe('success');
    expect(outcome.metrics).toMatchObject({ input_tokens: 900, output_tokens: 30, cost: 0.02, cost_source: 'reported' });
  });

  it('is stopped by a limit', async () => {
    const outcome = await run(3, 'exec sleep 60', { limits: { maxTurns: 3 } });
    expect(outcome.verdict).toMatchObject({ class: 'turn_limit', exit_code: 6 });
  });

  it.each<[string, RunAsk['limits'], string]>([
    ['turns', { maxTurns: 3 }, 'turn_limit'],
    ['tokens', { maxTokens: 500 }, 'cost_limit'],
    ['cost', { maxCostUsd: 0.01 }, 'cost_limit'],
  ])('has a limit that it broke in its outcome: %s', async (limit, limits, failure) => {
    const [kept, failed] = await Promise.all([run(5, answer, { limits }), run(5, answer, { limits, failOn: ['limit'] })]);
    expect(kept.limits_hit).toMatchObject([{ limit }]);
    expect([kept.verdict.class, failed.verdict.class]).toEqual(['success', failure]);
  });
});
