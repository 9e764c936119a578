import { expect, it } from 'vitest';
import { Line } from '../../src/dialects/qwen/wire.ts';
import { detected, readLines, tools, type Wire } from '../support/lines.ts';

let uuids = 0;
const line = (type: string, fields: Wire): Wire => ({
  uuid: `u${++uuids}`,
  parentUuid: uuids === 1 ? null : `u${uuids - 1}`,
  sessionId: 's-1',
  timestamp: '2026-03-01T10:00:00.000Z',
  type,
  cwd: '/w',
  version: '0.24.4',
  ...fields,
});
const prompt = (text: string): Wire => line('user', { message: { role: 'user', parts: [{ text }] } });
const answer = (parts: Wire[], tokens: Wire = {}): Wire =>
  line('assistant', {
    model: 'coder-model',
    message: { role: 'model', parts },
    usageMetadata: {
      promptTokenCount: 100,
      candidatesTokenCount: 10,
      thoughtsTokenCount: 4,
      totalTokenCount: 110,
      cachedContentTokenCount: 60,
      ...tokens,
    },
  });
const call = (id: string, name: string, args: Wire): Wire => ({ functionCall: { id, name, args } });
const result = (id: string, response: Wire, status = 'success'): Wire =>
  line('tool_result', {
    message: { role: 'user', parts: [{ functionResponse: { id, response } }] },
    toolCallResult: { callId: id, status },
  });
const telemetry = (name: string, fields: Wire): Wire =>
  line('system', {
    subtype: 'ui_telemetry',
    systemPayload: { uiEvent: { 'event.name': `qwen-code.${name}`, ...fields } },
  });

const session = [
  prompt('Write it.'),
  telemetry('api_response', {
    model: 'coder-model',
    input_token_count: 100,
    output_token_count: 10,
    total_token_count: 110,
  }),
  answer([
    { text: 'Hm.', thought: true },
    { text: 'I write.' },
    call('c1', 'write_file', { file_path: '/w/a', content: 'x' }),
  ]),
  result('c1', { output: 'Successfully created and wrote to new file: /w/a.' }),
  answer([call('c2', 'run_shell_command', { command: 'false' })], { totalTokenCount: 114 }),
  result('c2', { error: 'Command: false\nOutput: (none)\nExit Code: 1' }, 'error'),
  answer([{ text: 'Done.' }]),
];

it('are not taken for those of Claude Code', () => {
  for (const each of session) {
    expect(detected([each])).toBe('qwen');
    expect(Line.safeParse(each).success).toBe(true);
  }
});

it('are read whole', () => {
  const read = readLines(session.filter((each) => each.type !== 'system'));
  expect(read.outcome).toMatchObject({
    session_id: 's-1',
    message: 'Done.',
    metadata: { initial_prompt: 'Write it.' },
    metrics: {
      turns: 3,
      model_name: 'coder-model',
      input_tokens: 300,
      output_tokens: 34,
      reasoning_tokens: 12,
      cache_read_tokens: 180,
    },
    artifacts: [{ path: '/w/a', operation: 'created' }],
    verdict: { class: 'success' },
    provenance: { agent: 'qwen', version: '0.24.4', dialect: 'qwen', unknown_lines: 0 },
  });
  expect(tools(read)).toEqual(['write_file completed', 'run_shell_command error']);
});

it('count every model call where they are told', () => {
  const side = telemetry('api_response', {
    model: 'm',
    input_token_count: 7,
    output_token_count: 1,
    total_token_count: 8,
  });
  const calls = session.map((each) =>
    each.type === 'assistant' ? [...session.slice(1, 2), each] : each.type === 'system' ? [] : [each],
  );
  expect(readLines([...calls.flat(), side]).outcome.metrics).toMatchObject({ input_tokens: 307, output_tokens: 31 });
});

it.each<[string, Wire[], object]>([
  ['a call', session.slice(0, 5), { class: 'incomplete' }],
  ['a prompt', [...session, prompt('More.')], { class: 'incomplete' }],
  [
    'an error of the model',
    [...session.slice(0, 6), telemetry('api_error', { error_message: 'Rate limited', status_code: 429 })],
    { code: 'rate_limit' },
  ],
  [
    'an answer after an error',
    [prompt('Hi.'), telemetry('api_error', { error_message: '500' }), answer([{ text: 'Hi.' }])],
    { class: 'success' },
  ],
])('end on %s', (_title, lines, verdict) => {
  expect(readLines(lines).outcome.verdict).toMatchObject(verdict);
});

it('tell a call that was cancelled', () => {
  expect(tools(readLines([...session.slice(0, 3), result('c1', { error: 'stopped' }, 'cancelled')]))).toEqual([
    'write_file cancelled',
  ]);
});
