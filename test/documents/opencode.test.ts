import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json/json.ts';
import { findDialect, findWriter } from '../../src/dialects/registry.ts';
import type { AgentEvent, Draft } from '../../src/events/event.ts';
import { Artifact, ErrorDetails, type RunOutcome, ToolCall } from '../../src/outcome/outcome.ts';
import { fold } from '../../src/pipeline/convert.ts';
import { OutcomeFold } from '../../src/outcome/fold.ts';
import { Reader } from '../../src/pipeline/reader.ts';
import { Repair } from '../../src/pipeline/repair.ts';
import { Writer } from '../../src/pipeline/writer.ts';
import { eventOf, numbered } from '../support/records.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const jsonl = (lines: readonly (JsonObject | string)[]): string =>
  lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');

function read(lines: readonly (JsonObject | string)[], stderr: readonly (JsonObject | string)[] = []) {
  const events: AgentEvent[] = [];
  const reader = new Reader({ onRecord: (record) => void events.push(eventOf(record)) });
  reader.stdout(bytes(jsonl(lines)));
  reader.stderr(bytes(jsonl(stderr)));
  const outcome = reader.end({ exit_code: 0, signal: null });
  return { events, outcome };
}

function eventsOf<Type extends AgentEvent['type']>(
  events: readonly AgentEvent[],
  type: Type,
): Extract<AgentEvent, { type: Type }>[] {
  return events.filter((event): event is Extract<AgentEvent, { type: Type }> => event.type === type);
}

// The documented examples, word by word.
const sessionInfo = {
  id: 'session-id',
  projectID: 'project-id',
  directory: '/path/to/directory',
  parentID: 'parent-session-id',
  title: 'Session Title',
  version: '1.0.0',
  time: { created: 1736236800000, updated: 1736236800000 },
  summary: { additions: 10, deletions: 5, files: 3 },
  share: { url: 'https://share.url' },
};
const sessionCreated = { type: 'session.created', properties: { info: sessionInfo } };
const sessionUpdated = { type: 'session.updated', properties: { info: sessionInfo } };
const statusOf = (type: string) => ({
  type: 'session.status',
  properties: { sessionID: 'session-id', status: { type, attempt: 1, message: 'Retry message', next: 1736236800000 } },
});
const sessionError = {
  type: 'session.error',
  properties: { sessionID: 'session-id', error: { name: 'ErrorName', message: 'Error message' } },
};
const sessionIdle = { type: 'session.idle', properties: { sessionID: 'session-id' } };
const assistantInfo = {
  id: 'message-id',
  sessionID: 'session-id',
  role: 'assistant',
  time: { created: 1736236800000, completed: 1736236860000 },
  parentID: 'parent-message-id',
  modelID: 'claude-sonnet',
  providerID: 'anthropic',
  mode: 'chat',
  path: { cwd: '/current/working/directory', root: '/project/root' },
  cost: 0.01,
  tokens: { input: 1000, output: 500, reasoning: 0, cache: { read: 0, write: 100 } },
  finish: 'stop',
};
const messageError = { name: 'ApiError', data: { message: 'Error message', statusCode: 500, isRetryable: true } };
const assistant = (fields: JsonObject = {}): JsonObject => ({
  type: 'message.updated',
  properties: { info: { ...assistantInfo, ...fields } },
});
const userInfo = {
  id: 'user-message-id',
  sessionID: 'session-id',
  role: 'user',
  time: { created: 1736236800000 },
  agent: 'agent-name',
  model: { providerID: 'anthropic', modelID: 'claude-sonnet' },
  system: 'System prompt',
  tools: { 'tool-name': true },
  summary: {
    title: 'Summary title',
    body: 'Summary body',
    diffs: [{ file: 'path/to/file', before: 'old content', after: 'new content', additions: 10, deletions: 5 }],
  },
};
const user = { type: 'message.updated', properties: { info: userInfo } };
const partLine = (part: JsonObject): JsonObject => ({
  type: 'message.part.updated',
  properties: { part: { id: 'part-id', sessionID: 'session-id', messageID: 'message-id', ...part } },
});
const input = { param1: 'value1', param2: 'value2' };
const toolTime = { start: 1736236800000, end: 1736236810000 };
const completedState = {
  status: 'completed',
  input,
  output: 'Tool output',
  title: 'Tool call title',
  metadata: { key: 'value' },
  time: toolTime,
};
const pendingState = { status: 'pending', input, raw: 'raw input string' };
const runningState = {
  status: 'running',
  input,
  title: 'Tool call title',
  metadata: { key: 'value' },
  time: { start: 1736236800000 },
};
const errorState = { status: 'error', input, error: 'Error message', metadata: { key: 'value' }, time: toolTime };
const tool = (state: JsonObject, fields: JsonObject = {}): JsonObject =>
  partLine({ id: 'tool-part-id', type: 'tool', callID: 'call-id', tool: 'tool-name', state, ...fields });
const filePart = partLine({
  id: 'file-part-id',
  type: 'file',
  mime: 'text/plain',
  filename: 'filename.txt',
  url: 'file:///path/to/file',
  source: { type: 'file', path: '/path/to/file', text: { value: 'file content', start: 0, end: 100 } },
});
const text = (words: string | null, fields: JsonObject = {}): JsonObject =>
  partLine({
    type: 'text',
    text: words,
    synthetic: false,
    ignored: false,
    time: toolTime,
    metadata: { key: 'value' },
    ...fields,
  });
const reasoning = partLine({
  id: 'reasoning-part-id',
  type: 'reasoning',
  text: 'Reasoning content',
  metadata: { key: 'value' },
  time: toolTime,
});
const fileEdited = {
  type: 'file.edited',
  properties: {
    path: '/path/to/file',
    diff: { file: 'path/to/file', before: 'old content', after: 'new content', additions: 10, deletions: 5 },
  },
};
const commandExecuted = {
  type: 'command.executed',
  properties: {
    command: 'command string',
    exitCode: 0,
    stdout: 'standard output',
    stderr: 'standard error',
    time: toolTime,
  },
};
const permissionUpdated = {
  type: 'permission.updated',
  properties: {
    id: 'permission-id',
    type: 'permission-type',
    pattern: 'file-pattern',
    sessionID: 'session-id',
    messageID: 'message-id',
    callID: 'call-id',
    title: 'Permission request title',
    metadata: { key: 'value' },
    time: { created: 1736236800000 },
  },
};
const replied = (response: string): JsonObject => ({
  type: 'permission.replied',
  properties: { sessionID: 'session-id', permissionID: 'permission-id', response },
});

const goodRun: JsonObject[] = [
  sessionCreated,
  user,
  partLine({ id: 'prompt-part-id', messageID: 'user-message-id', type: 'text', text: 'Do the work' }),
  statusOf('busy'),
  tool(pendingState),
  tool(runningState),
  tool(completedState),
  fileEdited,
  text('Text content'),
  assistant(),
  sessionIdle,
];

describe('Overview', () => {
  it('reads one JSON object a line, and knows the dialect by the first', () => {
    const { outcome, events } = read(goodRun);
    expect(outcome.provenance).toMatchObject({
      dialect: 'opencode',
      agent: 'opencode',
      version: '1.0.0',
      unknown_lines: 0,
    });
    expect(outcome).toMatchObject({
      status: 'success',
      message: 'Text content',
      verdict: { class: 'success', exit_code: 0 },
    });
    expect(events.at(-1)?.type).toBe('thread.completed');
    expect(goodRun.map((line) => findDialect('opencode').detect([line], []))).toEqual(goodRun.map(() => 1));
  });
});

describe('1. Session Events', () => {
  it('session.created', () => {
    expect(read([sessionCreated]).events[0]).toEqual({
      type: 'thread.started',
      agent: 'opencode',
      agent_version: '1.0.0',
      session_id: 'session-id',
      parent_session_id: 'parent-session-id',
      cwd: '/path/to/directory',
    });
  });

  it('session.updated has the same structure and names the session as well', () => {
    expect(read([sessionUpdated]).events[0]).toEqual(read([sessionCreated]).events[0]);
  });

  it.each(['idle', 'busy'])('session.status %s is understood and tells nothing by itself', (type) => {
    const { events } = read([sessionCreated, statusOf(type)]);
    expect(events.map((event) => event.type)).toEqual(['thread.started', 'process.ended', 'thread.completed']);
  });

  it('session.status retry', () => {
    const { events, outcome } = read([
      sessionCreated,
      statusOf('retry'),
      statusOf('busy'),
      assistant(),
      text('done'),
      sessionIdle,
    ]);
    expect(eventsOf(events, 'retry.scheduled')).toEqual([
      { type: 'retry.scheduled', attempt: 1, cause: 'Retry message', code: 'unknown' },
    ]);
    expect(outcome.verdict.class).toBe('success');
  });

  it('session.error', () => {
    const { events, outcome } = read([sessionCreated, sessionError, sessionIdle]);
    expect(eventsOf(events, 'error')).toEqual([
      { type: 'error', scope: 'session', fatal: true, name: 'ErrorName', message: 'Error message', code: 'unknown' },
    ]);
    expect(outcome.status).not.toBe('success');
  });

  it('session.idle ends the run, and is told once', () => {
    const { events } = read([sessionCreated, assistant(), text('done'), statusOf('idle'), sessionIdle, sessionIdle]);
    expect(eventsOf(events, 'agent.finished')).toEqual([{ type: 'agent.finished', status: 'ok' }]);
  });
});

describe('2. Message Events', () => {
  it('message.updated of an assistant is a turn with its model, tokens, cost and finish', () => {
    const { events } = read([sessionCreated, assistant(), sessionIdle]);
    expect(eventsOf(events, 'turn.started')).toMatchObject([{ model: 'anthropic/claude-sonnet' }]);
    expect(eventsOf(events, 'usage.reported')).toEqual([
      {
        type: 'usage.reported',
        scope: 'step',
        model: 'anthropic/claude-sonnet',
        input_tokens: 1000,
        output_tokens: 500,
        reasoning_tokens: 0,
        cache_read_tokens: 0,
        cache_write_tokens: 100,
        cost_usd: 0.01,
      },
    ]);
    expect(eventsOf(events, 'turn.completed')).toMatchObject([{ finish_reason: 'stop', raw_finish_reason: 'stop' }]);
  });

  it('message.updated repeated is counted once, by its last state', () => {
    const { outcome } = read([
      sessionCreated,
      assistant({
        tokens: { input: 400, output: 10, reasoning: 0, cache: { read: 0, write: 0 } },
        time: { created: 1736236800000 },
        finish: '',
      }),
      assistant(),
      assistant(),
      text('done'),
      sessionIdle,
    ]);
    expect(outcome.metrics).toMatchObject({ input_tokens: 1000, output_tokens: 500, cost: 0.01, turns: 1 });
  });

  it('message.updated with an error', () => {
    const { events } = read([sessionCreated, assistant({ error: messageError, finish: '' })]);
    expect(eventsOf(events, 'error')).toEqual([
      {
        type: 'error',
        scope: 'session',
        fatal: true,
        name: 'ApiError',
        message: 'Error message',
        code: 'server',
        http_status: 500,
        retryable: true,
      },
    ]);
  });

  it('message.updated of a user is the prompt, not a turn', () => {
    const { events, outcome } = read(goodRun.slice(0, 3));
    expect(eventsOf(events, 'prompt.submitted')).toEqual([
      { type: 'prompt.submitted', text: 'Do the work', message_id: 'user-message-id', system: 'System prompt' },
    ]);
    expect(outcome.metrics.turns).toBe(0);
    expect(outcome.message).toBe('');
  });
});

const items = (...states: JsonObject[]) =>
  read([
    sessionCreated,
    assistant({ time: { created: 1736236800000 } }),
    ...states.map((state) => tool(state)),
  ]).events.filter((event) => event.type === 'item.started' || event.type === 'item.completed');

const path = (fields: JsonObject): string | undefined =>
  read([
    sessionCreated,
    assistant(),
    partLine({ type: 'file', mime: 'text/plain', filename: 'filename.txt', ...fields }),
  ]).outcome.artifacts[0]?.path;

describe('3. Message Part Events', () => {
  const started = {
    type: 'item.started',
    item_id: 'call-id',
    turn_id: 'turn_1',
    kind: 'tool_call',
    name: 'tool-name',
    args: input,
  };

  it('tool, completed', () => {
    expect(items(completedState)).toEqual([
      started,
      { type: 'item.completed', item_id: 'call-id', status: 'success', output: 'Tool output', duration_ms: 10000 },
    ]);
  });

  it('tool, pending: begun, never ended', () => {
    expect(items(pendingState)).toEqual([started, { type: 'item.completed', item_id: 'call-id', status: 'abandoned' }]);
  });

  it('tool, pending without its arguments still counts as a call', () => {
    expect(items({ status: 'pending', input: {}, raw: '' })).toEqual([
      { ...started, args: {} },
      { type: 'item.completed', item_id: 'call-id', status: 'abandoned' },
    ]);
  });

  it('tool, running: begun, never ended', () => {
    expect(items(runningState)).toEqual([started, { type: 'item.completed', item_id: 'call-id', status: 'abandoned' }]);
  });

  it('tool, error', () => {
    expect(items(errorState)).toEqual([
      started,
      { type: 'item.completed', item_id: 'call-id', status: 'error', error: 'Error message', duration_ms: 10000 },
    ]);
  });

  it('one call through all its states is one call', () => {
    expect(
      items(
        { status: 'pending', input: {}, raw: '' },
        pendingState,
        runningState,
        runningState,
        completedState,
        completedState,
      ),
    ).toEqual(items(completedState));
  });

  it('file part of an assistant is a file it made; that of a user is none', () => {
    expect(eventsOf(read([sessionCreated, assistant(), filePart]).events, 'file.edited')).toEqual([
      { type: 'file.edited', path: '/path/to/file', operation: 'created', size: 12 },
    ]);
    expect(
      eventsOf(
        read([sessionCreated, { ...user, properties: { info: { ...userInfo, id: 'message-id' } } }, filePart]).events,
        'file.edited',
      ),
    ).toEqual([]);
  });

  it('file part without a source goes by its url, then by its filename', () => {
    expect([path({ url: 'file:///path/to/file' }), path({ url: 'data:text/plain;base64,AA==' })]).toEqual([
      '/path/to/file',
      'filename.txt',
    ]);
  });

  it('text part', () => {
    expect(eventsOf(read([sessionCreated, assistant(), text('Text content')]).events, 'text.completed')).toEqual([
      {
        type: 'text.completed',
        turn_id: 'turn_1',
        message_id: 'message-id',
        block_id: 'part-id',
        text: 'Text content',
      },
    ]);
  });

  it('reasoning part', () => {
    const { events, outcome } = read([sessionCreated, assistant(), reasoning]);
    expect(eventsOf(events, 'reasoning.completed')).toEqual([
      {
        type: 'reasoning.completed',
        turn_id: 'turn_1',
        message_id: 'message-id',
        block_id: 'reasoning-part-id',
        text: 'Reasoning content',
      },
    ]);
    expect(outcome.message).toBe('');
  });
});

describe('4. File System Events', () => {
  it('file.edited', () => {
    expect(eventsOf(read([sessionCreated, fileEdited]).events, 'file.edited')).toEqual([
      { type: 'file.edited', path: '/path/to/file', operation: 'modified', additions: 10, deletions: 5, size: 11 },
    ]);
  });

  it.each([
    ['created', '', 'new content'],
    ['modified', 'old content', 'new content'],
    ['deleted', 'old content', ''],
  ])('file.edited: %s', (operation, before, after) => {
    const line = {
      type: 'file.edited',
      properties: { path: '/a', diff: { file: 'a', before, after, additions: 1, deletions: 1 } },
    };
    expect(read([sessionCreated, line]).outcome.artifacts).toEqual([
      { path: '/a', operation, ...(after === '' ? {} : { size: 11 }), type: 'file' },
    ]);
  });
});

describe('5. Command Execution Events', () => {
  it('command.executed is kept, and is not another tool call', () => {
    const { events, outcome } = read([sessionCreated, assistant(), tool(completedState), commandExecuted]);
    expect(eventsOf(events, 'log')).toEqual([
      {
        type: 'log',
        stream: 'agent',
        level: 'info',
        text: '$ command string (exit code 0)\nstandard output\nstandard error',
      },
    ]);
    expect(outcome.tool_calls.map((call) => call.name)).toEqual(['tool-name']);
  });

  it('command.executed after the tool call that ran it tells nothing new', () => {
    const bash = tool({ ...completedState, input: { command: 'command string' } }, { tool: 'bash' });
    expect(eventsOf(read([sessionCreated, assistant(), bash, commandExecuted]).events, 'log')).toEqual([]);
  });
});

describe('6. Permission Events', () => {
  it('permission.updated', () => {
    expect(eventsOf(read([sessionCreated, permissionUpdated]).events, 'permission.requested')).toEqual([
      {
        type: 'permission.requested',
        permission_id: 'permission-id',
        item_id: 'call-id',
        what: 'permission-type',
        pattern: 'file-pattern',
        title: 'Permission request title',
      },
    ]);
  });

  it.each([
    ['once', 'allowed'],
    ['always', 'allowed'],
    ['reject', 'denied'],
    ['response text', 'denied'],
  ])('permission.replied: %s is %s', (response, decision) => {
    expect(
      eventsOf(read([sessionCreated, permissionUpdated, replied(response)]).events, 'permission.resolved'),
    ).toEqual([{ type: 'permission.resolved', permission_id: 'permission-id', decision, raw_decision: response }]);
  });
});

describe('Mapping to RunOutcome', () => {
  const { outcome } = read(goodRun);

  it.each<[string, (outcome: RunOutcome) => unknown, unknown]>([
    ['Session.id → session_id', (from) => from.session_id, 'session-id'],
    ['AssistantMessage.time.created → metrics.start_time_ms', (from) => from.metrics.start_time_ms, 1736236800000],
    ['AssistantMessage.time.completed → metrics.end_time_ms', (from) => from.metrics.end_time_ms, 1736236860000],
    ['AssistantMessage.tokens → metrics.tokens_used (input + output)', (from) => from.metrics.tokens_used, 1500],
    [
      'AssistantMessage.cost → metrics.cost',
      (from) => [from.metrics.cost, from.metrics.cost_source],
      [0.01, 'reported'],
    ],
    ['providerID/modelID → metrics.model_name', (from) => from.metrics.model_name, 'anthropic/claude-sonnet'],
    ['no error → no error_details', (from) => from.error_details, undefined],
    [
      'file.edited → artifacts',
      (from) => from.artifacts,
      [{ path: '/path/to/file', operation: 'modified', size: 11, type: 'file' }],
    ],
    ['TextPart.text → message', (from) => from.message, 'Text content'],
    ['metadata.session_id', (from) => from.metadata.session_id, 'session-id'],
    ['metadata.phase_total_duration_ms', (from) => from.metadata.phase_total_duration_ms, 60000],
    ['metadata.attempt_number, 1-based', (from) => from.metadata.attempt_number, 1],
    ['metadata.retry_count', (from) => from.metadata.retry_count, 0],
    ['metadata.initial_prompt', (from) => from.metadata.initial_prompt, 'Do the work'],
    [
      'ToolPart → tool_calls',
      (from) => from.tool_calls,
      [{ name: 'tool-name', inputs: input, outputs: 'Tool output', duration_ms: 10000, status: 'completed' }],
    ],
    [
      'metrics.api_calls_count and tool_calls_count',
      (from) => [from.metrics.api_calls_count, from.metrics.tool_calls_count],
      [1, 1],
    ],
    ['warnings', (from) => from.warnings, []],
  ])('%s', (_, of, expected) => expect(of(outcome)).toEqual(expected));

  it('a user message before the assistant does not start the clock', () => {
    const early = { type: 'message.updated', properties: { info: { ...userInfo, time: { created: 1736236700000 } } } };
    expect(read([sessionCreated, early, ...goodRun.slice(2)]).outcome.metrics.start_time_ms).toBe(1736236800000);
  });

  it('AssistantMessage.error → error_details', () => {
    expect(
      read([sessionCreated, assistant({ error: messageError, finish: '' }), sessionIdle]).outcome.error_details,
    ).toEqual({
      type: 'ApiError',
      message: 'Error message',
    });
  });

  it('session.error → error_details', () => {
    expect(read([sessionCreated, sessionError]).outcome.error_details).toEqual({
      type: 'ErrorName',
      message: 'Error message',
    });
  });

  it('FilePart.filename/path → artifacts, beside file.edited, each path once', () => {
    expect(read([sessionCreated, assistant(), filePart, fileEdited]).outcome.artifacts).toEqual([
      { path: '/path/to/file', operation: 'created', size: 11, type: 'file' },
    ]);
  });

  it('status.retry and permission requests → warnings', () => {
    expect(read([sessionCreated, statusOf('retry'), permissionUpdated]).outcome.warnings).toEqual([
      'retry 1: Retry message',
      'permission requested: Permission request title (file-pattern)',
    ]);
  });

  it('takes metadata of the caller', async () => {
    const judged = await fold([bytes(jsonl(goodRun))], {
      metadata: { initial_prompt: 'as built', attempt_number: 2, retry_count: 1, phase_total_duration_ms: 90000 },
    });
    expect(judged.metadata).toEqual({
      session_id: 'session-id',
      initial_prompt: 'as built',
      attempt_number: 2,
      retry_count: 1,
      phase_total_duration_ms: 90000,
    });
  });
});

describe('Artifact, ErrorDetails and ToolCall structures', () => {
  it('fit what a run comes to', () => {
    const { outcome } = read([sessionCreated, assistant({ error: messageError }), tool(errorState), fileEdited]);
    expect(outcome.artifacts.map((each) => Artifact.parse(each))).toEqual(outcome.artifacts);
    expect(ErrorDetails.parse(outcome.error_details)).toEqual({ type: 'ApiError', message: 'Error message' });
    expect(outcome.tool_calls.map((each) => ToolCall.parse(each))).toEqual([
      { name: 'tool-name', inputs: input, outputs: 'Error message', duration_ms: 10000, status: 'error' },
    ]);
  });

  it.each([
    ['completed', completedState],
    ['error', errorState],
    ['cancelled', { ...errorState, error: 'Tool execution aborted', metadata: { interrupted: true } }],
    ['cancelled', runningState],
  ])('a tool call is %s', (status, state) => {
    expect(read([sessionCreated, assistant(), tool(state)]).outcome.tool_calls[0]?.status).toBe(status);
  });
});

describe('Parsing Strategy', () => {
  it('session info comes from the first session event', () => {
    const other = { type: 'session.updated', properties: { info: { ...sessionInfo, id: 'other-id' } } };
    expect(read([sessionUpdated, other]).outcome.session_id).toBe('session-id');
  });

  it('metrics add up over all assistant messages, each by its last update', () => {
    const second = (fields: JsonObject): JsonObject =>
      assistant({ id: 'message-2', time: { created: 1736236861000, completed: 1736236890000 }, ...fields });
    const { outcome } = read([
      sessionCreated,
      assistant({ finish: 'tool-calls' }),
      second({}),
      second({}),
      text('b', { messageID: 'message-2' }),
      sessionIdle,
    ]);
    expect(outcome.metrics).toEqual({
      start_time_ms: 1736236800000,
      end_time_ms: 1736236890000,
      duration_ms: 90000,
      tokens_used: 3000,
      input_tokens: 2000,
      output_tokens: 1000,
      reasoning_tokens: 0,
      cache_read_tokens: 0,
      cache_write_tokens: 200,
      cost: 0.02,
      cost_source: 'reported',
      model_name: 'anthropic/claude-sonnet',
      api_calls_count: 0,
      tool_calls_count: 0,
      turns: 2,
    });
  });

  it('does not depend on the order of a message and its parts', () => {
    const { outcome } = read([
      sessionCreated,
      text('before', { time: null }),
      assistant(),
      text('after', { id: 'part-2' }),
      sessionIdle,
    ]);
    expect(outcome).toMatchObject({ message: 'before\nafter', status: 'success' });
  });
});

const message = (...lines: JsonObject[]): string => read([sessionCreated, ...lines]).outcome.message;

describe('Message Text Extraction', () => {
  it('reads the short documented example on its own', () => {
    const line = {
      type: 'message.part.updated',
      properties: { part: { id: 'part-id', messageID: 'msg-id', type: 'text', text: 'Text content here' } },
    };
    expect(read([line]).outcome.message).toBe('Text content here');
  });

  it('takes the parts of the last assistant message, joined by newlines and trimmed', () => {
    expect(
      message(
        assistant({ finish: 'tool-calls' }),
        text('earlier words'),
        assistant({ id: 'last' }),
        text('  first', { id: 'p1', messageID: 'last' }),
        text('second \n', { id: 'p2', messageID: 'last' }),
      ),
    ).toBe('first\nsecond');
  });

  it('skips empty, blank and null texts', () => {
    expect(
      message(
        assistant(),
        text('', { id: 'p1' }),
        text(' \n\t', { id: 'p2' }),
        text(null, { id: 'p3' }),
        text('words', { id: 'p4' }),
      ),
    ).toBe('words');
    expect(message(assistant(), text(null))).toBe('');
  });

  it('keeps special characters, unicode and code blocks', () => {
    const words = 'He said "no\\yes"\n```ts\nconst 日本 = `🦊\u2028`;\n```';
    expect(message(assistant(), text(words))).toBe(words);
  });

  it('never takes text of the user', () => {
    expect(message(user, text('mine', { messageID: 'user-message-id' }), assistant())).toBe('');
    expect(
      message(
        text('mine', { messageID: 'user-message-id', time: null }),
        user,
        assistant(),
        text('theirs', { id: 'p2' }),
      ),
    ).toBe('theirs');
  });

  it('has no message when the last message only used tools, whatever was said before', () => {
    const { outcome } = read([
      sessionCreated,
      assistant({ id: 'first', finish: 'tool-calls' }),
      partLine({ id: 'p1', messageID: 'first', type: 'text', text: 'I look first.', time: { start: 1, end: 2 } }),
      assistant({ id: 'last', finish: 'stop' }),
      partLine({ ...(tool(completedState).properties as { part: JsonObject }).part, messageID: 'last' }),
      sessionIdle,
    ]);
    expect(outcome).toMatchObject({ message: '', tool_calls: [{ name: 'tool-name' }] });
  });

  it('has no message when the agent only used tools; the tool calls tell', () => {
    const { outcome } = read([sessionCreated, assistant(), tool(completedState), sessionIdle]);
    expect(outcome).toMatchObject({ message: '', status: 'success', tool_calls: [{ name: 'tool-name' }] });
  });
});

describe('Minimal Logging Approach', () => {
  it('an outcome holds no conversation and no raw output, and cuts long tool output', () => {
    const { outcome } = read([
      sessionCreated,
      assistant(),
      tool({ ...completedState, output: 'x'.repeat(100_000) }),
      text('done'),
      sessionIdle,
    ]);
    expect(outcome).not.toHaveProperty('messages');
    expect(outcome.metadata).not.toHaveProperty('raw_cli_output');
    expect(outcome.tool_calls[0]?.outputs?.length).toBeLessThan(10_000);
  });
});

describe('Error Handling', () => {
  it('skips malformed lines with a warning and goes on', () => {
    const { outcome } = read([...goodRun.slice(0, 4), '{"type":"message.part.upd', 'not json', ...goodRun.slice(4)]);
    expect(outcome).toMatchObject({ status: 'success', message: 'Text content' });
    expect(outcome.provenance.notes.map((note) => note.kind)).toContain('broken');
  });

  it('has a warning for every line that is not an object', () => {
    const { outcome } = read([...goodRun.slice(0, 4), '42', '[]', 'Loading plugins', '"words"', ...goodRun.slice(4)]);
    expect(outcome.warnings).toEqual(
      ['42', '[]', 'Loading plugins', '"words"'].map((line) => `skipped a line that is not a JSON object: ${line}`),
    );
    expect(outcome.status).toBe('success');
  });

  it('counts tool parts without ids, each from its start to its end', () => {
    const part = (fields: JsonObject): JsonObject => ({
      type: 'message.part.updated',
      properties: { part: { messageID: 'message-id', type: 'tool', ...fields } },
    });
    const command = { command: 'ls' };
    const { outcome } = read([
      ...goodRun.slice(0, -1),
      part({ tool: 'bash', state: { status: 'pending', input: {} } }),
      part({ tool: 'bash', state: { status: 'running', input: command } }),
      part({
        id: '',
        callID: '',
        tool: 'read',
        state: { status: 'completed', input: { filePath: 'a' }, output: 'hello' },
      }),
      part({ tool: 'bash', state: { status: 'completed', input: command, output: 'a.txt' } }),
      part({ tool: 'bash', state: { status: 'error', input: command, error: 'no' } }),
      sessionIdle,
    ]);
    const known = read(goodRun).outcome.tool_calls.length;
    expect(
      outcome.tool_calls.slice(known).map(({ name, inputs, outputs, status }) => ({ name, inputs, outputs, status })),
    ).toEqual([
      { name: 'read', inputs: { filePath: 'a' }, outputs: 'hello', status: 'completed' },
      { name: 'bash', inputs: command, outputs: 'a.txt', status: 'completed' },
      { name: 'bash', inputs: command, outputs: 'no', status: 'error' },
    ]);
    expect(outcome.metrics.api_calls_count).toBe(known + 3);
    expect(outcome.provenance.notes).toMatchObject([{ kind: 'guessed', what: 'tool part without an id', count: 3 }]);
  });

  it('counts a tool part of a run without ids', () => {
    const line = { type: 'tool_use', timestamp: 1, sessionID: 's' };
    const part = {
      type: 'tool',
      tool: 'bash',
      state: { status: 'completed', input: { command: 'ls' }, output: 'a.txt' },
    };
    const { outcome } = read([
      { ...line, part },
      { ...line, part: { ...part, id: '' } },
    ]);
    expect(outcome.tool_calls.map(({ name, outputs }) => [name, outputs])).toEqual([
      ['bash', 'a.txt'],
      ['bash', 'a.txt'],
    ]);
    expect(outcome.provenance.unknown_lines).toBe(0);
  });

  it('counts a cost that comes without tokens', () => {
    const { outcome } = read([sessionCreated, text('Yes.'), assistant({ tokens: {}, cost: 0.25 }), sessionIdle]);
    expect(outcome.metrics).toMatchObject({ cost: 0.25, cost_source: 'reported' });
    expect(outcome.metrics).not.toHaveProperty('tokens_used');
  });

  it('knows the size of a file, a directory, and where an error happened', () => {
    const edit = (name: string, diff: JsonObject): JsonObject => ({
      type: 'file.edited',
      properties: { path: name, diff },
    });
    const { outcome } = read([
      sessionCreated,
      assistant({ finish: '', time: { created: 1736236800000 } }),
      edit('/w/a.txt', { file: '/w/a.txt', before: 'old', after: 'schön' }),
      edit('/w/sub/', {}),
      partLine({
        id: 'f',
        messageID: 'message-id',
        type: 'file',
        mime: 'application/x-directory',
        filename: 'docs',
        url: 'file:///w/docs',
      }),
      partLine({
        id: 'g',
        messageID: 'message-id',
        type: 'file',
        mime: 'text/plain',
        source: { type: 'file', path: '/w/b', text: { value: 'abc', start: 0, end: 3 } },
      }),
      {
        type: 'session.error',
        properties: {
          sessionID: 'session-id',
          error: { name: 'UnknownError', message: 'no', stack: 'Error: no\n    at run (/srv/agent.ts:12:3)' },
        },
      },
    ]);
    expect(outcome.artifacts).toEqual([
      { path: '/w/a.txt', operation: 'modified', size: 6, type: 'file' },
      { path: '/w/sub/', operation: 'modified', type: 'directory' },
      { path: '/w/docs', operation: 'created', type: 'directory' },
      { path: '/w/b', operation: 'created', size: 3, type: 'file' },
    ]);
    expect(outcome.error_details).toMatchObject({
      stack_trace: 'Error: no\n    at run (/srv/agent.ts:12:3)',
      file_path: '/srv/agent.ts',
      line_number: 12,
    });
  });

  it('uses defaults for what is missing', () => {
    const { outcome } = read([
      { type: 'session.created', properties: {} },
      { type: 'message.updated', properties: { info: { id: 'm', role: 'assistant' } } },
      { type: 'message.part.updated', properties: { part: { messageID: 'm', type: 'text', text: 'words' } } },
      { type: 'message.part.updated', properties: { part: { messageID: 'm', type: 'tool', callID: 'c' } } },
      { type: 'file.edited', properties: {} },
      { type: 'permission.updated', properties: {} },
      { type: 'session.error', properties: {} },
    ]);
    expect(outcome).toMatchObject({
      session_id: '',
      message: 'words',
      artifacts: [],
      metrics: { turns: 1, cost_source: 'unknown' },
    });
  });

  it('makes the best of partial data', () => {
    const { outcome } = read([
      sessionCreated,
      assistant({ time: { created: 1736236800000 }, finish: '' }),
      text('half a sen', { time: { start: 1736236800000 } }),
    ]);
    expect(outcome).toMatchObject({ message: 'half a sen', status: 'incomplete' });
  });

  it('reads events from stderr as well as from stdout', () => {
    const { outcome } = read(goodRun.slice(0, 8), goodRun.slice(8));
    expect(outcome).toMatchObject({ status: 'success', message: 'Text content' });
    expect(read([], goodRun).outcome).toMatchObject({
      status: 'success',
      message: 'Text content',
      provenance: { dialect: 'opencode' },
    });
  });

  it('tells a failure as a failure, whatever came before it', () => {
    expect(read([...goodRun.slice(0, 9), sessionError, sessionIdle]).outcome).toMatchObject({
      status: 'incomplete',
      error_details: { type: 'ErrorName', message: 'Error message' },
    });
    expect(
      read([sessionCreated, assistant({ finish: 'length' }), text('cut sh'), sessionIdle]).outcome.verdict,
    ).toMatchObject({
      class: 'incomplete',
      code: 'output_length',
    });
  });
});

/** Events → lines of the bus, as a run of any agent would write them. */
function write(...drafts: Draft[]): JsonObject[] {
  const { dialect, variant } = findWriter('opencode');
  const writer = new Writer(dialect, variant);
  const place = numbered();
  const outcome = new OutcomeFold();
  let at = 1736236800000;
  const repair = new Repair((event, synthetic) => {
    outcome.apply(event, at);
    writer.record(place(event, { synthetic, at }));
    at += 1000;
  });
  for (const draft of drafts) repair.push(draft);
  repair.end();
  const verdict = { class: 'success' as const, exit_code: 0, evidence: [] };
  const { error_details: _error, ...folded } = outcome.outcome('test', []);
  writer.record(
    place(
      { type: 'thread.completed', status: 'success', summary: '', verdict, final_report: {} },
      { source: 'runner', at },
    ),
  );
  writer.end({ ...folded, status: 'success', verdict });
  return writer
    .take()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as JsonObject);
}

const only = (lines: readonly JsonObject[], type: string) =>
  lines.filter((line) => line.type === type).map((line) => line.properties as JsonObject);

describe('Writing', () => {
  const thread: Draft = {
    type: 'thread.started',
    agent: 'builtin',
    agent_version: '1.0.0',
    session_id: 's',
    cwd: '/w',
    project_name: 'p',
    parent_session_id: 'parent',
    model: 'anthropic/claude-sonnet',
  };
  const T = 1736236800000;

  it('writes the instructions also when the task came before them', () => {
    const lines = write({ ...thread, task: 'Do it' }, { type: 'prompt.submitted', text: 'Do it', system: 'Be brief.' });
    expect(lines.filter(({ type }) => type === 'message.updated')).toMatchObject([
      { properties: { info: { id: 'user_1', role: 'user', system: '' } } },
      { properties: { info: { id: 'user_1', role: 'user', system: 'Be brief.' } } },
    ]);
  });

  it('writes a whole run in the documented shapes', () => {
    expect(
      write(
        thread,
        { type: 'prompt.submitted', text: 'Do it', message_id: 'u', system: 'Be brief.' },
        { type: 'turn.started' },
        { type: 'text.completed', text: 'Hi', block_id: 'b', message_id: 'm' },
        {
          type: 'usage.reported',
          scope: 'step',
          input_tokens: 10,
          output_tokens: 5,
          cache_read_tokens: 4,
          cost_usd: 0.5,
        },
        { type: 'turn.completed', finish_reason: 'stop' },
        { type: 'agent.finished', status: 'ok' },
      ),
    ).toEqual([
      {
        type: 'session.created',
        properties: {
          info: {
            id: 's',
            projectID: 'p',
            directory: '/w',
            parentID: 'parent',
            title: '',
            version: '1.0.0',
            time: { created: T, updated: T },
            summary: { additions: 0, deletions: 0, files: 0 },
          },
        },
      },
      {
        type: 'message.updated',
        properties: {
          info: {
            id: 'u',
            sessionID: 's',
            role: 'user',
            time: { created: T + 1000 },
            agent: 'build',
            model: { providerID: 'anthropic', modelID: 'claude-sonnet' },
            system: 'Be brief.',
            tools: {},
            summary: { title: 'Do it', body: 'Do it', diffs: [] },
          },
        },
      },
      {
        type: 'message.part.updated',
        properties: {
          part: {
            id: 'prt_1',
            sessionID: 's',
            messageID: 'u',
            type: 'text',
            text: 'Do it',
            synthetic: false,
            ignored: false,
          },
        },
      },
      { type: 'session.status', properties: { sessionID: 's', status: { type: 'busy' } } },
      {
        type: 'message.updated',
        properties: {
          info: {
            id: 'm',
            sessionID: 's',
            role: 'assistant',
            time: { created: T + 2000 },
            parentID: 'u',
            modelID: 'claude-sonnet',
            providerID: 'anthropic',
            mode: 'build',
            path: { cwd: '/w', root: '/w' },
            cost: 0,
            tokens: { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } },
          },
        },
      },
      {
        type: 'message.part.updated',
        properties: {
          part: {
            id: 'b',
            sessionID: 's',
            messageID: 'm',
            type: 'text',
            text: 'Hi',
            synthetic: false,
            ignored: false,
            time: { start: T + 3000, end: T + 4000 },
            metadata: {},
          },
        },
      },
      {
        type: 'message.updated',
        properties: {
          info: {
            id: 'm',
            sessionID: 's',
            role: 'assistant',
            time: { created: T + 2000, completed: T + 6000 },
            parentID: 'u',
            modelID: 'claude-sonnet',
            providerID: 'anthropic',
            mode: 'build',
            path: { cwd: '/w', root: '/w' },
            cost: 0.5,
            tokens: { total: 15, input: 10, output: 5, reasoning: 0, cache: { read: 4, write: 0 } },
            finish: 'stop',
          },
        },
      },
      { type: 'session.status', properties: { sessionID: 's', status: { type: 'idle' } } },
      { type: 'session.idle', properties: { sessionID: 's' } },
    ]);
  });

  const call: Draft = { type: 'item.started', item_id: 'c', kind: 'command', name: 'bash', args: { command: 'ls' } };
  const place = { id: 'prt_1', sessionID: 's', messageID: 'turn_1', type: 'tool', callID: 'c', tool: 'bash' };
  const running = {
    status: 'running',
    input: { command: 'ls' },
    title: 'bash',
    metadata: {},
    time: { start: T + 2000 },
  };

  it('writes a tool part as pending, running, then completed, and the command', () => {
    const lines = write(thread, call, {
      type: 'item.completed',
      item_id: 'c',
      status: 'success',
      output: 'a\n',
      exit_code: 0,
      duration_ms: 70,
    });
    const time = { start: T + 2000, end: T + 2070 };
    expect(only(lines, 'message.part.updated')).toEqual([
      { part: { ...place, state: { status: 'pending', input: { command: 'ls' }, raw: '{"command":"ls"}' } } },
      { part: { ...place, state: running } },
      {
        part: {
          ...place,
          state: {
            status: 'completed',
            input: { command: 'ls' },
            output: 'a\n',
            title: 'bash',
            metadata: { exit: 0 },
            time,
          },
        },
      },
    ]);
    expect(only(lines, 'command.executed')).toEqual([{ command: 'ls', exitCode: 0, stdout: 'a\n', stderr: '', time }]);
  });

  it.each([
    ['error', { status: 'error', error: 'boom' }, { error: 'boom', metadata: {} }],
    [
      'denied',
      { status: 'denied', error: 'not allowed' },
      { error: 'The user rejected permission to use this specific tool call. not allowed', metadata: {} },
    ],
    ['cancelled', { status: 'cancelled' }, { error: 'Tool execution aborted', metadata: { interrupted: true } }],
  ] as const)('writes a tool part that ended as %s in the state error', (_, end, state) => {
    expect(
      only(write(thread, call, { type: 'item.completed', item_id: 'c', ...end }), 'message.part.updated')[2],
    ).toEqual({
      part: {
        ...place,
        state: { status: 'error', input: { command: 'ls' }, ...state, time: { start: T + 2000, end: T + 3000 } },
      },
    });
  });

  it('writes reasoning, and the text so far beside what is new of it', () => {
    const lines = write(
      thread,
      { type: 'reasoning.delta', text: 'hm', block_id: 'r', message_id: 'm' },
      { type: 'reasoning.delta', text: ', yes', block_id: 'r', message_id: 'm' },
      { type: 'reasoning.completed', text: 'hm, yes', block_id: 'r', message_id: 'm' },
    );
    const part = { id: 'r', sessionID: 's', messageID: 'm', type: 'reasoning', metadata: {} };
    expect(only(lines, 'message.part.updated')).toEqual([
      { part: { ...part, text: 'hm', time: { start: T + 2000 } }, delta: 'hm' },
      { part: { ...part, text: 'hm, yes', time: { start: T + 2000 } }, delta: ', yes' },
      { part: { ...part, text: 'hm, yes', time: { start: T + 2000, end: T + 4000 } } },
    ]);
  });

  it('writes file.edited, permissions, retries and errors', () => {
    const lines = write(
      thread,
      {
        type: 'file.edited',
        path: '/w/a',
        operation: 'modified',
        additions: 1,
        deletions: 1,
        diff: '@@ -1 +1 @@\n-old\n+new',
      },
      {
        type: 'permission.requested',
        permission_id: 'p',
        what: 'bash',
        pattern: 'rm *',
        title: 'Run rm',
        item_id: 'c',
      },
      { type: 'permission.resolved', permission_id: 'p', decision: 'denied' },
      { type: 'retry.scheduled', attempt: 2, cause: 'busy', delay_ms: 500 },
      {
        type: 'error',
        scope: 'provider',
        code: 'server',
        name: 'APIError',
        message: 'down',
        fatal: true,
        http_status: 503,
        retryable: true,
      },
      { type: 'agent.finished', status: 'failed', code: 'server', message: 'down' },
    );
    expect(lines.slice(1)).toEqual([
      {
        type: 'file.edited',
        properties: {
          path: '/w/a',
          diff: {
            file: '/w/a',
            before: 'old\n',
            after: 'new\n',
            additions: 1,
            deletions: 1,
            patch: '@@ -1 +1 @@\n-old\n+new',
            status: 'modified',
          },
        },
      },
      {
        type: 'permission.updated',
        properties: {
          id: 'p',
          type: 'bash',
          pattern: 'rm *',
          sessionID: 's',
          messageID: '',
          callID: 'c',
          title: 'Run rm',
          metadata: {},
          time: { created: T + 2000 },
        },
      },
      { type: 'permission.replied', properties: { sessionID: 's', permissionID: 'p', response: 'reject' } },
      {
        type: 'session.status',
        properties: { sessionID: 's', status: { type: 'retry', attempt: 2, message: 'busy', next: T + 4500 } },
      },
      {
        type: 'session.error',
        properties: {
          sessionID: 's',
          error: { name: 'APIError', message: 'down', data: { message: 'down', statusCode: 503, isRetryable: true } },
        },
      },
      {
        type: 'session.updated',
        properties: {
          info: {
            id: 's',
            projectID: 'p',
            directory: '/w',
            parentID: 'parent',
            title: '',
            version: '1.0.0',
            time: { created: T, updated: T + 7000 },
            summary: { additions: 1, deletions: 1, files: 1 },
          },
        },
      },
      { type: 'session.status', properties: { sessionID: 's', status: { type: 'idle' } } },
      { type: 'session.idle', properties: { sessionID: 's' } },
    ]);
  });

  it('keeps the streams of a command apart, where they were told apart', () => {
    const chunk = (stream: 'stdout' | 'stderr', printed: string): Draft => ({
      type: 'item.output',
      item_id: 'c',
      stream,
      chunk: printed,
    });
    const lines = write(thread, call, chunk('stdout', 'a\n'), chunk('stderr', 'oh\n'), chunk('stdout', 'b\n'), {
      type: 'item.completed',
      item_id: 'c',
      status: 'error',
      output: 'a\noh\nb\n',
      exit_code: 2,
    });
    expect(only(lines, 'command.executed')).toMatchObject([
      { command: 'ls', exitCode: 2, stdout: 'a\nb\n', stderr: 'oh\n' },
    ]);
  });

  it('writes whole paths, the repository, each file once, and what was made as a part and in the summary', () => {
    const diff = '--- /dev/null\n+++ b/n.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline at end of file\n';
    const edit: Draft = {
      type: 'file.edited',
      path: './n.txt',
      operation: 'created',
      additions: 2,
      deletions: 0,
      diff,
    };
    const lines = write(
      { ...thread, cwd: '/home/p/sub', task: 'Make it' },
      { type: 'turn.started' },
      edit,
      {
        ...edit,
        operation: 'modified',
        additions: 1,
        deletions: 1,
        diff: '@@ -1,2 +1,2 @@\n one\n-two\n\\ No newline at end of file\n+2\n',
      },
      { type: 'permission.requested', permission_id: 'p', what: 'bash', pattern: 'rm *' },
      { type: 'turn.completed', finish_reason: 'stop' },
      { type: 'agent.finished', status: 'ok' },
    );
    const [made, changed] = only(lines, 'file.edited');
    expect(made).toMatchObject({
      path: '/home/p/sub/n.txt',
      diff: { file: '/home/p/sub/n.txt', before: '', after: 'one\ntwo' },
    });
    expect(changed).toMatchObject({ diff: { before: 'one\ntwo', after: 'one\n2\n' } });
    expect(
      only(lines, 'message.part.updated').filter(({ part }) => (part as JsonObject).type === 'file'),
    ).toMatchObject([
      {
        part: {
          mime: 'text/plain',
          filename: 'n.txt',
          url: 'file:///home/p/sub/n.txt',
          source: { type: 'file', path: '/home/p/sub/n.txt', text: { value: 'one\ntwo', start: 0, end: 7 } },
        },
      },
    ]);
    expect(only(lines, 'session.updated')).toMatchObject([
      { info: { summary: { files: 1, additions: 3, deletions: 1 } } },
    ]);
    expect(only(lines, 'message.updated').map(({ info }) => info)).toMatchObject([
      { role: 'user', summary: { title: 'Make it', diffs: [] } },
      { role: 'assistant', path: { cwd: '/home/p/sub', root: '/home/p' } },
      { role: 'assistant' },
      { role: 'user', summary: { diffs: [{ file: '/home/p/sub/n.txt', after: 'one\ntwo' }, { after: 'one\n2\n' }] } },
    ]);
    expect(only(lines, 'permission.updated')).toMatchObject([{ title: 'bash rm *' }]);
    expect(read(lines).outcome.artifacts).toEqual([{ path: '/home/p/sub/n.txt', operation: 'created', type: 'file' }]);
  });

  it('writes an error into the message that it ended', () => {
    const lines = write(
      thread,
      { type: 'turn.started' },
      {
        type: 'error',
        scope: 'provider',
        code: 'server',
        name: 'APIError',
        message: 'down',
        fatal: true,
        http_status: 503,
      },
      { type: 'turn.completed', finish_reason: 'error' },
      { type: 'agent.finished', status: 'failed', code: 'server', message: 'down' },
    );
    expect(only(lines, 'message.updated').at(-1)).toMatchObject({
      info: { finish: 'error', error: { name: 'APIError', data: { message: 'down', statusCode: 503 } } },
    });
  });

  it('writes nothing but the documented event types', () => {
    const documented = new Set([
      'session.created',
      'session.updated',
      'session.status',
      'session.error',
      'session.idle',
      'message.updated',
      'message.part.updated',
      'file.edited',
      'command.executed',
      'permission.updated',
      'permission.replied',
    ]);
    const { dialect, variant } = findWriter('opencode');
    const writer = new Writer(dialect, variant);
    const reader = new Reader({ newId: () => 'thread-1', onRecord: (record) => writer.record(record) });
    reader.stdout(bytes(jsonl(goodRun)));
    writer.end(reader.end());
    const types = writer
      .take()
      .trimEnd()
      .split('\n')
      .map((line) => String((JSON.parse(line) as JsonObject).type));
    expect(types.filter((type) => !documented.has(type))).toEqual([]);
    expect(types[0]).toBe('session.created');
    expect(types.at(-1)).toBe('session.idle');
  });
});
