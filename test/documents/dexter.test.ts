import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/json/json.ts';
import { JsonResponse, ToolRecord } from '../../src/dialects/dexter/wire.ts';
import type { AgentEvent } from '../../src/events/event.ts';
import { jsonl, only, readLines, readText, rewrite, writeEvents } from '../support/wire.ts';

const success: JsonObject = {
  status: 'success',
  query: 'How deep is the lake?',
  answer: 'About 40 metres.',
  tools: [{ name: 'web_search', args: { query: 'depth of the lake' }, result: '{"data":{"depth":40}}' }],
  scratchpadFile: '.dexter/scratchpad/2026-02-22-101500_ab12cd34ef56.jsonl',
  metadata: {
    model: 'some-model',
    iterations: 2,
    totalTimeMs: 8123,
    tokenUsage: { inputTokens: 4100, outputTokens: 350, totalTokens: 4450 },
  },
};
const failure: JsonObject = {
  status: 'error',
  query: 'How deep is the lake?',
  answer: '',
  tools: [],
  scratchpadFile: '.dexter/scratchpad/2026-02-22-101500_ab12cd34ef56.jsonl',
  metadata: { model: 'some-model', iterations: 1, totalTimeMs: 90 },
  error: { code: 'PROVIDER_ERROR', message: 'HTTP 503: overloaded' },
};

const fits = (wire: JsonObject): boolean => JsonResponse.safeParse(wire).success;
const without = (wire: JsonObject, key: string): JsonObject =>
  Object.fromEntries(Object.entries(wire).filter(([each]) => each !== key));
const withMetadata = (more: JsonObject): JsonObject => ({
  ...success,
  metadata: { ...(success.metadata as JsonObject), ...more },
});
const writeBack = (wire: JsonObject): JsonObject | undefined => rewrite(jsonl([wire]), 'dexter', 'dexter').lines[0];

const started: AgentEvent = { type: 'thread.started', task: 'Do it', model: 'm-1', session_id: 'run-7' };
const turn: AgentEvent = { type: 'turn.started', turn_id: 'turn_1', iteration: 1 };
const said = (text: string): AgentEvent => ({
  type: 'text.completed',
  turn_id: 'turn_1',
  message_id: 'm',
  block_id: 'b',
  text,
});
const failed = (
  code: NonNullable<Extract<AgentEvent, { type: 'agent.finished' }>['code']>,
  message: string,
): AgentEvent => ({
  type: 'agent.finished',
  status: 'failed',
  code,
  message,
});
const ok: AgentEvent = { type: 'agent.finished', status: 'ok', duration_ms: 12.4 };

const item = (id: string, args: Json, output: Json): AgentEvent[] => [
  { type: 'item.started', item_id: id, turn_id: 'turn_1', kind: 'tool_call', name: `tool_${id}`, args },
  { type: 'item.completed', item_id: id, status: 'success', output },
];
const usageIn = (more: { input_tokens?: number; output_tokens?: number }): JsonObject | undefined =>
  writeEvents([started, turn, said('Yes.'), { type: 'usage.reported', scope: 'step', ...more }, ok], 'dexter').lines[0];

describe('JsonResponse (Output)', () => {
  it('is one object on one line', () => {
    const { text, lines } = writeEvents([started, turn, said('Two\nlines.'), ok], 'dexter');
    expect(text.trimEnd()).not.toContain('\n');
    expect(lines).toEqual([
      {
        status: 'success',
        query: 'Do it',
        answer: 'Two\nlines.',
        tools: [],
        scratchpadFile: '.dexter/scratchpad/run-7.jsonl',
        metadata: { model: 'm-1', iterations: 1, totalTimeMs: 12 },
      },
    ]);
  });

  it.each(['status', 'query', 'answer', 'tools', 'scratchpadFile', 'metadata'])('requires %s', (field) => {
    expect(fits(success)).toBe(true);
    expect(fits(without(success, field))).toBe(false);
  });

  it('is read whole', () => {
    const { events, outcome } = readLines([success]);
    expect(events.slice(0, -1)).toEqual([
      {
        type: 'thread.started',
        agent: 'dexter',
        task: 'How deep is the lake?',
        model: 'some-model',
        session_id: '2026-02-22-101500_ab12cd34ef56',
      },
      { type: 'turn.started', turn_id: 'turn_1', iteration: 1 },
      {
        type: 'item.started',
        item_id: 'call_1',
        turn_id: 'turn_1',
        kind: 'web',
        name: 'web_search',
        args: { query: 'depth of the lake' },
      },
      { type: 'item.completed', item_id: 'call_1', status: 'success', output: '{"data":{"depth":40}}' },
      { type: 'turn.completed', turn_id: 'turn_1', iteration: 1, tool_call_count: 1, has_final_report: false },
      { type: 'turn.started', turn_id: 'turn_2', iteration: 2 },
      { type: 'text.delta', turn_id: 'turn_2', message_id: 'answer', block_id: 'block_1', text: 'About 40 metres.' },
      {
        type: 'text.completed',
        turn_id: 'turn_2',
        message_id: 'answer',
        block_id: 'block_1',
        text: 'About 40 metres.',
      },
      {
        type: 'usage.reported',
        scope: 'thread',
        model: 'some-model',
        input_tokens: 4100,
        output_tokens: 350,
        cache_is: 'unknown',
      },
      { type: 'agent.finished', status: 'ok', raw_status: 'success', duration_ms: 8123 },
      { type: 'turn.completed', turn_id: 'turn_2', iteration: 2, tool_call_count: 0, has_final_report: false },
    ]);
    expect(outcome).toMatchObject({
      status: 'success',
      message: 'About 40 metres.',
      metrics: { turns: 2, duration_ms: 8123, tokens_used: 4450 },
    });
  });

  it('is written back as it was read', () => {
    expect(writeBack(success)).toEqual(success);
    expect(writeBack(failure)).toEqual(failure);
  });

  it('may be spread over several lines', () => {
    expect(readText(JSON.stringify(success, null, 2)).outcome.message).toBe('About 40 metres.');
  });

  it('has an empty answer and no tools on error', () => {
    const [line] = writeEvents(
      [
        started,
        turn,
        said('I begin.'),
        { type: 'item.started', item_id: 'i1', turn_id: 'turn_1', kind: 'command', name: 'bash', args: {} },
        { type: 'item.completed', item_id: 'i1', status: 'success', output: 'x' },
        failed('server', 'HTTP 500'),
      ],
      'dexter',
    ).lines;
    expect(line).toMatchObject({
      status: 'error',
      answer: '',
      tools: [],
      error: { code: 'PROVIDER_ERROR', message: 'HTTP 500' },
    });
  });
});

describe('ToolRecord (Nested)', () => {
  const record: JsonObject = { name: 'financial_search', args: { query: 'x' }, result: '[]' };

  it.each(['name', 'args', 'result'])('requires %s', (field) => {
    expect(ToolRecord.safeParse(record).success).toBe(true);
    expect(ToolRecord.safeParse(without(record, field)).success).toBe(false);
  });

  it('has arguments that are an object and a result that is text', () => {
    expect(ToolRecord.safeParse({ ...record, args: 'x' }).success).toBe(false);
    expect(ToolRecord.safeParse({ ...record, result: { a: 1 } }).success).toBe(false);
  });

  it('is written for every call, whatever its input and output', () => {
    const { lines, losses } = writeEvents(
      [started, turn, ...item('a', { n: 1 }, { deep: [1] }), ...item('b', 'text', 'plain'), said('Done.'), ok],
      'dexter',
    );
    expect(lines[0]?.tools).toEqual([
      { name: 'tool_a', args: { n: 1 }, result: '{"deep":[1]}' },
      { name: 'tool_b', args: { value: 'text' }, result: 'plain' },
    ]);
    expect(losses).toEqual(['tool_args']);
  });

  it('tells a failure by the first word of its result', () => {
    const { lines } = writeEvents(
      [
        started,
        turn,
        { type: 'item.started', item_id: 'a', turn_id: 'turn_1', kind: 'tool_call', name: 'lookup', args: {} },
        { type: 'item.completed', item_id: 'a', status: 'error', error: 'no such ticker' },
        said('There is none.'),
        ok,
      ],
      'dexter',
    );
    expect(lines[0]?.tools).toEqual([{ name: 'lookup', args: {}, result: 'Error: no such ticker' }]);
    expect(readLines(lines).outcome.tool_calls).toEqual([
      { name: 'lookup', inputs: {}, outputs: 'no such ticker', status: 'error' },
    ]);
  });
});

describe('ResponseMetadata (Nested)', () => {
  it.each(['model', 'iterations', 'totalTimeMs'])('requires %s', (field) => {
    expect(fits({ ...success, metadata: without(success.metadata as JsonObject, field) })).toBe(false);
  });

  it('may lack tokenUsage', () => {
    const bare = { ...success, metadata: without(success.metadata as JsonObject, 'tokenUsage') };
    expect(fits(bare)).toBe(true);
    expect(readLines([bare]).outcome.metrics.tokens_used).toBeUndefined();
  });
});

describe('TokenUsage (Nested)', () => {
  it.each(['inputTokens', 'outputTokens', 'totalTokens'])('requires %s', (field) => {
    const usage: JsonObject = { inputTokens: 1, outputTokens: 2, totalTokens: 3 };
    expect(fits(withMetadata({ tokenUsage: usage }))).toBe(true);
    expect(fits(withMetadata({ tokenUsage: without(usage, field) }))).toBe(false);
  });

  it('is written as the sum of input and output, and only when both are known', () => {
    expect(usageIn({ input_tokens: 7, output_tokens: 5 })).toMatchObject({
      metadata: { tokenUsage: { inputTokens: 7, outputTokens: 5, totalTokens: 12 } },
    });
    expect(usageIn({ input_tokens: 7 })).not.toHaveProperty('metadata.tokenUsage');
  });

  it('need not be the sum when it is read', () => {
    expect(fits(withMetadata({ tokenUsage: { inputTokens: 1, outputTokens: 2, totalTokens: 9 } }))).toBe(true);
  });
});

describe('ErrorDetail (Nested)', () => {
  it.each(['code', 'message'])('requires %s', (field) => {
    expect(fits(failure)).toBe(true);
    expect(fits({ ...failure, error: without(failure.error as JsonObject, field) })).toBe(false);
  });
});

describe('Error Codes', () => {
  it.each([
    ['NO_QUERY', 'No query given', 'input'],
    ['AGENT_ERROR', 'Reached maximum iterations (10).', 'turn_limit'],
    ['AGENT_ERROR', 'something broke', 'tool'],
    ['PROVIDER_ERROR', 'nobody knows', 'provider'],
    ['CONFIG_ERROR', 'OPENAI_API_KEY is not set', 'config'],
    ['UNKNOWN_ERROR', 'something else', 'incomplete'],
    ['A_CODE_OF_TOMORROW', 'something else', 'incomplete'],
  ])('%s (%s) is read as %s', (code, message, verdict) => {
    expect(readLines([{ ...failure, error: { code, message } }]).outcome.verdict.class).toBe(verdict);
  });

  const classes: [string, AgentEvent, string, string][] = [
    ['config', failed('config', 'no key'), 'CONFIG_ERROR', 'no key'],
    ['provider', failed('auth', 'HTTP 401'), 'PROVIDER_ERROR', 'HTTP 401'],
    ['incomplete', failed('unknown', 'it just ended'), 'UNKNOWN_ERROR', 'it just ended'],
    ['input', failed('input', 'odd flag'), 'CONFIG_ERROR', 'Bad input: odd flag'],
    ['tool', failed('tool', 'exit 3'), 'AGENT_ERROR', 'Tool failed: exit 3'],
    ['turn_limit', failed('turn_limit', 'turn limit of 3'), 'AGENT_ERROR', 'turn limit of 3'],
    ['cost_limit', failed('cost_limit', 'spent it all'), 'AGENT_ERROR', 'Cost limit reached: spent it all'],
    ['time_limit', failed('time_limit', 'too slow'), 'AGENT_ERROR', 'Time limit reached: too slow'],
    ['permission', failed('permission', 'not you'), 'AGENT_ERROR', 'Permission denied: not you'],
  ];
  it.each(classes)('a run of class %s is written with its code and read back', (verdict, end, code, message) => {
    const { lines } = writeEvents([started, turn, end], 'dexter');
    expect(lines[0]).toMatchObject({ status: 'error', error: { code, message } });
    expect(readLines(lines).outcome.verdict.class).toBe(verdict);
  });

  it('NO_QUERY is for a missing query alone', () => {
    const { lines } = writeEvents([{ type: 'thread.started' }, failed('input', 'No query given')], 'dexter');
    expect(lines).toEqual([
      {
        status: 'error',
        query: '',
        answer: '',
        tools: [],
        scratchpadFile: '.dexter/scratchpad/thread-1.jsonl',
        metadata: { model: '', iterations: 0, totalTimeMs: 1 },
        error: { code: 'NO_QUERY', message: 'No query given' },
      },
    ]);
    expect(fits(lines[0] ?? {})).toBe(true);
    const { lines: other } = writeEvents(
      [{ type: 'thread.started' }, failed('input', '--model needs a value')],
      'dexter',
    );
    expect(other[0]).toMatchObject({
      query: '(unknown)',
      error: { code: 'CONFIG_ERROR', message: 'Bad input: --model needs a value' },
    });
    expect(fits(other[0] ?? {})).toBe(true);
  });
});

describe('Validation Rules', () => {
  it('status must be exactly "success" or "error"', () => {
    for (const status of ['Success', 'ok', '', null, true]) expect(fits({ ...success, status })).toBe(false);
  });

  it('query must be a string; it is empty only where no query was given', () => {
    for (const query of [7, '']) expect(fits({ ...success, query })).toBe(false);
    expect(fits({ ...failure, query: '' })).toBe(false);
    expect(fits({ ...failure, query: '', error: { code: 'NO_QUERY', message: 'No query given' } })).toBe(true);
  });

  it('answer must be a string; empty is valid for error responses', () => {
    expect(fits({ ...failure, answer: '' })).toBe(true);
    expect(fits({ ...success, answer: null })).toBe(false);
  });

  it('tools must be an array (can be empty)', () => {
    expect(fits({ ...success, tools: [] })).toBe(true);
    expect(fits({ ...success, tools: {} })).toBe(false);
  });

  it('scratchpadFile must be a relative path starting with .dexter/scratchpad/', () => {
    for (const path of [
      '',
      '/home/user/.dexter/scratchpad/x.jsonl',
      'scratchpad/x.jsonl',
      '.dexter/x.jsonl',
      '.dexter/scratchpad/../../x',
      '.dexter/scratchpad/',
    ])
      for (const response of [success, failure]) expect(fits({ ...response, scratchpadFile: path })).toBe(false);
  });

  it('scratchpadFile is safe whatever the session is called', () => {
    const { lines, losses } = writeEvents(
      [{ ...started, session_id: '../a b/c' } as AgentEvent, turn, said('Yes.'), ok],
      'dexter',
    );
    expect(lines[0]?.scratchpadFile).toBe('.dexter/scratchpad/.._a_b_c.jsonl');
    expect(fits(lines[0] ?? {})).toBe(true);
    expect(losses).toEqual(['session']);
  });

  it('error must be present when status is "error" and absent when status is "success"', () => {
    expect(fits(without(failure, 'error'))).toBe(false);
    expect(fits({ ...success, error: { code: 'AGENT_ERROR', message: 'x' } })).toBe(false);
  });

  it('a success with an error is not believed', () => {
    expect(readLines([{ ...success, error: { code: 'AGENT_ERROR', message: 'x' } }]).outcome.verdict.class).toBe(
      'tool',
    );
    expect(readLines([{ ...success, status: 'succezz' }], 'dexter').outcome.verdict.class).toBe('incomplete');
  });

  it('metadata.totalTimeMs must be a positive integer', () => {
    for (const totalTimeMs of [0, -1, 1.5, '9']) expect(fits(withMetadata({ totalTimeMs }))).toBe(false);
    expect(fits(withMetadata({ totalTimeMs: 1 }))).toBe(true);
  });

  it('metadata.iterations must be a non-negative integer', () => {
    for (const iterations of [-1, 0.5, '2', null]) expect(fits(withMetadata({ iterations }))).toBe(false);
    expect(fits(withMetadata({ iterations: 0 }))).toBe(true);
  });
});

describe('Relationships', () => {
  it('holds any number of tools, one metadata, at most one usage and one error', () => {
    const tool: JsonObject = { name: 'a', args: {}, result: '' };
    expect(fits({ ...success, tools: [tool, tool, tool] })).toBe(true);
    expect(fits({ ...success, metadata: [success.metadata as Json] })).toBe(false);
    expect(fits({ ...failure, error: [failure.error as Json] })).toBe(false);
  });
});

describe('State Transitions', () => {
  it('BUILD_RESPONSE maps the done event of a real run', () => {
    const { lines } = rewrite(
      jsonl([
        { type: 'stream_progress', charDelta: 0, mode: 'requesting' },
        { type: 'tool_start', tool: 'read_file', args: { path: 'a.txt' }, toolCallId: 'c1' },
        {
          type: 'tool_end',
          tool: 'read_file',
          args: { path: 'a.txt' },
          result: '{"data":{}}',
          duration: 4,
          toolCallId: 'c1',
        },
        { type: 'stream_progress', charDelta: 0, mode: 'requesting' },
        { type: 'stream_progress', charDelta: 4, mode: 'responding' },
        {
          type: 'done',
          answer: 'Red.',
          toolCalls: [{ tool: 'read_file', args: { path: 'a.txt' }, result: '{"data":{}}' }],
          iterations: 2,
          totalTime: 912.6,
          tokenUsage: { inputTokens: 50, outputTokens: 4, totalTokens: 54 },
        },
      ]),
      'dexter',
      'dexter',
    );
    expect(lines).toEqual([
      {
        status: 'success',
        query: '(unknown)',
        answer: 'Red.',
        tools: [{ name: 'read_file', args: { path: 'a.txt' }, result: '{"data":{}}' }],
        scratchpadFile: '.dexter/scratchpad/thread-1.jsonl',
        metadata: {
          model: '',
          iterations: 2,
          totalTimeMs: 913,
          tokenUsage: { inputTokens: 50, outputTokens: 4, totalTokens: 54 },
        },
      },
    ]);
  });

  it('EXIT: code 1 of a failed query does not contradict its response', () => {
    const process = { exit_code: 1, signal: null };
    expect(readLines([failure], 'dexter', { process }).outcome.verdict).toMatchObject({
      class: 'provider',
      code: 'server',
    });
    expect(only(readLines([failure]), 'agent.finished')).toEqual([
      {
        type: 'agent.finished',
        status: 'failed',
        code: 'server',
        raw_status: 'PROVIDER_ERROR',
        message: 'HTTP 503: overloaded',
        duration_ms: 90,
      },
    ]);
  });
});
