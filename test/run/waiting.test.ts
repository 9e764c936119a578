import { describe, expect, it } from 'vitest';
import type { EventOf, EventRecord } from '../../src/events/event.ts';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import { inside } from '../cli/run/live.ts';
import { codex, handClock, scriptedAgents, type Step } from '../support/scripted-agents.ts';

const start = '2026-11-18T14:30:07Z';
const limit = (words: string): Step => ({
  lines: [...codex.began('session-1'), codex.says('I begin.'), ...codex.failed(words)],
  exit: 1,
});
const good: Step = { lines: [...codex.began('session-1'), codex.says('All done.'), codex.done(100, 20)] };
const inThreeHours = "You've hit your usage limit. Try again in 3 hours 2 minutes.";

async function runWith(steps: readonly Step[], flags: readonly string[], env: Record<string, string> = {}) {
  const agents = scriptedAgents({ codex: steps });
  const { clock, waits } = handClock(start);
  const ran = await inside(['run', '--agent', 'codex', '--to', 'runwire', ...flags, 'Fix it'], {
    env: { ...agents.env, TZ: 'Europe/Zurich', ...env },
    clock,
  });
  const records = ran.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as EventRecord);
  const last = records.at(-1);
  const outcome = (last?.type === 'thread.completed' ? last.final_report : {}) as unknown as RunOutcome;
  const of = <Type extends EventRecord['type']>(type: Type): EventOf<Type>[] =>
    records.filter((record): record is EventRecord & EventOf<Type> => record.type === type);
  return {
    ...ran,
    records,
    outcome,
    of,
    waits,
    waited: waits.reduce((sum, ms) => sum + ms, 0),
    starts: agents.starts('codex'),
  };
}

const threeHours = (3 * 60 + 2) * 60_000;

describe('a limit that resets', () => {
  it('is waited for when that was asked for, and the session goes on', async () => {
    const { status, of, outcome, starts, waited } = await runWith([limit(inThreeHours), good], ['--on-limit', 'wait']);
    expect(status).toBe(0);
    expect(waited).toBe(threeHours + 1000);
    expect(of('run.paused')).toMatchObject([
      { reason: 'limit', code: 'quota', until_ms: Date.parse(start) + threeHours + 1000 },
    ]);
    expect(of('run.resumed')).toMatchObject([{ reason: 'limit', paused_ms: threeHours + 1000 }]);
    expect(starts).toHaveLength(2);
    expect(starts[1]?.args).toContain('session-1');
    expect(outcome.metrics).toMatchObject({ input_tokens: 100, output_tokens: 20, waited_ms: threeHours + 1000 });
  });

  it('is followed by a fresh start where nothing was said or done, and that is told', async () => {
    const atOnce: Step = { lines: [...codex.began('session-1'), ...codex.failed(inThreeHours)], exit: 1 };
    const flags = ['--on-limit', 'wait'];
    const fresh = await runWith([atOnce, good], flags);
    expect(fresh.starts[1]?.args.slice(-2)).toEqual(['--', 'Fix it']);
    expect(fresh.stderr).toMatch(/retry 1 in .*, from the start/);
    expect(fresh.of('retry.scheduled')[0]?.resumes).toBeUndefined();
    // A second wait says so again; whatever a session is called, it is resumed once there is something in it.
    const begun: Step = {
      lines: [...codex.began('s1'), codex.says('I begin.'), ...codex.failed(inThreeHours)],
      exit: 1,
    };
    const resumed = await runWith([atOnce, begun, atOnce, good], flags);
    expect(resumed.stderr).toMatch(/retry 2 in .*, in the same session/);
    expect(resumed.starts.map(({ args }) => args.slice(-4, -1))).toMatchObject([
      expect.not.arrayContaining(['resume']),
      expect.not.arrayContaining(['resume']),
      ['resume', '--', 's1'],
      ['resume', '--', 'session-1'],
    ]);
  });

  it('ends the run without that', async () => {
    const { status, of, starts, outcome } = await runWith([limit(inThreeHours), good], []);
    expect(status).not.toBe(0);
    expect(of('run.paused')).toEqual([]);
    expect(starts).toHaveLength(1);
    expect(outcome.verdict).toMatchObject({ class: 'provider', code: 'quota' });
  });

  it.each([
    [
      'nobody says when',
      "You've hit your usage limit. Please try again later.",
      ['--on-limit', 'wait'],
      'nobody said when it resets',
    ],
    [
      'it is over',
      "You've hit your usage limit. Try again at Nov 17th, 2026 8:19 PM.",
      ['--on-limit', 'wait'],
      'a time that is over (17 Nov 2026',
    ],
    [
      'it is absurd',
      "You've hit your usage limit. Try again in 34 days.",
      ['--on-limit', 'wait'],
      'more than 8 days from now',
    ],
    [
      'it is later than asked for',
      inThreeHours,
      ['--on-limit', 'wait:2h'],
      'it resets in 3 h 2 min, and --on-limit wait allows 2 h',
    ],
    ['no wait is allowed', inThreeHours, ['--on-limit', 'wait', '--max-waits', '0'], 'as often as --max-waits allows'],
  ])('is not waited for when %s, and that is said', async (_, words, flags, why) => {
    const { status, starts, outcome, waited } = await runWith([limit(words), good], flags);
    expect(status).not.toBe(0);
    expect(starts).toHaveLength(1);
    expect(waited).toBe(0);
    expect(outcome.warnings.find((warning) => warning.includes('not waited for'))).toContain(why);
  });

  it('is not taken from an answer that speaks of another wait', async () => {
    const words = "You've hit your usage limit. Please try again later.";
    const lines = [...codex.began('session-1'), codex.says('I wait 5 minutes for the server.'), ...codex.failed(words)];
    const { starts, outcome } = await runWith([{ lines, exit: 1 }, good], ['--on-limit', 'wait']);
    expect(starts).toHaveLength(1);
    expect(outcome.warnings.join('\n')).toContain('nobody said when it resets');
  });

  it('that comes again and again is waited for three times', async () => {
    const { status, starts, outcome } = await runWith(
      [limit('Rate limit reached. Please try again in 20s.')],
      ['--on-limit', 'wait'],
    );
    expect(status).not.toBe(0);
    expect(starts).toHaveLength(4);
    expect(outcome.metrics.waited_ms).toBe(63_000);
    expect(outcome.warnings.join('\n')).toContain('waited for 3 times, as often as --max-waits allows');
  });

  it('has all its waits together bounded', async () => {
    const { starts, outcome } = await runWith(
      [limit('Please try again in 20m. Rate limit reached.')],
      ['--on-limit', 'wait:50m', '--max-waits', '9'],
    );
    expect(starts).toHaveLength(3);
    expect(outcome.warnings.join('\n')).toMatch(/it resets in 20 min, and --on-limit wait allows 9 min \d+ s more/);
  });

  it('is read in the time zone of the user', async () => {
    const words = "You've hit your usage limit. Try again at 4:30 PM.";
    const at = async (TZ: string): Promise<number> =>
      (await runWith([limit(words), good], ['--on-limit', 'wait'], { TZ })).waited;
    expect(await at('Europe/Zurich')).toBe(3_653_000);
    expect(await at('Europe/London')).toBe(7_253_000);
    expect(await at('Asia/Kolkata')).toBe((20.5 * 3600 + 53) * 1000);
  });

  it('does not count against the time limit, and its retries stay', async () => {
    const { status, of } = await runWith(
      [
        limit(inThreeHours),
        { lines: [...codex.began('session-1'), ...codex.failed('stream disconnected')], exit: 1 },
        good,
      ],
      ['--on-limit', 'wait', '--timeout', '1m', '--retries', '1'],
    );
    expect(status).toBe(0);
    expect(of('retry.scheduled').map(({ max_attempts }) => max_attempts)).toEqual([undefined, 1]);
  });

  it('is told to people while it is waited for', async () => {
    const { stderr } = await runWith([limit(inThreeHours), good], ['--on-limit', 'wait']);
    expect(stderr).toMatch(/waiting until \d\d:\d\d, 3 h 3 min left; Ctrl-C to stop/);
    expect(stderr).toContain('going on after');
  });
});
