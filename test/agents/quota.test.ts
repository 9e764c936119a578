import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keepQuota, keptQuota } from '../../src/agents/quota/kept.ts';
import { leastLeft } from '../../src/agents/quota/quota.ts';
import type { QuotaFact } from '../../src/agents/quota/fact.ts';
import type { EventRecord } from '../../src/events/event.ts';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import type { QuotaRow } from '../../src/cli/quota.ts';
import { inside } from '../cli/run/live.ts';
import { folder } from '../cli/run/scripted.ts';
import { codex, handClock, scriptedAgents, type Step } from '../support/scripted-agents.ts';

const start = '2026-11-18T14:30:00Z';
const now = Date.parse(start);
const hour = 3_600_000;
const good: Step = { lines: [...codex.began('s-1'), codex.says('All done.'), codex.done(100, 20)] };

/** A session of Codex, as it keeps them. */
function session(
  home: string,
  name: string,
  limits: object | null,
  { at = now - 10 * 60_000, day = '2026/11/18' }: { at?: number; day?: string } = {},
): void {
  const place = join(home, '.codex', 'sessions', day);
  mkdirSync(place, { recursive: true });
  const line = (type: string, payload: object): string =>
    `${JSON.stringify({ timestamp: new Date(at).toISOString(), type, payload })}\n`;
  writeFileSync(
    join(place, `rollout-${name}.jsonl`),
    `${line('session_meta', { id: name })}${line('event_msg', { type: 'token_count', info: null, rate_limits: limits })}${line('event_msg', { type: 'task_complete' })}`,
  );
}

const window = (used: number, minutes: number, resets: number): object => ({
  used_percent: used,
  window_minutes: minutes,
  resets_at: resets / 1000,
});

async function rowsOf(env: Record<string, string>, clock = handClock(start).clock): Promise<QuotaRow[]> {
  const { stdout, status } = await inside(['doctor', '--quota', '--json'], { env, clock });
  expect(status).toBe(0);
  return (JSON.parse(stdout) as { quota: QuotaRow[] }).quota;
}

describe('what is left', () => {
  it('is what the newest session of Codex says that says anything', async () => {
    const home = folder();
    session(home, 'a', { primary: window(10, 300, now + hour), secondary: null }, { day: '2026/11/16' });
    session(home, 'b', { primary: window(93.5, 300, now + hour), secondary: window(40, 10080, now + 48 * hour) });
    session(home, 'c', null);
    const rows = await rowsOf({ HOME: home });
    expect(rows).toEqual([
      {
        agent: 'codex',
        window: 'primary',
        window_minutes: 300,
        used: 0.935,
        left: 0.065,
        in_force: true,
        resets_at_ms: now + hour,
        seen_at_ms: now - 10 * 60_000,
        age_ms: 10 * 60_000,
        from: 'session',
      },
      expect.objectContaining({ window: 'secondary', left: 0.6, window_minutes: 10080 }),
    ]);
  });

  it('reads the times of older versions, and nothing that is damaged', async () => {
    const home = folder();
    session(home, 'a', { primary: { used_percent: 50, window_minutes: 299, resets_in_seconds: 7200 } });
    expect((await rowsOf({ HOME: home }))[0]).toMatchObject({ left: 0.5, resets_at_ms: now - 10 * 60_000 + 2 * hour });
    for (const limits of [{ primary: 'x' }, { primary: { used_percent: 'x' } }, [], { primary: [] }]) {
      const other = folder();
      session(other, 'a', limits);
      expect(await rowsOf({ HOME: other })).toEqual([]);
    }
  });

  it('is all of it again once a window has begun anew, with the age of the fact', async () => {
    const home = folder();
    session(home, 'a', { primary: window(100, 300, now - 60_000) });
    expect(await rowsOf({ HOME: home })).toMatchObject([{ left: 1, in_force: false, used: 1, age_ms: 600_000 }]);
    const { stdout } = await inside(['doctor', '--quota'], { env: { HOME: home }, clock: handClock(start).clock });
    expect(stdout).toMatch(/codex +primary, 5h.* +- +begun anew .* did so 1m ago +10m ago +a session file/);
  });

  it('is kept from the status line of Claude Code', async () => {
    const home = folder();
    const env = { HOME: home };
    const { clock } = handClock(start);
    const about = {
      session_id: 's-1',
      rate_limits: {
        five_hour: { used_percentage: 23.5, resets_at: (now + hour) / 1000 },
        seven_day: { used_percentage: 88, resets_at: (now + 90 * hour) / 1000 },
        strange: 'x',
      },
    };
    await inside(['usage', '--statusline', '--offline'].slice(0, 2), { env, clock, stdin: JSON.stringify(about) });
    expect(await rowsOf(env)).toMatchObject([
      { agent: 'claude', window: 'seven_day', left: 0.12, from: 'status_line', age_ms: 0 },
      { agent: 'claude', window: 'five_hour', left: 0.765 },
    ]);
    expect(statSync(join(home, '.local/state/runwire/quota.json')).mode & 0o777).toBe(0o600);
  });

  it('is kept from what a run is told, by whom and when', async () => {
    const agents = scriptedAgents({
      claude: [
        {
          lines: [
            { type: 'system', subtype: 'init', session_id: 's-1', model: 'claude-sonnet-4-5', cwd: '/w', tools: [] },
            {
              type: 'rate_limit_event',
              rate_limit_info: {
                status: 'allowed_warning',
                rateLimitType: 'five_hour',
                utilization: 0.91,
                resetsAt: (now + hour) / 1000,
              },
              session_id: 's-1',
            },
            { type: 'result', subtype: 'success', is_error: false, result: 'ok', session_id: 's-1', num_turns: 1 },
          ],
        },
      ],
    });
    const { clock } = handClock(start);
    await inside(['run', '--agent', 'claude', '--wire', 'off', '-q', 'Do it'], { env: agents.env, clock });
    expect(await rowsOf(agents.env)).toMatchObject([
      { agent: 'claude', window: 'five_hour', used: 0.91, from: 'run', run_id: expect.any(String) },
    ]);
    const { stdout } = await inside(['runs', 'stats', '--quota', '--json'], { env: agents.env, clock });
    expect(JSON.parse(stdout)).toMatchObject({ agent: 'claude', left: 0.09 });
  });

  it('is nothing where nobody said anything, and a damaged file is nothing', async () => {
    const home = folder();
    const { stdout } = await inside(['doctor', '--quota'], { env: { HOME: home } });
    expect(stdout).toContain('Nothing is known of any quota yet.');
    mkdirSync(join(home, '.local/state/runwire'), { recursive: true });
    writeFileSync(join(home, '.local/state/runwire/quota.json'), '[{"agent":1}]');
    expect(await keptQuota({ HOME: home })).toEqual([]);
  });

  it('is kept once for each window, from several processes at once', async () => {
    const env = { HOME: folder() };
    const fact = (name: string, seen: number): QuotaFact => ({
      agent: 'claude',
      window: name,
      used: 0.5,
      seen_at_ms: seen,
      from: 'run',
    });
    await Promise.all(Array.from({ length: 12 }, (_, index) => keepQuota([fact(`w${index % 6}`, index)], env)));
    const kept = await keptQuota(env);
    expect(kept.map(({ window: name, seen_at_ms: seen }) => `${name} ${seen}`).toSorted()).toEqual([
      'w0 6',
      'w1 7',
      'w2 8',
      'w3 9',
      'w4 10',
      'w5 11',
    ]);
  });

  it('is the least of the windows that hold, of this agent and this provider', () => {
    const fact = (more: Partial<QuotaFact>): QuotaFact => ({
      agent: 'pi',
      window: 'requests',
      used: 0.5,
      seen_at_ms: now,
      from: 'run',
      ...more,
    });
    const least = (facts: QuotaFact[], provider?: string) => leastLeft(facts, 'pi', provider, now)?.left;
    expect(least([])).toBeUndefined();
    expect(least([fact({ agent: 'codex' })])).toBeUndefined();
    expect(least([fact({}), fact({ window: 'tokens', used: 0.75 })])).toBe(0.25);
    expect(least([fact({ provider: 'openai', used: 1 })], 'anthropic')).toBeUndefined();
    expect(least([fact({ provider: 'openai', used: 1 })])).toBe(0);
    expect(least([fact({ used: 1, resets_at_ms: now - 1 })])).toBeUndefined();
    expect(least([fact({ used: 1, seen_at_ms: now - 299_000 })])).toBe(0);
    expect(least([fact({ used: 1, seen_at_ms: now - 301_000 })])).toBeUndefined();
  });
});

describe('--min-quota', () => {
  const before = (used: number): { env: Record<string, string>; agents: ReturnType<typeof scriptedAgents> } => {
    const agents = scriptedAgents({ codex: [good], claude: [good] });
    session(agents.home, 'a', { primary: window(used, 300, now + hour) });
    return { env: agents.env, agents };
  };
  async function run(used: number, flags: readonly string[]) {
    const { env, agents } = before(used);
    const { clock, waits } = handClock(start);
    const ran = await inside(['run', '--agent', 'codex', '--to', 'runwire', '--wire', 'off', ...flags, 'Do it'], {
      env,
      clock,
    });
    const records = ran.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as EventRecord);
    const last = records.at(-1);
    const { verdict } = (last?.type === 'thread.completed' ? last.final_report : {}) as unknown as RunOutcome;
    return { ...ran, records, verdict, agents, waits };
  }

  it('does not start an agent that has less left', async () => {
    const { status, verdict, agents, records } = await run(91, ['--min-quota', '20%']);
    expect(verdict).toMatchObject({ class: 'provider', code: 'quota' });
    expect(status).toBe(4);
    expect(agents.starts('codex')).toEqual([]);
    expect(records.find(({ type }) => type === 'error')).toMatchObject({
      message:
        '9.0% of the window "primary" of codex is left, less than --min-quota 20%; it resets at 2026-11-18T15:30:00.000Z (seen 10m ago)',
    });
  });

  it('starts one that has as much or more, or of which nothing is known', async () => {
    expect((await run(80, ['--min-quota', '20%'])).status).toBe(0);
    expect((await run(10, ['--min-quota', '20%'])).status).toBe(0);
    expect((await run(100, [])).status).toBe(0);
  });

  it('waits until the window begins anew, or lets another agent go on, where that was asked for', async () => {
    const waited = await run(91, ['--min-quota', '20%', '--on-limit', 'wait']);
    expect({ status: waited.status, starts: waited.agents.starts('codex').length }).toEqual({ status: 0, starts: 1 });
    expect(waited.waits.reduce((sum, ms) => sum + ms, 0)).toBe(hour + 1000);
    const other = await run(91, ['--min-quota', '20%', '--fallback', 'claude']);
    expect([other.agents.starts('codex').length, other.agents.starts('claude').length]).toEqual([0, 1]);
  });

  it.each(['20', '0%', '101%', '-5%', 'x%', ''])('is refused as %j', async (text) => {
    const { env } = before(10);
    const { status, stderr } = await inside(['run', '--agent', 'codex', `--min-quota=${text}`, 'Do it'], { env });
    expect(status).toBe(2);
    expect(stderr).toContain('--min-quota');
  });

  it('is no fact of its own: what it says is not kept as new', async () => {
    const { env, agents } = before(91);
    const { clock } = handClock(start);
    await inside(['run', '--agent', 'codex', '--min-quota', '20%', '-q', 'Do it'], { env, clock });
    expect(await keptQuota(env)).toEqual([]);
    expect(agents.starts('codex')).toEqual([]);
    expect(readFileSync(join(agents.home, '.codex/sessions/2026/11/18/rollout-a.jsonl'), 'utf8')).toContain('91');
  });
});
