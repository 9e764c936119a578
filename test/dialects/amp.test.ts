import { describe, expect, it } from 'vitest';
import { amp } from '../../src/dialects/amp.ts';
import { detected, exited, only, readLines, tools, type Wire } from '../support/lines.ts';

const Line = await amp.schema();
const session_id = 'T-0001';
const init: Wire = { type: 'system', subtype: 'init', session_id, cwd: '/w', tools: ['Bash'], mcp_servers: [] };
const assistant = (id: string, content: Wire[], fields: Wire = {}, parent: string | null = null): Wire => ({
  type: 'assistant',
  session_id,
  parent_tool_use_id: parent,
  message: {
    id,
    type: 'message',
    role: 'assistant',
    model: 'm-1',
    content,
    stop_reason: null,
    stop_sequence: null,
    ...fields,
  },
});
const user = (content: Wire[], parent: string | null = null): Wire => ({
  type: 'user',
  session_id,
  parent_tool_use_id: parent,
  message: { role: 'user', content },
});
const text = (words: string): Wire => ({ type: 'text', text: words });
const use = (id: string, name: string, input: Wire = {}): Wire => ({ type: 'tool_use', id, name, input });
const answer = (id: string, content: string, is_error = false): Wire => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  is_error,
});
const result = (fields: Wire): Wire => ({ type: 'result', session_id, duration_ms: 900, num_turns: 2, ...fields });
const success = (fields: Wire = {}): Wire =>
  result({ subtype: 'success', is_error: false, result: 'Done.', ...fields });
const usage = (input_tokens: number, output_tokens: number): Wire => ({
  input_tokens,
  output_tokens,
  cache_creation_input_tokens: 10,
  cache_read_input_tokens: 100,
});

const run: Wire[] = [
  init,
  user([text('Make it.')]),
  assistant('m1', [{ type: 'thinking', thinking: 'Hm.' }, text('I make it.')], { usage: usage(1, 1) }),
  assistant('m1', [use('t1', 'create_file', { path: '/w/a' }), use('t2', 'Bash', { cmd: 'ls' })], {
    stop_reason: 'tool_use',
    usage: usage(1, 5),
  }),
  user([answer('t1', 'ok'), answer('t2', 'no such file', true)]),
  assistant('m2', [text('Done.')], { stop_reason: 'end_turn', usage: usage(2, 3) }),
  success(),
];

it('keeps messages without ids apart', () => {
  const nameless = run.map((line) => {
    if (line.type !== 'assistant') return line;
    const { id: _, ...message } = line.message as Wire;
    return { ...line, message };
  });
  const read = readLines(nameless, { exit: exited(0) });
  expect(read.outcome.metrics).toMatchObject({ turns: 2, input_tokens: 223, output_tokens: 8 });
  expect(only(read, 'turn.completed').map((each) => each.finish_reason)).toEqual(['tool_calls', 'stop']);
  const same = readLines([
    init,
    assistant('', [text('Again.')]),
    user([text('More.')]),
    assistant('', [text('Again.')]),
    success(),
  ]);
  expect(only(same, 'text.completed').map((each) => each.text)).toEqual(['Again.', 'Again.']);
});

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
      input_tokens: 223,
      output_tokens: 8,
      cache_read_tokens: 200,
      cache_write_tokens: 20,
      cost_source: 'unknown',
    },
    artifacts: [{ path: '/w/a', operation: 'created' }],
    verdict: { class: 'success' },
    provenance: { agent: 'amp', dialect: 'amp', unknown_lines: 0 },
  });
  expect(tools(read)).toEqual(['create_file completed', 'Bash error']);
  expect(only(read, 'turn.completed')).toMatchObject([
    { finish_reason: 'tool_calls', raw_finish_reason: 'tool_use', tool_call_count: 2 },
    { finish_reason: 'stop', raw_finish_reason: 'end_turn', tool_call_count: 0 },
  ]);
});

it('counts and says a repeated message once', () => {
  const whole = assistant('m1', [text('Done.'), use('t1', 'Bash')], { usage: usage(1, 5), stop_reason: 'end_turn' });
  const read = readLines([init, assistant('m1', [text('Done.')], { usage: usage(1, 1) }), whole, whole, success()]);
  expect(read.outcome.metrics).toMatchObject({ input_tokens: 111, output_tokens: 5, turns: 1 });
  expect(only(read, 'text.completed', 'item.started')).toHaveLength(2);
});

it('lets the total of the result replace the sum', () => {
  const read = readLines([...run.slice(0, -1), success({ usage: { input_tokens: 7, output_tokens: 9 } })]);
  expect(read.outcome.metrics).toMatchObject({ input_tokens: 7, output_tokens: 9 });
});

it('keeps a sub-agent apart', () => {
  const read = readLines([
    init,
    assistant('m1', [use('t1', 'Task', { prompt: 'look' })]),
    user([text('look')], 't1'),
    assistant('s1', [text('Looking.'), use('t2', 'Grep')], { usage: usage(1, 1) }, 't1'),
    user([answer('t2', 'x')], 't1'),
    user([answer('t1', 'found')]),
    assistant('m2', [text('Found.')]),
    success(),
  ]);
  expect(only(read, 'item.started')).toMatchObject([{ kind: 'subagent' }, { kind: 'search', parent_item_id: 't1' }]);
  expect(read.outcome).toMatchObject({
    message: 'Found.',
    metrics: { turns: 2, input_tokens: 111 },
    metadata: { initial_prompt: '' },
  });
});

describe('the end', () => {
  const said = assistant('m1', [text('Hi.')]);
  it.each<[string, Wire[], Parameters<typeof readLines>[1], string]>([
    ['success', [init, said, success()], { exit: exited(0) }, 'success'],
    [
      'success without the flag',
      [init, said, result({ subtype: 'success', result: 'Hi.' })],
      { exit: exited(0) },
      'incomplete',
    ],
    [
      'success that is an error',
      [init, said, success({ is_error: true, result: '500 server error' })],
      { exit: exited(0) },
      'provider',
    ],
    ['an unknown subtype', [init, said, success({ subtype: 'succes' })], { exit: exited(0) }, 'incomplete'],
    [
      'an error',
      [init, result({ subtype: 'error_during_execution', is_error: true, error: 'Out of credits' })],
      { exit: exited(1) },
      'provider',
    ],
    [
      'a cancel',
      [init, result({ subtype: 'error_during_execution', is_error: true, error: 'Operation was cancelled' })],
      {},
      'cancelled',
    ],
    [
      'too many turns',
      [init, result({ subtype: 'error_max_turns', is_error: true, error: 'max turns' })],
      { exit: exited(1) },
      'turn_limit',
    ],
    [
      'a denial, then words',
      [init, said, success({ permission_denials: ['Bash: rm'] })],
      { exit: exited(0) },
      'permission',
    ],
    [
      'a denial as the last word',
      [
        init,
        assistant('m1', [use('t', 'Bash')]),
        user([answer('t', 'refused', true)]),
        success({ result: '', permission_denials: ['Bash'] }),
      ],
      { exit: exited(0) },
      'permission',
    ],
    [
      'a cut stream',
      [init, said],
      { exit: exited(0), cut: '{"type":"result","subtype":"success","is_er' },
      'incomplete',
    ],
    ['words on stderr alone', [], { exit: exited(1), stderr: 'Error: invalid API key\n' }, 'provider'],
  ])('%s', (_, lines, rest, want) => {
    expect(readLines(lines, rest).outcome.verdict.class).toBe(want);
  });

  it('takes the answer from the result where no message came', () => {
    expect(readLines([success({ result: 'Short.' })]).outcome.message).toBe('Short.');
  });

  it('warns of what was denied', () => {
    expect(readLines([init, said, success({ permission_denials: ['Bash: rm'] })]).outcome.warnings).toEqual([
      'permission requested: Bash: rm',
      'denied: permission denied by rule',
    ]);
  });
});

it('keeps what is new', () => {
  const unknown = [
    { type: 'system', subtype: 'pause', session_id },
    { type: 'ping', session_id },
  ];
  expect(only(readLines([init, ...unknown]), 'line.unknown')).toEqual(
    unknown.map((wire) => ({ type: 'line.unknown', dialect: 'amp', wire })),
  );
});

it('is recognised by its thread ids, and its lines fit the schema', async () => {
  for (const line of run) {
    expect(detected([line])).toBe('amp');
    expect(Line.safeParse(line).error).toBeUndefined();
  }
  expect(detected([{ ...init, session_id: 'a1b2' }])).not.toBe('amp');
  expect(Line.safeParse({ type: 'result', session_id }).success).toBe(false);
});
