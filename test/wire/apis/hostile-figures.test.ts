import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/json/json.ts';
import type { Reading } from '../../../src/wire/apis/api.ts';
import { chat } from '../../../src/wire/apis/chat.ts';
import { gemini } from '../../../src/wire/apis/gemini.ts';
import { messages } from '../../../src/wire/apis/messages.ts';
import { responses } from '../../../src/wire/apis/responses.ts';
import type { ModelApi } from '../../../src/words/vocabulary.ts';

const apis = { chat, gemini, messages, responses };

/** A whole answer in which every count is the same. */
const answers: Record<ModelApi, (count: Json) => JsonObject> = {
  chat: (count) => ({
    choices: [{ finish_reason: 'stop' }],
    usage: {
      prompt_tokens: count,
      completion_tokens: count,
      total_tokens: count,
      prompt_tokens_details: { cached_tokens: count, cache_write_tokens: count },
      completion_tokens_details: { reasoning_tokens: count },
    },
  }),
  gemini: (count) => ({
    candidates: [{ finishReason: 'STOP' }],
    usageMetadata: {
      promptTokenCount: count,
      toolUsePromptTokenCount: count,
      candidatesTokenCount: count,
      thoughtsTokenCount: count,
      cachedContentTokenCount: count,
    },
  }),
  messages: (count) => ({
    type: 'message',
    stop_reason: 'end_turn',
    usage: {
      input_tokens: count,
      output_tokens: count,
      cache_read_input_tokens: count,
      cache_creation_input_tokens: count,
      cache_creation: { ephemeral_1h_input_tokens: count },
      server_tool_use: { web_search_requests: count },
    },
  }),
  responses: (count) => ({
    object: 'response',
    status: 'completed',
    usage: {
      input_tokens: count,
      output_tokens: count,
      input_tokens_details: { cached_tokens: count },
      output_tokens_details: { reasoning_tokens: count },
    },
  }),
};

function readingOf(api: ModelApi, count: Json): Reading {
  const meter = apis[api].meter();
  meter.body(answers[api](count));
  return meter.reading;
}

describe.each(['chat', 'gemini', 'messages', 'responses'] as const)('%s', (api) => {
  it.each([-1, 1.5, 1e14, Number.MAX_SAFE_INTEGER, 1e300, '5', null, true, [5], { count: 5 }])(
    'a count of %j is none',
    (count) => expect(readingOf(api, count)).toMatchObject({ tokens: {}, usage: 'unknown', isWhole: true }),
  );

  it('what may be a count is one', () => {
    const { tokens, usage } = readingOf(api, 7);
    expect({ usage, output: tokens.output }).toMatchObject({ usage: 'final', output: api === 'gemini' ? 14 : 7 });
  });
});

describe('the most that a request lets its model answer', () => {
  it.each([
    ['the higher of two limits, as servers differ in which they heed', { max_tokens: 9, max_completion_tokens: 5 }, 9],
    ['one limit, where the other is none', { max_tokens: 90, max_completion_tokens: null }, 90],
    ['answers of which the best is kept', { max_tokens: 10, n: 1, best_of: 7 }, 70],
    ['several prompts', { max_tokens: 10, n: 2, prompt: ['a', 'b', 'c'] }, 60],
    ['several prompts in tokens', { max_tokens: 10, prompt: [[1, 2], [3]] }, 20],
    ['one prompt in tokens', { max_tokens: 10, prompt: [1, 2, 3] }, 10],
    ['a number of answers that is none', { max_tokens: 10, n: -4, best_of: 0.5 }, 10],
    ['no limit', { n: 2, max_tokens: '10' }, undefined],
  ])('chat: %s', (_name, body, want) => expect(chat.facts(body, '').maxOutput).toBe(want));

  it.each([
    ['names with underscores', { generation_config: { max_output_tokens: 10, candidate_count: 3 } }, 30],
    ['both spellings', { generationConfig: { maxOutputTokens: 1, max_output_tokens: 10 } }, 10],
    ['both objects', { generation_config: { max_output_tokens: 10 }, generationConfig: { maxOutputTokens: 1 } }, 10],
  ])('gemini: %s', (_name, body, want) => expect(gemini.facts(body, '').maxOutput).toBe(want));
});

it('gemini: functions in either spelling are tools of the agent', () => {
  const tools = [{ function_declarations: [{}, {}] }, { functionDeclarations: [{}], google_search: {} }];
  expect(gemini.facts({ tools }, '')).toMatchObject({ tools: 4, hostedTools: ['google_search'] });
});
