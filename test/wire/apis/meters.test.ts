import { describe, expect, it } from 'vitest';
import type { Api, Reading } from '../../../src/wire/apis/api.ts';
import { chat } from '../../../src/wire/apis/chat.ts';
import { gemini } from '../../../src/wire/apis/gemini.ts';
import { messages } from '../../../src/wire/apis/messages.ts';
import { apiOf } from '../../../src/wire/apis/registry.ts';
import { responses } from '../../../src/wire/apis/responses.ts';
import type { Json, JsonObject } from '../../../src/json/json.ts';

function whole(api: Api, body: Json): Reading {
  const meter = api.meter();
  meter.body(body);
  return meter.reading;
}

/** `named`: the events have the names that their types are. */
function streamed(api: Api, events: readonly (JsonObject | string)[], named = false): Reading {
  const meter = api.meter();
  for (const event of events) {
    const name = named && typeof event !== 'string' ? String(event.type) : '';
    meter.event(name, typeof event === 'string' ? event : JSON.stringify(event));
  }
  return meter.reading;
}

describe('messages', () => {
  const start = {
    type: 'message_start',
    message: {
      model: 'claude-x',
      usage: { input_tokens: 5, cache_read_input_tokens: 100, cache_creation_input_tokens: 40, output_tokens: 1 },
    },
  };
  const delta = (usage: JsonObject): JsonObject => ({
    type: 'message_delta',
    delta: { stop_reason: 'end_turn' },
    usage,
  });

  it.each([true, false])(
    'adds the cache to the input, and knows how long it is kept (events with names: %s)',
    (named) => {
      const usage = {
        ...start.message.usage,
        cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 30 },
        service_tier: 'priority',
      };
      const reading = streamed(
        messages,
        [{ ...start, message: { ...start.message, usage } }, delta({ output_tokens: 9 }), { type: 'message_stop' }],
        named,
      );
      expect(reading).toEqual({
        model: 'claude-x',
        tokens: { input: 145, cacheRead: 100, cacheWrite: 40, cacheWriteHour: 30, output: 9 },
        usage: 'final',
        serviceTier: 'priority',
        finish: 'stop',
        rawFinish: 'end_turn',
        isWhole: true,
      });
    },
  );

  it.each([
    [{ service_tier: 'standard', speed: 'fast' }, 'fast'],
    [{ service_tier: 'standard', inference_geo: 'us' }, 'us'],
    [{ service_tier: 'batch', inference_geo: 'us' }, 'us_batch'],
    [{ service_tier: 'standard', speed: 'standard', inference_geo: 'global' }, undefined],
  ])('knows what decides the price: %j', (tier, serviceTier) => {
    const body = { type: 'message', model: 'claude-x', usage: { ...start.message.usage, ...tier } };
    expect(whole(messages, body).serviceTier).toBe(serviceTier);
  });

  it('takes what a later event counts, unless that counts nothing', () => {
    const more = streamed(messages, [
      start,
      delta({
        input_tokens: 900,
        cache_read_input_tokens: 100,
        output_tokens: 9,
        server_tool_use: { web_search_requests: 3 },
      }),
    ]);
    expect(more.tokens).toEqual({ input: 1040, cacheRead: 100, cacheWrite: 40, output: 9, webSearches: 3 });
    const none = streamed(messages, [
      start,
      delta({ input_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 9 }),
    ]);
    expect(none.tokens).toEqual({ input: 145, cacheRead: 100, cacheWrite: 40, output: 9 });
  });

  it('knows what a request asks', () => {
    const tools = [
      { name: 'mine' },
      { type: 'web_search_20250305', name: 'web_search' },
      { type: 'bash_20250124', name: 'bash' },
    ];
    expect(
      messages.facts(
        {
          model: 'claude-x',
          max_tokens: 900,
          tools,
          mcp_servers: [{}],
          messages: [{ role: 'user' }, { role: 'assistant' }],
        },
        '',
      ),
    ).toEqual({
      model: 'claude-x',
      maxOutput: 900,
      tools: 3,
      hostedTools: ['web_search_20250305', 'mcp'],
      continues: true,
    });
  });
});

describe('responses', () => {
  const usage = {
    input_tokens: 50,
    input_tokens_details: { cached_tokens: 30 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 15 },
  };

  it.each([true, false])('reads the last event (events with names: %s)', (named) => {
    const response = {
      model: 'gpt-y',
      status: 'completed',
      service_tier: 'flex',
      usage,
      output: [{ type: 'web_search_call' }, { type: 'message' }],
    };
    const reading = streamed(
      responses,
      [
        { type: 'response.created', response: { model: 'gpt-x' } },
        { type: 'response.completed', response },
      ],
      named,
    );
    expect(reading).toEqual({
      model: 'gpt-y',
      tokens: { input: 50, cacheRead: 30, output: 20, reasoning: 15, webSearches: 1 },
      usage: 'final',
      serviceTier: 'flex',
      finish: 'stop',
      rawFinish: 'completed',
      isWhole: true,
    });
  });

  it('knows a call from the events alone, where the last one leaves it out', () => {
    const events = [
      { type: 'response.function_call_arguments.done' },
      { type: 'response.completed', response: { status: 'completed', usage, output: [] } },
    ];
    expect(streamed(responses, events, true)).toMatchObject({ finish: 'tool_calls', rawFinish: 'completed' });
  });

  it.each([
    [
      { type: 'error', code: 'server_error', message: 'it broke', param: null },
      { type: 'server_error', message: 'it broke' },
    ],
    [
      { type: 'error', error: { type: 'invalid_request_error', code: 'bad', message: 'no' } },
      { type: 'invalid_request_error bad', message: 'no' },
    ],
    [
      {
        type: 'response.failed',
        response: { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'slow down' } },
      },
      { type: 'rate_limit_exceeded', message: 'slow down' },
    ],
  ])('%j is an error', (event, error) => {
    expect(streamed(responses, [event], true)).toMatchObject({ error, isWhole: false, usage: 'unknown' });
  });

  it('reads an answer that was made shorter for a next request', () => {
    expect(whole(responses, { object: 'response.compaction', output: [], usage })).toMatchObject({
      usage: 'final',
      isWhole: true,
    });
  });

  it('knows what a request asks', () => {
    const tools = [
      { type: 'function', name: 'shell' },
      { type: 'web_search' },
      { type: 'custom', name: 'apply_patch' },
    ];
    const facts = { model: 'gpt-x', maxOutput: 70, tools: 3, hostedTools: ['web_search'], continues: false };
    const body = { model: 'gpt-x', max_output_tokens: 70, tools };
    expect(responses.facts({ ...body, input: [{ type: 'message', role: 'developer' }, { role: 'user' }] }, '')).toEqual(
      facts,
    );
    expect(responses.facts({ ...body, input: 'go' }, '')).toEqual(facts);
    for (const input of [
      [{ type: 'function_call' }],
      [{ type: 'message', role: 'assistant' }],
      [{ type: 'reasoning' }],
    ])
      expect(responses.facts({ ...body, input }, '')).toEqual({ ...facts, continues: true });
    expect(responses.facts({ ...body, previous_response_id: 'resp_1' }, '')).toEqual({ ...facts, continues: true });
  });
});

describe('chat', () => {
  const end = { model: 'm', choices: [{ delta: {}, finish_reason: 'stop' }] };

  it.each([
    [
      'reasoning in the total alone',
      {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 40,
        completion_tokens_details: { reasoning_tokens: 25 },
      },
      { input: 10, output: 30, reasoning: 25 },
    ],
    [
      'a cache in other words',
      { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, prompt_cache_hit_tokens: 8 },
      { input: 10, output: 5, cacheRead: 8 },
    ],
    [
      'a price of its own',
      { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, cost: 0.0125 },
      { input: 10, output: 5, cost: 0.0125 },
    ],
    ['no total', { prompt_tokens: 10, completion_tokens: 5 }, { input: 10, output: 5 }],
    [
      'nonsense',
      { prompt_tokens: 10, completion_tokens: -5, total_tokens: 1e300, cost: 'free' },
      { input: 10, output: 0 },
    ],
  ])('%s', (_name, usage, tokens) => {
    for (const reading of [streamed(chat, [end, { choices: [], usage }, '[DONE]']), whole(chat, { ...end, usage })])
      expect(reading).toMatchObject({ model: 'm', usage: 'final', tokens, isWhole: true });
  });

  it.each([
    ['beside the choices', { x_groq: { usage: { prompt_tokens: 1, completion_tokens: 2 } }, ...end }],
    ['in a choice', { choices: [{ finish_reason: 'stop', usage: { prompt_tokens: 1, completion_tokens: 2 } }] }],
  ])('finds usage %s', (_name, event) => {
    expect(streamed(chat, [event])).toMatchObject({ usage: 'final', tokens: { input: 1, output: 2 } });
  });

  it('counts so far, in every event, are not the last word', () => {
    const piece = (tokens: number): JsonObject => ({
      choices: [{ finish_reason: null }],
      usage: { prompt_tokens: 9, completion_tokens: tokens },
    });
    expect(streamed(chat, [piece(1), piece(2)])).toMatchObject({
      usage: 'partial',
      tokens: { input: 9, output: 2 },
      isWhole: false,
    });
    expect(streamed(chat, [piece(1), piece(2), '[DONE]'])).toMatchObject({
      usage: 'final',
      tokens: { input: 9, output: 2 },
      isWhole: true,
    });
  });

  it('embeddings are input alone', () => {
    const body = {
      object: 'list',
      model: 'text-embedding-3-small',
      data: [{ embedding: [1] }],
      usage: { prompt_tokens: 8, total_tokens: 8 },
    };
    expect(whole(chat, body)).toEqual({
      model: 'text-embedding-3-small',
      tokens: { input: 8, output: 0 },
      usage: 'final',
      isWhole: true,
    });
  });

  it('knows what a request asks', () => {
    const body = {
      model: 'm',
      n: 3,
      max_tokens: 5,
      max_completion_tokens: 100,
      tools: [{}, {}],
      web_search_options: {},
      messages: [{ role: 'user' }],
    };
    expect(chat.facts(body, '')).toEqual({
      model: 'm',
      maxOutput: 300,
      tools: 2,
      hostedTools: ['web_search'],
      continues: false,
    });
  });
});

describe('gemini', () => {
  const event = (usageMetadata: JsonObject, candidate: JsonObject = {}): JsonObject => ({
    candidates: [candidate],
    usageMetadata,
    modelVersion: 'gemini-y',
  });

  it('adds what tools put into the prompt, and what was thought', () => {
    const usage = {
      promptTokenCount: 10,
      toolUsePromptTokenCount: 4,
      candidatesTokenCount: 3,
      thoughtsTokenCount: 7,
      cachedContentTokenCount: 6,
    };
    const searched = { groundingMetadata: { webSearchQueries: ['a', 'b'] } };
    const events = [
      event({ promptTokenCount: 10 }, searched),
      event({ promptTokenCount: 10, candidatesTokenCount: 1 }),
      event(usage, { finishReason: 'STOP' }),
    ];
    const want = {
      model: 'gemini-y',
      usage: 'final',
      finish: 'stop',
      tokens: { input: 14, output: 10, cacheRead: 6, reasoning: 7, webSearches: 2 },
      isWhole: true,
    };
    expect(streamed(gemini, events)).toMatchObject(want);
    // Without `alt=sse` a stream is a list.
    expect(whole(gemini, events)).toMatchObject(want);
  });

  it('a prompt that is blocked has an end and no output', () => {
    const blocked = { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata: { promptTokenCount: 10 } };
    expect(streamed(gemini, [blocked])).toMatchObject({
      finish: 'content_filter',
      usage: 'final',
      tokens: { input: 10, output: 0 },
    });
  });

  it('a call ends like an answer, and is none', () => {
    const call = { content: { parts: [{ functionCall: { name: 'add' } }] }, finishReason: 'STOP' };
    for (const reading of [
      streamed(gemini, [event({ promptTokenCount: 1 }, call)]),
      whole(gemini, event({ promptTokenCount: 1 }, call)),
    ])
      expect(reading).toMatchObject({ finish: 'tool_calls', rawFinish: 'STOP' });
  });

  it('knows what a request asks', () => {
    const body = {
      generationConfig: { maxOutputTokens: 50, candidateCount: 2 },
      tools: [{ functionDeclarations: [{}, {}] }, { googleSearch: {} }],
      contents: [{ role: 'model' }],
    };
    expect(gemini.facts(body, '/v1beta/models/gemini-3-pro:generateContent')).toEqual({
      model: 'gemini-3-pro',
      maxOutput: 100,
      tools: 3,
      hostedTools: ['googleSearch'],
      continues: true,
    });
  });
});

it.each([
  ['POST', '/v1/messages', 'messages'],
  ['POST', '/messages', 'messages'],
  ['POST', '/responses', 'responses'],
  ['POST', '/responses/compact', 'responses'],
  ['POST', '/v1/chat/completions', 'chat'],
  ['POST', '/openai/deployments/my-gpt.5/chat/completions', 'chat'],
  ['POST', '/embeddings', 'chat'],
  ['POST', '/v1beta/models/gemini-3-pro:streamGenerateContent', 'gemini'],
  ['POST', '/v1beta/models/gemini-3-pro%3AgenerateContent', 'gemini'],
  ['POST', '/v1beta/models/gemini-3-pro:countTokens', 'free'],
  ['POST', '/v1/messages/count_tokens', 'free'],
  ['GET', '/models', 'free'],
  ['GET', '/v1/models/claude-x', 'free'],
  ['GET', '/v1/messages', undefined],
  ['POST', '/v1/models', undefined],
  ['POST', '/v1/messages/batches', undefined],
  ['POST', '/v1/files', undefined],
  ['POST', '/v1/threads/t/messages', undefined],
  ['POST', '/v1beta/models/a/b:generateContent', undefined],
  ['POST', 'messages', undefined],
])('%s %s is %s', (method, path, want) => {
  const api = apiOf(method, path);
  expect(typeof api === 'object' ? api.name : api).toBe(want);
});
