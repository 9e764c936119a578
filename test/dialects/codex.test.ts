import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/json/json.ts';
import { Line } from '../../src/dialects/codex/wire.ts';
import { findWriter } from '../../src/dialects/registry.ts';
import type { AgentEvent } from '../../src/events/event.ts';
import { numbered } from '../support/records.ts';
import { jsonl, only, readLines, readText, rewrite, writeEvents } from '../support/wire.ts';

const started: JsonObject = { type: 'thread.started', thread_id: '0aa0e2b4' };
const turn: JsonObject = { type: 'turn.started' };
const usage = {
  input_tokens: 9000,
  cached_input_tokens: 4096,
  cache_write_input_tokens: 0,
  output_tokens: 120,
  reasoning_output_tokens: 64,
};
const done: JsonObject = { type: 'turn.completed', usage };
const item = (
  phase: 'started' | 'updated' | 'completed',
  id: string,
  type: string,
  fields: JsonObject,
): JsonObject => ({
  type: `item.${phase}`,
  item: { id, type, ...fields },
});
const said = (id: string, text: string): JsonObject => item('completed', id, 'agent_message', { text });
const whole = (...items: JsonObject[]): JsonObject[] => [started, turn, ...items, said('item_99', 'Done.'), done];

describe('items', () => {
  it.each<[title: string, type: string, fields: JsonObject, expected: object]>([
    [
      'a command',
      'command_execution',
      { command: 'ls', aggregated_output: 'a.c\n', exit_code: 0, status: 'completed' },
      {
        name: 'command_execution',
        kind: 'command',
        args: { command: 'ls' },
        status: 'success',
        output: 'a.c\n',
        exit_code: 0,
      },
    ],
    [
      'a command that failed',
      'command_execution',
      { command: 'no', exit_code: 127, status: 'failed' },
      { status: 'error', exit_code: 127 },
    ],
    [
      'a declined command',
      'command_execution',
      { command: 'rm', exit_code: null, status: 'declined' },
      { status: 'denied' },
    ],
    [
      'a command that was still running',
      'command_execution',
      { command: 'sleep', exit_code: null, status: 'completed' },
      { status: 'abandoned' },
    ],
    [
      'a tool of an MCP server',
      'mcp_tool_call',
      { server: 'docs', tool: 'find', arguments: { q: 1 }, result: { content: [] }, error: null, status: 'completed' },
      {
        name: 'docs.find',
        native_name: 'mcp_tool_call',
        kind: 'mcp',
        args: { q: 1 },
        status: 'success',
        output: { content: [] },
      },
    ],
    [
      'an MCP tool that nobody could approve',
      'mcp_tool_call',
      {
        server: 'docs',
        tool: 'find',
        result: null,
        error: { message: 'user cancelled MCP tool call' },
        status: 'failed',
      },
      { status: 'denied', error: 'user cancelled MCP tool call' },
    ],
    [
      'a sub-agent',
      'collab_tool_call',
      {
        tool: 'spawn_agent',
        prompt: 'look',
        receiver_thread_ids: ['u'],
        agents_states: { u: { status: 'running' } },
        status: 'completed',
      },
      {
        name: 'spawn_agent',
        kind: 'subagent',
        args: { prompt: 'look', receiver_thread_ids: ['u'] },
        output: { u: { status: 'running' } },
      },
    ],
    [
      'a search',
      'web_search',
      { query: 'q', action: { type: 'other' } },
      { kind: 'web', args: { query: 'q', action: { type: 'other' } } },
    ],
    [
      'a plan',
      'todo_list',
      { items: [{ text: 'a', completed: true }] },
      { kind: 'plan', output: [{ text: 'a', completed: true }] },
    ],
  ])('%s', (_title, type, fields, expected) => {
    const read = readLines(whole(item('completed', 'item_0', type, fields)), 'codex');
    const [start] = only(read, 'item.started');
    const [end] = only(read, 'item.completed');
    expect({ ...start, ...end }).toMatchObject(expected);
    expect(read.outcome.verdict.class).toBe(end?.status === 'denied' ? 'permission' : 'success');
  });

  it('edit files only when the patch was applied', () => {
    const changes = [
      { path: 'a.c', kind: 'add' },
      { path: 'b.c', kind: 'delete' },
      { path: 'c.c', kind: 'update' },
    ];
    const edits = (status: string): string[] =>
      only(
        readLines(whole(item('completed', 'item_0', 'file_change', { changes, status })), 'codex'),
        'file.edited',
      ).map(({ operation, path }) => `${operation} ${path}`);
    expect(edits('completed')).toEqual(['created a.c', 'deleted b.c', 'modified c.c']);
    expect(edits('failed')).toEqual([]);
  });

  it('are started once, however often their lines come', () => {
    const plan = { items: [{ text: 'a', completed: false }] };
    const read = readLines(
      whole(
        item('started', 'item_0', 'todo_list', plan),
        item('updated', 'item_0', 'todo_list', plan),
        item('updated', 'item_0', 'todo_list', plan),
        item('completed', 'item_0', 'todo_list', plan),
      ),
      'codex',
    );
    expect(only(read, 'item.started', 'item.output', 'item.completed').map((event) => event.type)).toEqual([
      'item.started',
      'item.output',
      'item.output',
      'item.completed',
    ]);
  });

  it('of 0.42 and 0.43 have the same meaning under other names', () => {
    const old = [
      { type: 'session.created', session_id: 's' },
      { type: 'item.completed', item: { id: 'item_0', item_type: 'assistant_message', text: 'Done.' } },
      { type: 'turn.completed', usage },
    ];
    expect(old.slice(0, 2).every((wire) => Line.safeParse(wire).success)).toBe(true);
    expect(readLines(old).outcome).toMatchObject({ session_id: 's', message: 'Done.', verdict: { class: 'success' } });
  });
});

describe('errors', () => {
  it('are retries where the words say so, and else the end', () => {
    const read = readLines([
      started,
      turn,
      { type: 'error', message: 'Reconnecting... 2/5 (stream disconnected before completion)' },
      { type: 'error', message: 'Reconnecting... waiting for network' },
      { type: 'error', message: 'Reconnecting... waiting for network (no route: connection refused)' },
      { type: 'error', message: 'Quota exceeded' },
      { type: 'turn.failed', error: { message: 'Quota exceeded' } },
    ]);
    expect(only(read, 'retry.scheduled')).toEqual([
      {
        type: 'retry.scheduled',
        code: 'network',
        cause: 'stream disconnected before completion',
        attempt: 2,
        max_attempts: 5,
      },
      { type: 'retry.scheduled', code: 'network', cause: 'waiting for network' },
      { type: 'retry.scheduled', code: 'network', cause: 'no route: connection refused' },
    ]);
    expect(only(read, 'error').map((event) => event.message)).toEqual(['Quota exceeded']);
    expect(read.outcome.verdict).toMatchObject({ class: 'provider', code: 'quota' });
  });

  it('of tools that leave no item are read from stderr', () => {
    const log = (words: string): string => `2026-03-01T10:00:00Z ERROR codex_core::tools::router: error=${words}\n`;
    const stderr = `Reading additional input from stdin...\n${log('patch rejected: writing outside of the project')}${log('unsupported call: x')}`;
    const read = readText(jsonl(whole()), 'codex', { stderr });
    expect(only(read, 'permission.resolved')).toMatchObject([{ decision: 'denied', by: 'rule' }]);
    expect(only(read, 'error')).toMatchObject([{ scope: 'tool', message: 'unsupported call: x', fatal: false }]);
    expect(only(read, 'log')).toEqual([]);
  });

  it('on stderr are found in time that grows with the line alone', () => {
    // Every second text begins a match that cannot end before the carriage return.
    const stderr = `${' ERROR codex_core::tools::router: error='.repeat(50_000)}\rx\n`;
    expect(only(readText(jsonl(whole()), 'codex', { stderr }), 'error')).toHaveLength(1);
  });
});

describe('the stream before 0.43', () => {
  const msg = (type: string, fields: JsonObject = {}): JsonObject => ({ id: '0', msg: { type, ...fields } });
  const legacy = [
    { workdir: '/srv', model: 'gpt-5', provider: 'openai', approval: 'never', sandbox: 'read-only' },
    { prompt: 'fix it' },
    msg('session_configured', { session_id: 's1', model: 'gpt-5' }),
    msg('task_started'),
    msg('exec_command_begin', { call_id: 'c1', command: ['bash', '-lc', 'ls'] }),
    msg('exec_command_end', {
      call_id: 'c1',
      stdout: 'a',
      stderr: 'b',
      exit_code: 0,
      duration: { secs: 1, nanos: 5_000_000 },
    }),
    msg('mcp_tool_call_begin', { call_id: 'c2', invocation: { server: 's', tool: 't', arguments: {} } }),
    msg('mcp_tool_call_end', { call_id: 'c2', result: { Err: 'bad' } }),
    msg('patch_apply_begin', {
      call_id: 'c3',
      changes: { 'a.c': { add: { content: 'x' } }, 'b.c': { update: { unified_diff: '@@' } } },
    }),
    msg('patch_apply_end', { call_id: 'c3', stdout: 'ok', success: true }),
    msg('token_count', { info: { total_token_usage: { input_tokens: 10, output_tokens: 2, total_tokens: 12 } } }),
    msg('agent_message', { message: 'Done.' }),
  ];

  it('is told like the one of today', () => {
    const { outcome, events } = readLines(legacy);
    expect(outcome).toMatchObject({
      message: 'Done.',
      metrics: { input_tokens: 10, output_tokens: 2, model_name: 'gpt-5' },
      metadata: { initial_prompt: 'fix it' },
      artifacts: [
        { path: 'a.c', operation: 'created' },
        { path: 'b.c', operation: 'modified' },
      ],
      tool_calls: [
        { name: 'exec_command', outputs: 'ab', duration_ms: 1005, status: 'completed' },
        { name: 's.t', status: 'error' },
        { name: 'apply_patch', status: 'completed' },
      ],
      verdict: { class: 'success' },
      provenance: { unknown_lines: 0 },
    });
    expect(events.at(-2)).toMatchObject({ type: 'turn.completed' });
  });

  it.each([
    ['an error', msg('error', { message: '429 Too Many Requests' }), 'provider'],
    ['an abort', msg('turn_aborted', { reason: 'interrupted' }), 'cancelled'],
  ])('ends with %s, even after an answer', (_title, last, expected) => {
    expect(readLines([...legacy, last]).outcome.verdict.class).toBe(expected);
  });
});

describe('session files', () => {
  const at = '2026-03-01T10:00:00.000Z';
  const kept = (type: string, payload: JsonObject): JsonObject => ({ timestamp: at, type, payload });
  const call = (call_id: string, name: string, input: JsonObject): JsonObject =>
    kept('response_item', { type: 'function_call', call_id, name, arguments: JSON.stringify(input) });
  const output = (call_id: string, words: string): JsonObject =>
    kept('response_item', { type: 'function_call_output', call_id, output: words });
  const session = (...lines: JsonObject[]): JsonObject[] => [
    kept('session_meta', { id: 's', cli_version: '0.150.0', cwd: '/srv' }),
    kept('event_msg', { type: 'task_started' }),
    kept('turn_context', { model: 'gpt-5' }),
    ...lines,
    kept('response_item', { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] }),
    kept('event_msg', { type: 'task_complete' }),
  ];

  describe('of versions that tell neither the beginning nor the end of a task', () => {
    const meta = kept('session_meta', { id: 's', cli_version: '0.40.0', cwd: '/srv' });
    const asked = (message: string): JsonObject => kept('event_msg', { type: 'user_message', message, kind: 'plain' });
    const heard = (message: string): JsonObject => kept('event_msg', { type: 'agent_message', message });
    const spoke = (text: string): JsonObject =>
      kept('response_item', { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] });
    const aborted = kept('event_msg', { type: 'turn_aborted', reason: 'interrupted' });

    it.each<[string, JsonObject[], string, string]>([
      ['an answer', [asked('a'), heard('A.'), spoke('A.')], 'success', 'A.'],
      ['an answer that only an event tells', [asked('a'), heard('A.')], 'success', 'A.'],
      ['two answers', [asked('a'), spoke('A.'), asked('b'), spoke('B.')], 'success', 'B.'],
      ['an answer after an aborted turn', [asked('a'), aborted, asked('b'), heard('B.'), spoke('B.')], 'success', 'B.'],
      ['an answer after the same prompt', [asked('go'), aborted, asked('go'), spoke('B.')], 'success', 'B.'],
      ['an aborted turn', [asked('a'), spoke('A.'), asked('b'), aborted], 'cancelled', ''],
      ['a prompt that nobody answered', [asked('a'), spoke('A.'), asked('b')], 'incomplete', ''],
      ['the same prompt again', [asked('go'), spoke('A.'), asked('go')], 'incomplete', ''],
      ['a prompt after an aborted turn', [asked('a'), aborted, asked('b')], 'incomplete', ''],
      ['a call', [asked('a'), spoke('I look.'), call('c1', 'shell', {})], 'incomplete', 'I look.'],
    ])('end with %s', (_title, lines, expected, answer) => {
      const { verdict, message } = readLines([meta, ...lines]).outcome;
      expect([verdict.class, message]).toEqual([expected, answer]);
    });
  });

  describe('of a fork', () => {
    const later = (line: JsonObject, ms: number): JsonObject => ({
      ...line,
      timestamp: new Date(Date.parse(at) + ms).toISOString(),
    });
    const counted = (input_tokens: number, output_tokens: number): JsonObject =>
      kept('event_msg', {
        type: 'token_count',
        info: { total_token_usage: { input_tokens, cached_input_tokens: 0, output_tokens } },
      });
    const own = (more: JsonObject): JsonObject => kept('session_meta', { id: 's2', cwd: '/srv', ...more });
    const lines = [
      counted(13_000, 380),
      ...[kept('event_msg', { type: 'task_started' }), counted(13_100, 390), counted(13_300, 400)].map((line) =>
        later(line, 9000),
      ),
      later(kept('event_msg', { type: 'task_complete', last_agent_message: 'ok' }), 9500),
    ];
    const parents = kept('session_meta', { id: 's1', cwd: '/srv' });

    it.each<[string, JsonObject[], number, number]>([
      ['that names its parent', [own({ forked_from_id: 's1' }), ...lines], 300, 20],
      ['of a sub-agent', [own({ parent_thread_id: 's1' }), ...lines], 300, 20],
      ["that repeats its parent's first line", [own({}), parents, ...lines], 300, 20],
      ['that is none', [own({}), ...lines], 13_300, 400],
    ])('count what the fork itself used: %s', (_title, rows, input, output_tokens) => {
      expect(readLines(rows).outcome.metrics).toMatchObject({ input_tokens: input, output_tokens });
    });

    it.each([
      ['a copy that took its time', 5000, 9000],
      ['a model that answered at once', 0, 10],
    ])('go by the ids of its turns: %s', (_title, copied, answered) => {
      const id = (ms: number): string => `019f000${ms}-0000-7000-8000-000000000000`;
      const turns = (which: number, ms: number, ...rest: JsonObject[]): JsonObject[] =>
        [kept('event_msg', { type: 'task_started', turn_id: id(which) }), ...rest].map((line) => later(line, ms));
      const rows = [
        kept('session_meta', { id: id(2), cwd: '/srv', forked_from_id: id(0) }),
        ...turns(1, copied, counted(13_000, 380)),
        ...turns(
          3,
          answered,
          counted(13_300, 400),
          kept('event_msg', { type: 'task_complete', last_agent_message: 'ok' }),
        ),
      ];
      expect(readLines(rows).outcome.metrics).toMatchObject({ input_tokens: 300, output_tokens: 20 });
    });
  });

  it.each<[title: string, words: string, expected: object]>([
    [
      'a head with the exit code',
      'Exit code: 2\nWall time: 1.5 seconds\nOutput:\nno',
      { status: 'error', exit_code: 2, duration_ms: 1500 },
    ],
    ['the words of unified exec', 'Process exited with code 0\nOutput:\nok', { status: 'success', exit_code: 0 }],
    [
      'JSON with metadata',
      '{"output":"ok","metadata":{"exit_code":0,"duration_seconds":0.5}}',
      { output: 'ok', duration_ms: 500 },
    ],
    ['a refusal', 'exec command rejected by user', { status: 'denied' }],
    ['an error without a code', 'failed to parse arguments', { status: 'error' }],
    [
      'a refused patch',
      'patch rejected: writing outside of the project; rejected by user approval settings',
      { status: 'denied' },
    ],
    ['a refusal by a rule', 'rejected: blocked by policy', { status: 'denied' }],
    ['an interruption', 'aborted by user after 1.2s', { status: 'cancelled' }],
    ['an interruption under a frame', 'Wall time: 3.2 seconds\naborted by user', { status: 'cancelled' }],
    [
      'a signal',
      'Chunk ID: 1\nWall time: 0.5 seconds\nProcess terminated by signal 15\nOutput:\nhalf',
      { status: 'cancelled' },
    ],
    [
      'a frame without a code',
      'Chunk ID: 1\nWall time: 0.5 seconds\nOriginal token count: 1\nOutput:\nhalf',
      { status: 'cancelled' },
    ],
    ['an unknown tool', 'unsupported call: teleport', { status: 'error' }],
    [
      'words that only look like a frame',
      'Exit code: 0\nOutput:\nProcess terminated by signal 15',
      { status: 'success' },
    ],
    ['a time that is none', 'Wall time: 1..5 seconds\nExit code: 0', { status: 'success', exit_code: 0 }],
  ])('tell how a command ended: %s', (_title, words, expected) => {
    const [end] = only(
      readLines(session(call('c1', 'exec_command', { cmd: 'x' }), output('c1', words))),
      'item.completed',
    );
    expect(end).toMatchObject(expected);
    expect(Object.values(end ?? {})).not.toContain(NaN);
  });

  it('name the files of a patch, as a tool or inside a command', () => {
    const patch = '*** Begin Patch\n*** Add File: a.c\n+x\n*** Update File: b.c\n*** Delete File: c.c\n*** End Patch';
    const edits = (...lines: JsonObject[]): string[] =>
      only(readLines(session(...lines)), 'file.edited').map(({ operation, path }) => `${operation} ${path}`);
    const expected = ['created a.c', 'modified b.c', 'deleted c.c'];
    expect(edits(call('c1', 'apply_patch', { input: patch }), output('c1', 'Success.'))).toEqual(expected);
    expect(edits(call('c1', 'shell', { command: ['apply_patch', patch] }), output('c1', 'Exit code: 0'))).toEqual(
      expected,
    );
    expect(edits(call('c1', 'apply_patch', { input: patch }), output('c1', 'failed to apply'))).toEqual([]);
  });

  it('do not call a patch done that says nothing of what it changed', () => {
    const patch = '*** Begin Patch\n*** Add File: a.c\n+x\n*** End Patch';
    const { outcome } = readLines(
      session(call('c1', 'apply_patch', { input: patch }), output('c1', 'apply_patch verification failed: no hunk')),
    );
    expect(outcome).toMatchObject({ artifacts: [], tool_calls: [{ status: 'error' }] });
  });

  it('wait for the end of a command that was left running', () => {
    const running = output('c1', 'Chunk ID: 1\nWall time: 10.0 seconds\nProcess running with session ID 7\nOutput:\n');
    const left = readLines(session(call('c1', 'exec_command', { cmd: 'x' }), running)).outcome;
    expect(left.tool_calls).toMatchObject([{ status: 'cancelled', reason: 'abandoned' }]);
    const asked = [
      call('c2', 'write_stdin', { session_id: 7, chars: '' }),
      output('c2', 'Process exited with code 3\nOutput:\nno'),
    ];
    const ended = readLines(session(call('c1', 'exec_command', { cmd: 'x' }), running, ...asked)).outcome;
    expect(ended.tool_calls).toMatchObject([{ name: 'exec_command', status: 'error' }, { name: 'write_stdin' }]);
  });

  const spoken = (text: string): JsonObject =>
    kept('response_item', { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] });

  it('answer with the last message alone', () => {
    expect(readLines(session(spoken('I look.'), spoken('I found it.'))).outcome.message).toBe('Done.');
    const silent = [kept('session_meta', { id: 's' }), kept('event_msg', { type: 'task_started' })];
    const told = kept('event_msg', { type: 'task_complete', last_agent_message: 'Told.' });
    expect(readLines([...silent, told]).outcome).toMatchObject({ message: 'Told.', verdict: { class: 'success' } });
  });

  it.each<[error: Json, code: string]>([
    ['stream failed: 503 Service Unavailable', 'server'],
    [{ message: 'You have hit your limit.', codex_error_info: 'usage_limit_exceeded' }, 'quota'],
    [{ message: 'Too long.', codex_error_info: 'context_window_exceeded' }, 'context_overflow'],
    [{ message: 'Selected model is at capacity.', codex_error_info: 'server_overloaded' }, 'server'],
    [{ message: 'nope', codex_error_info: { unauthorized: {} } }, 'auth'],
    [
      { message: 'retry limit', codex_error_info: { response_too_many_failed_attempts: { http_status_code: 429 } } },
      'rate_limit',
    ],
    [{ message: 'gone', codexErrorInfo: { responseStreamDisconnected: { httpStatusCode: null } } }, 'network'],
    [{}, 'unknown'],
  ])('fail with the error of the last turn: %j', (error, code) => {
    const { outcome } = readLines([...session().slice(0, -1), kept('event_msg', { type: 'task_complete', error })]);
    expect(outcome).toMatchObject({ verdict: { code } });
    expect(outcome.verdict.class).not.toBe('success');
  });

  it('keep an error that the end of the turn does not repeat', () => {
    const error = kept('event_msg', { type: 'error', message: 'unexpected status 401 Unauthorized' });
    const [meta, begun, ...rest] = session();
    const failed = [meta, begun, error] as JsonObject[];
    expect(readLines(failed).outcome.verdict).toMatchObject({ code: 'auth' });
    expect(
      readLines([...failed, kept('event_msg', { type: 'task_complete', error: null })]).outcome.verdict,
    ).toMatchObject({
      code: 'auth',
    });
    expect(readLines([...failed, ...rest]).outcome.verdict).toMatchObject({ class: 'success' });
    const beside = kept('event_msg', {
      type: 'error',
      message: 'no',
      codex_error_info: { active_turn_not_steerable: { turn_kind: 'review' } },
    });
    expect(readLines(session(beside)).outcome.verdict).toMatchObject({ class: 'success' });
  });

  it('have the tokens of every answer, also when they are killed', () => {
    const record = (response_id: string, thread: number | undefined): JsonObject =>
      kept('token_usage_record', {
        thread_id: 's',
        response_id,
        usage: { input_tokens: 10, cached_input_tokens: 4, output_tokens: 2 },
        ...(thread === undefined
          ? {}
          : { thread_token_usage: { input_tokens: thread, cached_input_tokens: 4, output_tokens: 2 } }),
      });
    const killed = session().slice(0, 3);
    expect(readLines([...killed, record('r1', 10), record('r2', 20)]).outcome).toMatchObject({
      verdict: { class: 'incomplete' },
      metrics: { input_tokens: 20, output_tokens: 2, cache_read_tokens: 4 },
      provenance: { unknown_lines: 0 },
    });
    expect(
      readLines([...killed, record('r1', undefined), record('r1', undefined), record('r2', undefined)]).outcome.metrics,
    ).toMatchObject({
      input_tokens: 20,
      output_tokens: 4,
    });
  });

  it('count tokens by their last total', () => {
    const total = (input_tokens: number, cache_write_input_tokens: number): JsonObject =>
      kept('event_msg', {
        type: 'token_count',
        info: { total_token_usage: { input_tokens, output_tokens: 5, cache_write_input_tokens } },
      });
    expect(readLines(session(total(10, 1), total(30, 2))).outcome.metrics).toMatchObject({
      input_tokens: 30,
      output_tokens: 5,
      cache_write_tokens: 2,
    });
  });
});

describe('writing', () => {
  const begin: AgentEvent = { type: 'thread.started', session_id: 's' };
  const open = (item_id: string, name = 'grep'): AgentEvent => ({
    type: 'item.started',
    item_id,
    turn_id: 't',
    kind: 'tool_call',
    name,
    args: { q: 1 },
  });
  const close = (item_id: string): AgentEvent => ({
    type: 'item.completed',
    item_id,
    status: 'success',
    output: 'found',
  });
  const words: AgentEvent = { type: 'text.completed', turn_id: 't', message_id: 'm', block_id: 'b', text: 'Done.' };
  const ok: AgentEvent = { type: 'agent.finished', status: 'ok' };

  it('fits the schema', () => {
    const { lines } = writeEvents([begin, open('x'), close('x'), words, ok], 'codex');
    expect(lines.filter((wire) => !Line.safeParse(wire).success)).toEqual([]);
  });

  it('numbers the items of other agents, and gives their tools their names back', () => {
    const { lines, text } = writeEvents([begin, open('a'), open('b'), close('b'), close('a'), words, ok], 'codex');
    expect(lines.flatMap((wire) => (typeof wire.item === 'object' ? [(wire.item as JsonObject).id] : []))).toEqual([
      'item_0',
      'item_1',
      'item_1',
      'item_0',
      'item_2',
    ]);
    expect(readText(text, 'codex').outcome.tool_calls).toMatchObject([
      { name: 'grep', inputs: { q: 1 }, outputs: 'found' },
      { name: 'grep', inputs: { q: 1 }, outputs: 'found' },
    ]);
  });

  it('gives every open item an id of its own, also after a number too large to count from', () => {
    const huge = `item_${'9'.repeat(400)}`;
    const { lines } = writeEvents([begin, open(huge), open('a'), open('b'), words, ok], 'codex');
    const ids = lines.filter((wire) => wire.type === 'item.started').map((wire) => (wire.item as JsonObject).id);
    expect(new Set(ids).size).toBe(3);
  });

  it('ends the turn as the agent did', () => {
    const last = (...end: AgentEvent[]): unknown => writeEvents([begin, words, ...end], 'codex').lines.at(-1);
    expect(last({ type: 'usage.reported', scope: 'thread', input_tokens: 7, output_tokens: 2 }, ok)).toEqual({
      type: 'turn.completed',
      usage: {
        input_tokens: 7,
        cached_input_tokens: 0,
        cache_write_input_tokens: 0,
        output_tokens: 2,
        reasoning_output_tokens: 0,
      },
    });
    expect(last({ type: 'agent.finished', status: 'failed', code: 'auth', message: '401' })).toEqual({
      type: 'turn.failed',
      error: { message: '401' },
    });
    expect(last({ type: 'agent.finished', status: 'cancelled' })).toMatchObject({ type: 'item.completed' });
  });

  it('counts what a call loses once, though two lines tell of it', () => {
    const lost: string[] = [];
    const encoder = findWriter('codex').dialect.encoder({ line() {}, lose: (what) => void lost.push(what) }, 'exec');
    const record = numbered();
    encoder.record(
      record({
        type: 'item.started',
        item_id: 'a',
        turn_id: 't',
        kind: 'command',
        name: 'Bash',
        args: { command: 'ls' },
      }),
    );
    encoder.record(record({ type: 'item.completed', item_id: 'a', status: 'success' }));
    expect(lost).toEqual(['tool_name']);
  });

  it('leaves an item open that never ended', () => {
    const { lines } = rewrite(
      jsonl([started, turn, item('started', 'item_0', 'command_execution', { command: 'sleep 9' })]),
      'codex',
      'codex',
    );
    expect(lines.map((wire) => wire.type)).toEqual(['thread.started', 'turn.started', 'item.started']);
  });
});
