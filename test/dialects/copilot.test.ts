import { describe, expect, it } from 'vitest';
import { copilot } from '../../src/dialects/copilot.ts';
import { detected, exited, only, readLines, tools, type Wire } from '../support/lines.ts';

const Line = await copilot.schema();
const timestamp = '2026-11-15T10:00:00.000Z';
const event = (type: string, data: Wire, fields: Wire = {}): Wire => ({
  type,
  data,
  id: 'e-1',
  parentId: null,
  timestamp,
  ...fields,
});
const start = event('session.start', {
  sessionId: 's-1',
  copilotVersion: '1.0.14',
  selectedModel: 'm-1',
  startTime: timestamp,
  context: { cwd: '/w' },
});
const message = (content: string, fields: Wire = {}): Wire =>
  event('assistant.message', { messageId: 'm1', content, ...fields });
const toolStart = (toolCallId: string, toolName: string, args: Wire, fields: Wire = {}): Wire =>
  event('tool.execution_start', { toolCallId, toolName, arguments: args, ...fields });
const toolEnd = (toolCallId: string, fields: Wire): Wire => event('tool.execution_complete', { toolCallId, ...fields });
const usage = (fields: Wire): Wire => event('assistant.usage', { model: 'm-1', ...fields }, { ephemeral: true });
const result = (exitCode: unknown, fields: Wire = {}): Wire => ({
  type: 'result',
  timestamp,
  sessionId: 's-1',
  exitCode,
  usage: {
    premiumRequests: 1,
    totalApiDurationMs: 5,
    sessionDurationMs: 900,
    codeChanges: { linesAdded: 1, linesRemoved: 0, filesModified: [] },
    ...fields,
  },
});
const denial = 'Permission denied and could not request permission from user';

const run: Wire[] = [
  start,
  event('user.message', { content: 'Make it.' }),
  event('assistant.turn_start', { turnId: '0' }),
  event('assistant.reasoning_delta', { reasoningId: 'r1', deltaContent: 'H' }, { ephemeral: true }),
  event('assistant.reasoning', { reasoningId: 'r1', content: 'Hm.' }),
  event('assistant.message_start', { messageId: 'm0' }),
  message('', {
    messageId: 'm0',
    reasoningText: 'Hm.',
    toolRequests: [{ toolCallId: 't1', name: 'create', arguments: { path: '/w/a' } }],
    outputTokens: 4,
  }),
  usage({ inputTokens: 100, outputTokens: 4, cacheReadTokens: 60, cacheWriteTokens: 10, cost: 1 }),
  toolStart('t1', 'create', { path: '/w/a' }),
  event('tool.execution_partial_result', { toolCallId: 't1', partialOutput: 'half' }, { ephemeral: true }),
  event('tool.execution_progress', { toolCallId: 't1', progressMessage: 'more' }, { ephemeral: true }),
  toolEnd('t1', { success: true, result: { content: 'ok', detailedContent: 'longer' } }),
  event('assistant.turn_end', { turnId: '0' }),
  event('assistant.turn_start', { turnId: '1' }),
  event('assistant.message_delta', { messageId: 'm1', deltaContent: 'Do' }, { ephemeral: true }),
  event('assistant.message_delta', { messageId: 'm1', deltaContent: 'ne.' }, { ephemeral: true }),
  message('Done.', { outputTokens: 2 }),
  usage({ inputTokens: 200, outputTokens: 2, cacheReadTokens: 100 }),
  event('assistant.turn_end', { turnId: '1' }),
  event('session.idle', {}, { ephemeral: true }),
  result(0),
];

it('reads a whole run', () => {
  const read = readLines(run, { exit: exited(0) });
  expect(read.outcome).toMatchObject({
    session_id: 's-1',
    message: 'Done.',
    metadata: { initial_prompt: 'Make it.' },
    metrics: {
      turns: 2,
      model_name: 'm-1',
      duration_ms: 900,
      start_time_ms: Date.parse(timestamp),
      input_tokens: 300,
      output_tokens: 6,
      cache_read_tokens: 160,
      cache_write_tokens: 10,
      cost_source: 'unknown',
    },
    artifacts: [{ path: '/w/a', operation: 'created' }],
    verdict: { class: 'success' },
    provenance: { agent: 'copilot', version: '1.0.14', dialect: 'copilot', unknown_lines: 0 },
  });
  expect(tools(read)).toEqual(['create completed']);
  expect(only(read, 'reasoning.completed', 'text.completed').map((each) => ('text' in each ? each.text : ''))).toEqual([
    'Hm.',
    'Done.',
  ]);
  expect(only(read, 'item.output')).toEqual([
    { type: 'item.output', item_id: 't1', stream: 'stdout', chunk: 'half' },
    { type: 'item.output', item_id: 't1', stream: 'progress', chunk: 'more' },
  ]);
});

it('counts what the messages of an aborted run tell', () => {
  const read = readLines([start, message('Hi.', { outputTokens: 7 }), event('abort', { reason: 'user initiated' })]);
  expect(read.outcome).toMatchObject({ metrics: { output_tokens: 7 }, verdict: { class: 'cancelled' } });
});

describe('usage', () => {
  it('falls back to the output counts of the messages', () => {
    const { metrics } = readLines([
      start,
      message('Hi.', { outputTokens: 7 }),
      message('Ho.', { outputTokens: 3 }),
      result(0),
    ]).outcome;
    expect(metrics).toMatchObject({ output_tokens: 10 });
    expect(metrics).not.toHaveProperty('input_tokens');
  });

  it('takes the totals of the shutdown over the sum', () => {
    const modelMetrics = {
      a: {
        requests: { count: 1, cost: 1 },
        usage: { inputTokens: 10, outputTokens: 1, cacheReadTokens: 5, cacheWriteTokens: 0 },
      },
      b: { requests: { count: 1, cost: 0 }, usage: { inputTokens: 20, outputTokens: 2 } },
    };
    const read = readLines([
      start,
      usage({ inputTokens: 9, outputTokens: 9 }),
      message('Hi.'),
      event('session.shutdown', { shutdownType: 'routine', modelMetrics }),
    ]);
    expect(read.outcome.metrics).toMatchObject({ input_tokens: 30, output_tokens: 3, cost_source: 'unknown' });
    expect(read.outcome.verdict.class).toBe('success');
  });
});

it('takes reasoning from the message where no event told it', () => {
  expect(only(readLines([start, message('Hi.', { reasoningText: 'Hm.' })]), 'reasoning.completed')).toMatchObject([
    { text: 'Hm.' },
  ]);
});

it.each<[string, Wire, string]>([
  ['a good tool', { success: true, result: { content: 'ok' } }, 'bash completed'],
  ['a failed tool', { success: false, error: { message: 'exit 1' } }, 'bash error'],
  ['a refusal', { success: false, error: { message: denial } }, 'bash error denied'],
  ['a refusal by code', { success: false, error: { message: 'no', code: 'rejected' } }, 'bash error denied'],
  ['a missing flag', { result: { content: 'ok' } }, 'bash error'],
])('tells %s', (_, fields, want) => {
  expect(tools(readLines([start, toolStart('t', 'bash', { command: 'ls' }), toolEnd('t', fields)]))).toEqual([want]);
});

it('has the exit code that stands beside the output', () => {
  const ended = toolEnd('t', {
    success: true,
    result: { content: 'no', contents: [{ type: 'shell_exit', shellId: '0', exitCode: 3 }] },
  });
  expect(only(readLines([start, toolStart('t', 'bash', {}), ended]), 'item.completed')).toMatchObject([
    { status: 'error', exit_code: 3 },
  ]);
});

it('names a tool that was refused before it started', () => {
  const asked = message('', { toolRequests: [{ toolCallId: 't', name: 'bash', arguments: { command: 'rm' } }] });
  expect(tools(readLines([start, asked, toolEnd('t', { success: false, error: { message: denial } })]))).toEqual([
    'bash error denied',
  ]);
});

it('keeps sub-agents apart', () => {
  const inside = { parentToolCallId: 't1' };
  const read = readLines([
    start,
    event('assistant.turn_start', { turnId: '0' }),
    toolStart('t1', 'task', { prompt: 'look' }),
    event('subagent.started', { toolCallId: 't1', agentName: 'explore' }),
    event('assistant.turn_start', { turnId: '0' }, { agentId: 'a1' }),
    message('Looking.', { ...inside, messageId: 's1' }),
    toolStart('t2', 'grep', {}, inside),
    toolEnd('t2', { success: true, result: { content: '' } }),
    event('assistant.turn_end', { turnId: '0' }, { agentId: 'a1' }),
    event('subagent.completed', { toolCallId: 't1', agentName: 'explore' }),
    toolEnd('t1', { success: true, result: { content: 'found' } }),
    message('Found.'),
    result(0),
  ]);
  expect(read.outcome).toMatchObject({ message: 'Found.', metrics: { turns: 1 }, verdict: { class: 'success' } });
  expect(only(read, 'item.started')).toMatchObject([{ kind: 'subagent' }, { kind: 'search', parent_item_id: 't1' }]);
});

it('tells permissions', () => {
  const asked = (requestId: string): Wire =>
    event('permission.requested', {
      requestId,
      permissionRequest: { kind: 'shell', toolCallId: 't', fullCommandText: 'rm x', intention: 'Remove' },
    });
  const read = readLines([
    start,
    asked('p1'),
    event('permission.completed', { requestId: 'p1', result: { kind: 'approved' } }),
    asked('p2'),
    event('permission.completed', { requestId: 'p2', result: { kind: 'denied-interactively-by-user' } }),
    event('permission.completed', { requestId: 'p3', result: { kind: 'denied-by-rules' } }),
  ]);
  expect(only(read, 'permission.requested', 'permission.resolved')).toEqual([
    {
      type: 'permission.requested',
      permission_id: 'p1',
      what: 'shell',
      item_id: 't',
      pattern: 'rm x',
      title: 'Remove',
    },
    { type: 'permission.resolved', permission_id: 'p1', decision: 'allowed', raw_decision: 'approved', by: 'rule' },
    {
      type: 'permission.requested',
      permission_id: 'p2',
      what: 'shell',
      item_id: 't',
      pattern: 'rm x',
      title: 'Remove',
    },
    {
      type: 'permission.resolved',
      permission_id: 'p2',
      decision: 'denied',
      raw_decision: 'denied-interactively-by-user',
      by: 'user',
    },
    { type: 'permission.requested', permission_id: 'p3', what: 'unknown' },
    {
      type: 'permission.resolved',
      permission_id: 'p3',
      decision: 'denied',
      raw_decision: 'denied-by-rules',
      by: 'rule',
    },
  ]);
});

it('takes the edited files from the closing line where no tool named them', () => {
  const changes = { codeChanges: { linesAdded: 1, linesRemoved: 0, filesModified: ['a', 'b'] } };
  expect(readLines([start, message('Hi.'), result(0, changes)]).outcome.artifacts.map(({ path }) => path)).toEqual([
    'a',
    'b',
  ]);
  expect(readLines([...run.slice(0, -1), result(0, changes)]).outcome.artifacts.map(({ path }) => path)).toEqual([
    '/w/a',
  ]);
});

describe('a message whose stream broke', () => {
  const delta = (messageId: string, deltaContent: string): Wire =>
    event('assistant.message_delta', { messageId, deltaContent }, { ephemeral: true });

  it('is not the answer: the one that was given instead is', () => {
    const read = readLines([
      start,
      event('assistant.turn_start', { turnId: '0' }),
      delta('m0', 'The first half of'),
      delta('m1', 'The whole '),
      delta('m1', 'answer.'),
      message('The whole answer.'),
      event('assistant.turn_end', { turnId: '0' }),
      result(0),
    ]);
    expect(read.outcome).toMatchObject({ message: 'The whole answer.', verdict: { class: 'success' } });
    expect(only(read, 'text.completed').map(({ text }) => text)).toEqual(['The first half of', 'The whole answer.']);
  });

  const open = (messageId: string): Wire => event('assistant.message_start', { messageId }, { ephemeral: true });
  const abandoned = [
    start,
    event('assistant.turn_start', { turnId: '0' }),
    open('m1'),
    delta('m1', 'The first half of'),
  ];

  it.each<[string, Wire[]]>([
    ['a start', [open('m1'), delta('m1', 'The whole '), delta('m1', 'answer.'), message('The whole answer.')]],
    ['a start, and no whole text', [open('m1'), delta('m1', 'The whole '), delta('m1', 'answer.')]],
    ['no start', [delta('m1', 'The whole '), delta('m1', 'answer.'), message('The whole answer.')]],
    ['no deltas', [message('The whole answer.')]],
  ])('is not the answer either if the next one has its id, with %s', (_, again) => {
    const read = readLines([...abandoned, ...again, event('assistant.turn_end', { turnId: '0' }), result(0)]);
    expect(read.outcome.message).toBe('The whole answer.');
  });
});

it('has its model from its messages', () => {
  const { metrics, usage_by_model } = readLines([
    event('session.start', { sessionId: 's-1' }),
    message('Hi.', { model: 'm-9' }),
    result(0),
  ]).outcome;
  expect({ metrics, usage_by_model }).toMatchObject({
    metrics: { model_name: 'm-9', cost_source: 'unknown' },
    usage_by_model: undefined,
  });
  expect(metrics).not.toHaveProperty('tokens_used');
});

describe('the end', () => {
  const error = event('session.error', {
    errorType: 'authentication',
    message: 'Bad credentials',
    statusCode: 401,
    stack: 'Error\n at /a.js:3:4',
  });
  it.each<[string, Wire[], Parameters<typeof readLines>[1], string]>([
    ['exit code 0', [start, message('Hi.'), result(0)], { exit: exited(0) }, 'success'],
    ['another exit code', [start, message('Hi.'), result(1)], { exit: exited(1) }, 'incomplete'],
    ['no exit code', [start, message('Hi.'), result(null)], { exit: exited(0) }, 'incomplete'],
    ['an error, though exit code 0', [start, message('Hi.'), error, result(0)], { exit: exited(0) }, 'provider'],
    ['an error that it got over', [start, error, message('Hi.'), result(0)], { exit: exited(0) }, 'success'],
    ['an error and no more', [start, error], { exit: exited(1) }, 'provider'],
    ['an abort', [start, event('abort', { reason: 'user initiated' }), result(0)], { exit: exited(0) }, 'cancelled'],
    ['an abort and no more', [start, message('Hi.'), event('abort', { reason: 'user initiated' })], {}, 'cancelled'],
    [
      'a failed shutdown',
      [start, message('Hi.'), event('session.shutdown', { shutdownType: 'error' })],
      {},
      'incomplete',
    ],
    ['no end', [start, message('Hi.')], { exit: exited(0) }, 'incomplete'],
    ['a cut end', [start, message('Hi.')], { exit: exited(0), cut: '{"type":"result","exitCo' }, 'incomplete'],
    [
      'a refusal as the last word',
      [start, toolStart('t', 'bash', {}), toolEnd('t', { success: false, error: { message: denial } }), result(0)],
      { exit: exited(0) },
      'permission',
    ],
    [
      'a refusal, then words',
      [
        start,
        toolStart('t', 'bash', {}),
        toolEnd('t', { success: false, error: { message: denial } }),
        message('I may not.'),
        result(0),
      ],
      { exit: exited(0) },
      'permission',
    ],
    [
      'words on stderr alone',
      [],
      { exit: exited(1), stderr: 'Error: No authentication information found.\n' },
      'provider',
    ],
  ])('%s', (_, lines, rest, want) => {
    expect(readLines(lines, rest).outcome.verdict.class).toBe(want);
  });

  it.each([
    ['context_limit', 'That was too much.', undefined, 'context_overflow'],
    [
      'query',
      'Execution failed: CAPIError: 400 prompt token count of 139639 exceeds the limit of 128000',
      400,
      'context_overflow',
    ],
    ['quota', 'No more for today.', undefined, 'quota'],
    ['rate_limit', 'Slow down.', undefined, 'rate_limit'],
    ['authorization', 'Not for you.', undefined, 'auth'],
  ])('an error of type %s: %s', (errorType, words, statusCode, code) => {
    const fault = event('session.error', {
      errorType,
      message: words,
      ...(statusCode === undefined ? {} : { statusCode }),
    });
    expect(readLines([start, fault, result(1)], { exit: exited(1) }).outcome.verdict).toMatchObject({
      class: 'provider',
      code,
    });
  });

  it('tells the error in full', () => {
    expect(only(readLines([start, error]), 'error')).toEqual([
      {
        type: 'error',
        scope: 'session',
        code: 'auth',
        message: 'Bad credentials',
        fatal: true,
        name: 'authentication',
        http_status: 401,
        stack: 'Error\n at /a.js:3:4',
      },
    ]);
  });
});

it('keeps what is new, unless it was never meant to last', () => {
  const unknown = event('session.teleported', { where: 'home' });
  const read = readLines([
    start,
    unknown,
    event('session.blinked', {}, { ephemeral: true }),
    event('session.warning', { warningType: 'x', message: 'Slow' }),
    event('session.info', { infoType: 'x', message: 'Note' }),
  ]);
  expect(only(read, 'line.unknown', 'log')).toEqual([
    { type: 'line.unknown', dialect: 'copilot', wire: unknown },
    { type: 'log', stream: 'agent', level: 'warning', text: 'Slow' },
    { type: 'log', stream: 'agent', level: 'info', text: 'Note' },
  ]);
});

it('is recognised from any line, and its lines fit the schema', async () => {
  for (const line of run) {
    expect(detected([line])).toBe('copilot');
    expect(Line.safeParse(line).error).toBeUndefined();
  }
  expect(detected([{ type: 'session.start', properties: {} }])).not.toBe('copilot');
  expect(Line.safeParse({ type: 'result' }).success).toBe(false);
});

describe('a run that begins without an introduction', () => {
  const bare = (...more: Wire[]): Wire[] => [
    event('session.info', { message: 'hello' }),
    event('session.auto_mode_resolved', { chosenModel: 'm-2', candidateModels: ['m-1', 'm-2'] }),
    event('assistant.turn_start', { turnId: '0' }),
    ...more,
    message('Done.', { outputTokens: 3 }),
    event('assistant.turn_end', { turnId: '0' }),
    event('assistant.idle', {}),
    result(0),
  ];

  it('has its session from the last line and its model from what was chosen', () => {
    const { outcome } = readLines(bare(), { exit: exited(0) });
    expect(outcome).toMatchObject({
      session_id: 's-1',
      message: 'Done.',
      metrics: { model_name: 'm-2', turns: 1, output_tokens: 3 },
      verdict: { class: 'success' },
      provenance: { agent: 'copilot', unknown_lines: 0, notes: [] },
    });
  });

  it('does not take "auto" for a model', () => {
    const auto = event('session.start', { sessionId: 's-1', selectedModel: 'auto' });
    expect(readLines([auto, ...bare()]).outcome.metrics.model_name).toBe('m-2');
    expect(
      readLines([auto, event('session.model_change', { newModel: 'm-3' }), ...bare().slice(2)]).outcome.metrics
        .model_name,
    ).toBe('m-3');
  });

  it.each([
    ['all went well\n<exited with exit code 0>', { status: 'success', exit_code: 0 }],
    ['no such file\n<exited with exit code 2>\n', { status: 'error', exit_code: 2 }],
    ['it says <exited with exit code 2> and goes on', { status: 'success' }],
    ['fine\n<shellId: 0 completed with exit code 0>', { status: 'success', exit_code: 0 }],
    ['no such file\n<shellId: build-1 completed with exit code 127>', { status: 'error', exit_code: 127 }],
  ])('has the exit code of a command: %j', (content, expected) => {
    const read = readLines(
      bare(toolStart('t1', 'bash', { command: 'x' }), toolEnd('t1', { success: true, result: { content } })),
    );
    expect(only(read, 'item.completed')[0]).toMatchObject(expected);
  });
});
