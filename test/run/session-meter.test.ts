import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import type { Requested } from '../../src/contract/requested.ts';
import { specOf } from '../../src/run/ask.ts';
import { start } from '../../src/run/run.ts';
import { textOf } from '../support/costs/streams.ts';

const home = mkdtempSync(join(tmpdir(), 'runwire-session-meter-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const session = (cwd: string, turns: number): string =>
  JSON.stringify({
    sessionId: 's-1',
    title: 't',
    workspaceDirectory: cwd,
    history: [
      { message: { role: 'user', content: 'Do it' }, contextItems: [] },
      ...Array.from({ length: turns }, () => ({
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

/** A program that answers and writes its session last, so that nobody looks at it in between; or writes it and goes on for ever. */
async function run(turns: number, end: 'answers' | 'goes on', ask: Requested): Promise<RunOutcome> {
  const cwd = mkdtempSync(join(home, 'agent-'));
  mkdirSync(join(cwd, '.continue', 'sessions'), { recursive: true });
  writeFileSync(join(cwd, 'session'), session(cwd, turns));
  const write = `cp ${cwd}/session ${cwd}/.continue/sessions/s-1.json`;
  writeFileSync(
    join(cwd, 'cn'),
    `#!/bin/sh\n[ "$1" = --version ] && { echo 1.5.47; exit; }\n${end === 'answers' ? `echo '{"response":"Done.","status":"success"}'\nexec ${write}` : `${write}\nexec sleep 60`}\n`,
  );
  chmodSync(join(cwd, 'cn'), 0o755);
  const spec = specOf({ prompt: 'Do it', agent: 'continue', ...ask }, { cwd, passEnv: [] });
  return start(spec, { env: { PATH: `${cwd}:/usr/bin:/bin`, HOME: cwd } }).outcome;
}

describe.concurrent('an agent that tells nothing while it runs', () => {
  it('is billed by its own books', async () => {
    const outcome = await run(2, 'answers', {});
    expect(outcome.verdict.class).toBe('success');
    expect(outcome.metrics).toMatchObject({
      input_tokens: 900,
      output_tokens: 30,
      cost: 0.02,
      cost_source: 'reported',
    });
  });

  it('is stopped by a limit', async () => {
    const outcome = await run(3, 'goes on', { limits: { max_turns: 3 } });
    expect(outcome.verdict).toMatchObject({ class: 'turn_limit', exit_code: 6 });
  });
});

/** Nobody looks before it has ended: on a busy machine that could be after its last word. */
describe('an agent that has ended before anybody looked', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval'] }));
  afterEach(() => void vi.useRealTimers());
  it.each<[string, Requested['limits'], string]>([
    ['turns', { max_turns: 3 }, 'turn_limit'],
    ['tokens', { max_tokens: 500 }, 'cost_limit'],
    ['cost', { max_cost_usd: 0.01 }, 'cost_limit'],
  ])('has a limit that it broke in its outcome: %s', async (limit, limits, failure) => {
    const [kept, failed] = await Promise.all([
      run(5, 'answers', { limits }),
      run(5, 'answers', { limits, fail_on: ['limit'] }),
    ]);
    expect(kept.limits_hit).toMatchObject([{ limit }]);
    expect([kept.verdict.class, failed.verdict.class]).toEqual(['success', failure]);
  });
});

describe('Codex prints no model, but its session file names it', () => {
  const calls = [{ fresh: 30_000, read: 60_000, output: 200 }];
  async function codex(limits: Requested['limits'], rollout: string | undefined): Promise<RunOutcome> {
    const cwd = mkdtempSync(join(home, 'codex-'));
    const sessions = join(cwd, '.codex', 'sessions', '2026', '11', '01');
    mkdirSync(sessions, { recursive: true });
    if (rollout !== undefined) writeFileSync(join(sessions, 'rollout-2026-11-01T10-00-00-s-codex.jsonl'), rollout);
    writeFileSync(join(cwd, 'stream'), textOf('codex exec', '', calls));
    writeFileSync(
      join(cwd, 'codex'),
      `#!/bin/sh\n[ "$1" = --version ] && { echo codex-cli 0.166.0; exit; }\ncat ${cwd}/stream\n`,
    );
    chmodSync(join(cwd, 'codex'), 0o755);
    const spec = specOf(
      { prompt: 'Do it', agent: 'codex', ...(limits === undefined ? {} : { limits }) },
      { cwd, passEnv: [] },
    );
    return start(spec, { env: { PATH: `${cwd}:/usr/bin:/bin`, HOME: cwd } }).outcome;
  }
  const named = textOf('codex session', 'gpt-5.5', calls);
  // 30,000 × $5 + 60,000 × $0.50 + 200 × $30, per million.
  const cost = 0.186;

  it('so its cost is known', async () => {
    const { metrics } = await codex(undefined, named);
    expect(metrics).toMatchObject({
      model_name: 'gpt-5.5',
      cost,
      cost_source: 'computed',
      input_tokens: 90_000,
      turns: 1,
    });
  });

  it('so a limit on cost counts', async () => {
    const [kept, broken] = await Promise.all([
      codex({ max_cost_usd: 0.187 }, named),
      codex({ max_cost_usd: 0.01 }, named),
    ]);
    expect([kept.verdict.class, broken.verdict.class]).toEqual(['success', 'cost_limit']);
    expect(broken.limits_hit).toMatchObject([{ limit: 'cost', value: cost, maximum: 0.01 }]);
  });

  it('without that file, nobody is told that the limit held', async () => {
    const { warnings, metrics } = await codex({ max_cost_usd: 0.01 }, undefined);
    expect(metrics.cost_source).toBe('unknown');
    expect(warnings).toEqual([
      'what the run cost is not known, so its limit on cost was not enforced; --model or --price may help',
    ]);
  });
});
