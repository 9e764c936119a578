import { describe, expect, it } from 'vitest';
import { cursor } from '../../src/dialects/cursor.ts';
import { detected, exited, only, type Read, readLines, tools, type Wire } from '../support/lines.ts';

const Line = await cursor.schema();
const session_id = 'c-1';
const init: Wire = {
  type: 'system',
  subtype: 'init',
  apiKeySource: 'env',
  cwd: '/w',
  session_id,
  model: 'M 1',
  permissionMode: 'default',
};
const said = (role: string, words: string, fields: Wire = {}): Wire => ({
  type: role,
  message: { role, content: [{ type: 'text', text: words }] },
  session_id,
  ...fields,
});
const assistant = (words: string, fields: Wire = {}): Wire => said('assistant', words, fields);
const call = (subtype: string, call_id: string, tool_call: Wire): Wire => ({
  type: 'tool_call',
  subtype,
  call_id,
  tool_call,
  session_id,
});
const tool = (call_id: string, kind: string, args: Wire, result: Wire): Wire[] => [
  call('started', call_id, { [`${kind}ToolCall`]: { args } }),
  call('completed', call_id, { [`${kind}ToolCall`]: { args, result } }),
];
const result = (fields: Wire = {}): Wire => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  duration_ms: 900,
  duration_api_ms: 800,
  result: 'Looking.Done.',
  session_id,
  request_id: 'r-1',
  ...fields,
});
const texts = (read: Read): string[] => only(read, 'text.completed').map((each) => ('text' in each ? each.text : ''));

const run: Wire[] = [
  init,
  said('user', 'Make it.'),
  { type: 'thinking', subtype: 'delta', text: 'H', session_id, timestamp_ms: 1_700_000_000_000 },
  { type: 'thinking', subtype: 'delta', text: 'm.', session_id, timestamp_ms: 1_700_000_000_500 },
  { type: 'thinking', subtype: 'completed', session_id },
  assistant('Looking.'),
  ...tool('t\n1', 'shell', { command: 'ls' }, { success: { stdout: 'a', stderr: '', exitCode: 0 } }),
  ...tool('t2', 'write', { path: '/w/a' }, { success: { path: '/w/a', linesCreated: 1 } }),
  assistant('Done.'),
  result({ usage: { inputTokens: 10, outputTokens: 5, cacheReadTokens: 100, cacheWriteTokens: 1 } }),
];

it('reads a whole run', () => {
  const read = readLines(run, { exit: exited(0) });
  expect(read.outcome).toMatchObject({
    session_id,
    message: 'Done.',
    metadata: { initial_prompt: 'Make it.' },
    metrics: {
      model_name: 'M 1',
      duration_ms: 900,
      start_time_ms: 1_700_000_000_000,
      input_tokens: 111,
      output_tokens: 5,
      cache_read_tokens: 100,
      cache_write_tokens: 1,
      cost_source: 'unknown',
    },
    artifacts: [{ path: '/w/a', operation: 'created' }],
    verdict: { class: 'success' },
    provenance: { agent: 'cursor', dialect: 'cursor', unknown_lines: 0 },
  });
  expect(texts(read)).toEqual(['Looking.', 'Done.']);
  expect(only(read, 'reasoning.completed')).toMatchObject([{ text: 'Hm.' }]);
  expect(only(read, 'item.started')).toMatchObject([
    { item_id: 't\n1', kind: 'command', name: 'shell', native_name: 'shellToolCall', args: { command: 'ls' } },
    { item_id: 't2', kind: 'file_edit', name: 'write' },
  ]);
});

describe('partial output', () => {
  const timed = { timestamp_ms: 1_700_000_000_000 };
  it.each<[string, Wire[]]>([
    ['deltas with a time, the repeat without', [assistant('ha', timed), assistant('ha', timed), assistant('haha')]],
    [
      'the repeat with a call id',
      [assistant('ha', timed), assistant('ha', timed), assistant('haha', { ...timed, model_call_id: 'x' })],
    ],
    [
      'two repeats',
      [
        assistant('ha', timed),
        assistant('ha', timed),
        assistant('haha', { ...timed, model_call_id: 'x' }),
        assistant('haha'),
      ],
    ],
    ['no times at all', [assistant('h'), assistant('aha'), assistant('haha')]],
    ['a lost delta', [assistant('ha', timed), assistant('haha')]],
    ['no repeat', [assistant('ha', timed), assistant('ha', timed)]],
  ])('says a text once: %s', (_, lines) => {
    const read = readLines([
      init,
      ...lines,
      ...tool('t', 'ls', {}, { success: {} }),
      assistant('Done.', timed),
      assistant('Done.'),
      result(),
    ]);
    expect(texts(read)).toEqual(['haha', 'Done.']);
    expect(read.outcome.message).toBe('Done.');
  });
});

it.each<[string, string, Wire, string]>([
  ['a good command', 'shell', { success: { exitCode: 0 } }, 'shell completed'],
  ['a command that exits 3', 'shell', { success: { exitCode: 3 } }, 'shell error'],
  ['a failure', 'shell', { failure: { stderr: 'no', exitCode: 1 } }, 'shell error'],
  ['an error', 'read', { error: { errorMessage: 'no' } }, 'read error'],
  ['a refusal', 'shell', { rejected: { reason: 'not allowed' } }, 'shell error denied'],
  ['a word that is unknown', 'shell', { maybe: {} }, 'shell error'],
  ['an MCP tool', 'mcp', { success: {} }, 'find completed'],
])('tells %s', (_, kind, end, want) => {
  expect(tools(readLines([init, ...tool('t', kind, { toolName: 'find' }, end)]))).toEqual([want]);
});

it('reads the generic form, and an end without a start', () => {
  const read = readLines([
    init,
    call('completed', 't', { function: { name: 'fancy', arguments: '{"a":1}', result: { success: {} } } }),
  ]);
  expect(only(read, 'item.started')).toMatchObject([
    { name: 'fancy', native_name: 'function', kind: 'tool_call', args: { a: 1 } },
  ]);
  expect(tools(read)).toEqual(['fancy completed']);
});

it('tells what was edited and deleted', () => {
  const read = readLines([
    init,
    ...tool('1', 'edit', { path: 'a' }, { success: {} }),
    ...tool('2', 'delete', { path: 'b' }, { success: {} }),
    ...tool('3', 'edit', { path: 'c' }, { error: {} }),
  ]);
  expect(read.outcome.artifacts.map(({ path, operation }) => [path, operation])).toEqual([
    ['a', 'modified'],
    ['b', 'deleted'],
  ]);
});

describe('the end', () => {
  it.each<[string, Wire[], Parameters<typeof readLines>[1], string]>([
    ['success', [init, assistant('Hi.'), result()], { exit: exited(0) }, 'success'],
    ['the object of json', [result({ result: 'Hi.' })], { exit: exited(0) }, 'success'],
    ['no result', [init, assistant('Hi.')], { exit: exited(0) }, 'incomplete'],
    [
      'no result, words on stderr',
      [init, assistant('Hi.')],
      { exit: exited(1), stderr: 'Error: usage limit reached\n' },
      'provider',
    ],
    [
      'success without the flag',
      [init, assistant('Hi.'), result({ is_error: null })],
      { exit: exited(0) },
      'incomplete',
    ],
    [
      'an error',
      [init, result({ subtype: 'error', is_error: true, error: '401 unauthorized', result: '' })],
      { exit: exited(1) },
      'provider',
    ],
    [
      'a cut result',
      [init, assistant('Hi.')],
      { exit: exited(0), cut: '{"type":"result","subtype":"succ' },
      'incomplete',
    ],
    [
      'a refusal as the last word',
      [init, ...tool('t', 'shell', {}, { rejected: {} }), result({ result: '' })],
      { exit: exited(0) },
      'permission',
    ],
    ['an empty answer', [init, result({ result: '' })], { exit: exited(0) }, 'incomplete'],
    [
      'killed after its result',
      [init, assistant('Hi.'), result()],
      { exit: { exit_code: null, signal: 'SIGTERM' } },
      'success',
    ],
  ])('%s', (_, lines, rest, want) => {
    expect(readLines(lines, rest).outcome.verdict.class).toBe(want);
  });

  it('takes the answer from the object of json', () => {
    expect(readLines([result({ result: 'Hi.' })]).outcome).toMatchObject({
      message: 'Hi.',
      provenance: { dialect: 'cursor' },
    });
  });

  it('does not count zeros', () => {
    const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
    expect(readLines([init, assistant('Hi.'), result({ usage })]).outcome.metrics).not.toHaveProperty('tokens_used');
  });
});

it('keeps what is new', () => {
  const unknown = [
    { type: 'system', subtype: 'pause', session_id },
    { type: 'ping' },
    call('paused', 't', { lsToolCall: {} }),
    call('started', 't', {}),
  ];
  expect(only(readLines([init, ...unknown]), 'line.unknown')).toEqual(
    unknown.map((wire) => ({ type: 'line.unknown', dialect: 'cursor', wire })),
  );
});

it("is recognised, others' lines are not, and its lines fit the schema", async () => {
  for (const line of [init, run[2], run[6], result()]) expect(detected([line ?? {}])).toBe('cursor');
  expect(detected([{ ...init, tools: [], claude_code_version: '2.1.0', uuid: 'u' }])).not.toBe('cursor');
  expect(detected([result({ uuid: 'u', num_turns: 1, total_cost_usd: 0.1 })])).not.toBe('cursor');
  for (const line of run) expect(Line.safeParse(line).error).toBeUndefined();
  expect(Line.safeParse({ type: 'tool_call' }).success).toBe(false);
});
