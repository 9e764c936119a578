import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createAzure } from '@ai-sdk/azure';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  generateText,
  jsonSchema,
  streamText,
  type LanguageModel,
  type LanguageModelUsage,
  type ModelMessage,
  type ToolSet,
} from 'ai';
import fc from 'fast-check';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { lastPrompt, startModelServer, type FormatId, type ModelServer, type TurnInput } from './index.ts';
import { truthOf } from '../recordings.ts';

interface Client {
  name: string;
  format: FormatId;
  model(server: ModelServer, apiKey?: string): LanguageModel;
}

const clients: Client[] = [
  {
    name: 'openai chat',
    format: 'chat',
    model: (server, apiKey = 'key') => createOpenAI({ baseURL: server.baseUrl('chat'), apiKey }).chat('gpt-5'),
  },
  {
    name: 'openai-compatible',
    format: 'chat',
    model: (server, apiKey = 'key') =>
      createOpenAICompatible({ name: 'local', baseURL: server.baseUrl('chat'), apiKey, includeUsage: true })('gpt-5'),
  },
  {
    name: 'openai responses',
    format: 'responses',
    model: (server, apiKey = 'key') =>
      createOpenAI({ baseURL: server.baseUrl('responses'), apiKey }).responses('gpt-5'),
  },
  {
    name: 'anthropic',
    format: 'anthropic',
    model: (server, apiKey = 'key') =>
      createAnthropic({ baseURL: server.baseUrl('anthropic'), apiKey })('claude-sonnet-4-5'),
  },
  {
    name: 'google',
    format: 'gemini',
    model: (server, apiKey = 'key') =>
      createGoogle({ baseURL: server.baseUrl('gemini'), apiKey })('gemini-3-pro-preview'),
  },
];

const tools: ToolSet = {
  add: { description: 'Adds.', inputSchema: jsonSchema({ type: 'object', properties: { a: { type: 'number' } } }) },
};

const open: ModelServer[] = [];
async function serve(...args: Parameters<typeof startModelServer>): Promise<ModelServer> {
  const server = await startModelServer(...args);
  open.push(server);
  return server;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

interface Heard {
  text: string;
  reasoning: string;
  calls: { id: string; name: string; args: unknown }[];
  finish?: string;
  raw?: string | undefined;
  usage?: object;
  errors: { name: string; status?: number; retryable?: boolean }[];
  messages: ModelMessage[];
}

const tokensOf = ({
  inputTokens,
  inputTokenDetails,
  outputTokens,
  outputTokenDetails,
}: LanguageModelUsage): object => ({
  input: inputTokens,
  cached: inputTokenDetails.cacheReadTokens,
  output: outputTokens,
  reasoning: outputTokenDetails.reasoningTokens,
});

function errorOf(error: unknown): Heard['errors'][number] {
  const { name, statusCode, isRetryable } = error as { name: string; statusCode?: number; isRetryable?: boolean };
  return {
    name,
    ...(statusCode === undefined ? {} : { status: statusCode }),
    ...(isRetryable === undefined ? {} : { retryable: isRetryable }),
  };
}

/** What a client makes of one answer. */
async function hear(
  model: LanguageModel,
  messages: ModelMessage[] = [{ role: 'user', content: 'go' }],
): Promise<Heard> {
  const heard: Heard = { text: '', reasoning: '', calls: [], errors: [], messages: [] };
  const result = streamText({ model, instructions: 'You add.', tools, messages, maxRetries: 0, onError: () => {} });
  try {
    for await (const part of result.stream) {
      if (part.type === 'text-delta') heard.text += part.text;
      if (part.type === 'reasoning-delta') heard.reasoning += part.text;
      if (part.type === 'tool-call') heard.calls.push({ id: part.toolCallId, name: part.toolName, args: part.input });
      if (part.type === 'error') heard.errors.push(errorOf(part.error));
      if (part.type === 'finish-step') {
        heard.finish = part.finishReason;
        heard.raw = part.rawFinishReason;
        heard.usage = tokensOf(part.usage);
      }
    }
    heard.messages = [...(await result.responseMessages)];
  } catch (error) {
    if (heard.errors.length === 0) heard.errors.push(errorOf(error));
  }
  return heard;
}

const usage = { input: 100, cached: 30, output: 20, reasoning: 5 };

describe.each(clients)('$name', ({ format, model: modelOf }) => {
  // The chat format of OpenAI itself has no reasoning; only its relatives do, and only their client reads it.
  const seesReasoning = (text: string, name: string): string => (name === 'openai.chat' ? '' : text);
  const providerOf = (model: LanguageModel): string => (typeof model === 'string' ? model : model.provider);

  it('streams reasoning, text and parallel calls, takes their results, and both sides tell the same', async () => {
    const first: TurnInput = {
      reasoning: 'Let me think: ½ …',
      text: 'Two sums, 二つ 🦊.',
      calls: [
        { name: 'add', args: { a: 1 } },
        { name: 'add', args: { a: 2 } },
      ],
      usage,
      chunkSize: 3,
    };
    const server = await serve({ turns: [first, { text: 'Done.', usage: { input: 200, output: 4 } }] });
    const model = modelOf(server);
    const one = await hear(model);
    const results: ModelMessage = {
      role: 'tool',
      content: one.calls.map(({ id, name }, index) => ({
        type: 'tool-result',
        toolCallId: id,
        toolName: name,
        output: index === 0 ? { type: 'text', value: 'three' } : { type: 'error-text', value: 'no' },
      })),
    };
    const two = await hear(model, [{ role: 'user', content: 'go' }, ...one.messages, results]);
    await server.settled();
    const [asked, again] = server.served.requests;
    expect({ ...one, messages: [] }).toEqual({
      text: first.text,
      reasoning: seesReasoning(first.reasoning ?? '', providerOf(model)),
      calls: asked?.answer?.calls,
      finish: 'tool-calls',
      raw: { chat: 'tool_calls', responses: undefined, anthropic: 'tool_use', gemini: 'STOP' }[format],
      usage,
      errors: [],
      messages: [],
    });
    expect(new Set(one.calls.map(({ id }) => id)).size).toBe(2);
    expect({ ...asked, headers: {} }).toEqual({
      request: 1,
      format,
      stream: true,
      model: asked?.model,
      turn: 0,
      system: 'You add.',
      tools: ['add'],
      headers: {},
      answer: { text: first.text, reasoning: first.reasoning, calls: one.calls, usage },
      done: true,
    });
    expect({ text: two.text, finish: two.finish, usage: two.usage }).toEqual({
      text: 'Done.',
      finish: 'stop',
      usage: { input: 200, cached: 0, output: 4, reasoning: 0 },
    });
    expect(again?.turn).toBe(1);
    expect(again?.toolResults?.map(({ call }) => call)).toEqual(one.calls.map(({ id }) => id));
    expect(again?.toolResults?.map(({ result }) => /three|no/.exec(result)?.[0])).toEqual(['three', 'no']);
    expect(truthOf(server.served)).toEqual({
      message: 'Done.',
      calls: ['add', 'add'],
      tokens: { input: 300, output: 24, cached: 30, reasoning: 5 },
    });
  });

  it('answers in one piece what it streams', async () => {
    const turn: TurnInput = { reasoning: 'Hm.', text: 'Some text.', calls: [{ name: 'add', args: { a: 1 } }], usage };
    const server = await serve({ turns: [turn] });
    const model = modelOf(server);
    const heard = await hear(model);
    const whole = await generateText({ model, prompt: 'go', tools, maxRetries: 0 });
    expect({
      text: whole.text,
      reasoning: whole.reasoningText ?? '',
      calls: whole.toolCalls.map(({ toolName, input }) => ({ name: toolName, args: input })),
      finish: whole.finishReason,
      raw: whole.rawFinishReason,
      usage: tokensOf(whole.usage),
    }).toEqual({
      text: heard.text,
      reasoning: heard.reasoning,
      calls: heard.calls.map(({ name, args }) => ({ name, args })),
      finish: heard.finish,
      raw: heard.raw,
      usage: heard.usage,
    });
    await server.settled();
    expect(server.served.requests.map(({ stream, done }) => ({ stream, done }))).toEqual([
      { stream: true, done: true },
      { stream: false, done: true },
    ]);
  });

  it('counts as its provider counts', async () => {
    const server = await serve({ turns: [{ text: 'Counted.', usage: { ...usage, cacheWrite: 10 } }] });
    const { usage: counted } = await generateText({ model: modelOf(server), prompt: 'go', maxRetries: 0 });
    expect(counted.raw).toEqual(
      {
        chat: {
          prompt_tokens: 100,
          completion_tokens: 20,
          total_tokens: 120,
          prompt_tokens_details: { cached_tokens: 30, cache_write_tokens: 10 },
          completion_tokens_details: { reasoning_tokens: 5 },
        },
        responses: {
          input_tokens: 100,
          input_tokens_details: { cached_tokens: 30, cache_write_tokens: 10 },
          output_tokens: 20,
          output_tokens_details: { reasoning_tokens: 5 },
          total_tokens: 120,
        },
        anthropic: {
          input_tokens: 60,
          cache_creation_input_tokens: 10,
          cache_read_input_tokens: 30,
          output_tokens: 20,
          output_tokens_details: { thinking_tokens: 5 },
        },
        gemini: {
          promptTokenCount: 100,
          cachedContentTokenCount: 30,
          candidatesTokenCount: 15,
          thoughtsTokenCount: 5,
          totalTokenCount: 120,
        },
      }[format],
    );
  });

  it('arrives whole however it is split', async () => {
    const split = fc.record({
      text: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
      chunkSize: fc.integer({ min: 1, max: 12 }),
      writeSize: fc.integer({ min: 1, max: 40 }),
    });
    await fc.assert(
      fc.asyncProperty(split, async (turn) => {
        const server = await startModelServer({ turns: [turn] });
        const { text, errors } = await hear(modelOf(server));
        await server.close();
        expect({ text, errors }).toEqual({ text: turn.text, errors: [] });
      }),
      { numRuns: 15 },
    );
  });

  const call = (status: number, retryable: boolean): Heard['errors'] => [
    { name: 'AI_APICallError', status, retryable },
  ];
  it.each([
    ['context too long', { status: 400 }, call(400, false)],
    ['wrong key', { status: 401 }, call(401, false)],
    ['not allowed', { status: 403 }, call(403, false)],
    ['rate limit', { status: 429, retryAfter: 7 }, call(429, true)],
    ['server error', { status: 500 }, call(500, true)],
    ['overloaded', { status: 529 }, call(529, true)],
    ['a page of a proxy', { status: 502, body: '<html>bad gateway</html>' }, call(502, true)],
    ['disconnect before the answer', { type: 'disconnect' as const }, call(200, true)],
    ['disconnect', { type: 'disconnect' as const, after: 2 }, call(200, true)],
  ])('%s', async (_, fault, errors) => {
    const server = await serve({ turns: [{ text: 'one two three', chunkSize: 4, fault }] });
    const heard = await hear(modelOf(server));
    await server.settled();
    expect({ text: heard.text, errors: heard.errors }).toEqual({ text: 'after' in fault ? 'one two ' : '', errors });
    expect(server.served.requests.map(({ fault: struck, done, aborted }) => ({ struck, done, aborted }))).toEqual([
      { struck: fault, done: undefined, aborted: undefined },
    ]);
  });

  it('tells an error inside the stream', async () => {
    const server = await serve({
      turns: [{ text: 'one two three', chunkSize: 4, fault: { type: 'stream-error', after: 2 } }],
    });
    const model = modelOf(server);
    const { text, finish, errors } = await hear(model);
    const status = { chat: 503, responses: 503, anthropic: 529, gemini: 529 }[format];
    // The compatible client maps no codes, so it knows neither a status nor whether to try again.
    const known = providerOf(model) === 'local.chat' ? { retryable: false } : { status, retryable: true };
    expect({ text, finish, errors }).toEqual({
      text: 'one two ',
      finish: 'error',
      errors: [{ name: 'AI_StreamProviderError', ...known }],
    });
  });

  it('tells inside the stream that the context is too long', async () => {
    const server = await serve({
      turns: [{ text: 'one', fault: { type: 'stream-error', kind: 'context_length', after: 1 } }],
    });
    const model = modelOf(server);
    const { errors } = await hear(model);
    const known = providerOf(model) === 'local.chat' ? {} : { status: 400 };
    expect(errors).toEqual([{ name: 'AI_StreamProviderError', ...known, retryable: false }]);
  });

  it('ends politely without an end', async () => {
    const server = await serve({ turns: [{ text: 'one two three', chunkSize: 4, fault: { type: 'cut', after: 2 } }] });
    const model = modelOf(server);
    const { text, finish, errors } = await hear(model);
    expect({ text, finish, errors }).toEqual(
      providerOf(model) === 'local.chat'
        ? { text: 'one two ', finish: 'error', errors: [{ name: 'AI_InvalidResponseDataError' }] }
        : { text: 'one two ', finish: 'interrupted', errors: [] },
    );
  });

  it('breaks the JSON of one event', async () => {
    const server = await serve({
      turns: [{ text: 'one two three', chunkSize: 4, fault: { type: 'bad-json', after: 2 } }],
    });
    const { text, errors } = await hear(modelOf(server));
    expect({ text, errors }).toEqual({ text: 'one two three', errors: [{ name: 'AI_JSONParseError' }] });
  });

  it('answers nothing', async () => {
    const server = await serve({ turns: [{ text: 'unsaid', usage, fault: { type: 'empty' } }] });
    const { text, finish, errors, usage: counted } = await hear(modelOf(server));
    expect({ text, finish, errors, counted }).toEqual({ text: '', finish: 'stop', errors: [], counted: usage });
    await server.settled();
    expect(server.served.requests[0]?.answer).toEqual({ text: '', usage });
  });

  it.each([
    [
      'length',
      'Half of',
      'length',
      { chat: 'length', responses: 'max_output_tokens', anthropic: 'max_tokens', gemini: 'MAX_TOKENS' },
    ],
    [
      'refusal',
      'I will not.',
      'content-filter',
      { chat: 'stop', responses: undefined, anthropic: 'refusal', gemini: 'SAFETY' },
    ],
    [
      'content_filter',
      'Half of',
      'content-filter',
      { chat: 'content_filter', responses: 'content_filter', anthropic: 'refusal', gemini: 'SAFETY' },
    ],
    [
      'content_filter',
      '',
      'content-filter',
      { chat: 'content_filter', responses: 'content_filter', anthropic: 'refusal', gemini: 'PROHIBITED_CONTENT' },
    ],
  ] as const)('finishes with %s after "%s"', async (finish, text, unified, raws) => {
    const server = await serve({ turns: [{ text, finish, usage }] });
    const heard = await hear(modelOf(server));
    expect({ ...heard, messages: [] }).toEqual({
      text,
      reasoning: '',
      calls: [],
      finish: unified,
      raw: raws[format],
      usage,
      errors: [],
      messages: [],
    });
  });

  it('says broken arguments as the format can', async () => {
    const server = await serve({ turns: [{ calls: [{ name: 'add', rawArgs: '{"a": ' }] }] });
    const { calls, finish, raw } = await hear(modelOf(server));
    const said = server.served.requests[0]?.answer?.calls;
    if (format === 'gemini')
      expect({ calls, finish, raw, said }).toEqual({
        calls: [],
        finish: 'error',
        raw: 'MALFORMED_FUNCTION_CALL',
        said: undefined,
      });
    else {
      const broken = [{ id: said?.[0]?.id, name: 'add', args: '{"a": ' }];
      expect({ calls, finish, said }).toEqual({ calls: broken, finish: 'tool-calls', said: broken });
    }
  });

  it('sees a client leave', async () => {
    const server = await serve({
      turns: [{ text: 'never said to its end', chunkSize: 2, delayMs: 20 }, { fault: { type: 'stall' } }],
    });
    const leave = new AbortController();
    const result = streamText({ model: modelOf(server), prompt: 'go', maxRetries: 0, abortSignal: leave.signal });
    const types: string[] = [];
    for await (const part of result.stream) {
      types.push(part.type);
      if (part.type === 'text-delta' && types.filter((type) => type === 'text-delta').length === 2) leave.abort();
    }
    await server.settled();
    expect(types.at(-1)).toBe('abort');
    expect(server.served.requests.map(({ done, aborted }) => ({ done, aborted }))).toEqual([
      { done: undefined, aborted: true },
    ]);
  });

  it('lets nobody in without the key', async () => {
    const server = await serve({ turns: [{ text: 'Come in.' }], requireKey: 'right' });
    const refused = await hear(modelOf(server, 'wrong'));
    const welcome = await hear(modelOf(server, 'right'));
    expect({ refused: refused.errors, welcome: welcome.text }).toEqual({
      refused: call(format === 'gemini' ? 400 : 401, false),
      welcome: 'Come in.',
    });
    expect(JSON.stringify(server.served)).not.toMatch(/right|wrong/);
  });

  it('gives a retried request the same turn until the fault has struck often enough', async () => {
    const server = await serve({ turns: [{ text: 'At last.', fault: { status: 429, retryAfter: 0.01, times: 2 } }] });
    const { text } = await generateText({ model: modelOf(server), prompt: 'go', maxRetries: 2 });
    await server.settled();
    expect(text).toBe('At last.');
    expect(
      server.served.requests.map(({ turn, fault, done }) => ({
        turn,
        status: fault && 'status' in fault && fault.status,
        done,
      })),
    ).toEqual([
      { turn: 0, status: 429, done: undefined },
      { turn: 0, status: 429, done: undefined },
      { turn: 0, status: undefined, done: true },
    ]);
  });

  it('knows which turn a history is at, and says so when there is no more', async () => {
    const server = await serve({ turns: [{ text: 'One.' }, { text: 'Two.' }] });
    const model = modelOf(server);
    const messages: ModelMessage[] = [];
    const texts: string[] = [];
    for (const content of ['a', 'b', 'c']) {
      messages.push({ role: 'user', content });
      const heard = await hear(model, messages);
      messages.push(...heard.messages);
      texts.push(heard.text || JSON.stringify(heard.errors));
    }
    expect(texts).toEqual(['One.', 'Two.', JSON.stringify(call(400, false))]);
    expect(server.served.requests.map(({ turn }) => turn)).toEqual([0, 1, 2]);
    expect(server.served.requests.at(-1)?.fault).toEqual({ type: 'script-exhausted' });
  });
});

const [openai] = clients;
const ask = (server: ModelServer, prompt: string): Promise<Heard> => {
  if (openai === undefined) throw new Error('no client');
  return hear(openai.model(server), [{ role: 'user', content: prompt }]);
};

it('makes turns of requests', async () => {
  const server = await serve({
    turns: (request, index) => ({ text: `${index}: ${lastPrompt(request)} to ${request.model}` }),
  });
  expect((await ask(server, 'hello')).text).toBe('0: hello to gpt-5');
});

it('can serve its turns one after the other', async () => {
  const server = await serve({
    turns: [{ text: 'one', fault: { status: 500, times: 1 } }, () => ({ text: 'two' })],
    select: 'sequential',
  });
  const texts = [await ask(server, 'a'), await ask(server, 'a'), await ask(server, 'a')].map(({ text }) => text);
  expect(texts).toEqual(['', 'one', 'two']);
});

it('answers side requests beside the script', async () => {
  const server = await serve({ turns: [{ text: 'main' }], side: { text: 'A title' } });
  const model = createOpenAI({ baseURL: server.baseUrl('chat'), apiKey: 'key' }).chat('gpt-5');
  const side = await generateText({ model, instructions: 'Write a title.', prompt: 'go' });
  const main = await ask(server, 'go');
  await server.settled();
  expect([side.text, main.text]).toEqual(['A title', 'main']);
  expect(server.served.requests.map(({ side: isSide, turn }) => ({ isSide, turn }))).toEqual([
    { isSide: true, turn: undefined },
    { isSide: undefined, turn: 0 },
  ]);
  expect(truthOf(server.served).message).toBe('main');
});

it('keeps to the turn of an id when the history was cut short', async () => {
  const calls = [{ name: 'add', args: { a: 1 } }];
  const server = await serve({ turns: [{ calls }, { calls }, { text: 'third' }] });
  const one = await ask(server, 'go');
  const answered = ({ messages, calls: made }: Heard): ModelMessage[] => [
    ...messages,
    {
      role: 'tool',
      content: made.map(({ id, name }) => ({
        type: 'tool-result',
        toolCallId: id,
        toolName: name,
        output: { type: 'text', value: '1' },
      })),
    },
  ];
  const model = createOpenAI({ baseURL: server.baseUrl('chat'), apiKey: 'key' }).chat('gpt-5');
  const two = await hear(model, [{ role: 'user', content: 'go' }, ...answered(one)]);
  const three = await hear(model, [{ role: 'user', content: 'what was before, in short' }, ...answered(two)]);
  expect(three.text).toBe('third');
});

it('is found by Azure clients, whichever addresses they use', async () => {
  const server = await serve({ turns: [{ text: 'From the cloud.' }] });
  const settings = { baseURL: `${server.url}/openai`, apiKey: 'key', apiVersion: '2024-10-21' };
  const models = [
    createAzure(settings).chat('mine'),
    createAzure(settings).responses('mine'),
    createAzure({ ...settings, useDeploymentBasedUrls: true }).chat('mine'),
  ];
  const texts = await Promise.all(
    models.map(async (model) => (await generateText({ model, prompt: 'go', maxRetries: 0 })).text),
  );
  expect(texts).toEqual(Array.from({ length: 3 }, () => 'From the cloud.'));
  expect(server.requests.map(({ path }) => path).toSorted()).toEqual([
    '/openai/chat/completions',
    '/openai/deployments/mine/chat/completions?api-version=2024-10-21',
    '/openai/responses',
  ]);
});

it('lists models and counts tokens in every format', async () => {
  const server = await serve({ turns: [], models: ['tiny'] });
  const get = async (path: string, init?: RequestInit): Promise<unknown> =>
    (await fetch(server.url + path, init)).json();
  const post = { method: 'POST', body: '12345678' };
  const openaiTiny = { id: 'tiny', object: 'model', created: 1_767_225_600, owned_by: 'scripted' };
  const anthropicTiny = { type: 'model', id: 'tiny', display_name: 'tiny', created_at: '2026-01-01T00:00:00Z' };
  const geminiTiny = expect.objectContaining({
    name: 'models/tiny',
    supportedGenerationMethods: ['generateContent', 'countTokens'],
  });
  const anthropicHeaders = { headers: { 'anthropic-version': '2023-06-01' } };
  expect(
    await Promise.all([
      get('/v1/models'),
      get('/v1/models/tiny'),
      get('/v1/models', anthropicHeaders),
      get('/v1beta/models'),
      get('/v1beta/models/tiny'),
      get('/v1/messages/count_tokens', post),
      get('/v1/responses/input_tokens', post),
      get('/v1beta/models/tiny:countTokens', post),
    ]),
  ).toEqual([
    { object: 'list', data: [openaiTiny] },
    openaiTiny,
    { data: [anthropicTiny], has_more: false, first_id: 'tiny', last_id: 'tiny' },
    { models: [geminiTiny] },
    geminiTiny,
    { input_tokens: 2 },
    { object: 'response.input_tokens', input_tokens: 2 },
    { totalTokens: 2 },
  ]);
});

it.each([
  ['/v1/nothing', '{}', 404, 'nothing is served at POST /v1/nothing'],
  ['/v1/chat/completions', '{"model":"m"}', 400, 'messages: Invalid input: expected array, received undefined'],
  ['/v1/messages', '{', 400, "SyntaxError: Expected property name or '}' in JSON at position 1 (line 1 column 2)"],
  ['/v1beta/models/m:streamGenerateContent', '{"contents":[]}', 400, 'Error: only alt=sse is served'],
])('tells what is wrong with a request to %s', async (path, body, status, message) => {
  const server = await serve({ turns: [] });
  const response = await fetch(server.url + path, { method: 'POST', body });
  const told = (await response.json()) as { error: { message: string } };
  expect({ status: response.status, message: told.error.message }).toEqual({ status, message });
});

it.each([
  [{ usage: { input: 1, cached: 2, output: 1 } }, 'turn 0: usage: cached and cacheWrite are parts of input'],
  [{ usage: { input: 1, output: 1, reasoning: 2 } }, 'turn 0: usage: reasoning is a part of output'],
  [{ calls: [{ name: 'add', args: {}, rawArgs: '' }] }, 'turn 0: calls.0: a call has one of args, rawArgs and input'],
  [{ fault: { status: 200 } }, 'turn 0: fault.status: Too small: expected number to be >=400'],
  [{ txt: 'typo' } as TurnInput, 'turn 0: Unrecognized key: "txt"'],
])('refuses the script %j', async (turn, message) => {
  await expect(startModelServer({ turns: [turn] })).rejects.toThrow(message);
});

it('gives the retry time in headers and, to Gemini, in the body', async () => {
  const server = await serve({ turns: [{ fault: { status: 429, retryAfter: 7 } }] });
  const response = await fetch(`${server.baseUrl('gemini')}/models/m:generateContent`, {
    method: 'POST',
    body: '{"contents":[]}',
  });
  expect([response.headers.get('retry-after'), await response.json()]).toEqual([
    '7',
    {
      error: {
        code: 429,
        message: 'Too many requests, slow down.',
        status: 'RESOURCE_EXHAUSTED',
        details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' }],
      },
    },
  ]);
});

it('takes a free-text call to the responses format', async () => {
  const server = await serve({ turns: [{ calls: [{ name: 'apply_patch', input: '*** Begin' }] }] });
  const response = await fetch(`${server.baseUrl('responses')}/responses`, {
    method: 'POST',
    body: JSON.stringify({
      model: 'm',
      input: 'go',
      tools: [{ type: 'custom', name: 'apply_patch' }, { type: 'web_search' }],
    }),
  });
  const { output } = (await response.json()) as { output: unknown };
  expect(output).toEqual([
    {
      id: 'ctc_r1_0',
      type: 'custom_tool_call',
      status: 'completed',
      call_id: 'call_r1_0',
      name: 'apply_patch',
      input: '*** Begin',
    },
  ]);
  expect(server.served.toolsOffered).toEqual(['apply_patch', 'web_search']);
  expect(server.served.requests[0]?.answer?.calls).toEqual([
    { id: 'call_r1_0', name: 'apply_patch', input: '*** Begin' },
  ]);
});

it('closes while a client waits for the rest of a stalled answer', async () => {
  const server = await startModelServer({
    turns: [{ text: 'one two', chunkSize: 4, fault: { type: 'stall', after: 1 } }],
  });
  const heard = ask(server, 'go');
  await expect.poll(() => server.served.requests.length).toBe(1);
  await server.close();
  expect((await heard).errors).toEqual([{ name: 'AI_APICallError', status: 200, retryable: true }]);
  expect(server.served.requests[0]).toMatchObject({ fault: { type: 'stall', after: 1 }, aborted: true });
});

describe('the command', () => {
  const main = join(import.meta.dirname, 'main.ts');
  const folder = mkdtempSync(join(tmpdir(), 'model-server-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('serves a file and leaves its log behind', async () => {
    const script = join(folder, 'script.json');
    const log = join(folder, 'served.json');
    writeFileSync(script, JSON.stringify({ turns: [{ text: 'From a file.' }] }));
    const child = spawn(process.execPath, [main, script, '--served', log], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
    const { url } = JSON.parse(line) as { url: string };
    const model = createOpenAI({ baseURL: `${url}/v1`, apiKey: 'key' }).chat('gpt-5');
    const { text } = await generateText({ model, prompt: 'go' });
    child.kill('SIGTERM');
    const [status] = (await once(child, 'close')) as [number];
    const served = JSON.parse(readFileSync(log, 'utf8')) as ModelServer['served'];
    expect({ text, status, truth: truthOf(served).message }).toEqual({
      text: 'From a file.',
      status: 0,
      truth: 'From a file.',
    });
  });

  it('says what is wrong with a script', async () => {
    const script = join(folder, 'wrong.json');
    writeFileSync(script, JSON.stringify({ turns: [{ text: 7 }] }));
    const child = spawn(process.execPath, [main, script], { stdio: ['ignore', 'inherit', 'pipe'] });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => void (stderr += text));
    const [status] = (await once(child, 'close')) as [number];
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: `${script}: turns.0.text: Invalid input: expected string, received number\n`,
    });
  });
});
