import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json/json.ts';
import { opencode } from '../../src/dialects/opencode/index.ts';
import { findWriter } from '../../src/dialects/registry.ts';
import { AgentEvent } from '../../src/events/event.ts';
import { Reader } from '../../src/pipeline/reader.ts';
import { Writer } from '../../src/pipeline/writer.ts';
import { eventOf } from '../support/records.ts';

const jsonl = (lines: readonly (JsonObject | string)[]): Uint8Array =>
  new TextEncoder().encode(lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''));

function readBytes(stdout: Uint8Array, stderr = '', exit: number | null = 0) {
  const events: AgentEvent[] = [];
  const reader = new Reader({ dialect: opencode, onRecord: (record) => void events.push(eventOf(record)) });
  reader.stdout(stdout);
  reader.stderr(new TextEncoder().encode(stderr));
  const outcome = reader.end({ exit_code: exit, signal: null });
  return { events: events.filter(({ type }) => type !== 'process.ended' && type !== 'thread.completed'), outcome };
}
const read = (lines: readonly (JsonObject | string)[], stderr = '', exit: number | null = 0) =>
  readBytes(jsonl(lines), stderr, exit);

function only<Type extends AgentEvent['type']>(
  events: readonly AgentEvent[],
  type: Type,
): Extract<AgentEvent, { type: Type }>[] {
  return events.filter((event): event is Extract<AgentEvent, { type: Type }> => event.type === type);
}

const run = (type: string, part: JsonObject, fields: JsonObject = {}): JsonObject => ({
  type,
  timestamp: 1767000000000,
  sessionID: 'ses_1',
  part: {
    id: `prt_${type}`,
    messageID: 'msg_1',
    sessionID: 'ses_1',
    type: type.replace('_', '-').replace('tool-use', 'tool'),
    ...part,
  },
  ...fields,
});
const stepStart = run('step_start', {});
const text = (words: string, id = 'prt_t'): JsonObject => run('text', { id, text: words, time: { start: 1, end: 2 } });
const stepFinish = (
  reason: string,
  tokens: JsonObject = { input: 10, output: 5, reasoning: 0, cache: { read: 0, write: 0 } },
): JsonObject => run('step_finish', { reason, cost: 0, tokens });
const toolUse = (tool: string, state: JsonObject, fields: JsonObject = {}): JsonObject =>
  run('tool_use', {
    callID: 'call_1',
    tool,
    state: { time: { start: 1767000000000, end: 1767000000050 }, ...state },
    ...fields,
  });
const failure = (error: JsonObject | string): JsonObject => ({
  type: 'error',
  timestamp: 1767000000000,
  sessionID: 'ses_1',
  error,
});

const claim = (reason: string) => read([stepStart, text('Hi'), stepFinish(reason)]).outcome.verdict;

const shown = (error: JsonObject | string) => {
  const { name, message, code } = only(read([failure(error)], '', 1).events, 'error')[0] ?? {};
  return [name, message, code];
};

const edits = (tool: string, input: JsonObject, metadata: JsonObject) =>
  only(
    read([toolUse(tool, { status: 'completed', input, output: '', title: '', metadata })]).events,
    'file.edited',
  ).map(({ path, operation, additions, deletions, diff }) => ({ path, operation, additions, deletions, diff }));

describe('the run stream', () => {
  it('claims success only for a last step that stopped', () => {
    expect(claim('stop').class).toBe('success');
    expect(claim('length')).toMatchObject({ class: 'incomplete', code: 'output_length' });
    expect(claim('content-filter')).toMatchObject({ class: 'provider', code: 'refused' });
    for (const reason of ['tool-calls', 'unknown', 'other', 'error', 'stopp'])
      expect(claim(reason).class).toBe('incomplete');
  });

  it('does not take an earlier stop for the end', () => {
    const { outcome } = read([stepStart, text('Hi'), stepFinish('stop'), run('step_start', { id: 'prt_s2' })]);
    expect(outcome.verdict.class).toBe('incomplete');
  });

  it('notes that calls under way are not told, when it stops inside a step', () => {
    const what = 'calls under way, which are told when they end: it stopped inside a step';
    expect(read([stepStart, text('Hi')]).outcome.provenance.notes).toMatchObject([{ kind: 'lost', what }]);
    expect(read([stepStart, text('Hi'), stepFinish('stop')]).outcome.provenance.notes).toEqual([]);
  });

  it('tells a call under way when a step goes on after its words: they are whole, so something follows them', () => {
    const abandoned = [{ name: 'unknown', status: 'cancelled', reason: 'abandoned' }];
    expect(read([stepStart, text('Hi')]).outcome).toMatchObject({ status: 'incomplete', tool_calls: abandoned });
    expect(read([stepStart]).outcome.tool_calls).toEqual([]);
    expect(read([stepStart, text('Hi'), stepFinish('stop')]).outcome.tool_calls).toEqual([]);
  });

  it('drops the repeated text of 0.11.3 to 0.15.13, which ends a run without steps', () => {
    const last = {
      type: 'text',
      timestamp: 1,
      sessionID: 'ses_1',
      text: { id: 'prt_t', messageID: 'msg_1', type: 'text', text: 'Hi' },
    };
    const { events, outcome } = read([text('Hi'), last]);
    expect(only(events, 'text.completed')).toHaveLength(1);
    expect(outcome).toMatchObject({ message: 'Hi', status: 'success' });
    expect(read([text('Hi')]).outcome.status).toBe('incomplete');
    expect(read([text('Hi'), { type: 'text', timestamp: 1, sessionID: 'ses_1' }]).outcome).toMatchObject({
      status: 'incomplete',
      provenance: { unknown_lines: 0 },
    });
  });

  it('counts a repeated line once', () => {
    const { outcome } = read([stepStart, stepStart, text('Hi'), text('Hi'), stepFinish('stop'), stepFinish('stop')]);
    expect(outcome).toMatchObject({ message: 'Hi', metrics: { input_tokens: 10, output_tokens: 5, turns: 1 } });
  });

  it('finds the call in parts of version 2, and its exit code inside the wrapper', () => {
    const { events } = read([
      run('tool_use', {
        partID: 'prt_9',
        id: 'call_9',
        tool: 'bash',
        state: {
          status: 'completed',
          input: { command: 'false' },
          output: '',
          title: 'bash',
          metadata: { metadata: { exit: 1 }, content: [], providerCall: {}, rawInput: '' },
          time: { start: 1767000000000, end: 1767000000010 },
        },
      }),
    ]);
    expect(only(events, 'item.completed')).toEqual([
      { type: 'item.completed', item_id: 'call_9', status: 'error', output: '', exit_code: 1, duration_ms: 10 },
    ]);
  });

  it('takes no id and no number that an event could not hold', () => {
    const state = { status: 'completed', output: '', metadata: { exit: 1e21 } };
    const { events, outcome } = read([
      toolUse('bash', state),
      run('tool_use', { id: '', callID: '', partID: '', tool: 'bash', state }),
      failure({ name: 'APIError', data: { message: 'slow', statusCode: 1e21 } }),
    ]);
    for (const event of events) expect(AgentEvent.safeParse(event).error).toBeUndefined();
    expect([only(events, 'item.completed').length, outcome.provenance.unknown_lines]).toEqual([2, 0]);
  });

  it('reads errors of every shape', () => {
    expect(shown({ name: 'ProviderAuthError', data: { providerID: 'x', message: 'no login' } })).toEqual([
      'ProviderAuthError',
      'no login',
      'auth',
    ]);
    expect(shown({ name: 'MessageOutputLengthError', data: {} })).toEqual([
      'MessageOutputLengthError',
      'MessageOutputLengthError',
      'output_length',
    ]);
    expect(shown({ name: 'MessageAbortedError', data: { message: 'stopped' } })).toEqual([
      'MessageAbortedError',
      'stopped',
      'cancelled',
    ]);
    expect(shown({ name: 'ContentFilterError', data: { message: 'no' } })).toEqual([
      'ContentFilterError',
      'no',
      'refused',
    ]);
    expect(shown({ name: 'APIError', data: { message: 'slow down', statusCode: 429 } })).toEqual([
      'APIError',
      'slow down',
      'rate_limit',
    ]);
    expect(shown({ type: 'provider.transport', message: 'socket closed' })).toEqual([
      'provider.transport',
      'socket closed',
      'network',
    ]);
    expect(shown({ _tag: 'SessionNotFound', message: 'gone' })).toEqual(['SessionNotFound', 'gone', 'unknown']);
    expect(shown('plain words')).toEqual(['UnknownError', 'plain words', 'unknown']);
  });

  it('gets over a context overflow when compaction goes on', () => {
    const { outcome } = read([
      failure({ name: 'ContextOverflowError', data: { message: 'too long' } }),
      stepStart,
      text('Hi'),
      stepFinish('stop'),
    ]);
    expect(outcome.verdict.class).toBe('success');
  });

  it('is not rescued by text after an error', () => {
    expect(read([stepStart, failure('broken'), text('partial')], '', 1).outcome.verdict.class).toBe('incomplete');
  });

  it('keeps a refusal from stderr, and ends as permission when nothing was said after it', () => {
    const denied = toolUse('bash', {
      status: 'error',
      input: { command: 'rm x' },
      error: 'The user rejected permission to use this specific tool call.',
    });
    const { events, outcome } = read(
      [stepStart, denied, stepFinish('tool-calls')],
      '\u001b[93m\u001b[1m! \u001b[0mpermission requested: bash (rm x, ls); auto-rejecting\n',
    );
    expect(only(events, 'permission.requested')).toEqual([
      { type: 'permission.requested', permission_id: 'stderr_1', what: 'bash', pattern: 'rm x, ls' },
    ]);
    expect(only(events, 'permission.resolved')).toMatchObject([{ decision: 'denied', by: 'rule' }]);
    expect(outcome.verdict.class).toBe('permission');
  });

  it.each([
    ['bash; auto-rejecting', [{ what: 'bash' }]],
    ['bash (rm x); auto-rejecting', [{ what: 'bash', pattern: 'rm x' }]],
    ['edit (a (1), b (2)); auto-rejecting', [{ what: 'edit', pattern: 'a (1), b (2)' }]],
    ['bash (rm\u00a0x; ls); auto-rejecting', [{ what: 'bash', pattern: 'rm\u00a0x; ls' }]],
    ['bash (); auto-rejecting', [{ what: 'bash', pattern: '' }]],
    ['bash (rm x; auto-rejecting', [{ what: 'bash (rm x' }]],
    ['bash) (rm x; auto-rejecting', [{ what: 'bash) (rm x' }]],
    ['bash (rm x)', []],
    // A reader that looks for the end anew at every opening would still be at it when the test times out.
    [`${' (x)'.repeat(200_000)}; auto-rejected`, []],
  ])('reads a refusal on stderr in one pass: %.40s', (said, expected) => {
    const asked = only(read([stepStart], `! permission requested: ${said}\n`).events, 'permission.requested');
    expect(asked).toEqual(
      expected.map((each) => ({ type: 'permission.requested', permission_id: 'stderr_1', ...each })),
    );
  });

  it.each([
    [
      'an interrupted tool',
      'bash',
      { status: 'error', error: 'Tool execution aborted', metadata: { interrupted: true } },
      'cancelled',
    ],
    [
      'a rule that forbids',
      'bash',
      { status: 'error', error: 'The user has specified a rule which prevents you from using this' },
      'denied',
    ],
    [
      'a rejection in version 2',
      'bash',
      { status: 'error', error: 'This run cannot ask, so the request was rejected.' },
      'denied',
    ],
    ['a file system that refuses', 'write', { status: 'error', error: 'EACCES: permission denied' }, 'error'],
    ['a command that was stopped', 'bash', { status: 'completed', output: '', metadata: { exit: null } }, 'error'],
    [
      'a tool that was withheld',
      'invalid',
      {
        status: 'completed',
        input: { tool: 'bash', error: "Model tried to call unavailable tool 'bash'. Available tools: read." },
        output: 'no',
      },
      'denied',
    ],
    [
      'a tool that does not exist',
      'invalid',
      {
        status: 'completed',
        input: { tool: 'fly', error: "Model tried to call unavailable tool 'fly'. Available tools: read." },
        output: 'no',
      },
      'error',
    ],
    ['a call that was not understood', 'invalid', { status: 'completed', output: 'bad', metadata: {} }, 'error'],
    ['a tool that went well', 'grep', { status: 'completed', output: 'x', metadata: {} }, 'success'],
  ])('%s', (_, tool, state, status) => {
    expect(only(read([toolUse(tool, { input: {}, ...state })]).events, 'item.completed')[0]?.status).toBe(status);
  });

  it('tells the files that tools changed', () => {
    expect(edits('write', { filePath: '/a', content: 'x' }, { exists: false })).toEqual([
      { path: '/a', operation: 'created' },
    ]);
    expect(edits('write', { filePath: '/a', content: 'x' }, { exists: true })).toEqual([
      { path: '/a', operation: 'modified' },
    ]);
    expect(edits('edit', { filePath: '/a', oldString: '', newString: 'x' }, {})).toEqual([
      { path: '/a', operation: 'created' },
    ]);
    expect(
      edits(
        'edit',
        { filePath: '/a', oldString: 'y', newString: 'x' },
        { diff: 'D', filediff: { file: '/a', additions: 2, deletions: 1 } },
      ),
    ).toEqual([{ path: '/a', operation: 'modified', additions: 2, deletions: 1, diff: 'D' }]);
    expect(
      edits(
        'apply_patch',
        { patchText: '' },
        {
          files: [
            { filePath: '/n', type: 'add', additions: 3 },
            { filePath: '/o', type: 'delete' },
          ],
        },
      ),
    ).toEqual([
      { path: '/n', operation: 'created', additions: 3 },
      { path: '/o', operation: 'deleted' },
    ]);
    expect(edits('apply_patch', { patchText: '*** Begin Patch\n*** Update File: b\n*** Add File: c\n' }, {})).toEqual([
      { path: 'b', operation: 'modified' },
      { path: 'c', operation: 'created' },
    ]);
  });

  it.each([
    [
      'cache and reasoning apart',
      { total: 117, input: 10, output: 5, reasoning: 2, cache: { read: 90, write: 10 } },
      110,
      7,
    ],
    [
      'reasoning within the output',
      { total: 115, input: 10, output: 5, reasoning: 2, cache: { read: 90, write: 10 } },
      110,
      5,
    ],
    ['all within', { total: 105, input: 100, output: 5, reasoning: 2, cache: { read: 90, write: 10 } }, 100, 5],
    ['no total', { input: 10, output: 5, reasoning: 2, cache: { read: 90, write: 10 } }, 110, 7],
  ])('counts tokens: %s', (_, tokens, input, output) => {
    expect(read([stepFinish('stop', tokens)]).outcome.metrics).toMatchObject({
      input_tokens: input,
      output_tokens: output,
      reasoning_tokens: 2,
      cache_read_tokens: 90,
      cache_write_tokens: 10,
      cost_source: 'unknown',
    });
  });

  it('keeps what it does not know', () => {
    const wire = { type: 'sparkle', timestamp: 1, sessionID: 'ses_1', part: {} };
    expect(only(read([stepStart, wire]).events, 'line.unknown')).toEqual([
      { type: 'line.unknown', dialect: 'opencode', wire },
    ]);
  });
});

const bus = (type: string, properties: JsonObject): JsonObject => ({ type, properties });
const session = (fields: JsonObject = {}): JsonObject =>
  bus('session.created', {
    info: { id: 'ses_1', directory: '/w', version: '1.18.0', time: { created: 1, updated: 1 }, ...fields },
  });
const message = (fields: JsonObject): JsonObject =>
  bus('message.updated', {
    info: { sessionID: 'ses_1', role: 'assistant', time: { created: 1767000000000 }, ...fields },
  });
const part = (fields: JsonObject, more: JsonObject = {}): JsonObject =>
  bus('message.part.updated', { part: { sessionID: 'ses_1', messageID: 'msg_1', ...fields }, ...more });
const begin = [session(), message({ id: 'msg_1' })];
const finish = message({ id: 'msg_1', finish: 'stop', time: { created: 1767000000000, completed: 1767000001000 } });
const idle = bus('session.status', { sessionID: 'ses_1', status: { type: 'idle' } });

const delta = (words: string): JsonObject =>
  bus('message.part.delta', { sessionID: 'ses_1', messageID: 'msg_1', partID: 'p', field: 'text', delta: words });

const spoken = (...lines: JsonObject[]) =>
  read([...begin, ...lines, finish, idle])
    .events.filter((event) => event.type === 'text.delta' || event.type === 'text.completed')
    .map((event) => `${event.type} ${event.text}`);

const counted = (input: number): JsonObject =>
  message({
    id: 'msg_1',
    finish: 'stop',
    tokens: { total: input + 5, input, output: 5, reasoning: 0, cache: { read: 0, write: 0 } },
    time: { created: 1767000000000, completed: 1767000001000 },
  });

const used = (version: string) => {
  const tokens = { input: 1000, output: 50, reasoning: 20, cache: { read: 300, write: 0 } };
  const { metrics } = read([session({ version }), message({ id: 'msg_1', tokens, finish: 'stop' }), idle]).outcome;
  return [metrics.input_tokens, metrics.output_tokens];
};

describe('the bus', () => {
  it('reads the events of all instances, which come wrapped', () => {
    const lines = [...begin, part({ id: 'p', type: 'text', text: 'Hi', time: { start: 1, end: 2 } }), finish, idle];
    const plain = read(lines);
    expect(plain.outcome).toMatchObject({ status: 'success', message: 'Hi' });
    expect(read(lines.map((payload) => ({ directory: '/w', payload }))).events).toEqual(plain.events);
    expect(opencode.detect([{ directory: '/w', payload: bus('server.connected', {}) }], [])).toBe(1);
  });

  it('survives a line that is wrapped deeper than the stack is', () => {
    const deep = `${'{"payload":'.repeat(100_000)}{}${'}'.repeat(100_000)}`;
    const reader = new Reader();
    reader.stdout(jsonl([deep, ...begin, finish, idle]));
    expect(reader.end()).toMatchObject({ provenance: { dialect: 'opencode' } });
  });

  it('reads the same from server-sent events as from lines', () => {
    const home = join(import.meta.dirname, '..', 'recordings', 'opencode-serve@1.18.33');
    const scenarios = readdirSync(home).filter((scenario) => existsSync(join(home, scenario, 'events.sse')));
    expect(scenarios.length).toBeGreaterThan(5);
    for (const scenario of scenarios) {
      const lines = readBytes(readFileSync(join(home, scenario, 'stdout.jsonl')));
      const events = readBytes(readFileSync(join(home, scenario, 'events.sse')));
      expect(events.events).toEqual(lines.events);
      expect(events.outcome.verdict).toEqual(lines.outcome.verdict);
    }
  });

  it('streams text by delta events, by deltas inside updates, or by snapshots, and the last snapshot wins', () => {
    const start = part({ id: 'p', type: 'text', text: '', time: { start: 1 } });
    const end = part({ id: 'p', type: 'text', text: 'Hello', time: { start: 1, end: 2 } });
    const inside = (whole: string, words: string): JsonObject =>
      part({ id: 'p', type: 'text', text: whole, time: { start: 1 } }, { delta: words });
    expect(spoken(start, delta('Hel'), delta('lo'), end)).toEqual([
      'text.delta Hel',
      'text.delta lo',
      'text.completed Hello',
    ]);
    expect(spoken(inside('Hel', 'Hel'), inside('Hello', 'lo'), end)).toEqual([
      'text.delta Hel',
      'text.delta lo',
      'text.completed Hello',
    ]);
    expect(spoken(start, end)).toEqual(['text.delta Hello', 'text.completed Hello']);
    expect(spoken(start, inside('Hel', 'Hel'), end, end)).toEqual([
      'text.delta Hel',
      'text.delta lo',
      'text.completed Hello',
    ]);
    const growing = (whole: string): JsonObject => part({ id: 'p', type: 'text', text: whole, time: { start: 1 } });
    expect(spoken(growing('Hel'), growing('Hello'))).toEqual(['text.delta Hello', 'text.completed Hello']);
    expect(spoken(start, delta('Hel'))).toEqual(['text.delta Hel', 'text.completed Hel']);
  });

  it('does not wait for ever for a message of a role that it does not know', () => {
    const early = part({ id: 'p', messageID: 'msg_s', type: 'text', text: 'Hi' });
    const strange = message({ id: 'msg_s', role: 'system' });
    const { events } = read([
      session(),
      early,
      strange,
      strange,
      bus('session.diff', { sessionID: 'ses_1', diff: [] }),
    ]);
    expect(only(events, 'text.completed').map((event) => event.text)).toEqual(['Hi']);
  });

  it('does not join a retry to what was cut off', () => {
    const step = part({ id: 's', type: 'step-start' });
    const { outcome } = read([
      ...begin,
      step,
      part({ id: 'p1', type: 'text', text: '', time: { start: 1 } }),
      bus('message.part.delta', {
        sessionID: 'ses_1',
        messageID: 'msg_1',
        partID: 'p1',
        field: 'text',
        delta: 'This is',
      }),
      bus('session.status', {
        sessionID: 'ses_1',
        status: { type: 'retry', attempt: 1, message: 'socket closed', next: 5 },
      }),
      part({ id: 'r', type: 'retry', attempt: 1, error: { name: 'APIError', data: { message: 'socket closed' } } }),
      bus('session.status', { sessionID: 'ses_1', status: { type: 'busy' } }),
      step,
      part({ id: 'p2', type: 'text', text: 'This is whole.', time: { start: 1, end: 2 } }),
      finish,
      idle,
    ]);
    expect(outcome).toMatchObject({
      message: 'This is whole.',
      status: 'success',
      warnings: ['retry 1: socket closed'],
      metrics: { turns: 1 },
    });
  });

  it('ends on the error it was retrying when nothing more comes', () => {
    const { outcome } = read([
      ...begin,
      bus('session.status', {
        sessionID: 'ses_1',
        status: { type: 'retry', attempt: 5, message: 'Connection reset by server', next: 5 },
      }),
    ]);
    expect(outcome).toMatchObject({
      verdict: { class: 'provider', code: 'network' },
      error_details: { message: 'Connection reset by server' },
    });
  });

  it('takes tokens from steps where there are any, and never twice', () => {
    const tokens = { total: 1110, input: 100, output: 10, reasoning: 0, cache: { read: 1000, write: 0 } };
    const { outcome } = read([
      ...begin,
      part({ id: 's', type: 'step-start' }),
      part({ id: 'f', type: 'step-finish', reason: 'stop', cost: 0.25, tokens }),
      part({ id: 'f', type: 'step-finish', reason: 'stop', cost: 0.25, tokens }),
      message({ id: 'msg_1', finish: 'stop', cost: 0.25, tokens }),
      message({
        id: 'msg_1',
        finish: 'stop',
        cost: 0.25,
        tokens,
        time: { created: 1767000000000, completed: 1767000001000 },
      }),
      idle,
    ]);
    expect(outcome.metrics).toMatchObject({
      input_tokens: 1100,
      output_tokens: 10,
      cost: 0.25,
      turns: 1,
      end_time_ms: 1767000001000,
    });
  });

  it('adds what a later update of a message counts more', () => {
    const { outcome } = read([
      ...begin,
      counted(10),
      bus('session.diff', { sessionID: 'ses_1', diff: [] }),
      counted(30),
      idle,
    ]);
    expect(outcome.metrics).toMatchObject({ input_tokens: 30, output_tokens: 5 });
  });

  it('counts as the version does when there is no total', () => {
    expect([used('1.0.50'), used('1.2.3'), used('1.4.0'), used('2.0.1')]).toEqual([
      [1000, 50],
      [1300, 50],
      [1300, 70],
      [1300, 70],
    ]);
  });

  it('reads permissions old and new, and questions', () => {
    const { events } = read([
      ...begin,
      bus('permission.asked', {
        id: 'per_1',
        sessionID: 'ses_1',
        permission: 'bash',
        patterns: ['ls', 'cat'],
        tool: { callID: 'c1' },
      }),
      bus('permission.replied', { sessionID: 'ses_1', requestID: 'per_1', reply: 'always' }),
      bus('permission.v2.asked', { id: 'per_2', sessionID: 'ses_1', action: 'edit', resources: ['/a'] }),
      bus('permission.v2.replied', { sessionID: 'ses_1', requestID: 'per_2', reply: 'reject' }),
      bus('permission.updated', {
        id: 'per_3',
        type: 'bash',
        pattern: ['a', 'b'],
        sessionID: 'ses_1',
        title: 'Run',
        time: { created: 1 },
      }),
      bus('permission.replied', { sessionID: 'ses_1', permissionID: 'per_3', response: 'once' }),
      bus('question.asked', { id: 'que_1', sessionID: 'ses_1', questions: [{ question: 'Which?' }] }),
      bus('question.rejected', { sessionID: 'ses_1', requestID: 'que_1' }),
    ]);
    expect(events.filter(({ type }) => type.startsWith('permission.'))).toEqual([
      { type: 'permission.requested', permission_id: 'per_1', what: 'bash', item_id: 'c1', pattern: 'ls, cat' },
      { type: 'permission.resolved', permission_id: 'per_1', decision: 'allowed', raw_decision: 'always' },
      { type: 'permission.requested', permission_id: 'per_2', what: 'edit', pattern: '/a' },
      { type: 'permission.resolved', permission_id: 'per_2', decision: 'denied', raw_decision: 'reject' },
      { type: 'permission.requested', permission_id: 'per_3', what: 'bash', pattern: 'a, b', title: 'Run' },
      { type: 'permission.resolved', permission_id: 'per_3', decision: 'allowed', raw_decision: 'once' },
      { type: 'permission.requested', permission_id: 'que_1', what: 'question', title: 'Which?' },
      { type: 'permission.resolved', permission_id: 'que_1', decision: 'denied' },
    ]);
  });

  it('tells created, modified and deleted files by the watcher, and files that a command changed by the patch', () => {
    const { outcome } = read([
      ...begin,
      bus('file.edited', { file: '/new' }),
      bus('file.watcher.updated', { file: '/new', event: 'add' }),
      bus('file.edited', { file: '/old' }),
      bus('file.watcher.updated', { file: '/old', event: 'change' }),
      bus('file.edited', { file: '/gone' }),
      bus('file.watcher.updated', { file: '/gone', event: 'unlink' }),
      bus('file.watcher.updated', { file: '/.git/index.lock', event: 'add' }),
      part({ id: 'f', type: 'step-finish', reason: 'stop', cost: 0, tokens: {} }),
      part({ id: 'x', type: 'patch', hash: 'h', files: ['/new', '/by-command'] }),
    ]);
    expect(outcome.artifacts.map(({ path, operation }) => `${operation} ${path}`)).toEqual([
      'created /new',
      'modified /old',
      'deleted /gone',
      'modified /by-command',
    ]);
  });

  it('puts a sub-agent below the call that started it', () => {
    const child = (fields: JsonObject): JsonObject => part({ sessionID: 'ses_2', messageID: 'msg_c', ...fields });
    const task = (state: JsonObject): JsonObject =>
      part({ id: 'prt_task', type: 'tool', callID: 'call_1', tool: 'task', state });
    const { events, outcome } = read([
      ...begin,
      task({ status: 'running', input: { prompt: 'look' }, time: { start: 1767000000000 } }),
      bus('session.created', { info: { id: 'ses_2', parentID: 'ses_1' } }),
      task({
        status: 'running',
        input: { prompt: 'look' },
        metadata: { sessionId: 'ses_2' },
        time: { start: 1767000000000 },
      }),
      message({ id: 'msg_c', sessionID: 'ses_2' }),
      child({
        id: 'prt_c1',
        type: 'tool',
        callID: 'call_1',
        tool: 'read',
        state: { status: 'completed', input: {}, output: 'x' },
      }),
      child({ id: 'prt_c2', type: 'text', text: 'found', time: { start: 1, end: 2 } }),
      bus('session.idle', { sessionID: 'ses_2' }),
      task({
        status: 'completed',
        input: { prompt: 'look' },
        output: 'found',
        time: { start: 1767000000000, end: 1767000000100 },
      }),
      part({ id: 'p', type: 'text', text: 'All done', time: { start: 1, end: 2 } }),
      finish,
      idle,
    ]);
    expect(only(events, 'item.started').map(({ item_id, parent_item_id }) => [item_id, parent_item_id])).toEqual([
      ['call_1', undefined],
      ['prt_c1', 'call_1'],
    ]);
    expect(only(events, 'text.completed').map(({ text: words, parent_item_id }) => [words, parent_item_id])).toEqual([
      ['found', 'call_1'],
      ['All done', undefined],
    ]);
    expect(outcome).toMatchObject({ message: 'All done', status: 'success', metrics: { turns: 1 } });
  });

  it('leaves out other sessions, and says so', () => {
    const { outcome } = read([
      ...begin,
      message({ id: 'msg_x', sessionID: 'ses_9' }),
      part({
        sessionID: 'ses_9',
        messageID: 'msg_x',
        id: 'p',
        type: 'text',
        text: 'not ours',
        time: { start: 1, end: 2 },
      }),
    ]);
    expect(outcome.message).toBe('');
    expect(outcome.provenance.notes).toMatchObject([{ kind: 'lost', what: 'events of another session' }]);
  });

  it('is cancelled by an abort, and incomplete when it idles for no good reason', () => {
    const abort = bus('session.error', {
      sessionID: 'ses_1',
      error: { name: 'MessageAbortedError', data: { message: 'Aborted' } },
    });
    expect(read([...begin, abort, idle]).outcome.verdict.class).toBe('cancelled');
    expect(read([...begin, message({ id: 'msg_1', finish: 'tool-calls' }), idle]).outcome.verdict.class).toBe(
      'incomplete',
    );
    expect(read([...begin, idle]).outcome.verdict.class).toBe('incomplete');
  });

  it('ignores what says nothing about a run, and keeps what it does not know', () => {
    const quiet = [
      'server.heartbeat',
      'lsp.updated',
      'todo.updated',
      'session.compacted',
      'session.next.text.delta',
      'session.network.asked',
      'suggestion.shown',
      'message.removed',
      'vcs.branch.updated',
      'models-dev.refreshed',
    ];
    expect(read([session(), ...quiet.map((type) => bus(type, { sessionID: 'ses_1' }))]).events).toHaveLength(1);
    const wire = bus('galaxy.formed', { stars: 3 });
    expect(only(read([session(), wire]).events, 'line.unknown')).toEqual([
      { type: 'line.unknown', dialect: 'opencode', wire },
    ]);
  });
});

describe('the server of version 2', () => {
  let clock = 1767000000000;
  const event = (type: string, data: JsonObject): JsonObject => ({
    id: 'evt_1',
    type,
    created: (clock += 10),
    data: { sessionID: 'ses_1', assistantMessageID: 'msg_1', ...data },
  });
  const steps = [
    event('session.inbox.delivered', { inboxID: 'msg_0' }),
    event('session.step.started', { agent: 'build', model: { providerID: 'rig', id: 'model' } }),
    event('session.text.started', { ordinal: 0 }),
    event('session.text.delta', { ordinal: 0, delta: 'Look' }),
    event('session.text.ended', { ordinal: 0, text: 'Looking.' }),
    event('session.tool.input.started', { id: 'call_1', name: 'bash' }),
    event('session.tool.called', { id: 'call_1', input: { command: 'ls' } }),
    event('session.tool.progress', { id: 'call_1', metadata: { output: 'a' } }),
    event('session.tool.success', { id: 'call_1', metadata: { exit: 0 }, content: [{ type: 'text', text: 'a\nb' }] }),
    event('session.step.ended', {
      finish: 'tool-calls',
      cost: 0.1,
      tokens: { input: 5, output: 2, reasoning: 1, cache: { read: 10, write: 0 } },
    }),
  ];

  it('reads a step', () => {
    const { events, outcome } = read([...steps, event('session.execution.succeeded', {})]);
    expect(events.map(({ type }) => type)).toEqual([
      'thread.started',
      'turn.started',
      'text.delta',
      'text.delta',
      'text.completed',
      'item.started',
      'item.output',
      'item.completed',
      'usage.reported',
      'turn.completed',
      'agent.finished',
    ]);
    expect(outcome).toMatchObject({
      session_id: 'ses_1',
      message: 'Looking.',
      status: 'success',
      metrics: { model_name: 'rig/model', input_tokens: 15, output_tokens: 3, cost: 0.1 },
      tool_calls: [{ name: 'bash', inputs: { command: 'ls' }, outputs: 'a\nb', status: 'completed' }],
    });
    expect(opencode.detect([steps[1] ?? {}], [])).toBe(1);
  });

  it.each([
    ['failed', { error: { type: 'provider.transport', message: 'socket closed' } }, 'provider'],
    ['interrupted', { reason: 'user' }, 'cancelled'],
    ['exploded', {}, 'incomplete'],
  ])('ends as execution.%s', (step, data, verdict) => {
    expect(read([...steps, event(`session.execution.${step}`, data)]).outcome.verdict.class).toBe(verdict);
  });

  it('reads failures, retries and refusals', () => {
    const { outcome } = read([
      event('session.step.started', {}),
      event('session.step.failed', { error: { type: 'unknown', message: 'overloaded' } }),
      event('session.retried', { attempt: 1, error: { message: 'overloaded' } }),
      event('session.step.started', {}),
      event('session.tool.called', { id: 'c', name: 'write', input: {} }),
      event('session.tool.failed', { id: 'c', error: { type: 'denied', message: 'so the request was rejected' } }),
      event('session.execution.interrupted', { reason: 'user' }),
    ]);
    expect(outcome.verdict.class).toBe('permission');
    expect(outcome.warnings).toContain('retry 1: overloaded');
  });
});

const v2 = (type: string, fields: JsonObject): JsonObject => ({
  type,
  timestamp: 1800000000000,
  sessionID: 'ses_1',
  part: { id: 'prt_1', sessionID: 'ses_1', messageID: 'msg_1', ...fields },
});

describe('detection', () => {
  it('knows its own from the first line', () => {
    expect(opencode.detect([stepStart], [])).toBe(1);
    expect(opencode.detect([session()], [])).toBe(1);
    expect(opencode.detect([{ type: 'session.created', session_id: 's' }], [])).toBe(0);
    expect(opencode.detect([{ type: 'assistant.message', id: '1', parentId: null, data: {} }], [])).toBe(0);
    expect(opencode.detect([{ type: 'text', text: 'hi' }], [])).toBe(0);
    expect(opencode.detect([], ['\u001b[91mError: You must provide a message or a command'])).toBe(0.6);
  });

  it('knows an OpenCode 2 by the end of its first step at the latest', () => {
    const head = [
      v2('step_start', { type: 'step-start' }),
      v2('step_finish', { type: 'step-finish', reason: 'stop', cost: 0, tokens: {} }),
    ];
    expect([opencode.detect(head.slice(0, 1), []), opencode.detect(head, [])]).toEqual([0, 1]);
  });
});

function rewrite(lines: readonly JsonObject[]) {
  const { dialect, variant } = findWriter('opencode');
  const writer = new Writer(dialect, variant);
  const events: AgentEvent[] = [];
  const reader = new Reader({
    dialect: opencode,
    newId: () => 'thread-1',
    onRecord(record) {
      events.push(eventOf(record));
      writer.record(record);
    },
  });
  reader.stdout(jsonl(lines));
  writer.end(reader.end());
  return { events: events.slice(0, -1), text: writer.take(), losses: [...writer.losses.keys()] };
}

describe('writing', () => {
  it.each<[string, JsonObject[]]>([
    [
      'a sub-agent',
      [
        ...begin,
        part({
          id: 'prt_task',
          type: 'tool',
          callID: 'call_1',
          tool: 'task',
          state: { status: 'running', input: {}, metadata: { sessionId: 'ses_2' }, time: { start: 1767000000000 } },
        }),
        message({ id: 'msg_c', sessionID: 'ses_2' }),
        part({
          sessionID: 'ses_2',
          messageID: 'msg_c',
          id: 'prt_c2',
          type: 'text',
          text: 'found',
          time: { start: 1, end: 2 },
        }),
        part({
          sessionID: 'ses_2',
          messageID: 'msg_c',
          id: 'prt_c1',
          type: 'tool',
          callID: 'x',
          tool: 'read',
          state: { status: 'completed', input: {}, output: 'x', time: { start: 1767000000000, end: 1767000000005 } },
        }),
        part({
          id: 'prt_task',
          type: 'tool',
          callID: 'call_1',
          tool: 'task',
          state: {
            status: 'completed',
            input: {},
            output: 'found',
            time: { start: 1767000000000, end: 1767000000009 },
          },
        }),
        finish,
        idle,
      ],
    ],
    [
      'a second prompt',
      [
        ...begin,
        finish,
        idle,
        message({ id: 'msg_2' }),
        message({ id: 'msg_2', finish: 'length', time: { created: 1, completed: 2 } }),
        idle,
      ],
    ],
    [
      'an abort',
      [...begin, bus('session.error', { error: { name: 'MessageAbortedError', data: { message: 'Aborted' } } }), idle],
    ],
    [
      'an unknown finish',
      [...begin, message({ id: 'msg_1', finish: 'unknown', time: { created: 1, completed: 2 } }), idle],
    ],
    ['an unknown line', [session(), bus('galaxy.formed', { stars: 3 })]],
    [
      'a question',
      [
        ...begin,
        bus('permission.updated', { id: 'p', type: 'bash', title: '' }),
        bus('permission.replied', { permissionID: 'p', response: 'no' }),
      ],
    ],
  ])('gives the same events when read again: %s', (_, lines) => {
    const { events, text: written, losses } = rewrite(lines);
    const again = readBytes(new TextEncoder().encode(written)).events;
    expect(again).toEqual(events);
    expect(losses).toEqual([]);
  });

  it('fits its own schema, as every recording does', async () => {
    const schema = await opencode.schema();
    for (const folder of ['opencode@1.18.33', 'opencode-serve@1.18.33']) {
      const home = join(import.meta.dirname, '..', 'recordings', folder);
      for (const scenario of readdirSync(home)) {
        const recorded = readFileSync(join(home, scenario, 'stdout.jsonl'), 'utf8')
          .split('\n')
          .flatMap(parsed);
        const written = rewrite(recorded).text.split('\n').flatMap(parsed);
        for (const wire of [...recorded, ...written]) expect(schema.safeParse(wire).error?.issues ?? []).toEqual([]);
      }
    }
    expect(schema.safeParse({ type: 'step_start', timestamp: 1, sessionID: 's' }).success).toBe(false);
    expect(schema.safeParse({ type: 'session.idle', properties: {} }).success).toBe(false);
  });
});

function parsed(line: string): JsonObject[] {
  try {
    return line === '' ? [] : [JSON.parse(line) as JsonObject];
  } catch {
    return [];
  }
}

describe('the document of opencode export', () => {
  const sessionID = 'ses_1';
  const spent = { cost: 0.25, tokens: { input: 10, output: 5, reasoning: 0, cache: { read: 20, write: 0 } } };
  const user = {
    info: { id: 'msg_1', sessionID, role: 'user', time: { created: 1000 } },
    parts: [{ id: 'prt_1', type: 'text', text: 'List it.' }],
  };
  const answer = (id: string, parts: JsonObject[], more: JsonObject = {}): JsonObject => ({
    info: {
      id,
      sessionID,
      role: 'assistant',
      time: { created: 2000, completed: 3000 },
      modelID: 'm-1',
      providerID: 'acme',
      cost: 0.25,
      tokens: { input: 10, output: 5, reasoning: 0, cache: { read: 20, write: 0 } },
      ...more,
    },
    parts,
  });
  const call = {
    id: 'prt_2',
    type: 'tool',
    tool: 'bash',
    callID: 'c1',
    state: {
      status: 'completed',
      input: { command: 'ls' },
      output: 'a',
      title: 'ls',
      metadata: {},
      time: { start: 2100, end: 2200 },
    },
  };
  const calling = answer(
    'msg_2',
    [{ id: 'prt_0', type: 'step-start' }, call, { id: 'prt_3', type: 'step-finish', reason: 'tool-calls', ...spent }],
    {
      finish: 'tool-calls',
    },
  );
  const last = answer(
    'msg_3',
    [
      { id: 'prt_4', type: 'text', text: 'One file.' },
      { id: 'prt_5', type: 'step-finish', reason: 'stop', ...spent },
    ],
    { finish: 'stop' },
  );
  const exported = (...messages: JsonObject[]): JsonObject => ({
    info: {
      id: sessionID,
      version: '1.1.0',
      projectID: 'p',
      directory: '/w',
      title: 'x',
      time: { created: 1000, updated: 3000 },
    },
    messages,
  });

  it('is a run', () => {
    const { outcome } = readBytes(
      new TextEncoder().encode(JSON.stringify(exported(user, calling, last), null, 2)),
      '',
      null,
    );
    expect(opencode.detect([exported(user, calling, last)], [])).toBe(0.95);
    expect(outcome).toMatchObject({
      session_id: sessionID,
      message: 'One file.',
      verdict: { class: 'success' },
      metrics: { input_tokens: 60, output_tokens: 10, cost: 0.5, turns: 2, tool_calls_count: 1 },
      tool_calls: [{ name: 'bash', status: 'completed' }],
      metadata: { initial_prompt: 'List it.' },
    });
  });

  it.each<[string, JsonObject[], string]>([
    ['an answer without a reason', [user, answer('msg_2', [{ id: 'prt_4', type: 'text', text: 'Hi.' }])], 'success'],
    [
      'a prompt',
      [user, last, { info: { ...user.info, id: 'msg_9' }, parts: [{ id: 'prt_9', type: 'text', text: 'More.' }] }],
      'incomplete',
    ],
    ['a call', [user, calling], 'incomplete'],
    [
      'an answer that was not completed',
      [user, answer('msg_2', [{ id: 'prt_4', type: 'text', text: 'H' }], { time: { created: 2000 } })],
      'incomplete',
    ],
    [
      'an error',
      [user, answer('msg_2', [], { error: { name: 'APIError', data: { message: 'x', statusCode: 429 } } })],
      'provider',
    ],
    [
      'an abort',
      [user, answer('msg_2', [], { error: { name: 'MessageAbortedError', data: { message: 'aborted' } } })],
      'cancelled',
    ],
  ])('ends with %s', (_title, messages, expected) => {
    expect(read([exported(...messages)], '', null).outcome.verdict.class).toBe(expected);
  });
});
