import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EventRecord } from '../../../src/events/event.ts';
import type { RunOutcome } from '../../../src/outcome/outcome.ts';
import { type ModelApi, modelApis } from '../../../src/words/vocabulary.ts';
import type { TurnInput } from '../../support/model-server/index.ts';
import { apis } from '../../wire/support/clients.ts';
import { inside, live, project, serve } from './live.ts';

const variables: Record<ModelApi, string> = {
  chat: 'OPENAI_BASE_URL',
  responses: 'OPENAI_BASE_URL',
  messages: 'ANTHROPIC_BASE_URL',
  gemini: 'GOOGLE_GEMINI_BASE_URL',
};

/** An agent of somebody's own, which prints prose: asks, does what the model calls for, and asks again until it calls for nothing. */
const program = `
  const { api, base, paths, bodies, code = 0 } = JSON.parse(process.argv[2]);
  const ask = async (body, streamed) => {
    const answer = await fetch(process.env[base] + paths[Number(streamed)], {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return streamed ? answer.text() : answer.json();
  };
  const done = (call) => (call === 'fails' ? 'no such file' : 'the result of ' + call);
  const goOn = {
    chat: ({ choices: [{ message }] }, body) => ({
      ...body,
      messages: [...body.messages, message, ...message.tool_calls.map(({ id, function: { name } }) => ({ role: 'tool', tool_call_id: id, content: done(name) }))],
    }),
    messages: ({ content }, body) => ({
      ...body,
      messages: [...body.messages, { role: 'assistant', content }, { role: 'user', content: content.filter(({ type }) => type === 'tool_use').map(({ id, name }) => ({ type: 'tool_result', tool_use_id: id, content: [{ type: 'text', text: done(name) }], is_error: name === 'fails' })) }],
    }),
    responses: ({ output }, body) => ({
      ...body,
      input: [...body.input, ...output, ...output.filter(({ type }) => type === 'function_call').map(({ call_id, name }) => ({ type: 'function_call_output', call_id, output: done(name) }))],
    }),
    gemini: ({ candidates: [{ content }] }, body) => ({
      ...body,
      contents: [...body.contents, content, { role: 'user', parts: content.parts.filter((part) => part.functionCall).map(({ functionCall: { name } }) => ({ functionResponse: { name, response: name === 'fails' ? { error: done(name) } : { output: done(name) } } })) }],
    }),
  };
  console.log('Thinking about it.');
  const first = await ask(bodies[0], false);
  await ask(goOn[api](first, bodies[1]), true);
  console.log('Finished!');
  process.exit(code);
`;

const turns: TurnInput[] = [
  {
    text: 'I look.',
    calls: [
      { name: 'look', args: { path: 'a.txt' } },
      { name: 'fails', args: {} },
    ],
    usage: { input: 1000, output: 50 },
  },
  { text: 'It says hello ✓', usage: { input: 1200, output: 20 } },
];

interface Asked {
  api: ModelApi;
  flags?: readonly string[];
  answers?: readonly TurnInput[];
  code?: number;
  run?: typeof inside | typeof live;
}

async function asked({ api, flags = ['--wire'], answers = turns, code, run = inside }: Asked) {
  const server = await serve(answers);
  const cwd = project();
  writeFileSync(join(cwd, 'agent.mjs'), program);
  const { format, path, body } = apis[api];
  const both = [false, true];
  const orders = JSON.stringify({ api, base: variables[api], paths: both.map(path), bodies: both.map(body), code });
  const { stdout, stderr, status } = await run(
    ['run', '--ledger', 'none', ...flags, '--', process.execPath, 'agent.mjs', orders],
    { cwd, env: { [variables[api]]: server.baseUrl(format) } },
  );
  return { stdout, stderr, status, served: server.served.requests.length };
}

function toldBy(stdout: string): { records: EventRecord[]; outcome: RunOutcome } {
  const records = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as EventRecord);
  const last = records.at(-1);
  return {
    records,
    outcome: (last?.type === 'thread.completed' ? last.final_report : undefined) as unknown as RunOutcome,
  };
}

const price = ['--price', 'input=10,output=100'];

describe.each(modelApis)('a program that nobody can read, by %s', (api) => {
  it('has the answer, the calls, the tokens and the cost of what passed', async () => {
    const { stdout, status } = await asked({ api, flags: ['--wire', '--to', 'runwire', ...price] });
    const { outcome } = toldBy(stdout);
    expect({ status, class: outcome.verdict.class, message: outcome.message }).toEqual({
      status: 0,
      class: 'success',
      message: 'It says hello ✓',
    });
    expect(outcome.metrics).toMatchObject({
      input_tokens: 2200,
      output_tokens: 70,
      cost: 0.029,
      cost_source: 'wire',
      turns: 2,
      tool_calls_count: 2,
    });
    // Only two of the APIs have a word for a call that failed.
    const failed = api === 'messages' || api === 'gemini' ? 'error' : 'completed';
    expect(outcome.tool_calls).toMatchObject([
      { name: 'look', inputs: { path: 'a.txt' }, status: 'completed', outputs: 'the result of look' },
      { name: 'fails', status: failed },
    ]);
    expect(outcome.wire).toMatchObject({ requests: 2 });
    expect(outcome.warnings).toEqual([]);
  });
});

describe('a program that nobody can read', () => {
  it('prints its answer for a user who only says --wire', async () => {
    const { stdout, status } = await asked({ api: 'chat', run: live });
    expect({ stdout, status }).toEqual({ stdout: 'It says hello ✓\n', status: 0 });
  });

  it.each<[string, Partial<Asked>, number, string]>([
    ['fails', { code: 3 }, 8, 'incomplete'],
    [
      'has half an answer',
      { answers: [turns[0] ?? {}, { text: 'It', finish: 'length', usage: { input: 1, output: 1 } }] },
      8,
      'incomplete',
    ],
    ['ends while its model waits', { answers: [turns[0] ?? {}, turns[0] ?? {}] }, 8, 'incomplete'],
    ['has a last request that failed', { answers: [turns[0] ?? {}, { fault: { status: 503 } }] }, 4, 'provider'],
    [
      'has an answer that was cut off',
      { answers: [turns[0] ?? {}, { text: 'It says', fault: { type: 'disconnect', after: 1 } }] },
      4,
      'provider',
    ],
  ])('is no success if it %s', async (_name, given, expected, kind) => {
    const { stdout, status } = await asked({ api: 'messages', flags: ['--wire', '--to', 'runwire'], ...given });
    expect({ status, class: toldBy(stdout).outcome.verdict.class }).toEqual({ status: expected, class: kind });
  });

  it('is not sent through the wire unless somebody asks for it', async () => {
    const { stdout, status } = await asked({ api: 'chat', flags: ['--to', 'runwire'] });
    expect({ isGood: status === 0, wire: toldBy(stdout).outcome.wire }).toEqual({ isGood: false, wire: undefined });
  });
});

describe('--wire', () => {
  it.each([
    ['a prompt after it is a prompt', ['--wire', 'fix it', '--agent', 'cursor'], 'Cursor'],
    ['a word that was meant to be one', ['--wire', 'metre', '--', 'true'], '--wire metre: expected auto, off'],
    ['nothing after it', ['--model', 'replay/none', 'fix it', '--wire'], 'not for builtin'],
  ])('%s', async (_name, flags, said) => {
    const { stderr } = await inside(['run', '--ledger', 'none', ...flags], { cwd: project(), env: { PATH: '' } });
    expect(stderr).toContain(said);
  });
});

describe('what may be asked', () => {
  it('other models are refused, and the run says why', async () => {
    const { stdout, status, served } = await asked({
      api: 'chat',
      flags: ['--models', 'claude-*', '--models', 'gpt-4.1', '--to', 'runwire'],
    });
    const { outcome } = toldBy(stdout);
    expect({ status, served, class: outcome.verdict.class }).toEqual({ status: 8, served: 0, class: 'incomplete' });
    expect(outcome.warnings).toContain('wire: the model gpt-5 is not allowed: --models allows claude-*, gpt-4.1');
  });

  it('a deployment that stands in the address counts as well as the name in the body', async () => {
    const server = await serve(turns);
    const cwd = project();
    const source = `await fetch(process.env.OPENAI_BASE_URL + '/deployments/gpt-5-pro/chat/completions', {
      method: 'POST',
      body: JSON.stringify({ model: 'gpt-4.1', messages: [] }),
    });`;
    writeFileSync(join(cwd, 'agent.mjs'), source);
    const { stderr } = await inside(
      ['run', '--ledger', 'none', '--models', 'gpt-4.1', '--', process.execPath, 'agent.mjs'],
      { cwd, env: { OPENAI_BASE_URL: server.baseUrl('chat') } },
    );
    expect(server.served.requests).toEqual([]);
    expect(stderr).toContain('the model gpt-5-pro is not allowed');
  });

  it.each([['gpt-5'], ['gpt-*'], ['openai/gpt-5']])('%s is asked', async (name) => {
    const { status, served } = await asked({ api: 'chat', flags: ['--models', name] });
    expect({ status, served }).toEqual({ status: 0, served: 2 });
  });

  it.each([
    ['off', ['--wire', 'off'], 2],
    ['for the built-in agent', [], 2],
  ])('is refused where the wire is %s', async (_name, flags, expected) => {
    const given = ['run', '--ledger', 'none', '--models', 'gpt-5', ...flags, 'hello'];
    expect((await inside(given, { cwd: project() })).status).toBe(expected);
  });
});
