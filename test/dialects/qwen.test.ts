import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../src/dialects/dialect.ts';
import type { Json, JsonObject } from '../../src/json/json.ts';
import { codex } from '../../src/dialects/codex/index.ts';
import { qwen } from '../../src/dialects/qwen/index.ts';
import { dialects, findWriter } from '../../src/dialects/registry.ts';
import type { AgentEvent } from '../../src/events/event.ts';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import { Framer } from '../../src/pipeline/framer.ts';
import { Reader } from '../../src/pipeline/reader.ts';
import type { ProcessEnd } from '../../src/pipeline/thread.ts';
import { Writer } from '../../src/pipeline/writer.ts';
import { expected as qwenJson } from '../across/expected/qwen-json.ts';
import { expected as qwenPartial } from '../across/expected/qwen-partial.ts';
import { expected as qwenLines } from '../across/expected/qwen.ts';
import { allRecordings, loadRecording, withOneLong } from '../support/recordings.ts';
import { eventOf } from '../support/records.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const exited = (code: number): ProcessEnd => ({ exit_code: code, signal: null });

interface Read {
  events: AgentEvent[];
  outcome: RunOutcome;
}

function read(lines: readonly JsonObject[] | string, end: { stderr?: string; process?: ProcessEnd } = {}): Read {
  const events: AgentEvent[] = [];
  const reader = new Reader({ dialect: qwen, onRecord: (record) => void events.push(eventOf(record)) });
  reader.stdout(bytes(typeof lines === 'string' ? lines : lines.map((line) => `${JSON.stringify(line)}\n`).join('')));
  reader.stderr(bytes(end.stderr ?? ''));
  return { events, outcome: reader.end(end.process) };
}

function write(
  stdout: Uint8Array,
  to: string,
  process?: ProcessEnd,
  from: Dialect = qwen,
): { text: string; losses: string[]; outcome: RunOutcome } {
  const { dialect, variant } = findWriter(to);
  const writer = new Writer(dialect, variant);
  const reader = new Reader({ dialect: from, newId: () => 'thread-1', onRecord: (record) => writer.record(record) });
  reader.stdout(stdout);
  const outcome = reader.end(process);
  writer.end(outcome);
  return { text: writer.take(), losses: [...writer.losses.keys()], outcome };
}

function objectsIn(stdout: Uint8Array): JsonObject[] {
  const found: JsonObject[] = [];
  const framer = new Framer({ value: (wire) => void found.push(wire), text: () => {}, note: () => {} });
  framer.push(stdout);
  framer.end();
  return found;
}

const of = (events: readonly AgentEvent[], ...types: AgentEvent['type'][]): AgentEvent[] =>
  events.filter((event) => types.includes(event.type));

let lineCount = 0;
const envelope = () => ({ uuid: `u-${++lineCount}`, session_id: 's-1', parent_tool_use_id: null as string | null });
const init: JsonObject = {
  type: 'system',
  subtype: 'init',
  uuid: 's-1',
  session_id: 's-1',
  cwd: '/w',
  tools: [],
  mcp_servers: [],
  model: 'qwen-x',
  permission_mode: 'yolo',
  slash_commands: [],
  qwen_code_version: '0.22.0',
  agents: [],
};
const spent = { input_tokens: 100, output_tokens: 10, cache_read_input_tokens: 40, total_tokens: 110 };
const nothing = { input_tokens: 0, output_tokens: 0 };

function assistant(id: string, content: JsonObject[], more: { usage?: JsonObject; parent?: string } = {}): JsonObject {
  const message = {
    id,
    type: 'message',
    role: 'assistant',
    model: 'qwen-x',
    content,
    stop_reason: null,
    usage: more.usage ?? nothing,
  };
  return { type: 'assistant', ...envelope(), uuid: id, parent_tool_use_id: more.parent ?? null, message };
}
const says = (id: string, text: string, usage: JsonObject = nothing): JsonObject =>
  assistant(id, [{ type: 'text', text }], { usage });
const calls = (id: string, tool: string, name: string, input: JsonObject = {}, parent?: string): JsonObject =>
  assistant(id, [{ type: 'tool_use', id: tool, name, input }], parent === undefined ? {} : { parent });
const answers = (tool: string, content: string, isError = false, parent: string | null = null): JsonObject => ({
  type: 'user',
  ...envelope(),
  parent_tool_use_id: parent,
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: tool, is_error: isError, content }] },
});
const system = (subtype: string, data: JsonObject): JsonObject => ({ type: 'system', subtype, ...envelope(), data });
const streams = (event: JsonObject, parent: string | null = null): JsonObject => ({
  type: 'stream_event',
  ...envelope(),
  parent_tool_use_id: parent,
  event,
});
const delta = (text: string, parent: string | null = null): JsonObject =>
  streams({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }, parent);
const measured = { duration_ms: 50, duration_api_ms: 40, num_turns: 1 };
const succeeds = (result: string, more: JsonObject = {}): JsonObject => ({
  type: 'result',
  subtype: 'success',
  uuid: 'r-1',
  session_id: 's-1',
  is_error: false,
  ...measured,
  result,
  usage: spent,
  permission_denials: [],
  ...more,
});
const fails = (message: string, more: JsonObject = {}): JsonObject => ({
  type: 'result',
  subtype: 'error_during_execution',
  uuid: 'r-1',
  session_id: 's-1',
  is_error: true,
  ...measured,
  usage: nothing,
  permission_denials: [],
  error: { message },
  ...more,
});
const retry = (data: JsonObject): JsonObject => system('retry', { reason: 'retry', discardedToolCalls: 0, ...data });

const turnsOf = (...lines: JsonObject[]): number => read([init, ...lines]).outcome.metrics.turns;
const ask = (id: string): JsonObject => ({
  type: 'control_request',
  request_id: id,
  request: { subtype: 'can_use_tool', tool_name: 'edit', tool_use_id: 't', input: {} },
});
const reply = (id: string, response: JsonObject): JsonObject => ({
  type: 'control_response',
  response: { subtype: 'success', request_id: id, response },
});
const user = (text: string): JsonObject => ({ type: 'user', ...envelope(), message: { role: 'user', content: text } });
const old = (response: string, model: string): JsonObject => ({
  response,
  stats: { models: { [model]: { tokens: { prompt: 10, candidates: 2, total: 15, cached: 1, thoughts: 3 } } } },
});
const kept = ({ message, tool_calls, artifacts, metrics, verdict }: RunOutcome) => ({
  message,
  tool_calls,
  artifacts,
  tokens: [metrics.input_tokens, metrics.output_tokens, metrics.cache_read_tokens, metrics.reasoning_tokens],
  class: verdict.class,
});

describe('a plain run', () => {
  it('is one turn with its text, usage and claim', () => {
    const { events } = read([init, says('a-1', 'Hello.', spent), succeeds('Hello.')]);
    const place = { turn_id: 'turn_1', message_id: 'a-1', block_id: 'block_1', text: 'Hello.' };
    expect(events.slice(0, -1)).toEqual([
      { type: 'thread.started', agent: 'qwen', agent_version: '0.22.0', model: 'qwen-x', session_id: 's-1', cwd: '/w' },
      { type: 'turn.started', turn_id: 'turn_1', iteration: 1, model: 'qwen-x' },
      { type: 'text.delta', ...place },
      { type: 'text.completed', ...place },
      {
        type: 'usage.reported',
        scope: 'step',
        model: 'qwen-x',
        input_tokens: 100,
        output_tokens: 10,
        cache_read_tokens: 40,
      },
      {
        type: 'turn.completed',
        turn_id: 'turn_1',
        iteration: 1,
        tool_call_count: 0,
        has_final_report: false,
        finish_reason: 'stop',
      },
      {
        type: 'usage.reported',
        scope: 'thread',
        whole_session: true,
        input_tokens: 100,
        output_tokens: 10,
        cache_read_tokens: 40,
      },
      { type: 'agent.finished', status: 'ok', raw_status: 'success', duration_ms: 50 },
    ]);
  });

  it('calls its first line by either name', () => {
    const start = system('session_start', { session_id: 's-1', cwd: '/w', version: '0.23.0' });
    expect(read([start]).events[0]).toEqual({
      type: 'thread.started',
      agent: 'qwen',
      agent_version: '0.23.0',
      session_id: 's-1',
      cwd: '/w',
    });
  });

  it('splits answers into turns where the wire shows it', () => {
    expect(
      turnsOf(assistant('a', [{ type: 'thinking', thinking: 'hm' }]), says('b', 'x'), calls('c', 't', 'glob')),
    ).toBe(1);
    expect(turnsOf(says('a', 'x'), calls('b', 't', 'glob'), answers('t', ''), says('c', 'y'))).toBe(2);
    expect(turnsOf(says('a', 'x', spent), assistant('b', [{ type: 'thinking', thinking: 'hm' }]))).toBe(2);
    expect(turnsOf(says('a', 'x'), says('b', 'y'))).toBe(2);
  });

  it('takes the answer from the result when no line told it', () => {
    const structured = succeeds('{"n":7}', { structured_result: { n: 7 } });
    const { outcome } = read([init, calls('a', 't', 'structured_output', { n: 7 }), answers('t', 'ok'), structured], {
      process: exited(0),
    });
    expect([outcome.message, outcome.verdict.class]).toEqual(['{"n":7}', 'success']);
  });

  it('counts thoughts that only the total holds', () => {
    const usage = { input_tokens: 100, output_tokens: 10, total_tokens: 150 };
    const { metrics } = read([init, says('a', 'x', usage), succeeds('x', { usage })]).outcome;
    expect([metrics.input_tokens, metrics.output_tokens]).toEqual([100, 50]);
  });

  it('reads the models of json mode, thoughts counted apart or within', () => {
    const tokens = { prompt: 100, candidates: 30, cached: 5, thoughts: 20 };
    const models = { one: { tokens: { ...tokens, total: 130 } }, two: { tokens: { ...tokens, total: 150 } } };
    const { events, outcome } = read([init, says('a', 'x', spent), succeeds('x', { stats: { models } })]);
    const shared = {
      type: 'usage.reported',
      scope: 'thread',
      whole_session: true,
      input_tokens: 100,
      reasoning_tokens: 20,
      cache_read_tokens: 5,
    };
    expect(of(events, 'usage.reported').slice(1)).toEqual([
      { ...shared, model: 'one', output_tokens: 30 },
      { ...shared, model: 'two', output_tokens: 50 },
    ]);
    expect(outcome.metrics).toMatchObject({
      input_tokens: 200,
      output_tokens: 80,
      reasoning_tokens: 40,
      cache_read_tokens: 10,
    });
  });
});

describe('the claim', () => {
  const verdictOf = (...lines: JsonObject[]): string =>
    read([init, ...lines], { process: exited(0) }).outcome.verdict.class;

  it.each([
    ['success in its own words', [succeeds('x')], 'success'],
    [
      'an API error that an older version called success',
      [says('b', '[API Error: 500 x]'), succeeds('[API Error: 500 x]')],
      'provider',
    ],
    [
      'the same, glued to a text',
      [says('b', 'I wi[API Error: 500 x]'), succeeds('I wi[API Error: 500 x]')],
      'provider',
    ],
    ['success with an error flag', [succeeds('x', { is_error: true })], 'incomplete'],
    ['success without the flag', [{ ...succeeds('x'), is_error: null }], 'incomplete'],
    ['a word we do not know', [succeeds('x', { subtype: 'succes' })], 'incomplete'],
    ['success without a text', [{ ...succeeds('x'), result: null }], 'incomplete'],
    ['an error', [fails('[API Error: 401 Incorrect API key provided]')], 'provider'],
    ['an interruption', [fails('Operation cancelled.')], 'cancelled'],
    ['a typed turn limit', [fails('enough', { subtype: 'error_max_turns' })], 'turn_limit'],
    ['the tool budget', [fails('Run aborted: tool-call budget of 3 exceeded (--max-tool-calls).')], 'turn_limit'],
    ['the time budget', [fails('Run aborted: wall-clock budget of 5s exceeded (--max-wall-time).')], 'time_limit'],
    [
      'an empty answer of the model',
      [fails('[API Error: Model stream ended with empty response text.]')],
      'incomplete',
    ],
    ['a second prompt without a result', [succeeds('x'), init, says('b', 'more')], 'incomplete'],
    ['a second prompt with its result', [succeeds('x'), init, says('b', 'more'), succeeds('more')], 'success'],
  ])('%s', (_title, lines, verdict) => {
    expect(verdictOf(says('a', 'x'), ...lines)).toBe(verdict);
  });

  it('is not that of a failing sub-agent', () => {
    const failed = fails('[API Error: 500 x]', { duration_ms: 0, duration_api_ms: 0 });
    const { events, outcome } = read(
      [
        init,
        calls('a', 't', 'agent'),
        failed,
        answers('t', 'it failed', true),
        says('b', 'Done alone.'),
        succeeds('Done alone.'),
      ],
      { process: exited(0) },
    );
    expect(of(events, 'error', 'agent.finished')).toEqual([
      { type: 'error', scope: 'subagent', code: 'server', message: '500 x', fatal: false },
      { type: 'agent.finished', status: 'ok', raw_status: 'success', duration_ms: 50 },
    ]);
    expect(outcome.verdict.class).toBe('success');
  });

  it.each([
    ['exit 53', 'Reached max session turns for this session. Increase the number of turns.\n', 53, 'turn_limit'],
    ['exit 55, time', 'Run aborted: wall-clock budget of 5s exceeded (--max-wall-time).\n', 55, 'time_limit'],
    ['exit 55, tools', 'Run aborted: tool-call budget of 3 exceeded (--max-tool-calls).\n', 55, 'turn_limit'],
    ['exit 55, silent', '', 55, 'time_limit'],
    ['exit 41', 'Please set an auth type.\n', 41, 'config'],
    ['exit 42', 'odd input\n', 42, 'input'],
    ['exit 44', 'no sandbox\n', 44, 'config'],
    ['exit 52', 'bad settings\n', 52, 'config'],
    ['exit 130', 'Operation cancelled.\n', 130, 'cancelled'],
    ['exit 130, silent', '', 130, 'cancelled'],
    [
      'exit 53 as JSON',
      '{\n  "error": {\n "type": "FatalTurnLimitedError", "message": "Reached max session turns", "code": 53 }\n}\n',
      53,
      'turn_limit',
    ],
    [
      'exit 41 as JSON',
      '{\n"error": {"type": "FatalAuthenticationError", "message": "no", "code": 41}\n}\n',
      41,
      'config',
    ],
    [
      'a thrown error as JSON',
      '{\n"error": {"type": "Error", "message": "429 rate limit", "code": 429}\n}\n',
      173,
      'provider',
    ],
    ['an empty prompt', 'No input provided via stdin. Input can be provided by piping data.\n', 1, 'input'],
  ])('is missing: %s', (_title, stderr, code, verdict) => {
    expect(
      read([init, calls('a', 't', 'glob'), answers('t', 'x')], { stderr, process: exited(code) }).outcome.verdict.class,
    ).toBe(verdict);
  });

  it('is told once though stderr repeats it', () => {
    const message = 'Run aborted: wall-clock budget of 5s exceeded (--max-wall-time).';
    const { events } = read([init, fails(message)], { stderr: `${message}\n`, process: exited(55) });
    expect(of(events, 'limit.reached', 'agent.finished', 'error')).toEqual([
      { type: 'limit.reached', limit: 'time', message },
      {
        type: 'agent.finished',
        status: 'failed',
        code: 'time_limit',
        message,
        raw_status: 'error_during_execution',
        duration_ms: 50,
      },
    ]);
  });
});

describe('retries', () => {
  const piece = 'Once there was a fo';
  const whole = 'Once there was a fox who napped.';

  it('carry their numbers', () => {
    const { events } = read([init, retry({ attempt: 2, maxRetries: 10, delayMs: 120_000, preserveText: false })]);
    expect(of(events, 'retry.scheduled')).toEqual([
      { type: 'retry.scheduled', cause: 'retry', attempt: 2, max_attempts: 10, delay_ms: 120_000 },
    ]);
  });

  it.each([
    ['one', [piece], [piece, whole]],
    ['three of different length', [piece, 'Once there', piece], [piece, 'Once there', piece, whole]],
  ])('that keep what was delivered do not double the message: %s', (_title, pieces, texts) => {
    const text = [...pieces, whole].join('');
    const { events, outcome } = read([
      init,
      ...pieces.map(() => retry({ preserveText: true })),
      says('a', text, spent),
      succeeds(text),
    ]);
    expect(of(events, 'text.completed').map((event) => ('text' in event ? event.text : ''))).toEqual(texts);
    expect(outcome.message).toBe(whole);
  });

  it.each([
    ['no retry was told', [says('a', piece + whole, spent), succeeds(piece + whole)], piece + whole],
    [
      'the second attempt is worded anew',
      [retry({ preserveText: true }), says('a', `${piece}A cat slept.`, spent)],
      `${piece}A cat slept.`,
    ],
    ['nothing was delivered before', [retry({ preserveText: false }), says('a', piece + whole, spent)], piece + whole],
  ])('leave a text alone when %s', (_title, lines, message) => {
    expect(read([init, ...lines]).outcome.message).toBe(message);
  });

  it('are exact where deltas show the joint', () => {
    const start = streams({
      type: 'message_start',
      message: { id: 'm', role: 'assistant', model: 'qwen-x', content: [] },
    });
    const lines = [
      init,
      start,
      streams({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      delta('A fox '),
      retry({ preserveText: true }),
      delta('Two '),
      delta('cats.'),
      streams({ type: 'content_block_stop', index: 0 }),
      says('m', 'A fox Two cats.', spent),
      streams({ type: 'message_stop' }),
      succeeds('A fox Two cats.'),
    ];
    const { events, outcome } = read(lines);
    expect(outcome.message).toBe('Two cats.');
    expect(of(events, 'text.delta', 'text.completed')).toEqual([
      { type: 'text.delta', turn_id: 'turn_1', message_id: 'turn_1', block_id: 'block_1', text: 'A fox ' },
      { type: 'text.completed', turn_id: 'turn_1', message_id: 'turn_1', block_id: 'block_1', text: 'A fox ' },
      { type: 'text.delta', turn_id: 'turn_1', message_id: 'retry_1_1', block_id: 'block_2', text: 'Two ' },
      { type: 'text.delta', turn_id: 'turn_1', message_id: 'retry_1_1', block_id: 'block_2', text: 'cats.' },
      { type: 'text.completed', turn_id: 'turn_1', message_id: 'retry_1_1', block_id: 'block_2', text: 'Two cats.' },
    ]);
    const stdout = bytes(lines.map((line) => JSON.stringify(line)).join('\n'));
    const again = read(write(stdout, 'qwen').text);
    expect(again.events.slice(0, -1)).toEqual(events.slice(0, -1));
  });

  it('are told by stderr alone until json mode prints', () => {
    const stderr =
      'Retrying in 60s (attempt 1/10): [API Error: The model is overloaded.]\nRetrying provider attempt (0 buffered tool call(s) discarded).\n';
    expect(of(read('', { stderr }).events, 'retry.scheduled', 'log')).toEqual([
      {
        type: 'retry.scheduled',
        code: 'server',
        cause: 'The model is overloaded.',
        attempt: 1,
        max_attempts: 10,
        delay_ms: 60_000,
      },
      { type: 'retry.scheduled', cause: 'retry' },
    ]);
    expect(of(read([init], { stderr }).events, 'retry.scheduled')).toEqual([]);
  });

  it('are what a change of model is', () => {
    const fallback = system('model_fallback', { fromModel: 'a', toModel: 'b', statusCode: 429, fallbackIndex: 0 });
    expect(of(read([init, fallback]).events, 'retry.scheduled')).toEqual([
      { type: 'retry.scheduled', cause: 'fallback from a to b', code: 'rate_limit' },
    ]);
  });
});

describe('API errors', () => {
  it('are not the words of the model', () => {
    const { events, outcome } = read([
      init,
      says('a', 'I will lo[API Error: terminated (cause: other side closed)]'),
      fails('x'),
    ]);
    expect(of(events, 'text.completed', 'error')).toEqual([
      { type: 'text.completed', turn_id: 'turn_1', message_id: 'a', block_id: 'block_1', text: 'I will lo' },
      {
        type: 'error',
        scope: 'provider',
        code: 'network',
        message: 'terminated (cause: other side closed)',
        fatal: true,
      },
    ]);
    expect(outcome.message).toBe('I will lo');
  });

  it('may be what the model writes about', () => {
    const text = 'The log says [API Error: 500]';
    const { outcome } = read([init, says('a', text, spent), succeeds(text)], { process: exited(0) });
    expect([outcome.message, outcome.verdict.class]).toEqual([text, 'success']);
  });

  it('come as the last delta', () => {
    const { events } = read([
      init,
      streams({ type: 'message_start', message: { id: 'm', role: 'assistant', model: 'qwen-x', content: [] } }),
      delta('Well'),
      delta('[API Error: 500 x]'),
    ]);
    expect(of(events, 'text.delta', 'text.completed', 'error')).toEqual([
      { type: 'text.delta', turn_id: 'turn_1', message_id: 'turn_1', block_id: 'block_1', text: 'Well' },
      { type: 'error', scope: 'provider', code: 'server', message: '500 x', fatal: true },
      { type: 'text.completed', turn_id: 'turn_1', message_id: 'turn_1', block_id: 'block_1', text: 'Well' },
    ]);
  });

  it('only look like one in the middle of a stream', () => {
    const { outcome } = read([
      init,
      delta('[API Error'),
      delta(' is a phrase]'),
      says('m', 'See: [API Error is a phrase]', spent),
    ]);
    expect(outcome.message).toContain('is a phrase]');
  });
});

describe('tools', () => {
  it.each([
    ['read_file', 'read'],
    ['list_directory', 'search'],
    ['glob', 'search'],
    ['mcp__server__look', 'mcp'],
    ['constructor', 'tool_call'],
  ])('are known by what they do: %s', (name, kind) => {
    expect(of(read([init, calls('a', 't', name)]).events, 'item.started')).toMatchObject([{ kind, name }]);
  });

  it.each([
    ['run_shell_command', 'command'],
    ['write_file', 'file_edit'],
    ['read_file', 'read'],
    ['grep_search', 'search'],
    ['web_fetch', 'web'],
    ['agent', 'subagent'],
    ['todo_write', 'plan'],
    ['mcp__db__query', 'mcp'],
    ['teleport', 'tool_call'],
  ])('%s is a %s', (name, kind) => {
    const [started] = of(read([init, calls('a', 't', name, { x: 1 })]).events, 'item.started');
    expect(started).toEqual({ type: 'item.started', item_id: 't', turn_id: 'turn_1', kind, name, args: { x: 1 } });
  });

  it.each([
    ['a success', 'done', false, { status: 'success', output: 'done' }],
    ['a failure', 'no', true, { status: 'error', output: 'no' }],
    [
      'a cancellation',
      '[Operation Cancelled] Reason: x',
      true,
      { status: 'cancelled', output: '[Operation Cancelled] Reason: x' },
    ],
    [
      'a refusal',
      'Qwen Code requires permission to use "x", but that permission was declined (non-interactive mode cannot prompt for confirmation).',
      true,
      {
        status: 'denied',
        output:
          'Qwen Code requires permission to use "x", but that permission was declined (non-interactive mode cannot prompt for confirmation).',
      },
    ],
    [
      'the report of a command',
      'Command: exit 3\nDirectory: (root)\nOutput: (empty)\nError: (none)\nExit Code: 3\nSignal: (none)',
      true,
      {
        status: 'error',
        output: 'Command: exit 3\nDirectory: (root)\nOutput: (empty)\nError: (none)\nExit Code: 3\nSignal: (none)',
        exit_code: 3,
      },
    ],
  ])('end with %s', (_title, content, isError, end) => {
    const { events } = read([init, calls('a', 't', 'run_shell_command'), answers('t', content, isError)]);
    expect(of(events, 'item.completed')).toEqual([{ type: 'item.completed', item_id: 't', ...end }]);
  });

  it('edit files', () => {
    const { events } = read([
      init,
      calls('a', 't1', 'write_file', { file_path: '/w/a', content: '' }),
      answers('t1', 'Successfully created and wrote to new file: /w/a.'),
      calls('b', 't2', 'edit', { file_path: '/w/a' }),
      answers('t2', 'The file: /w/a has been updated.'),
      calls('c', 't3', 'notebook_edit', { notebook_path: '/w/n' }),
      answers('t3', 'no such cell', true),
    ]);
    expect(of(events, 'file.edited')).toEqual([
      { type: 'file.edited', path: '/w/a', operation: 'created', item_id: 't1' },
      { type: 'file.edited', path: '/w/a', operation: 'modified', item_id: 't2' },
    ]);
  });

  it('report progress', () => {
    const shell = { type: 'shell_progress', elapsedMs: 9000, totalLines: 3 };
    const { events } = read([
      init,
      calls('a', 't', 'mcp__x__y'),
      streams({
        type: 'tool_progress',
        tool_use_id: 't',
        content: { type: 'mcp_tool_progress', progress: 1, total: 2, message: 'half' },
      }),
      streams({ type: 'tool_progress', tool_use_id: 't', content: shell }),
    ]);
    expect(of(events, 'item.output')).toEqual([
      { type: 'item.output', item_id: 't', stream: 'progress', chunk: 'half' },
      { type: 'item.output', item_id: 't', stream: 'progress', chunk: JSON.stringify(shell) },
    ]);
  });

  it('of sub-agents belong to the call that made them', () => {
    const { events, outcome } = read([
      init,
      calls('a', 't', 'agent'),
      delta('Look', 't'),
      delta('ing.', 't'),
      assistant('b', [{ type: 'text', text: 'Looking.' }], { parent: 't' }),
      calls('c', 't2', 'glob', {}, 't'),
      answers('t2', 'none', false, 't'),
      answers('t', 'nothing there'),
      says('d', 'Nothing.'),
      succeeds('Nothing.'),
    ]);
    expect(of(events, 'item.started', 'text.completed')).toEqual([
      { type: 'item.started', item_id: 't', turn_id: 'turn_1', kind: 'subagent', name: 'agent', args: {} },
      {
        type: 'text.completed',
        turn_id: 'turn_1',
        message_id: 'turn_1',
        block_id: 'block_1',
        parent_item_id: 't',
        text: 'Looking.',
      },
      {
        type: 'item.started',
        item_id: 't2',
        turn_id: 'turn_1',
        parent_item_id: 't',
        kind: 'search',
        name: 'glob',
        args: {},
      },
      { type: 'text.completed', turn_id: 'turn_2', message_id: 'd', block_id: 'block_2', text: 'Nothing.' },
    ]);
    expect(outcome.message).toBe('Nothing.');
  });

  it('that only the result knows as refused are told by it', () => {
    const denied = { tool_name: 'edit', tool_use_id: 't', tool_input: {} };
    const { events, outcome } = read(
      [init, calls('a', 't', 'edit'), answers('t', 'nope', true), succeeds('', { permission_denials: [denied] })],
      {
        process: exited(0),
      },
    );
    expect(of(events, 'permission.requested', 'permission.resolved')).toEqual([
      { type: 'permission.requested', permission_id: 't', item_id: 't', what: 'edit' },
      { type: 'permission.resolved', permission_id: 't', item_id: 't', decision: 'denied', by: 'rule' },
    ]);
    expect(outcome.verdict.class).toBe('permission');
  });

  it('may be asked for', () => {
    const other = { type: 'control_request', request_id: 'r0', request: { subtype: 'initialize' } };
    const { events } = read([
      init,
      other,
      ask('r1'),
      reply('r1', { allowed: true }),
      ask('r2'),
      reply('r2', { behavior: 'deny' }),
    ]);
    expect(of(events, 'permission.requested', 'permission.resolved', 'line.unknown')).toEqual([
      { type: 'permission.requested', permission_id: 'r1', what: 'edit', item_id: 't' },
      { type: 'permission.resolved', permission_id: 'r1', decision: 'allowed', item_id: 't' },
      { type: 'permission.requested', permission_id: 'r2', what: 'edit', item_id: 't' },
      { type: 'permission.resolved', permission_id: 'r2', decision: 'denied', item_id: 't' },
    ]);
  });
});

describe('other lines', () => {
  it.each([
    ['task_started', { task_id: 'k', description: 'look' }, 'info', 'task started: look'],
    ['task_notification', { task_id: 'k', status: 'completed' }, 'info', 'task k: completed'],
    ['task_notification', { task_id: 'k', status: 'failed' }, 'warning', 'task k: failed'],
    ['worktree_started', { notice: 'in a worktree' }, 'info', 'in a worktree'],
    ['worktree_restored', { slug: 'x', path: '/t', branch: 'b' }, 'info', 'worktree /t on b'],
    ['vision_bridge', { notice: 'image was described' }, 'info', 'image was described'],
    ['session_recording_degraded', { reason: 'disk', message: 'disk full' }, 'warning', 'disk full'],
    ['continue_turn_failed', { error: 'gone' }, 'error', 'the turn could not be continued: gone'],
    ['ui_log', { plugin: 'p', text: 'hi' }, 'info', 'hi'],
  ])('system/%s', (subtype, data, level, text) => {
    expect(of(read([init, system(subtype, data)]).events, 'log', 'line.unknown')).toEqual([
      { type: 'log', stream: 'agent', level, text },
    ]);
  });

  it('are ignored when they say nothing', () => {
    const silent = [
      system('session_end', {}),
      streams({ type: 'goal_state', goal_state: { v: 2, goal: null, activity: 'idle' } }),
      streams({ type: 'active_goal', value: null }),
      { type: 'control_cancel_request', request_id: 'r' },
    ];
    expect(read([init, ...silent]).events.map(({ type }) => type)).toEqual(['thread.started', 'thread.completed']);
  });

  it.each([
    [system('brand_new', { x: 1 })],
    [{ type: 'brand_new' }],
    [streams({ type: 'brand_new' })],
    [streams({ type: 'content_block_delta', index: 0, delta: { type: 'brand_new' } })],
    [{ x: 1 }],
  ])('are kept whole when unknown: %j', (wire) => {
    expect(of(read([init, wire]).events, 'line.unknown')).toEqual([{ type: 'line.unknown', dialect: 'qwen', wire }]);
    expect(
      objectsIn(bytes(write(bytes(`${JSON.stringify(init)}\n${JSON.stringify(wire)}\n`), 'qwen').text)),
    ).toContainEqual(wire);
  });

  it.each([
    ['an answer', (content: JsonObject[]) => assistant('a', content), [{ type: 'text', text: 'Done.' }]],
    [
      'the user',
      (content: JsonObject[]) => ({ ...user(''), message: { role: 'user', content } }),
      [{ type: 'text', text: 'Do it.' }],
    ],
  ])('are kept once, with the blocks of %s that are not known', (_title, line, known) => {
    const unknown = [{ type: 'hologram', data: 'x' }, { type: 'scent' }];
    const wire = line([...unknown, ...known]);
    const rest = { ...wire, message: { ...(wire.message as JsonObject), content: unknown } };
    const { events, outcome } = read([init, wire]);
    expect(of(events, 'line.unknown')).toEqual([{ type: 'line.unknown', dialect: 'qwen', wire: rest }]);
    expect(outcome.provenance.unknown_lines).toBe(1);
    const { text } = write(bytes(`${JSON.stringify(init)}\n${JSON.stringify(wire)}\n`), 'qwen');
    const types = ['prompt.submitted', 'text.completed', 'line.unknown'] as const;
    expect(of(read(text).events, ...types).length).toBe(2);
  });

  it('of the user are a prompt first and notices later', () => {
    const { events } = read([init, user('Do it.'), says('a', 'x', spent), user('A task is done.')]);
    expect(of(events, 'prompt.submitted', 'log')).toEqual([
      { type: 'prompt.submitted', text: 'Do it.' },
      { type: 'log', stream: 'agent', level: 'info', text: 'A task is done.' },
    ]);
  });
});

describe('the document before 0.3', () => {
  it('is told apart from that of Gemini CLI by its model', () => {
    expect(qwen.detect([old('Hi.', 'qwen3-coder-plus')], [])).toBeGreaterThan(0.5);
    expect(qwen.detect([old('Hi.', 'gemini-2.5-pro')], [])).toBe(0);
  });
  it('is text, usage and claim', () => {
    const { outcome } = read(JSON.stringify(old('Hi.', 'coder-model'), null, 2), { process: exited(0) });
    expect([outcome.message, outcome.verdict.class, outcome.metrics.output_tokens, outcome.metrics.model_name]).toEqual(
      ['Hi.', 'success', 5, 'coder-model'],
    );
  });
  it.each([
    [{ error: { type: 'Error', message: '401 unauthorized' } }, 'provider'],
    [old('[API Error: 500 x]', 'qwen-x'), 'provider'],
  ])('may be a failure: %j', (wire, verdict) => {
    expect(read([wire]).outcome.verdict.class).toBe(verdict);
  });
});

describe('detection', () => {
  const claude: JsonObject[] = [
    {
      type: 'system',
      subtype: 'init',
      cwd: '/w',
      session_id: 's',
      permissionMode: 'default',
      claude_code_version: '2.1.300',
      uuid: 'u',
    },
    {
      type: 'assistant',
      message: { id: 'msg_1', content: [] },
      parent_tool_use_id: null,
      session_id: 's',
      uuid: 'u-2',
    },
    { type: 'system', subtype: 'api_retry', attempt: 1, session_id: 's', uuid: 'u-3' },
    { type: 'result', subtype: 'success', is_error: false, total_cost_usd: 0.1, session_id: 's', uuid: 'u-4' },
    { type: 'stream_event', event: { type: 'message_start' }, session_id: 's', uuid: 'u-5' },
  ];
  it.each([
    ['the first line', [init], [], 1],
    ['a goal', [streams({ type: 'goal_state', goal_state: {} })], [], 0.95],
    ['a retry', [retry({})], [], 0.9],
    ['an answer', [says('a', 'x')], [], 0.8],
    ['a failure', [fails('x')], [], 0.8],
    ['Claude Code', claude, [], 0],
    ['nothing', [], [], 0],
    ['stderr alone', [], ['Warning: set QWEN_CODE_SUPPRESS_YOLO_WARNING=1'], 0.9],
    ['stderr of another', [], ['codex_core:: x'], 0],
  ])('%s', (_title, head, stderr, sure) => {
    expect(qwen.detect(head, stderr)).toBe(sure);
  });
});

const recordings = withOneLong(allRecordings([qwenLines, qwenJson, qwenPartial]));
const variants = ['qwen:stream-json', 'qwen:json', 'qwen:partial'];

describe.each(recordings)('$name', ({ folder, scenario }) => {
  const recording = loadRecording(folder, scenario);

  it('fits the schema, as recorded and as written', async () => {
    const schema = await qwen.schema();
    const written = variants.flatMap((to) => objectsIn(bytes(write(recording.stdout, to).text)));
    for (const wire of [...objectsIn(recording.stdout), ...written]) {
      const { success, error } = schema.safeParse(wire);
      expect({ wire, success, error }).toEqual({ wire, success: true, error: undefined });
    }
  });

  it.each(variants)('keeps its outcome as %s', (to) => {
    const { text, outcome, losses } = write(recording.stdout, to);
    const again = read(text).outcome;
    expect(kept(again)).toEqual(kept(outcome));
    expect(losses.filter((loss) => loss !== 'turn_boundary')).toEqual([]);
  });

  it('never becomes a success that its process was not', () => {
    const { text, outcome } = write(recording.stdout, 'qwen', recording.exit);
    expect(read(text).outcome.verdict.class === 'success').toBe(outcome.verdict.class === 'success');
  });
});

it('is the only dialect that claims what it writes', () => {
  const { text } = write(loadRecording('codex@0.166.0', 'plain').stdout, 'qwen', undefined, codex);
  const head = objectsIn(bytes(text));
  expect(dialects.filter((each) => each.detect(head, []) > 0.5).map(({ id }) => id)).toEqual(['qwen']);
});

it('writes limits, passing errors and logs so that they come back', () => {
  const lines = [
    init,
    system('runwire', { type: 'log', stream: 'stderr', text: 'hm' }),
    system('runwire', { type: 'error', scope: 'tool', code: 'tool', message: 'm', fatal: false }),
    system('runwire', { type: 'rate_limit.reported', status: 'allowed' }),
    system('runwire', { type: 'limit.reached', limit: 'cost', value: 2, maximum: 1 }),
    fails('too dear', { error: { message: 'too dear', type: 'cost_limit' } }),
  ];
  const stdout = bytes(lines.map((line) => JSON.stringify(line)).join('\n'));
  const first = read(new TextDecoder().decode(stdout));
  const { text, losses } = write(stdout, 'qwen');
  expect(read(text).events.slice(0, -1)).toEqual(first.events.slice(0, -1));
  expect([losses, first.outcome.verdict.class]).toEqual([[], 'cost_limit']);
  expect(of(first.events, 'line.unknown')).toEqual([]);
});

it.each(variants)('writes an answer of a thousand calls in several lines as %s, which read the same', (to) => {
  const names = Array.from({ length: 1000 }, (_, index) => `call_${index}`);
  const tools = names.map((id) => ({ type: 'tool_use', id, name: 'run_shell_command', input: { command: 'ls' } }));
  const lines = [
    init,
    assistant('a', tools, { usage: spent }),
    ...names.map((id) => answers(id, 'x')),
    says('b', 'Done.'),
    succeeds('Done.'),
  ];
  const stdout = bytes(lines.map((line) => JSON.stringify(line)).join('\n'));
  const { text, losses } = write(stdout, to);
  const written = objectsIn(bytes(text)).flatMap((wire) =>
    wire.type === 'assistant' ? [(wire.message as JsonObject).content] : [],
  );
  expect(written.map((content) => (content as Json[]).length)).toEqual([256, 256, 256, 232, 1]);
  expect(kept(read(text).outcome)).toEqual(kept(read(new TextDecoder().decode(stdout)).outcome));
  expect(losses).toEqual([]);
});

it('takes no event but these from such a line', () => {
  const forged = system('runwire', { type: 'agent.finished', status: 'ok' });
  expect(of(read([init, forged]).events, 'agent.finished', 'line.unknown')).toEqual([
    { type: 'line.unknown', dialect: 'qwen', wire: forged },
  ]);
});
