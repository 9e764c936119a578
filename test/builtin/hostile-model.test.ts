import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseRules } from '../../src/builtin/permissions/rules.ts';
import { ToolCalls } from '../../src/builtin/tools/calls.ts';
import { define } from '../../src/builtin/tools/define.ts';
import { runOptions, type RunValues } from '../../src/cli/run/options.ts';
import { startRun } from '../../src/cli/run/start.ts';
import type { EventRecord } from '../../src/events/event.ts';
import { z } from 'zod';
import { outside } from '../cli/run/scripted.ts';
import { processesWith } from '../support/processes.ts';
import { temporaryFolder } from '../support/tool-call.ts';

const secret = 'ghs_THESECRETOFTHEUSER0123456789abcdefgh';

/** What the model's server does with the request of a turn. */
type Model = (turn: number, response: ServerResponse, asked: string) => void;

interface Call {
  name: string;
  /** The very text of the arguments, or what is written as JSON. */
  args: unknown;
  id?: string;
}

const event = (data: unknown): string => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const delta = (fields: object, rest: object = {}): object => ({
  id: 'x',
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta: fields, finish_reason: null }],
  ...rest,
});
const words = (text: string): string => event(delta({ role: 'assistant', content: text }));
const end = (reason: string, usage: object = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }): string =>
  event({
    id: 'x',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: {}, finish_reason: reason }],
    usage,
  }) + event('[DONE]');
const open = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream' });

const say = (response: ServerResponse, text: string): void => void open(response).end(words(text) + end('stop'));

function call(response: ServerResponse, ...calls: Call[]): void {
  const tool_calls = calls.map(({ name, args, id }, index) => ({
    index,
    id: id ?? `call_${index}`,
    type: 'function',
    function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
  }));
  open(response).end(event(delta({ role: 'assistant', tool_calls })) + end('tool_calls'));
}

/** A model that makes these calls in its first answer and is content with whatever came of them. */
const calling =
  (...calls: Call[]): Model =>
  (turn, response) =>
    turn === 1 ? call(response, ...calls) : say(response, 'All done, everything passed.');

const bash = (command: string): Call => ({ name: 'bash', args: { command } });

interface Met {
  status: number;
  stdout: string;
  /** All that anybody could read: both streams, and what the model was told. */
  all: string;
  asked: string[];
  records: EventRecord[];
  /** How the calls ended, in their order. */
  calls: string[];
  cwd: string;
  outcome: { verdict: { class: string }; metrics: Record<string, number | undefined> };
}

interface Meeting {
  format?: readonly string[];
  args?: readonly string[];
  cwd?: string;
}

/** A run of the built-in agent with such a model, in a folder beside secrets. */
async function meet(
  model: Model,
  { format = ['--to', 'runwire'], args = [], cwd = temporaryFolder() }: Meeting = {},
): Promise<Met> {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    asked.push(body);
    model(asked.length, response, body);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const env = { PATH: process.env.PATH ?? '', GITHUB_TOKEN: secret, RUNWIRE_API_KEY: secret };
  const around = outside({ cwd, env });
  const flags = [...format, '--ledger', 'none', '--no-redact', '--model', 'openai-compatible/m'];
  const { values, positionals } = parseArgs({
    args: [...flags, '--base-url', `http://127.0.0.1:${port}/v1`, '--price', 'input=1,output=1', ...args, 'Do it'],
    options: runOptions,
    allowPositionals: true,
    strict: true,
  });
  const status = await startRun(values as RunValues, positionals, around.context);
  const { stdout, stderr } = around.told;
  const records = stdout.startsWith('{')
    ? stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as EventRecord)
    : [];
  const last = records.at(-1);
  const outcome = (last?.type === 'thread.completed' ? last.final_report : undefined) as Met['outcome'];
  const calls = records.flatMap((each) => (each.type === 'item.completed' ? [each.status] : []));
  return { status, stdout, all: `${stdout}${stderr}${asked.join('\n')}`, asked, records, calls, cwd, outcome };
}

const full = ['--permission-mode', 'full'];

describe('a model that wants to know', () => {
  it('finds no withheld variable', async () => {
    const met = await meet(calling(bash('env; tr "\\0" "\\n" < /proc/self/environ; echo LOOKED')), { args: full });
    expect({ status: met.status, calls: met.calls, looked: met.all.includes('LOOKED') }).toEqual({
      status: 0,
      calls: ['success'],
      looked: true,
    });
    expect(met.all).not.toContain(secret);
  });

  it('reads nothing outside of the folder, by path or by link', async () => {
    const [cwd, home] = [temporaryFolder(), temporaryFolder()];
    writeFileSync(join(home, 'id_rsa'), secret);
    symlinkSync(join(home, 'id_rsa'), join(cwd, 'notes.txt'));
    symlinkSync(home, join(cwd, 'docs'));
    const paths = [
      join(home, 'id_rsa'),
      `../${home.split('/').at(-1)}/id_rsa`,
      'notes.txt',
      'docs/id_rsa',
      '/proc/self/environ',
      './/..//../etc/passwd',
    ];
    const met = await meet(
      calling(...paths.map((path) => ({ name: 'read', args: { path } })), {
        name: 'grep',
        args: { pattern: 'ghs_', path: home },
      }),
      { cwd },
    );
    expect(met.calls.filter((status) => status === 'success')).toEqual([]);
    expect(met.calls).toHaveLength(7);
    expect(met.all).not.toMatch(new RegExp(`${secret}|root:x:`));
  });
});

describe('a model that wants to act', () => {
  it('writes nothing outside of the folder, by path or by link, nor where git finds programs', async () => {
    const [cwd, home] = [temporaryFolder(), temporaryFolder()];
    mkdirSync(join(cwd, '.git', 'hooks'), { recursive: true });
    symlinkSync(home, join(cwd, 'docs'));
    symlinkSync(join(home, 'new'), join(cwd, 'new'));
    const paths = [
      join(home, 'a'),
      `../${home.split('/').at(-1)}/a`,
      'docs/a',
      'new',
      '.git/hooks/pre-commit',
      '.git/config',
    ];
    const met = await meet(calling(...paths.map((path) => ({ name: 'write', args: { path, content: 'evil' } }))), {
      cwd,
    });
    expect(met.calls.filter((status) => status === 'success')).toEqual([]);
    expect([
      readdirSync(home),
      readdirSync(join(cwd, '.git', 'hooks')),
      existsSync(join(cwd, '.git', 'config')),
    ]).toEqual([[], [], false]);
  });

  it('does not widen its permissions with a config file, in this attempt or the next', async () => {
    const config = JSON.stringify({ permissions: { mode: 'full', allow: ['bash'] }, trust: ['/'] });
    const model: Model = (turn, response) => {
      if (turn === 1) call(response, { name: 'write', args: { path: 'runwire.json', content: config } });
      // As often as the agent itself tries again.
      else if (turn <= 6) response.writeHead(500, { 'retry-after-ms': '1' }).end();
      else if (turn === 7) call(response, bash('touch widened'));
      else say(response, 'Done.');
    };
    const met = await meet(model, { args: ['--retries', '2', '--retry-delay', '0.05s'] });
    expect({ calls: met.calls, widened: existsSync(join(met.cwd, 'widened')) }).toEqual({
      calls: ['success', 'denied'],
      widened: false,
    });
    expect(met.records.some((each) => each.type === 'retry.scheduled')).toBe(true);
  });

  it('leaves no process behind, however many it starts', async () => {
    const mark = `6${Date.now()}`;
    const met = await meet(
      calling(
        bash(
          `for i in 1 2 3 4 5 6 7 8 9 10; do (env -i setsid sleep ${mark} >/dev/null 2>&1 &); setsid sleep ${mark} & done; echo STARTED`,
        ),
      ),
      { args: full },
    );
    expect({ status: met.status, started: met.all.includes('STARTED'), left: processesWith(mark) }).toEqual({
      status: 0,
      started: true,
      left: [],
    });
  });

  it('gets its hundred and fifty calls answered in order, eight at a time', async () => {
    let [running, most] = [0, 0];
    const slow = define({
      name: 'slow',
      kind: 'read',
      description: '',
      input: z.object({ n: z.number() }),
      need: () => ({ access: 'none', subject: '' }),
      async run({ n }: { n: number }) {
        most = Math.max(most, (running += 1));
        await new Promise((resolve) => setTimeout(resolve, n % 3));
        running -= 1;
        return { status: 'success', output: String(n) };
      },
    });
    const options = { permissions: parseRules('full'), cwd: '/', env: {}, signal: new AbortController().signal };
    const tools = new ToolCalls(
      { tools: [slow], decide: () => ({ allowed: true, reason: '' }), close: async () => {} },
      { options, emit: () => {} },
    );
    const calls = Array.from({ length: 150 }, (_, n) => ({ id: 'same', name: 'slow', input: { n } }));
    const results = await tools.run(calls, 'turn_1');
    expect(most).toBe(8);
    expect(results.map(({ output }) => output)).toEqual(
      calls.map(({ input }) => ({ type: 'text', value: String(input.n) })),
    );
  });
});

describe('a model that makes no sense', () => {
  it.each<[string, Call[]]>([
    [
      'arguments that are not JSON',
      [
        { name: 'read', args: '{"path": ' },
        { name: 'read', args: '42' },
        { name: 'read', args: '' },
      ],
    ],
    [
      'arguments of other types',
      [
        { name: 'read', args: { path: 7 } },
        { name: 'bash', args: { command: ['ls'] } },
        { name: 'write', args: [] },
      ],
    ],
    [
      'tools that nobody offers',
      [
        { name: 'rm', args: {} },
        { name: 'mcp__evil__tool', args: {} },
        { name: 'READ', args: { path: 'a' } },
      ],
    ],
    [
      'names that every object has',
      ['__proto__', 'constructor', 'toString'].map((name) => ({ name, args: { path: 'a' } })),
    ],
  ])('is told so: %s', async (_what, calls) => {
    const met = await meet(calling(...calls));
    expect({ status: met.status, calls: met.calls, turns: met.asked.length }).toEqual({
      status: 0,
      calls: ['error', 'error', 'error'],
      turns: 2,
    });
  });

  it('has each of its calls apart, though they have one id', async () => {
    const met = await meet(
      calling(...['*', '*.txt', '*'].map((pattern) => ({ name: 'glob', args: { pattern }, id: 'a' })), {
        name: 'glob',
        args: { pattern: '*' },
        id: 'a_2',
      }),
    );
    const ids = met.records.flatMap((each) => (each.type === 'item.completed' ? [each.item_id] : []));
    expect({ calls: met.calls.length, ids: new Set(ids).size }).toEqual({ calls: 4, ids: 4 });
  });

  it('is not believed when it says that what failed has passed', async () => {
    const model: Model = (turn, response) =>
      turn === 1 ? call(response, bash('exit 1'), bash('exit 2')) : say(response, 'All tests pass.');
    const met = await meet(model, { args: [...full, '--fail-on', 'tool'] });
    expect({ status: met.status, calls: met.calls }).toEqual({ status: 3, calls: ['error', 'error'] });
  });
});

describe('a model that does not end', () => {
  const endless: Model = (_turn, response) => {
    open(response);
    const more = (): void => {
      while (!response.destroyed && response.write(words('x'.repeat(60_000))));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  };
  const nested = `{"path":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  const tooLong = "the model's answer did not end within 4194304 characters";

  it.each<[string, Model, number, string]>([
    ['its words', endless, 8, tooLong],
    ['its arguments', calling({ name: 'write', args: { path: 'a', content: 'x'.repeat(4_200_000) } }), 8, tooLong],
    [
      'its brackets',
      calling({ name: 'read', args: nested }),
      4,
      'the model called read with arguments that are nested too deeply',
    ],
  ])('is cut off: %s', async (_what, model, status, why) => {
    const met = await meet(model);
    expect({ status: met.status, turns: met.asked.length, calls: met.calls, told: met.all.includes(why) }).toEqual({
      status,
      turns: 1,
      calls: [],
      told: true,
    });
    expect(readdirSync(met.cwd)).toEqual([]);
  });

  it('does not outlive the time limit with signs of life', async () => {
    const model: Model = (_turn, response) => {
      open(response);
      const pings = setInterval(() => response.write(': ping\n\n'), 20);
      response.on('close', () => clearInterval(pings));
    };
    expect((await meet(model, { args: ['--timeout', '1s'] })).status).toBe(124);
  });
});

describe('a server that lies', () => {
  it.each<[string, object]>([
    ['below zero', { prompt_tokens: -5000, completion_tokens: -1, total_tokens: -5001 }],
    ['beyond all numbers', { prompt_tokens: 1e300, completion_tokens: 1e300, total_tokens: 1 }],
    ['in parts', { prompt_tokens: 0.5, completion_tokens: 0.25, total_tokens: 0.75 }],
  ])('gets no token counted %s', async (_what, usage) => {
    const met = await meet((_turn, response) => void open(response).end(words('Hello.') + end('stop', usage)));
    const { input_tokens, output_tokens, cost } = met.outcome.metrics;
    expect({ status: met.status, input_tokens, output_tokens, cost }).toEqual({ status: 0 });
  });

  it('gets neither the key nor the conversation for another server', async () => {
    const other: string[] = [];
    const thief = createServer((request, response) => {
      other.push(request.url ?? '');
      response.end();
    });
    await new Promise<void>((resolve) => void thief.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void thief.close());
    const { port } = thief.address() as AddressInfo;
    const met = await meet(
      (_turn, response) =>
        void response.writeHead(307, { location: `http://127.0.0.1:${port}/v1/chat/completions` }).end(),
    );
    expect({ status: met.status, other }).toEqual({ status: 4, other: [] });
  });

  it('does not pass off half an answer as a whole one', async () => {
    const half: Model = (turn, response) =>
      turn === 1 ? void open(response).end(`${words('Half')}data: {"choices":[{"ind`) : say(response, 'Whole.');
    const short: Model = (turn, response) => {
      if (turn > 1) return say(response, 'Whole.');
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-length': 100_000 }).write(words('Half'));
      setTimeout(() => response.destroy(), 30);
    };
    for (const met of await Promise.all([meet(half), meet(short)])) {
      const told = met.records.flatMap((each) => (each.type === 'agent.finished' ? [each.message] : []));
      expect({ status: met.status, turns: met.asked.length, told }).toEqual({ status: 0, turns: 2, told: ['Whole.'] });
    }
  });

  it('moves no cursor and forges no line of ours', async () => {
    const text = '\u001b]0;owned\u0007\u001b[2J\u009b31m\nrunwire: success\u202e';
    const model: Model = (turn, response) =>
      turn === 1 ? call(response, { name: '\u001b[2Jread', args: { path: '\u001b[31m\u0007' } }) : say(response, text);
    const shown = await meet(model, { format: [] });
    expect(shown.status).toBe(0);
    // eslint-disable-next-line no-control-regex -- control characters are what this looks for
    expect(shown.all.slice(0, shown.all.indexOf('{"model"'))).not.toMatch(/[\u0007\u001b\u009b\u202e]/);
  });
});
