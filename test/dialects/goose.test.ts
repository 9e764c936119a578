import { describe, expect, it } from 'vitest';
import { goose } from '../../src/dialects/goose.ts';
import { detected, exited, only, readLines, tools, type Wire } from '../support/lines.ts';

const Line = await goose.schema();
const body = (role: string, id: string | null, ...content: Wire[]): Wire => ({
  id,
  role,
  created: 1_700_000_000,
  content,
  metadata: { userVisible: true, agentVisible: true },
});
const message = (role: string, id: string | null, ...content: Wire[]): Wire => ({
  type: 'message',
  message: body(role, id, ...content),
});
const text = (words: string): Wire => ({ type: 'text', text: words });
const request = (id: string, name: string, args: Wire): Wire => ({
  type: 'toolRequest',
  id,
  toolCall: { status: 'success', value: { name, arguments: args } },
});
const response = (id: string, toolResult: Wire): Wire => ({ type: 'toolResponse', id, toolResult });
const good = (words: string): Wire => ({ status: 'success', value: { content: [text(words)], isError: false } });
const complete: Wire = { type: 'complete', total_tokens: 1234 };
const declined = 'The user has declined to run this tool. DO NOT attempt to call this tool again.';
const provider =
  'Ran into this error: Server error: 503.\n\nPlease retry if you think this is a transient or recoverable error.';
const limit = "I've reached the maximum number of actions I can do without user input. Would you like me to continue?";

const run: Wire[] = [
  message('user', null, text('List it.')),
  message('assistant', 'm1', { type: 'thinking', thinking: 'Hm.', signature: '' }),
  message('assistant', 'm1', text('I ')),
  message('assistant', 'm1', text('look.')),
  message(
    'assistant',
    'm1',
    request('t1', 'developer__shell', { command: 'ls' }),
    request('t2', 'developer__text_editor', { command: 'write', path: 'a' }),
  ),
  { type: 'notification', extension_id: 'developer', log: { message: 'running' } },
  { type: 'notification', extension_id: 'developer', progress: { progress: 1, total: 2, message: 'half' } },
  message('user', null, response('t1', good('a.txt')), response('t2', good('written'))),
  message('assistant', 'm2', text('One ')),
  message('assistant', 'm2', text('file.')),
  complete,
];

it('puts the pieces of a message together and pairs tools', () => {
  const read = readLines(run, { exit: exited(0) });
  expect(read.outcome).toMatchObject({
    message: 'One file.',
    metadata: { initial_prompt: 'List it.' },
    metrics: { turns: 2, cost_source: 'unknown', start_time_ms: 1_700_000_000_000 },
    artifacts: [{ path: 'a', operation: 'modified' }],
    verdict: { class: 'success' },
    provenance: { agent: 'goose', dialect: 'goose', unknown_lines: 0 },
  });
  expect(tools(read)).toEqual(['developer__shell completed', 'developer__text_editor completed']);
  expect(only(read, 'text.completed', 'reasoning.completed').map((each) => ('text' in each ? each.text : ''))).toEqual([
    'Hm.',
    'I look.',
    'One file.',
  ]);
  expect(only(read, 'log').map((each) => ('text' in each ? each.text : ''))).toEqual([
    'running',
    'half',
    '1234 tokens in this session',
  ]);
  expect(read.outcome.metrics).not.toHaveProperty('tokens_used');
});

it('reads the indented document the same way', () => {
  const messages = run.flatMap((line) => (line.type === 'message' ? [line.message] : []));
  const document = JSON.stringify({ messages, metadata: { total_tokens: 1234, status: 'completed' } }, null, 2);
  const read = readLines([], { cut: document, exit: exited(0) });
  expect(read.outcome).toMatchObject({
    message: 'One file.',
    verdict: { class: 'success' },
    provenance: { dialect: 'goose' },
  });
  expect(tools(read)).toEqual(['developer__shell completed', 'developer__text_editor completed']);
});

it('groups pieces without an id until somebody else speaks', () => {
  const read = readLines([
    message('assistant', null, text('One ')),
    message('assistant', null, text('two.'), request('t1', 'shell', {})),
    message('user', null, response('t1', good(''))),
    message('assistant', null, text('Three.')),
    complete,
  ]);
  expect(only(read, 'text.completed').map((each) => ('text' in each ? each.text : ''))).toEqual(['One two.', 'Three.']);
  expect(read.outcome).toMatchObject({ message: 'Three.', metrics: { turns: 2 } });
});

it.each<[string, Wire, string]>([
  ['a good result', good('x'), 'shell completed'],
  ['a result of older releases', { status: 'success', value: [text('x')] }, 'shell completed'],
  ['a result marked as an error', { status: 'success', value: { content: [text('x')], isError: true } }, 'shell error'],
  ['a failed call', { status: 'error', error: '-32603: boom' }, 'shell error'],
  ['a word that is unknown', { status: 'maybe', value: { content: [] } }, 'shell error'],
  ['a refusal', { status: 'success', value: { content: [text(declined)], isError: true } }, 'shell error denied'],
  ['a refusal as an error', { status: 'error', error: declined }, 'shell error denied'],
])('tells %s', (_, result, want) => {
  expect(
    tools(
      readLines([message('assistant', 'm', request('t', 'shell', {})), message('user', null, response('t', result))]),
    ),
  ).toEqual([want]);
});

it('tells a call that could not be read', () => {
  const call = { type: 'toolRequest', id: 't', toolCall: { status: 'error', error: 'bad arguments' } };
  expect(tools(readLines([message('assistant', 'm', call)]))).toEqual(['unknown error']);
});

describe('the end', () => {
  const asked = message('assistant', 'm1', text('Looking.'), request('t1', 'shell', {}));
  it.each<[string, Wire[], Parameters<typeof readLines>[1], string]>([
    ['an answer', [message('assistant', 'm', text('Hi.')), complete], { exit: exited(0) }, 'success'],
    ['an answer, exit 1', [message('assistant', 'm', text('Hi.')), complete], { exit: exited(1) }, 'incomplete'],
    ['no last line', [message('assistant', 'm', text('Hi.'))], { exit: exited(0) }, 'incomplete'],
    [
      'a cut last line',
      [message('assistant', 'm', text('Hi.'))],
      { exit: exited(0), cut: '{"type":"compl' },
      'incomplete',
    ],
    [
      'an error line',
      [message('assistant', 'm', text('Hi.')), { type: 'error', error: 'Rate limit exceeded' }, complete],
      { exit: exited(0) },
      'provider',
    ],
    [
      'an error that it got over',
      [{ type: 'error', error: 'Rate limit' }, message('assistant', 'm', text('Hi.')), complete],
      { exit: exited(0) },
      'success',
    ],
    [
      "an error in the assistant's name",
      [message('assistant', 'm', text(provider)), complete],
      { exit: exited(0) },
      'provider',
    ],
    [
      'the turn limit',
      [asked, message('user', null, response('t1', good('x'))), message('assistant', 'm2', text(limit)), complete],
      { exit: exited(0) },
      'turn_limit',
    ],
    ['a tool without a result', [asked, complete], { exit: exited(0) }, 'incomplete'],
    [
      'a tool as the last word',
      [asked, message('user', null, response('t1', good('x'))), complete],
      { exit: exited(0) },
      'incomplete',
    ],
    [
      'a refusal as the last word',
      [asked, message('user', null, response('t1', good(declined))), complete],
      { exit: exited(0) },
      'permission',
    ],
    ['nothing', [complete], { exit: exited(0) }, 'incomplete'],
    [
      'no credits',
      [
        message('assistant', 'm', {
          type: 'systemNotification',
          notificationType: 'creditsExhausted',
          msg: 'Out of credits',
        }),
        complete,
      ],
      { exit: exited(0) },
      'provider',
    ],
  ])('%s', (_, lines, rest, want) => {
    expect(readLines(lines, rest).outcome.verdict.class).toBe(want);
  });

  it('does not take an error for words of the model', () => {
    const read = readLines([message('assistant', 'm', text(provider)), complete]);
    expect(read.outcome).toMatchObject({ message: '', error_details: { message: 'Server error: 503.' } });
    expect(only(read, 'text.delta', 'text.completed')).toEqual([]);
  });
});

it('tells questions, passes over pictures and keeps what is new', () => {
  const unknown = { type: 'hologram', data: 'x' };
  const read = readLines([
    message('assistant', 'm', {
      type: 'toolConfirmationRequest',
      id: 'q1',
      toolName: 'shell',
      arguments: {},
      prompt: 'Run it?',
    }),
    message('assistant', 'm', {
      type: 'actionRequired',
      data: { actionType: 'toolConfirmation', id: 'q2', toolName: 'edit' },
    }),
    message(
      'assistant',
      'm',
      { type: 'image', data: '', mimeType: 'image/png' },
      { type: 'redactedThinking', data: '' },
      unknown,
    ),
    message('assistant', 'm', { type: 'systemNotification', notificationType: 'inlineMessage', msg: 'Compacted' }),
  ]);
  expect(only(read, 'permission.requested', 'log', 'line.unknown')).toEqual([
    { type: 'permission.requested', permission_id: 'q1', what: 'shell', title: 'Run it?' },
    { type: 'permission.requested', permission_id: 'q2', what: 'edit' },
    { type: 'line.unknown', dialect: 'goose', wire: unknown },
    { type: 'log', stream: 'agent', level: 'info', text: 'Compacted' },
  ]);
});

it('knows the kinds of its tools', () => {
  const names = [
    'developer__shell',
    'shell',
    'developer__tree',
    'write',
    'todo__write',
    'subagent__run',
    'github__search',
    'platform__x',
    'other',
  ];
  const read = readLines(names.map((name, index) => message('assistant', 'm', request(`t${index}`, name, {}))));
  expect(only(read, 'item.started').map((each) => ('kind' in each ? each.kind : ''))).toEqual([
    'command',
    'command',
    'search',
    'file_edit',
    'plan',
    'subagent',
    'mcp',
    'tool_call',
    'tool_call',
  ]);
});

it('is recognised from its first line, and its lines fit the schema', async () => {
  for (const line of [run[0], run[5], complete]) expect(detected([line ?? {}])).toBe('goose');
  expect(detected([{ type: 'error', error: 'x' }, complete])).toBe('goose');
  expect(detected([{ type: 'error', error: 'x' }])).toBeUndefined();
  for (const line of run) expect(Line.safeParse(line).error).toBeUndefined();
  expect(Line.safeParse({ type: 'message' }).success).toBe(false);
});

it('takes tokens and cost from the end of newer versions', () => {
  const totals = {
    total_tokens: 1290,
    input_tokens: 1234,
    output_tokens: 56,
    cache_read_input_tokens: 1000,
    cost_usd: 0.01,
  };
  const read = readLines([...run.slice(0, -1), { type: 'complete', ...totals }], { exit: exited(0) });
  expect(read.outcome.metrics).toMatchObject({
    input_tokens: 1234,
    output_tokens: 56,
    cache_read_tokens: 1000,
    cost: 0.01,
    cost_source: 'reported',
  });
  expect(only(read, 'log').map(({ text: words }) => words)).not.toContain('1290 tokens in this session');
  const priced = readLines([...run.slice(0, -1), { type: 'complete', total_tokens: 12, total_cost_usd: 0.0001 }]);
  expect(priced.outcome.metrics).toMatchObject({ cost: 0.0001, cost_source: 'reported' });
});

it('reads notifications that are not wrapped', () => {
  const read = readLines([
    ...run.slice(0, -1),
    { type: 'notification', extension_id: 'developer', message: 'flat' },
    complete,
  ]);
  expect(only(read, 'log').map(({ text: words }) => words)).toContain('flat');
});
