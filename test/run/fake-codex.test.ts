import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fold } from '../../src/pipeline/convert.ts';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import { inside } from '../cli/run/live.ts';
import {
  asCodex,
  asCommand,
  leftOf,
  makeCheckout,
  nothing,
  type Place,
  runFake,
} from '../support/fake-agent/run-fake.ts';
import { isSweep, some, sweep } from '../support/sweep.ts';

const tapeOf = ({ cwd }: Place): string => readFileSync(join(cwd, 'run.tape'), 'utf8');
const outcomeOf = (text: string): Promise<RunOutcome> => fold([new TextEncoder().encode(text)]);

async function runCodex(mode: string, flags: readonly string[], env?: Record<string, string>) {
  const place = makeCheckout(env);
  const ran = await runFake([...flags, '--tape', 'run.tape', ...asCodex(mode, place)], place);
  expect(leftOf(place)).toEqual(nothing);
  return { ...ran, place, outcome: await outcomeOf(tapeOf(place)) };
}

describe.concurrent('--agent codex', () => {
  it('is found in PATH, started with its flags, and read', async () => {
    const { status, stdout, outcome } = await runCodex('good run', []);
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'All done.\n' });
    expect(outcome.provenance).toMatchObject({ agent: 'codex', version: '0.166.0', unknown_lines: 0 });
    expect(outcome.metadata).toMatchObject({ attempt_number: 1, retry_count: 0, initial_prompt: 'Do it' });
  });

  it('resumes its session when it has failed in the middle of it, and the bill is of all attempts', async () => {
    const { status, stdout, outcome } = await runCodex('fails twice', ['--retries', '2', '--retry-delay', '0.01s']);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^Start 3, resumed as told: /);
    expect(outcome.metadata).toMatchObject({ attempt_number: 3, retry_count: 2, initial_prompt: 'Do it' });
    expect(outcome.tool_calls).toHaveLength(3);
    // What codex reports is the total of its whole session.
    expect(outcome.metrics).toMatchObject({ input_tokens: 300, output_tokens: 30 });
  });

  it.runIf(isSweep)('is not started more often than it was asked for', async () => {
    const { status, place, outcome } = await runCodex('fails twice', ['--retries', '1', '--retry-delay', '0.01s']);
    expect({ status, starts: readFileSync(join(place.cwd, 'starts'), 'utf8') }).toEqual({ status: 4, starts: '2' });
    expect(outcome.metadata).toMatchObject({ attempt_number: 2, retry_count: 1 });
  });

  const ends: [string, string[], number][] = [
    ['hangs at start', ['--first-event-timeout', '0.5s'], 124],
    ['hangs after its last word', [], 0],
    ['ignores SIGTERM and SIGINT', ['--timeout', '1.5s'], 124],
    ['leaves a daemon', [], 0],
    ['asks letter by letter', ['--permission-timeout', '0.5s'], 7],
    ['calls tools for ever', ['--max-turns', '4'], 6],
    ['half a line, SIGSEGV', [], 8],
  ];
  it.each(some(ends))('%s', async (mode, flags, code) => {
    const { status } = await runCodex(mode, flags, { RUNWIRE_PATIENCE: '0.1' });
    expect(status).toBe(code);
  });

  it('that is not installed is a config error with what to install', async () => {
    const place = makeCheckout();
    const { status, stdout, stderr } = await runFake(['--output-format', 'json', '--agent', 'codex', 'Do it'], {
      ...place,
      env: { ...place.env, PATH: '/nonexistent' },
    });
    expect(status).toBe(1);
    expect(stderr).toContain('Codex is not installed: no codex in PATH; install it with: npm install -g @openai/codex');
    expect(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ type: 'session_end', exit_code: 1 });
  });
});

describe.concurrent('the bill', () => {
  it('is over when it costs too much', async () => {
    const place = makeCheckout();
    const flags = ['--max-cost-usd', '0.05', '--price', 'input=1000,output=1000', '--output-format', 'json'];
    const { status, stdout } = await runFake([...flags, ...asCommand('uses more and more', 'opencode')], place);
    expect(status).toBe(5);
    expect((await outcomeOf(stdout)).verdict.class).toBe('cost_limit');
    expect(leftOf(place)).toEqual(nothing);
  });
});

describe.concurrent('what is shown to people', () => {
  it('obeys nobody: control sequences are spelt out', async () => {
    const place = makeCheckout();
    const { status, stdout, stderr } = await runFake(asCommand('not text at all'), place);
    expect(status).toBe(0);
    expect(stdout).toBe('\\x1b]0;owned\\x07\\x1b[2Jrunwire: success\\u202e\\x00 All done.\n');
    // eslint-disable-next-line no-control-regex -- control characters are what must not be there
    expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });

  it.runIf(isSweep)('is the end of stderr, when nothing else tells why', async () => {
    const { stderr, status } = await runFake(asCommand('a stack trace after 300 lines of stderr'), makeCheckout());
    expect(status).toBe(8);
    expect(stderr).toContain(
      `  | TypeError: cannot read properties of null (reading 'wheel')\n  |     at steer (/opt/fake/helm.js:42:7)\n`,
    );
  });
});

/** `npm run flood` asks for more. What was kept of a flood would be several times its size. */
const megabytes = Number(process.env['FAKE_MEGABYTES'] ?? (isSweep ? 40 : 24));
const fewMegabytes = 400;

const floods: readonly (readonly [mode: string, flags: readonly string[], size: number])[] = [
  ['a flood of small lines', ['--output-format', 'text'], megabytes],
  ['one long line', ['--json'], Math.min(megabytes / 2, 200)],
  ['a flood of noise', ['--output-format', 'text'], megabytes],
];

describe('much', () => {
  it.each(megabytes > 40 ? floods : some(floods, floods.length))(
    '%s is read to its end, in little memory',
    async (mode, flags, size) => {
      // With so little room for what is kept, a run that kept a flood would die of it, however late its rubbish is collected.
      const NODE_OPTIONS = mode === 'one long line' ? '' : '--max-old-space-size=48';
      const place = makeCheckout({ FAKE_MEGABYTES: String(size), NODE_OPTIONS });
      let most = 0;
      let timer: NodeJS.Timeout | undefined;
      const { status, stdout, stderr } = await runFake(
        [...flags, '--env', 'FAKE_MEGABYTES', ...asCommand(mode)],
        place,
        {
          limit: 30_000 + size * 1000,
          watch: (child) =>
            void (timer ??= setInterval(() => void (most = Math.max(most, residentMegabytes(child.pid))), 50)),
        },
      );
      clearInterval(timer);
      expect({ status, end: stderr.slice(-300) }).toMatchObject({ status: 0 });
      expect(flags[0] === '--json' ? (JSON.parse(stdout) as { answer: string }).answer : stdout.trim()).toBe(
        'All done.',
      );
      // A line of JSON is held once as bytes, once as text and once as a value.
      expect(most).toBeLessThan(mode === 'one long line' ? 300 + size * 8 : fewMegabytes);
      expect(leftOf(place)).toEqual(nothing);
    },
  );
});

function residentMegabytes(pid: number | undefined): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

const secret = ['correct', 'horse', 'battery', 'staple'].join('-');
const traces = [secret, secret.slice(0, 12), secret.slice(-12), Buffer.from(secret).toString('base64').slice(0, 20)];

const sinkFormats: readonly (readonly [name: string, flags: readonly string[]])[] = [
  ['text', []],
  ['--json', ['--json']],
  ['--output-format json', ['--output-format', 'json']],
  ['--format json', ['--format', 'json']],
  ['--stream-json', ['--stream-json']],
  ['--to runwire', ['--to', 'runwire']],
  ['--to claude', ['--to', 'claude']],
];
const tellers: readonly (readonly [mode: string, from: string])[] = [
  ['tells a secret everywhere', 'codex'],
  ['tells a secret in two deltas', 'claude'],
  ['fails with a secret', 'codex'],
  ['crashes with a secret', 'codex'],
  ['asks with a secret', 'codex'],
];
const tellings = sweep(sinkFormats, tellers).map(
  ([[name, format], [mode, from]]) => [name, mode, format, from] as const,
);

describe.concurrent('a secret that the agent was given', () => {
  it.each(some(tellings))('is in no sink, %s: %s', async (_name, mode, format, from) => {
    const place = makeCheckout({ MY_SECRET: secret });
    const sinks = ['--tape', 'run.tape', '--on-end', 'cat > outcome.json', '--permission-timeout', '0.5s'];
    const given = ['--env', `FAKE_SECRET=${secret}`, '--env', 'MY_SECRET'];
    const args = [...format, ...sinks, ...given, ...asCommand(mode, from)];
    const { stdout, stderr } = isSweep ? await runFake(args, place) : await inside(['run', ...args], place);
    const files = filesBelow(place.root).map(
      (path) => [path.slice(place.root.length), readFileSync(path, 'latin1')] as const,
    );
    expect(files.map(([path]) => path)).toEqual(expect.arrayContaining(['/repo/run.tape', '/repo/outcome.json']));
    const leaks = [['stdout', stdout], ['stderr', stderr], ...files].filter(([, text]) =>
      traces.some((trace) => text?.includes(trace)),
    );
    expect(leaks.map(([where]) => where)).toEqual([]);
    expect(tapeOf(place)).toContain('[redacted:');
    if (format[0] === '--json') expect(existsSync(join(place.cwd, '.dexter', 'scratchpad'))).toBe(true);
    expect(leftOf(place)).toEqual(nothing);
  });
});

function filesBelow(path: string): string[] {
  return statSync(path).isFile() ? [path] : readdirSync(path).flatMap((name) => filesBelow(join(path, name)));
}
