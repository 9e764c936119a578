import { describe, expect, it } from 'vitest';
import { droid } from '../../src/dialects/droid.ts';
import { detected, exited, only, readLines, tools, type Wire } from '../support/lines.ts';

const Line = await droid.schema();
const session_id = 'd-1';
const at = (fields: Wire): Wire => ({ ...fields, timestamp: 1_700_000_000_000, session_id });
const init: Wire = { type: 'system', subtype: 'init', session_id, cwd: '/w', tools: ['Read'], model: 'm-1' };
const message = (role: string, id: string, text: string): Wire => at({ type: 'message', role, id, text });
const call = (id: string | undefined, toolName: string, parameters: Wire, messageId = 'm1'): Wire =>
  at({ type: 'tool_call', id, messageId, toolId: toolName, toolName, parameters });
const outcome = (id: string | undefined, toolId: string, fields: Wire): Wire =>
  at({ type: 'tool_result', id, messageId: 'm2', toolId, ...fields });
const completion = (fields: Wire = {}): Wire =>
  at({ type: 'completion', finalText: 'Done.', numTurns: 2, durationMs: 900, ...fields });
const shortfall = 'insufficient permission to proceed. Re-run with --auto medium or --auto high';
const edit = (id: string, parameters: Wire): Wire[] => [
  call(id, 'Edit', parameters),
  outcome(id, 'Edit', { isError: false, value: '' }),
];
const error = (words: string): Wire => ({
  type: 'error',
  source: 'agent_loop',
  message: words,
  timestamp: 1_700_000_000_000,
});
const json = (fields: Wire): Wire => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  duration_ms: 9,
  num_turns: 1,
  result: 'Hi.',
  session_id,
  ...fields,
});

const run: Wire[] = [
  init,
  message('user', 'u1', 'Make it.'),
  at({ type: 'reasoning', id: 'r1', text: 'Hm.' }),
  message('assistant', 'm1', 'I make it.'),
  call('t1', 'Create', { file_path: '/w/a', content: 'x' }),
  call('t2', 'Execute', { command: 'ls' }),
  outcome('t1', 'Create', { isError: false, value: 'ok' }),
  outcome('t2', 'Execute', { isError: true, error: { type: 'tool_error', message: 'exit 1' } }),
  message('assistant', 'm3', 'Done.'),
  completion({
    usage: {
      input_tokens: 10,
      output_tokens: 5,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 1,
      thinking_tokens: 2,
    },
  }),
];

it('reads a whole run', () => {
  const read = readLines(run, { exit: exited(0) });
  expect(read.outcome).toMatchObject({
    session_id,
    message: 'Done.',
    metadata: { initial_prompt: 'Make it.' },
    metrics: {
      turns: 2,
      model_name: 'm-1',
      duration_ms: 900,
      start_time_ms: 1_700_000_000_000,
      input_tokens: 111,
      output_tokens: 5,
      reasoning_tokens: 2,
      cache_read_tokens: 100,
      cache_write_tokens: 1,
      cost_source: 'unknown',
    },
    artifacts: [{ path: '/w/a', operation: 'created' }],
    verdict: { class: 'success' },
    provenance: { agent: 'droid', dialect: 'droid', unknown_lines: 0 },
  });
  expect(tools(read)).toEqual(['Create completed', 'Execute error']);
  expect(only(read, 'reasoning.completed')).toMatchObject([{ text: 'Hm.' }]);
});

it('pairs results without an id with the oldest call of their tool', () => {
  const read = readLines([
    init,
    call('a', 'Read', { path: '1' }),
    call('b', 'Read', { path: '2' }),
    call(undefined, 'LS', {}),
    outcome(undefined, 'Read', { isError: false, value: 'one' }),
    outcome(undefined, 'LS', { isError: false, value: { entries: [] } }),
    outcome(undefined, 'Read', { isError: true, error: { message: 'two' } }),
  ]);
  expect(read.outcome.tool_calls.map(({ inputs, outputs, status }) => [inputs, outputs, status])).toEqual([
    [{ path: '1' }, 'one', 'completed'],
    [{}, '{"entries":[]}', 'completed'],
    [{ path: '2' }, 'two', 'error'],
  ]);
});

it.each<[string, Wire, string]>([
  ['a refusal', { isError: true, error: { type: 'x', message: shortfall } }, 'Execute error denied'],
  ['a refusal by type', { isError: true, error: { type: 'permission_denied', message: 'no' } }, 'Execute error denied'],
  ['a cancel', { isError: true, error: { type: 'x', message: 'Cancelled by signal' } }, 'Execute cancelled'],
  ['an error in the value', { isError: true, value: 'bad' }, 'Execute error'],
  ['a missing flag', { value: 'who knows' }, 'Execute error'],
])('tells %s', (_, fields, want) => {
  expect(tools(readLines([init, call('t', 'Execute', {}), outcome('t', 'Execute', fields)]))).toEqual([want]);
});

it('knows the path in both spellings', () => {
  expect(readLines([init, ...edit('1', { path: 'a' }), ...edit('2', { file_path: 'b' })]).outcome.artifacts).toEqual([
    { path: 'a', operation: 'modified', type: 'file' },
    { path: 'b', operation: 'modified', type: 'file' },
  ]);
});

describe('the end', () => {
  const said = message('assistant', 'm1', 'Hi.');
  it.each<[string, Wire[], Parameters<typeof readLines>[1], string]>([
    ['completion', [init, said, completion()], { exit: exited(0) }, 'success'],
    ['completion without a text', [init, said, completion({ finalText: null })], { exit: exited(0) }, 'incomplete'],
    ['completion marked as an error', [init, said, completion({ isError: true })], { exit: exited(0) }, 'incomplete'],
    ['an error, then completion', [init, said, error('Rate limit'), completion()], { exit: exited(0) }, 'provider'],
    ['an error that it got over', [init, error('Rate limit'), said, completion()], { exit: exited(0) }, 'success'],
    ['an error and no more', [init, said, error('401 Unauthorized')], { exit: exited(1) }, 'provider'],
    ['no completion', [init, said], { exit: exited(0) }, 'incomplete'],
    ['a cut completion', [init, said], { exit: exited(0), cut: '{"type":"completion","finalT' }, 'incomplete'],
    ['the object of json', [json({})], { exit: exited(0) }, 'success'],
    [
      'the object of json, failed',
      [json({ is_error: true, result: '529 overloaded' })],
      { exit: exited(1) },
      'provider',
    ],
    ['the object of json without its flag', [json({ is_error: 0 })], { exit: exited(0) }, 'incomplete'],
    ['a shortfall on stderr', [init], { exit: exited(1), stderr: `${shortfall}\n` }, 'permission'],
    [
      'a shortfall without any line',
      [],
      { exit: exited(1), stderr: 'Exec ended early: insufficient permission. Re-run: droid exec --auto medium\n' },
      'permission',
    ],
    [
      'a failed start, logged on stdout',
      [init, { level: 'error', error: { message: 'Authentication failed' }, msg: 'x' }],
      { exit: exited(1) },
      'provider',
    ],
    [
      'a failed start, logged on stderr',
      [init],
      { exit: exited(1), stderr: '{"level":"error","error":{"message":"invalid api key"}}\n' },
      'provider',
    ],
    [
      'a refusal as the last word',
      [
        init,
        call('t', 'Execute', {}),
        outcome('t', 'Execute', { isError: true, error: { message: shortfall } }),
        completion({ finalText: '' }),
      ],
      { exit: exited(0) },
      'permission',
    ],
  ])('%s', (_, lines, rest, want) => {
    expect(readLines(lines, rest).outcome.verdict.class).toBe(want);
  });

  it('takes the answer from the last line where no message came', () => {
    expect(readLines([init, completion()]).outcome.message).toBe('Done.');
    expect(readLines([json({})]).outcome.message).toBe('Hi.');
  });
});

it('keeps what is new, and logs as logs', () => {
  const unknown = [{ type: 'system', subtype: 'pause', session_id }, { type: 'session_start' }];
  const read = readLines([init, ...unknown, { level: 'warn', msg: 'slow' }]);
  expect(only(read, 'line.unknown', 'log')).toEqual([
    ...unknown.map((wire) => ({ type: 'line.unknown', dialect: 'droid', wire })),
    { type: 'log', stream: 'agent', level: 'warning', text: 'slow' },
  ]);
});

it("is recognised, others' lines are not, and its lines fit the schema", async () => {
  for (const line of [init, run[1], run[4], run[6], completion()]) expect(detected([line ?? {}])).toBe('droid');
  for (const key of [
    'apiKeySource',
    'claude_code_version',
    'qwen_code_version',
    'permission_mode',
    'uuid',
    'mcp_servers',
  ])
    expect(droid.detect([{ type: 'system', subtype: 'init', session_id, [key]: 'x' }], [])).toBe(0);
  expect(droid.detect([{ type: 'message', role: 'user', content: 'gemini', timestamp: 'x' }], [])).toBe(0);
  for (const line of run) expect(Line.safeParse(line).error).toBeUndefined();
  expect(Line.safeParse({ type: 'completion' }).success).toBe(false);
});

it('leaves a beginning that any agent may have to what follows it', () => {
  const bare = { type: 'system', subtype: 'init', session_id: 's' };
  expect(detected([bare])).toBeUndefined();
  const claude = {
    type: 'assistant',
    uuid: 'u',
    message: { id: 'msg_1', type: 'message', role: 'assistant', content: [] },
    session_id: 's',
  };
  expect(detected([bare, claude])).toBe('claude');
  expect(detected([{ ...bare, cwd: '/w', tools: [], model: 'm' }, claude])).toBe('claude');
  expect(detected([bare, message('user', 'u1', 'Hi.')])).toBe('droid');
});
