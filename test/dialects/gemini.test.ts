import { describe, expect, it } from 'vitest';
import { gemini } from '../../src/dialects/gemini/index.ts';
import type { JsonObject } from '../../src/json/json.ts';
import { expected as jsonTable } from '../across/expected/gemini-json.ts';
import { expected as relaunchTable } from '../across/expected/gemini-relaunch.ts';
import { expected as streamTable } from '../across/expected/gemini.ts';
import { eventsOf, exited, facts, linesOf, read, type Reading } from '../support/reading.ts';
import { allRecordings, loadRecording, withOneLong } from '../support/recordings.ts';

const at = (second: number): { timestamp: string } => ({ timestamp: `2026-05-01T10:00:0${second}.000Z` });
const init = { type: 'init', ...at(0), session_id: 'g-1', model: 'gemini-x' };
const user = { type: 'message', ...at(0), role: 'user', content: 'list files' };
const say = (content: string): JsonObject => ({ type: 'message', ...at(1), role: 'assistant', content, delta: true });
const use = (tool_name: string, tool_id: string, parameters: JsonObject = {}): JsonObject => ({
  type: 'tool_use',
  ...at(2),
  tool_name,
  tool_id,
  parameters,
});
const refused = (tool_id: string, type: string, message = 'no'): JsonObject => ({
  type: 'tool_result',
  ...at(3),
  tool_id,
  status: 'error',
  output: message,
  error: { type, message },
});
const done = (tool_id: string, output?: string): JsonObject => ({
  type: 'tool_result',
  ...at(3),
  tool_id,
  status: 'success',
  ...(output === undefined ? {} : { output }),
});
const tokens = { total_tokens: 1000, input_tokens: 900, output_tokens: 40, cached: 200, input: 700 };
const stats = { ...tokens, duration_ms: 3200, tool_calls: 1, models: { 'gemini-x': tokens } };
const success = { type: 'result', ...at(9), status: 'success', stats };
const failure = (error?: JsonObject): JsonObject => ({
  type: 'result',
  ...at(9),
  status: 'error',
  ...(error ? { error } : {}),
  stats,
});
const problem = (message: string, severity = 'error'): JsonObject => ({ type: 'error', ...at(8), severity, message });

const judged = ({ outcome }: Reading): [string, string | undefined] => [outcome.verdict.class, outcome.verdict.code];
const claims = (reading: Reading): unknown[] => eventsOf(reading, 'agent.finished');

describe('stream-json', () => {
  it('tells a whole run', () => {
    const stdout = [
      init,
      user,
      say('Looking. '),
      use('list_directory', 'l1', { dir_path: '.' }),
      done('l1', 'Listed 1 item(s).'),
      say('One '),
      say('file.'),
      success,
    ];
    const reading = read({ stdout, exit: exited(0) });
    expect(facts(reading)).toEqual([
      { type: 'thread.started', agent: 'gemini', session_id: 'g-1', model: 'gemini-x' },
      { type: 'prompt.submitted', text: 'list files' },
      { type: 'turn.started', turn_id: 'turn_1', iteration: 1 },
      { type: 'text.delta', turn_id: 'turn_1', message_id: 'turn_1', block_id: 'block_1', text: 'Looking. ' },
      { type: 'text.completed', turn_id: 'turn_1', message_id: 'turn_1', block_id: 'block_1', text: 'Looking. ' },
      {
        type: 'item.started',
        item_id: 'l1',
        turn_id: 'turn_1',
        kind: 'search',
        name: 'list_directory',
        args: { dir_path: '.' },
      },
      { type: 'item.completed', item_id: 'l1', status: 'success', output: 'Listed 1 item(s).' },
      {
        type: 'turn.completed',
        turn_id: 'turn_1',
        iteration: 1,
        tool_call_count: 1,
        has_final_report: false,
        finish_reason: 'tool_calls',
      },
      { type: 'turn.started', turn_id: 'turn_2', iteration: 2 },
      { type: 'text.delta', turn_id: 'turn_2', message_id: 'turn_2', block_id: 'block_2', text: 'One ' },
      { type: 'text.delta', turn_id: 'turn_2', message_id: 'turn_2', block_id: 'block_2', text: 'file.' },
      { type: 'text.completed', turn_id: 'turn_2', message_id: 'turn_2', block_id: 'block_2', text: 'One file.' },
      {
        type: 'usage.reported',
        scope: 'thread',
        model: 'gemini-x',
        input_tokens: 900,
        output_tokens: 100,
        reasoning_tokens: 60,
        cache_read_tokens: 200,
      },
      {
        type: 'turn.completed',
        turn_id: 'turn_2',
        iteration: 2,
        tool_call_count: 0,
        has_final_report: false,
        finish_reason: 'stop',
      },
      { type: 'agent.finished', status: 'ok', duration_ms: 3200 },
    ]);
    expect(judged(reading)).toEqual(['success', undefined]);
    expect(reading.outcome.metrics.duration_ms).toBe(3200);
  });

  it('reads totals of releases without models, and of releases without any', () => {
    const { models: _, ...old } = stats;
    const usage = {
      type: 'usage.reported',
      scope: 'thread',
      input_tokens: 900,
      output_tokens: 100,
      reasoning_tokens: 60,
    };
    expect(eventsOf(read({ stdout: [init, say('hi'), { ...success, stats: old }] }), 'usage.reported')).toEqual([
      { ...usage, cache_read_tokens: 200 },
    ]);
    expect(eventsOf(read({ stdout: [init, say('hi'), { ...success, stats: undefined }] }), 'usage.reported')).toEqual(
      [],
    );
  });

  it('names the model that did the work, not its helper', () => {
    const small = { total_tokens: 12, input_tokens: 10, output_tokens: 2, cached: 0, input: 10 };
    const models = { 'gemini-x': tokens, 'gemini-lite': small };
    const { outcome } = read({ stdout: [init, say('hi'), { ...success, stats: { ...stats, models } }] });
    expect(outcome.metrics).toMatchObject({
      model_name: 'gemini-x',
      input_tokens: 910,
      output_tokens: 102,
      reasoning_tokens: 60,
    });
  });

  it('counts nothing when the totals are zero after an HTTP error', () => {
    const zero = { total_tokens: 0, input_tokens: 0, output_tokens: 0, cached: 0, input: 0 };
    const result = failure({ type: 'unknown', message: '[API Error: {"error":{"code":503,"message":"try later"}}]' });
    const reading = read({
      stdout: [
        init,
        user,
        { ...result, stats: { ...zero, duration_ms: 0, tool_calls: 0, models: { 'gemini-x': zero } } },
      ],
      exit: exited(247),
    });
    expect(judged(reading)).toEqual(['provider', 'server']);
    expect(reading.outcome.metrics.tokens_used).toBeUndefined();
    expect(claims(reading)).toEqual([
      {
        type: 'agent.finished',
        status: 'failed',
        code: 'server',
        message: '[API Error: {"error":{"code":503,"message":"try later"}}]',
      },
    ]);
  });

  it.each([
    ['run_shell_command', 'policy_violation', 'no', 'denied'],
    ['read_file', 'path_not_in_workspace', 'no', 'denied'],
    ['write_file', 'invalid_tool_params', 'Path not in workspace: Attempted path "/etc/x"', 'denied'],
    ['write_file', 'tool_not_registered', 'no', 'denied'],
    ['teleport', 'tool_not_registered', 'no', 'error'],
    ['read_file', 'permission_denied', 'no', 'error'],
    ['read_file', 'invalid_tool_params', 'no', 'error'],
    ['run_shell_command', 'shell_execute_error', 'no', 'error'],
    ['run_shell_command', 'a_type_of_tomorrow', 'no', 'error'],
  ])('%s ending in %s (%s) is %s', (name, type, message, status) => {
    const reading = read({ stdout: [init, use(name, 't1'), refused('t1', type, message), say('So be it.'), success] });
    expect(eventsOf(reading, 'item.completed')).toEqual([
      { type: 'item.completed', item_id: 't1', status, output: message, error: message },
    ]);
    expect(judged(reading)).toEqual(status === 'denied' ? ['permission', 'permission'] : ['success', undefined]);
    expect(reading.outcome.warnings).toEqual(status === 'denied' ? [`denied: ${name}: ${message}`] : []);
  });

  it('is a matter of permission when the run ends on a refusal', () => {
    const reading = read({
      stdout: [init, say('Trying.'), use('replace', 't1'), refused('t1', 'policy_violation'), success],
    });
    expect(judged(reading)).toEqual(['permission', 'permission']);
  });

  it('knows which files a run changed', () => {
    const { outcome } = read({
      stdout: [
        init,
        use('write_file', 'w', { file_path: '/w/a', content: 'a' }),
        use('replace', 'r', { file_path: '/w/b', old_string: 'a', new_string: 'b' }),
        use('replace', 'n', { file_path: '/w/c', old_string: '', new_string: 'c' }),
        use('write_file', 'x', { file_path: '/w/d', content: 'd' }),
        done('w'),
        done('r'),
        done('n'),
        refused('x', 'file_write_failure'),
        say('Done.'),
        success,
      ],
    });
    expect(outcome.artifacts).toEqual([
      { path: '/w/a', operation: 'created', type: 'file' },
      { path: '/w/b', operation: 'modified', type: 'file' },
      { path: '/w/c', operation: 'created', type: 'file' },
    ]);
  });

  it.each([
    ['an empty answer', [problem('The model returned an empty response.'), failure()], ['incomplete', 'unknown']],
    ['a blocked answer', [problem('Response blocked by SAFETY.'), failure()], ['provider', 'refused']],
    [
      'an answer cut at its length',
      [problem('Stopped: MAX_TOKENS reached.'), failure()],
      ['incomplete', 'output_length'],
    ],
    ['an error line before a good result', [say('x'), problem('Internal error.'), success], ['provider', 'server']],
    [
      'the turn limit told in words',
      [say('x'), problem('Maximum session turns exceeded.'), success],
      ['turn_limit', undefined],
    ],
    ['the turn limit', [failure({ type: 'FatalTurnLimitedError', message: 'Reached it.' })], ['turn_limit', undefined]],
    ['a full disk', [failure({ type: 'FatalToolExecutionError', message: 'no space' })], ['tool', 'tool']],
    ['a bad @file', [failure({ type: 'FatalInputError', message: 'no such file' })], ['input', 'input']],
    [
      'Ctrl+C',
      [failure({ type: 'FatalCancellationError', message: 'Operation cancelled.' })],
      ['cancelled', 'cancelled'],
    ],
    [
      'a key that is not valid',
      [failure({ type: 'unknown', message: '[API Error: API key not valid.]' })],
      ['provider', 'auth'],
    ],
    [
      'another 400',
      [failure({ type: 'unknown', message: '[API Error: {"error":{"code":400}}]' })],
      ['provider', 'refused'],
    ],
    ['an unknown word for the end', [say('x'), { ...success, status: 'succes' }], ['incomplete', 'unknown']],
    ['a result without a word', [say('x'), { ...success, status: undefined }], ['incomplete', 'unknown']],
    ['an unknown severity', [say('x'), problem('odd', 'fatal'), success], ['incomplete', 'unknown']],
    ['no result', [say('x')], ['incomplete', undefined]],
  ])('%s', (_, lines, verdict) => {
    const reading = read({ stdout: [init, user, ...lines], exit: exited(0) });
    expect(judged(reading)).toEqual(verdict);
    expect(
      judged(read({ dialect: 'gemini', stdout: read({ stdout: [init, user, ...lines] }, 'gemini').text })),
    ).toEqual(verdict);
  });

  it('keeps warnings apart from errors', () => {
    const reading = read({
      stdout: [init, say('x'), problem('Loop detected, stopping execution', 'warning'), success],
      exit: exited(0),
    });
    expect(judged(reading)).toEqual(['success', undefined]);
    expect(reading.outcome.warnings).toEqual(['Loop detected, stopping execution']);
  });

  it('takes an assistant message without `delta` as a whole', () => {
    const { delta: _, ...whole } = say('Second.');
    const reading = read({ stdout: [init, say('First.'), whole, say('Third.'), success] });
    expect(eventsOf(reading, 'text.completed').map((event) => event.text)).toEqual(['First.', 'Second.', 'Third.']);
  });

  it('keeps lines of tomorrow whole', () => {
    const lines = [
      { type: 'thought', ...at(1), text: 'hm' },
      { type: 'message', ...at(1), role: 'narrator', content: 'x' },
    ];
    const reading = read({ stdout: [init, ...lines, say('x'), success] }, 'gemini');
    expect(eventsOf(reading, 'line.unknown').map((event) => event.wire)).toEqual(lines);
    expect(linesOf(reading.text).slice(1, 3)).toEqual(lines);
    expect(judged(reading)).toEqual(['success', undefined]);
  });

  it('pairs what is broken: a result without its call, a call without an id', () => {
    const reading = read({
      stdout: [init, done('lost', 'x'), { type: 'tool_use', tool_name: 'glob' }, say('x'), success],
    });
    expect(eventsOf(reading, 'item.completed')).toEqual([
      { type: 'item.completed', item_id: 'lost', status: 'success', output: 'x' },
    ]);
    expect(eventsOf(reading, 'line.unknown')).toHaveLength(1);
  });
});

const document = (fields: JsonObject): string => JSON.stringify({ session_id: 'g-2', ...fields }, null, 2);
const modelStats = {
  'gemini-x': {
    api: { totalRequests: 2, totalErrors: 0, totalLatencyMs: 31 },
    tokens: { input: 700, prompt: 900, candidates: 40, total: 1007, cached: 200, thoughts: 60, tool: 7 },
  },
};
const decisions = (reject = 0): JsonObject => ({ accept: 0, reject, modify: 0, auto_accept: 0 });
const toolStats = (byName: JsonObject): JsonObject => ({ totalCalls: 0, totalSuccess: 0, totalFail: 0, byName });
const noTools = toolStats({});

describe('the json document', () => {
  it('tells a run as far as its numbers go', () => {
    const byName = {
      read_file: { count: 2, success: 1, fail: 1, durationMs: 9, decisions: decisions() },
      run_shell_command: { count: 1, success: 0, fail: 1, durationMs: 0, decisions: decisions(1) },
    };
    const stdout = document({
      response: 'Fine.',
      stats: { models: modelStats, tools: toolStats(byName) },
      warnings: ['Loop detected'],
    });
    const reading = read({ stdout, exit: exited(0) });
    expect(facts(reading).filter((event) => !event.type.startsWith('turn.'))).toEqual([
      { type: 'thread.started', agent: 'gemini', session_id: 'g-2' },
      { type: 'log', stream: 'agent', level: 'warning', text: 'Loop detected' },
      { type: 'item.started', item_id: 'read_file_1', turn_id: 'turn_1', kind: 'read', name: 'read_file', args: {} },
      { type: 'item.started', item_id: 'read_file_2', turn_id: 'turn_1', kind: 'read', name: 'read_file', args: {} },
      {
        type: 'item.started',
        item_id: 'run_shell_command_1',
        turn_id: 'turn_1',
        kind: 'command',
        name: 'run_shell_command',
        args: {},
      },
      { type: 'item.completed', item_id: 'read_file_1', status: 'error' },
      { type: 'item.completed', item_id: 'read_file_2', status: 'success' },
      { type: 'item.completed', item_id: 'run_shell_command_1', status: 'denied' },
      { type: 'text.delta', turn_id: 'turn_2', message_id: 'turn_2', block_id: 'block_1', text: 'Fine.' },
      { type: 'text.completed', turn_id: 'turn_2', message_id: 'turn_2', block_id: 'block_1', text: 'Fine.' },
      {
        type: 'usage.reported',
        scope: 'thread',
        model: 'gemini-x',
        input_tokens: 907,
        output_tokens: 100,
        reasoning_tokens: 60,
        cache_read_tokens: 200,
      },
      { type: 'agent.finished', status: 'ok' },
    ]);
    expect(judged(reading)).toEqual(['permission', 'permission']);
    for (const writer of ['gemini', 'gemini:json']) {
      expect(facts(read({ stdout: read({ stdout }, writer).text }))).toEqual(facts(reading));
    }
  });

  const whole = { response: 'Fine.', stats: { models: modelStats, tools: noTools } };
  it.each([
    [
      'INVALID_STREAM',
      { ...whole, error: { type: 'INVALID_STREAM', message: 'Model stream ended without a finish reason.' } },
      'provider',
    ],
    ['an error that is no object', { ...whole, error: 'odd' }, 'incomplete'],
    ['a misspelt error', { ...whole, errot: { type: 'INVALID_STREAM', message: 'Model stream ended.' } }, 'incomplete'],
    ['no stats', { response: 'Fine.' }, 'incomplete'],
    ['no response', { stats: whole.stats }, 'incomplete'],
    ['a new part beside the known ones', { ...whole, hooks: { ran: 2 } }, 'success'],
  ])('with %s', (_, fields, verdict) => {
    expect(read({ dialect: 'gemini', stdout: document(fields), exit: exited(0) }).outcome.verdict.class).toBe(verdict);
  });

  it('survives a count that no run can reach', () => {
    const byName = { glob: { count: 1e12, success: 1e12, fail: 0, durationMs: 0, decisions: decisions() } };
    const { outcome } = read({ stdout: document({ response: 'x', stats: { models: {}, tools: toolStats(byName) } }) });
    expect(outcome.metrics.tool_calls_count).toBe(10_000);
  });
});

describe('stderr', () => {
  const limit = document({ error: { type: 'FatalTurnLimitedError', message: 'Reached max session turns.', code: 53 } });

  it.each([
    ['bare', limit],
    ['behind the mark', `[ERROR] ${limit}`],
    ['bare and behind the mark', `${limit}\n[ERROR] ${limit}`],
    ['behind the mark on one line', `[ERROR] ${JSON.stringify(JSON.parse(limit))}`],
    ['after other text', `YOLO mode is enabled.\n[WARNING] slow\nwords {"a":1}\n${limit}`],
  ])('tells the turn limit in json mode, %s', (_, text) => {
    const reading = read({ dialect: 'gemini', stderr: `${text}\n`, exit: exited(53) });
    expect(judged(reading)).toEqual(['turn_limit', undefined]);
    expect(claims(reading)).toEqual([
      {
        type: 'agent.finished',
        status: 'failed',
        code: 'turn_limit',
        raw_status: 'FatalTurnLimitedError',
        message: 'Reached max session turns.',
      },
    ]);
    expect(reading.outcome.session_id).toBe('g-2');
  });

  it('finds the document after any number of other lines', () => {
    const noise = `YOLO mode is enabled. All tool calls will be automatically approved.\n${'    at somewhere\n'.repeat(300)}`;
    const reading = read({ stderr: `${noise}${limit}\n`, exit: exited(53) });
    expect([reading.outcome.provenance.dialect, reading.outcome.verdict.class]).toEqual(['gemini', 'turn_limit']);
  });

  it('names the session though retries come before it', () => {
    const body = '{"error":{"code":500,"message":"Oops."}}';
    const stderr = `Attempt 1 failed with status 500. Retrying with backoff... _ApiError: ${body}\n    at x\n${limit}\n`;
    const reading = read({ dialect: 'gemini', stderr, exit: exited(53) });
    expect(eventsOf(reading, 'thread.started', 'retry.scheduled')).toEqual([
      { type: 'thread.started', agent: 'gemini', session_id: 'g-2' },
      { type: 'retry.scheduled', attempt: 1, code: 'server', cause: 'Oops.' },
    ]);
  });

  it('takes the HTTP status that the document names', () => {
    const stderr = document({ error: { type: 'Error', message: 'denied', code: 403 } });
    expect(judged(read({ dialect: 'gemini', stderr, exit: exited(147) }))).toEqual(['provider', 'auth']);
  });

  it('keeps a document that stops in the middle as a log', () => {
    const reading = read({ dialect: 'gemini', stderr: '[ERROR] {\n  "error": {\n', exit: exited(1) });
    expect(eventsOf(reading, 'log')).toEqual([
      { type: 'log', stream: 'stderr', level: 'error', text: '{\n  "error": {' },
    ]);
  });

  it('tells retries with their cause', () => {
    const stderr = [
      'Attempt 1 failed with status 429. Retrying with backoff... _ApiError: {"error":{"code":429,"message":"Slow down."}}',
      '    at somewhere',
      'Attempt 2 failed with status 500. Retrying with backoff...',
    ].join('\n');
    const reading = read({ stdout: [init, say('x'), success], stderr, exit: exited(0) });
    expect(eventsOf(reading, 'retry.scheduled')).toEqual([
      { type: 'retry.scheduled', attempt: 1, code: 'rate_limit', cause: 'Slow down.' },
      { type: 'retry.scheduled', attempt: 2, code: 'server', cause: 'HTTP 500' },
    ]);
    expect(judged(reading)).toEqual(['success', undefined]);
  });

  it('takes no attempt for one that nobody can count', () => {
    const stderr = `Attempt ${'9'.repeat(30)} failed with status 429. Retrying with backoff...\n`;
    const reading = read({ stdout: [init, say('x'), success], stderr, exit: exited(0) });
    expect([eventsOf(reading, 'retry.scheduled'), eventsOf(reading, 'log').length]).toEqual([[], 1]);
  });

  it.each([
    [41, 'GEMINI_API_KEY, GOOGLE_GENAI_USE_VERTEXAI, GOOGLE_GENAI_USE_GCA', 'config'],
    [42, 'Input can be provided by piping data into gemini or using the --prompt option.', 'input'],
    [55, 'or set GEMINI_CLI_TRUST_WORKSPACE=true', 'config'],
    [173, 'Error when talking to Gemini API', 'provider'],
  ])('detects the agent from stderr alone: exit %i', (code, stderr, verdict) => {
    const { outcome } = read({ stderr: `${stderr}\n`, exit: exited(code) });
    expect([outcome.provenance.dialect, outcome.verdict.class]).toEqual(['gemini', verdict]);
  });

  it('leaves its fork alone', () => {
    const stderr =
      'Ripgrep not available: spawn /qwen-code/rg\nInput can be provided by piping data into gemini or using the --prompt option.';
    expect(gemini.detect([], stderr.split('\n'))).toBe(0);
  });
});

it.each([
  [41, 'config'],
  [42, 'input'],
  [44, 'config'],
  [52, 'config'],
  [53, 'turn_limit'],
  [54, 'tool'],
  [55, 'config'],
  [130, 'cancelled'],
  [144, 'refused'],
  [145, 'auth'],
  [147, 'auth'],
  [148, 'model_not_found'],
  [173, 'rate_limit'],
  [244, 'server'],
  [247, 'server'],
  [17, 'server'],
  [1, undefined],
  [137, undefined],
  [143, undefined],
])('exit code %i means %s', (code, meaning) => {
  expect(gemini.exitMeaning?.(code)).toBe(meaning);
});

it.each([
  ['init', init, 1],
  ['a Claude init', { type: 'system', subtype: 'init', session_id: 's', model: 'm' }, 0],
  ['a message', user, 0.9],
  ['a call', use('glob', 'g'), 1],
  ['a result of a call', done('g'), 0.95],
  ['an error', problem('x'), 0.8],
  ['a Claude result', { type: 'result', subtype: 'success', status: 'ok' }, 0],
  ['an error document', { session_id: 'g', error: { type: 'Error', message: 'x' } }, 0.7],
  ['an API error', { error: { code: 500, message: 'x', status: 'INTERNAL' } }, 0],
])('detects %s', (_, wire, sure) => {
  expect(gemini.detect([wire], [])).toBe(sure);
});

describe('writing', () => {
  it('puts results after the batch and says all that the closing line has room for', () => {
    const stdout = [
      init,
      user,
      use('glob', 'a'),
      use('teleport', 'b'),
      done('a', 'x'),
      refused('b', 'tool_not_registered'),
      say('ok'),
      success,
    ];
    const { text, losses } = read({ stdout }, 'gemini');
    expect(linesOf(text)).toEqual([
      ...stdout.slice(0, 5),
      refused('b', 'execution_failed'),
      say('ok'),
      { ...success, stats: { ...stats, tool_calls: 2 } },
    ]);
    expect(losses).toEqual([]);
  });

  it('writes no result for a run that nobody ended', () => {
    const { text, losses } = read({ stdout: [init, user, use('glob', 'a')] }, 'gemini');
    expect(linesOf(text)).toEqual([init, user, use('glob', 'a')]);
    expect(losses).toEqual([]);
  });

  it('does not write a success over a process that failed', () => {
    const run = { stdout: [init, say('x'), success], exit: exited(1) };
    for (const writer of ['gemini', 'gemini:json']) {
      expect(judged(read({ stdout: read(run, writer).text }))).toEqual(['incomplete', 'unknown']);
    }
  });

  it('writes nothing for a run that said nothing', () => {
    for (const writer of ['gemini', 'gemini:json']) expect(read({ dialect: 'gemini' }, writer).text).toBe('');
  });

  it('writes an object with an error for a run that nobody ended, in json', () => {
    const { text } = read({ stdout: [init, say('Half an ans')] }, 'gemini:json');
    expect(JSON.parse(text)).toEqual({
      session_id: 'g-1',
      response: 'Half an ans',
      stats: {
        models: {},
        tools: {
          totalCalls: 0,
          totalSuccess: 0,
          totalFail: 0,
          totalDurationMs: 0,
          totalDecisions: decisions(),
          byName: {},
        },
        files: { totalLinesAdded: 0, totalLinesRemoved: 0 },
      },
      error: { type: 'Error', message: 'the stream stopped without an end' },
    });
  });

  it('reports what the document drops', () => {
    const stdout = [
      init,
      user,
      say('First.'),
      use('glob', 'a', { pattern: '*' }),
      done('a', 'x'),
      say('Last.'),
      success,
    ];
    const { text, losses } = read({ stdout }, 'gemini:json');
    expect(JSON.parse(text)).toMatchObject({
      response: 'Last.',
      stats: { tools: { byName: { glob: { count: 1, success: 1 } } } },
    });
    expect(losses.toSorted()).toEqual(['prompt', 'text', 'tool_args', 'tool_output', 'turn_boundary']);
  });
});

describe('the schema', () => {
  const recordings = withOneLong(allRecordings([streamTable, jsonTable, relaunchTable]));

  it.each(recordings)('fits $name and what we write of it', async ({ folder, scenario }) => {
    const schema = await gemini.schema();
    const { stdout } = loadRecording(folder, scenario);
    const text = new TextDecoder().decode(stdout);
    const objects = folder.startsWith('gemini-json')
      ? text === ''
        ? []
        : [JSON.parse(text) as JsonObject]
      : linesOf(text.slice(0, text.lastIndexOf('\n') + 1));
    const lines = linesOf(read({ dialect: 'gemini', stdout: text }, 'gemini').text);
    const one = read({ dialect: 'gemini', stdout: text }, 'gemini:json').text;
    const written = one === '' ? lines : [...lines, JSON.parse(one) as JsonObject];
    expect([...objects, ...written].filter((wire) => !schema.safeParse(wire).success)).toEqual([]);
  });

  it.each([
    { type: 'init' },
    { type: 'result', status: 'fine' },
    { type: 'tool_use', tool_name: 'x' },
    { stats: {} },
    {},
  ])('does not fit %j', async (wire) => {
    expect((await gemini.schema()).safeParse(wire).success).toBe(false);
  });
});

describe('session files', () => {
  const head = { sessionId: 'g-1', projectHash: 'h', startTime: at(0).timestamp, lastUpdated: at(9).timestamp };
  const spent = { input: 100, output: 20, cached: 40, thoughts: 5, tool: 0, total: 125 };
  const asked = (id: string, content: string): JsonObject => ({
    id,
    ...at(1),
    type: 'user',
    content: [{ text: content }],
  });
  const said = (id: string, content: string, more: JsonObject = {}): JsonObject => ({
    id,
    ...at(2),
    type: 'gemini',
    content,
    model: 'm-1',
    tokens: spent,
    ...more,
  });
  const called = (status: string, response: JsonObject): JsonObject => ({
    toolCalls: [
      {
        id: 'c1',
        name: 'run_shell_command',
        args: { command: 'ls' },
        status,
        result: [{ functionResponse: { id: 'c1', response } }],
      },
    ],
  });
  const whole = [asked('1', 'list files'), said('2', '', called('success', { output: 'a' })), said('3', 'One file.')];
  const told = (stdout: JsonObject[]) => {
    const { verdict, message, metrics, tool_calls, provenance } = read({ stdout }).outcome;
    return [
      verdict.class,
      message,
      metrics.turns,
      metrics.input_tokens,
      metrics.output_tokens,
      tool_calls.map(({ status }) => status),
      provenance.dialect,
    ];
  };
  const complete = ['success', 'One file.', 2, 200, 50, ['completed'], 'gemini'];

  it('are read as one document, and as lines', () => {
    expect(told([{ ...head, messages: whole }])).toEqual(complete);
    expect(told([head, ...whole])).toEqual(complete);
    const grown = [
      head,
      whole[0] ?? {},
      said('2', ''),
      whole[1] ?? {},
      { $set: { lastUpdated: at(9).timestamp } },
      whole[2] ?? {},
    ];
    expect(told(grown)).toEqual(complete);
  });

  it.each<[string, JsonObject[], string]>([
    ['a prompt without an answer', [...whole, asked('4', 'more')], 'incomplete'],
    ['a call without words after it', whole.slice(0, 2), 'incomplete'],
    [
      'an error',
      [...whole, asked('4', 'more'), { id: '5', ...at(3), type: 'error', content: '[API Error: 429 quota exceeded]' }],
      'provider',
    ],
    [
      'a cancellation',
      [...whole, asked('4', 'more'), { id: '5', ...at(3), type: 'info', content: 'Request cancelled.' }],
      'cancelled',
    ],
    [
      'words after a failed call',
      [asked('1', 'x'), said('2', '', called('error', { error: 'no' })), said('3', 'It failed.')],
      'success',
    ],
  ])('end with %s', (_title, messages, expected) => {
    expect(told([{ ...head, messages }])[0]).toBe(expected);
  });
});
