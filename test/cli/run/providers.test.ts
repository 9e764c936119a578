import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { VerdictClass } from '../../../src/failure.ts';
import type { RunOutcome } from '../../../src/outcome/outcome.ts';
import type { FormatId, ModelServer, TurnInput } from '../../support/model-server/index.ts';
import { truthOf } from '../../support/recordings.ts';
import { isSweep, sweep } from '../../support/sweep.ts';
import { inside, live, type LiveOptions, project, serve } from './live.ts';
import { folder } from './scripted.ts';

/** The built command against a real server, in each of the four wire formats of models. */
const providers: readonly (readonly [format: FormatId, model: string, env: Record<string, string>])[] = [
  ['chat', 'openai-compatible/test-model', { RUNWIRE_API_KEY: 'k'.repeat(20) }],
  ['responses', 'openai/gpt-5', { OPENAI_API_KEY: 'k'.repeat(20) }],
  ['anthropic', 'anthropic/claude-sonnet-4-5', { ANTHROPIC_API_KEY: 'k'.repeat(20) }],
  ['gemini', 'google/gemini-2.5-pro', { GEMINI_API_KEY: 'k'.repeat(20) }],
];

const usage = { input: 1000, cached: 400, output: 50, reasoning: 0 };
const answer = (text: string): TurnInput => ({ text, usage });
const call = (...calls: { name: string; args: unknown }[]): TurnInput =>
  ({ text: 'Working.', calls, usage }) as TurnInput;
const read = { name: 'read', args: { path: 'a.txt' } };
const bash = (command: string) => ({ name: 'bash', args: { command } });
const price = ['--price', 'input=2,output=10,cache_read=0.5'];
const full = ['--permission-mode', 'full'];

interface Scenario {
  title: string;
  turns: readonly TurnInput[];
  flags?: readonly string[];
  is: VerdictClass;
  exit: number;
  message?: string;
  tools?: readonly string[];
  events?: readonly string[];
  watch?: () => NonNullable<LiveOptions['watch']>;
}

/** Once: a second signal would not wait for the end of the run. */
function interruptOnText(): NonNullable<LiveOptions['watch']> {
  let sent = false;
  return (child, stdout) => {
    if (sent || !stdout.includes('"text.delta"')) return;
    sent = true;
    child.kill('SIGINT');
  };
}

const scenarios: readonly Scenario[] = [
  { title: 'an answer', turns: [answer('Hello.')], is: 'success', exit: 0, message: 'Hello.', tools: [] },
  {
    title: 'parallel tools',
    turns: [call(read, { name: 'glob', args: { pattern: '*' } }, bash('echo hi')), answer('Three at once.')],
    flags: full,
    is: 'success',
    exit: 0,
    message: 'Three at once.',
    tools: ['bash completed', 'glob completed', 'read completed'],
  },
  {
    title: 'a tool that fails, and an answer after it',
    turns: [call(bash('exit 3')), answer('It failed with 3.')],
    flags: full,
    is: 'success',
    exit: 0,
    message: 'It failed with 3.',
    tools: ['bash error'],
  },
  {
    title: 'a run that ends on a failed tool',
    turns: [call(bash('exit 3')), answer('')],
    flags: full,
    is: 'tool',
    exit: 3,
    tools: ['bash error'],
  },
  {
    title: 'a denied tool, and an answer after it',
    turns: [call(bash('rm -rf .')), answer('I may not.')],
    is: 'permission',
    exit: 7,
    message: 'I may not.',
    tools: ['bash error denied'],
    events: ['permission.requested', 'permission.resolved'],
  },
  {
    title: 'a run that ends on a denial',
    turns: [call(bash('rm -rf .')), answer('')],
    is: 'permission',
    exit: 7,
    tools: ['bash error denied'],
  },
  {
    title: 'a denied tool that the caller does not forgive',
    turns: [call(bash('rm -rf .')), answer('I may not.')],
    flags: ['--fail-on', 'tool,denied'],
    is: 'permission',
    exit: 7,
    message: 'I may not.',
  },
  {
    title: 'a denied tool that the caller forgives',
    turns: [call(bash('rm -rf .')), answer('I may not.')],
    flags: ['--fail-on', 'none'],
    is: 'success',
    exit: 0,
    message: 'I may not.',
  },
  {
    title: 'a failed tool that the caller does not forgive',
    turns: [call(bash('exit 3')), answer('It failed.')],
    flags: [...full, '--fail-on', 'tool'],
    is: 'tool',
    exit: 3,
    message: 'It failed.',
  },
  { title: '401', turns: [{ fault: { status: 401 } }], is: 'provider', exit: 4, events: ['error'] },
  {
    title: '429, then an answer',
    turns: [{ ...answer('After a while.'), fault: { status: 429, retryAfter: 0, times: 1 } }],
    is: 'success',
    exit: 0,
    message: 'After a while.',
    events: ['retry.scheduled'],
  },
  {
    title: '500 for ever',
    turns: [{ fault: { status: 500, retryAfter: 0 } }],
    is: 'provider',
    exit: 4,
    events: ['retry.scheduled', 'error'],
  },
  {
    title: 'a stream that is cut once',
    turns: [
      {
        ...answer('Whole the second time, as it should be.'),
        chunkSize: 5,
        fault: { type: 'disconnect', after: 2, times: 1 },
      },
    ],
    is: 'success',
    exit: 0,
    message: 'Whole the second time, as it should be.',
    events: ['retry.scheduled'],
  },
  { title: 'a refusal', turns: [{ ...answer('I will not.'), finish: 'refusal' }], is: 'provider', exit: 4 },
  {
    title: 'a conversation that is too long',
    turns: [{ fault: { status: 400 } }],
    is: 'provider',
    exit: 4,
    events: ['error'],
  },
  {
    title: 'the turn limit',
    turns: Array.from({ length: 5 }, () => call(read)),
    flags: ['--max-turns', '2'],
    is: 'turn_limit',
    exit: 6,
    tools: ['read completed', 'read completed'],
    events: ['limit.reached'],
  },
  {
    title: 'the cost limit',
    turns: Array.from({ length: 5 }, () => call(read)),
    flags: ['--max-cost-usd', '0.002'],
    is: 'cost_limit',
    exit: 5,
    events: ['limit.reached'],
  },
  {
    title: 'the time limit',
    turns: [{ ...answer('Slow and never whole.'), chunkSize: 5, fault: { type: 'stall', after: 2 } }],
    flags: ['--timeout', '2s'],
    is: 'time_limit',
    exit: 124,
    events: ['limit.reached'],
  },
  {
    title: 'SIGINT',
    turns: [{ ...answer('Never whole either.'), chunkSize: 5, fault: { type: 'stall', after: 2 } }],
    is: 'cancelled',
    exit: 130,
    watch: interruptOnText,
  },
  {
    title: 'an answer that does not fit its schema',
    turns: [answer('not JSON'), answer('still not JSON')],
    flags: ['--output-schema', 'schema.json'],
    is: 'incomplete',
    exit: 8,
  },
  {
    title: 'an answer that fits its schema at the second try',
    turns: [answer('not JSON'), answer('{"n":1}')],
    flags: ['--output-schema', 'schema.json'],
    is: 'success',
    exit: 0,
    message: '{"n":1}',
  },
];

async function run(
  server: ModelServer,
  [format, model, env]: (typeof providers)[number],
  { flags = [], watch }: Pick<Scenario, 'flags' | 'watch'>,
  command: typeof live = live,
) {
  const cwd = project();
  writeFileSync(
    join(cwd, 'schema.json'),
    JSON.stringify({ type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }),
  );
  const tape = join(folder(), 'run.tape');
  const args = [
    '--to',
    'runwire',
    '--tape',
    tape,
    '--model',
    model,
    '--base-url',
    server.baseUrl(format),
    ...price,
    ...flags,
    '-p',
    'Do it',
  ];
  const { stdout, status } = await command(args, { cwd, env, ...(watch === undefined ? {} : { watch: watch() }) });
  await server.settled();
  expect(readFileSync(tape, 'utf8')).toBe(stdout);
  const records = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; final_report: RunOutcome });
  const outcome = records.at(-1)?.final_report;
  if (outcome === undefined) throw new Error('no record came');
  return { status, events: records.map(({ type }) => type), outcome };
}

/** Gemini has one status and one word for an empty account and a limit that passes; only its sentence differs. */
const geminiQuota = {
  error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'You exceeded your current quota, check your plan.' },
};

describe.each(providers)('%s', (...provider) => {
  it.each([
    ['a request that the model does not take', { status: 400, kind: 'invalid_request' }, 'refused'],
    [
      'an account that is used up',
      { status: 429, kind: 'quota', ...(provider[0] === 'gemini' ? { body: geminiQuota } : {}) },
      'quota',
    ],
  ] as const)('does not repeat %s', async (_, fault, code) => {
    const server = await serve([{ fault }]);
    const { outcome } = await run(server, provider, { flags: ['--retries', '2', '--retry-delay', '0.01s'] }, inside);
    expect({ class: outcome.verdict.class, code: outcome.verdict.code, calls: server.served.requests.length }).toEqual({
      class: 'provider',
      code,
      calls: 1,
    });
  });
});

/** Each scenario with one provider; all with all, in processes, in `npm run test:sweeps`. Here these have one: what needs it, and one thing with each. */
const tries = sweep(scenarios, providers).map(
  ([scenario, provider]) => [provider[0], scenario.title, provider, scenario] as const,
);
const first = new Set(scenarios.slice(0, providers.length));
const isLive = (scenario: Scenario): boolean => isSweep || first.has(scenario) || scenario.watch !== undefined;

describe('the same in every format', () => {
  it.each(tries)('%s: %s', async (_format, _title, provider, scenario) => {
    const server = await serve(scenario.turns);
    const { status, events, outcome } = await run(server, provider, scenario, isLive(scenario) ? live : inside);
    const { tokens } = truthOf(server.served);
    const { metrics, verdict, tool_calls, message } = outcome;

    expect({ class: verdict.class, exit_code: verdict.exit_code, status }).toEqual({
      class: scenario.is,
      exit_code: scenario.exit,
      status: scenario.exit,
    });
    if (scenario.message !== undefined) expect(message).toBe(scenario.message);
    if (scenario.tools !== undefined) {
      expect(
        tool_calls.map((each) => [each.name, each.status, each.reason].filter(Boolean).join(' ')).toSorted(),
      ).toEqual(scenario.tools);
    }
    expect(events).toEqual(expect.arrayContaining(['thread.started', 'thread.completed', ...(scenario.events ?? [])]));
    if (tokens.input === 0) expect(metrics.tokens_used).toBeUndefined();
    else {
      expect({ input: metrics.input_tokens, output: metrics.output_tokens, cached: metrics.cache_read_tokens }).toEqual(
        {
          input: tokens.input,
          output: tokens.output,
          cached: tokens.cached,
        },
      );
      const usd = ((tokens.input - tokens.cached) * 2 + tokens.cached * 0.5 + tokens.output * 10) / 1e6;
      expect(metrics.cost).toBeCloseTo(usd, 9);
    }
  });
});
