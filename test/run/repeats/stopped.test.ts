import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EventRecord } from '../../../src/events/event.ts';
import type { RunOutcome } from '../../../src/outcome/outcome.ts';
import { live, modelAt, project, serve } from '../../cli/run/live.ts';
import { writeEvents } from '../../support/wire.ts';
import { bash, eventsOf, type Made, times } from './calls.ts';
import { loops, polls } from './cases.ts';
import { some } from '../../support/sweep.ts';

const circle = times(8, () => bash('npm test', '1 failed', 1));

/** The built command reads this run from an agent that prints it in this dialect. */
async function run(calls: readonly Made[], flags: readonly string[], dialect = 'runwire') {
  const cwd = project();
  writeFileSync(join(cwd, 'run.jsonl'), writeEvents(eventsOf(calls), dialect).text);
  const { stdout, stderr, status } = await live(
    ['run', '--to', 'runwire', '--outcome', 'outcome.json', ...flags, '--from', dialect, '--', 'cat', 'run.jsonl'],
    { cwd },
  );
  const records = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as EventRecord);
  const last = records.at(-1);
  const outcome = (last?.type === 'thread.completed' ? last.final_report : {}) as unknown as RunOutcome;
  return { records, stderr, status, outcome };
}

const warned = ({ outcome }: { outcome: RunOutcome }): string[] =>
  outcome.warnings.filter((text) => text.includes('in a row'));

describe('--max-repeats', () => {
  it.each(['codex', 'claude', 'opencode', 'pi', 'runwire'])('stops an agent that prints %s', async (dialect) => {
    const { status, outcome, records } = await run(circle, ['--max-repeats', '3'], dialect);
    expect(status).toBe(6);
    expect(outcome.verdict).toMatchObject({ class: 'turn_limit', code: 'loop', exit_code: 6 });
    expect(outcome.verdict.evidence.find(({ signal }) => signal === 'limit')?.detail).toMatch(
      /^the same call with the same result 3 times in a row: \S+ .*npm test/,
    );
    expect(outcome.limits_hit).toMatchObject([{ limit: 'repeats', value: 3, maximum: 3 }]);
    expect(records.filter(({ type }) => type === 'limit.reached')).toHaveLength(1);
  });

  it('the built-in agent is stopped while it runs', async () => {
    const again = { calls: [{ name: 'read', args: { path: 'a.txt' } }], usage: { input: 10, output: 10 } };
    const server = await serve(Array.from({ length: 9 }, () => again));
    const { status, stdout, stderr } = await live([
      'run',
      '--to',
      'runwire',
      '--max-repeats',
      '4',
      ...modelAt(server),
      'Read it',
    ]);
    expect(status).toBe(6);
    expect(stdout).toContain('the same call with the same result 4 times in a row: read a.txt');
    expect(stderr).toContain('a larger --max-repeats lets it go further');
    expect(server.requests.length).toBeLessThan(7);
  });

  it('by default, five rounds are a warning, once, and the run goes on', async () => {
    const ran = await run(circle, []);
    expect(ran.status).toBe(0);
    expect(warned(ran)).toEqual([
      'the same call with the same result 5 times in a row: bash npm test; --max-repeats stops a run that goes in circles',
    ]);
  });

  it('four rounds are none', async () => {
    expect(warned(await run(circle.slice(0, 4), []))).toEqual([]);
  });

  it('a larger number still warns at five', async () => {
    const ran = await run(circle, ['--max-repeats', '7']);
    expect({ status: ran.status, warnings: warned(ran).length }).toEqual({ status: 6, warnings: 1 });
  });

  it('a poll is left alone', async () => {
    const ran = await run(
      polls.flatMap(([, calls]) => calls),
      ['--max-repeats', '5'],
    );
    expect({ status: ran.status, warnings: warned(ran) }).toEqual({ status: 0, warnings: [] });
  });

  it('a message does not carry a secret', async () => {
    const secret = ['correct', 'horse', 'battery', 'staple'].join('-');
    const calls = times(5, () => bash(`curl -H ${secret}`, ''));
    const { records, stderr } = await run(calls, ['--max-repeats', '5', '--env', `SOME_TOKEN=${secret}`]);
    expect(JSON.stringify(records) + stderr).not.toContain(secret);
    expect(records.filter(({ type }) => type === 'limit.reached')).toHaveLength(1);
  });

  it.each(['0', '1', 'many'])('%s is refused', async (number) => {
    const { status, stderr } = await live(['run', '--max-repeats', number, '--', 'true']);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: `runwire: --max-repeats ${number}: expected a number from 2, such as 5\n`,
    });
  });
});

it('every planted loop stops a run of the built command', async () => {
  const ends: Record<string, unknown> = {};
  for (const [title, calls] of some(loops, 5)) {
    const { status, outcome } = await run(calls, ['--max-repeats', '5']);
    ends[title] = [status, outcome.verdict.code];
  }
  expect(ends).toEqual(Object.fromEntries(some(loops, 5).map(([title]) => [title, [6, 'loop']])));
});
