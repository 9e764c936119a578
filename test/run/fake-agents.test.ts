import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findDialect } from '../../src/dialects/registry.ts';
import { exitCodes, type VerdictClass } from '../../src/failure.ts';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import { fold } from '../../src/pipeline/convert.ts';
import { Framer } from '../../src/pipeline/framer.ts';
import { inside } from '../cli/run/live.ts';
import { modes } from '../support/fake-agent/modes.ts';
import { asCommand, leftOf, makeCheckout, nothing, runFake } from '../support/fake-agent/run-fake.ts';
import { isSweep, sweep } from '../support/sweep.ts';
import { rewrite } from '../support/wire.ts';

interface Case {
  /** Unset: success. */
  verdict?: VerdictClass;
  /** Of a cancelled run. */
  exit?: number;
  flags?: readonly string[];
  from?: string;
  /** A hundredth of what people wait. */
  hasty?: boolean;
  env?: Record<string, string>;
  evidence?: string;
  message?: string;
}

const soon = ['--timeout', '1s'];
const asking = { verdict: 'permission', flags: ['--permission-timeout', '0.5s'] } as const;
const secret = ['correct', 'horse', 'battery', 'staple'].join('-');
const telling = { flags: ['--env', `FAKE_SECRET=${secret}`] } as const;

const cases: Record<string, Case> = {
  'good run': {},
  'hangs at start': { verdict: 'time_limit', flags: ['--first-event-timeout', '0.5s'] },
  'hangs after a banner': { verdict: 'time_limit', flags: ['--first-event-timeout', '0.7s'] },
  'hangs in a tool': { verdict: 'time_limit', flags: ['--idle-timeout', '1s'] },
  'hangs after its last word': { hasty: true },
  'chatters after its last word': { hasty: true },
  'hangs without a last word': { hasty: true, from: 'opencode' },
  'ignores SIGTERM and SIGINT': { verdict: 'time_limit', flags: soon, hasty: true },
  'ignores signals after its last word': { hasty: true },
  'talks on after a signal': { verdict: 'time_limit', flags: soon, hasty: true },
  'finishes well after a signal': { verdict: 'time_limit', flags: soon },
  'leaves a daemon': {},
  'leaves a daemon without environment': {},
  'leaves one who writes later': {},
  'leaves one in its group': {},
  'lives in another group': { verdict: 'time_limit', flags: soon, hasty: true },
  'half a line, exit 0': { verdict: 'incomplete' },
  'half a line, exit 1': { verdict: 'incomplete' },
  'half a line, SIGSEGV': { verdict: 'incomplete', evidence: 'ended by SIGSEGV' },
  'half a line, SIGKILL': { verdict: 'incomplete', evidence: 'ended by SIGKILL' },
  'half a line after its last word': { verdict: 'incomplete' },
  'dies of SIGTERM': { verdict: 'cancelled', exit: 143 },
  'error, exit 0': { verdict: 'provider', evidence: '429 Too Many Requests' },
  'error without a last word, exit 0': { verdict: 'provider' },
  'success, exit 1': { verdict: 'incomplete', evidence: 'the process exited with 1' },
  'exit 0 without a word': { verdict: 'incomplete' },
  'exit 1 without a word': { verdict: 'incomplete' },
  'exit 124': { verdict: 'time_limit' },
  'exit 137': { verdict: 'incomplete', evidence: 'exit code 137' },
  'exit 139': { verdict: 'incomplete', evidence: 'exit code 139' },
  'exit 143': { verdict: 'cancelled', exit: 143 },
  'success, exit 137': {},
  'an empty answer': { verdict: 'incomplete', evidence: 'gave no answer' },
  'a stack trace after 300 lines of stderr': { verdict: 'incomplete', evidence: 'at steer (/opt/fake/helm.js:42:7)' },
  'only noise': { verdict: 'incomplete' },
  'unknown events': { verdict: 'incomplete' },
  'unknown events in a good run': {},
  'two values on a line': {},
  'many small writes': { message: 'All done. ✓ äöü' },
  'not text at all': { message: '\u001b]0;owned\u0007\u001b[2Jrunwire: success\u202e\u0000 All done.' },
  'a flood of small lines': { env: { FAKE_MEGABYTES: '1' } },
  'a flood of noise': { env: { FAKE_MEGABYTES: '1' } },
  'one long line': { env: { FAKE_MEGABYTES: '1' } },
  'a line without end': { verdict: 'time_limit', flags: soon },
  'asks without a line end': asking,
  'asks letter by letter': asking,
  'asks again and again': asking,
  'asks on stderr': asking,
  'asks while a spinner turns': asking,
  'asks by an event of opencode': { ...asking, from: 'opencode' },
  'asks by the same event for ever': { ...asking, from: 'opencode' },
  'asks by an event of claude': { ...asking, from: 'claude' },
  'asks and goes on': { flags: ['--permission-timeout', '1s'] },
  'reads stdin to its end': { message: 'Read 0 characters.' },
  'speaks slowly': {
    from: 'claude',
    flags: ['--idle-timeout', '1.5s'],
    message: 'one two three four five six seven eight nine ten',
  },
  'falls silent': { verdict: 'time_limit', flags: ['--idle-timeout', '1s'] },
  'closes its streams': { verdict: 'time_limit', flags: ['--idle-timeout', '1s'] },
  'closes its streams after its last word': { hasty: true },
  'calls tools for ever': { verdict: 'turn_limit', flags: ['--max-turns', '5'] },
  'works with tools': { verdict: 'time_limit', flags: soon },
  'takes steps for ever': { verdict: 'turn_limit', flags: ['--max-turns', '3'], from: 'opencode' },
  'uses more and more': { verdict: 'cost_limit', flags: ['--max-tokens', '10000'], from: 'opencode' },
  'fails twice': {
    flags: ['--retries', '2', '--retry-delay', '0.01s'],
    message: 'Start 3, from the start: fails twice',
  },
  'breaks off twice': { flags: ['--retries', '2', '--retry-delay', '0.01s'], message: 'All done.' },
  'tells a secret everywhere': telling,
  'tells a secret in two deltas': { ...telling, from: 'claude' },
  'fails with a secret': { ...telling, verdict: 'provider' },
  'crashes with a secret': { ...telling, verdict: 'incomplete' },
  'asks with a secret': { ...asking, flags: [...asking.flags, ...telling.flags] },
};

/** What these share with us, leave to us or keep us busy with is the matter, so ours is a process too; with the others, only what they say and do is. */
const live = /^(good run|leaves|a flood|one long line|a line without|reads stdin|speaks)/;

/** What each format ends with. */
const formats = {
  '--json': { flags: ['--json'], dialect: 'dexter', last: { status: expect.any(String) } },
  '--output-format json': { flags: ['--output-format', 'json'], dialect: 'agent-code', last: { type: 'session_end' } },
  // An agent that never said how it ended leaves a bus without an idle session: that is how this format says incomplete.
  '--format json': { flags: ['--format', 'json'], dialect: 'opencode', last: { properties: expect.any(Object) } },
  '--stream-json': { flags: ['--stream-json'], dialect: 'dev-agent', last: { type: 'thread.completed' } },
} as const;

/** Every JSON value of a text, and what is not as the dialect's schema says. */
async function read(text: string, dialect: string): Promise<{ values: object[]; problems: string[] }> {
  const values: object[] = [];
  const problems: string[] = [];
  const framer = new Framer({
    value: (wire) => void values.push(wire),
    text: (words, cause) => void problems.push(`${cause}: ${words.slice(0, 80)}`),
    note: () => {},
  });
  framer.push(Buffer.from(text));
  framer.end();
  const schema = await findDialect(dialect).schema();
  for (const wire of values) {
    const { error } = schema.safeParse(wire);
    if (error !== undefined) problems.push(`${JSON.stringify(wire).slice(0, 200)}: ${error.message}`);
  }
  return { values, problems };
}

const outcomeOf = (text: string, from: string): Promise<RunOutcome> => fold([new TextEncoder().encode(text)], { from });

it('has a case for every mode', () => expect(Object.keys(cases).toSorted()).toEqual(Object.keys(modes).toSorted()));

const runs = sweep(Object.entries(formats), Object.entries(cases)).map(
  ([[name, format], [mode, told]]) => [name, mode, format, told] as const,
);

it.concurrent.each(runs)(
  '%s, %s',
  async (name, mode, format, { verdict = 'success', exit, flags = [], from, hasty, env, evidence, message }) => {
    const place = makeCheckout({ ...env, ...(hasty === true ? { RUNWIRE_PATIENCE: '0.1' } : {}) });
    const passed = Object.keys(env ?? {}).flatMap((variable) => ['--env', variable]);
    const args = [...format.flags, '--tape', 'run.tape', ...passed, ...flags, ...asCommand(mode, from)];
    const isLive = isSweep || hasty === true || live.test(mode);
    const { stdout, stderr, status } = isLive ? await runFake(args, place) : await inside(['run', ...args], place);
    const left = leftOf(place);
    const tape = readFileSync(join(place.cwd, 'run.tape'), 'utf8');
    const report = name === '--stream-json' ? stdout.lastIndexOf('\n{\n') + 1 : stdout.length;
    const { values, problems } = await read(stdout.slice(0, report), format.dialect);
    const told = [await outcomeOf(stdout, format.dialect), await outcomeOf(tape, 'runwire')] as const;
    const code = exit ?? exitCodes[verdict];
    expect({ status, verdicts: told.map((each) => each.verdict.class), problems }).toEqual({
      status: name === '--json' ? Number(verdict !== 'success') : code,
      verdicts: [verdict, verdict],
      problems: [],
    });
    // An agent that said nothing has no session on that bus.
    if (values.length > 0 || name !== '--format json') expect(values.at(-1)).toMatchObject(format.last);
    if (name === '--stream-json')
      expect(values.at(-1)).toMatchObject({ final_report: JSON.parse(stdout.slice(report)) });
    // The other formats tell the same of what the run has kept; where that is much, `npm run test:sweeps` looks.
    for (const { dialect } of Object.values(formats)) {
      if (dialect === format.dialect || (tape.length > 500_000 && !isSweep)) continue;
      const { text } = rewrite(tape, 'runwire', dialect);
      const again = await outcomeOf(text, dialect);
      expect({ dialect, verdict: again.verdict.class, ...(await read(text, dialect)) }).toMatchObject({
        dialect,
        verdict,
        problems: [],
      });
    }
    expect(left).toEqual(nothing);
    expect(stderr).not.toMatch(/^\s+at .*\.js:\d+/m);
    expect(leaks({ stdout, stderr, tape })).toEqual([]);
    if (message !== undefined) expect(told.map((each) => each.message)).toEqual([message, message]);
    if (evidence !== undefined) expect(JSON.stringify(told[1].verdict.evidence)).toContain(evidence);
  },
);

/** Where the secret can be seen, whole or in part. */
function leaks(sinks: Record<string, string>): string[] {
  return Object.entries(sinks).flatMap(([sink, text]) =>
    text.includes(secret.slice(0, 12)) || text.includes(secret.slice(-12)) ? [sink] : [],
  );
}
