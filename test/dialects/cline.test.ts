import { describe, expect, it } from 'vitest';
import { cline } from '../../src/dialects/cline/index.ts';
import { Line } from '../../src/dialects/cline/wire.ts';
import { expected } from '../across/expected/cline.ts';
import { detected, exited, only, type Read, readLines, signalled, tools, type Wire } from '../support/lines.ts';
import { loadRecording } from '../support/recordings.ts';

const ts = '2026-11-15T10:00:00.000Z';
const at = (fields: Wire): Wire => ({ ts, ...fields });
const event = (fields: Wire): Wire => at({ type: 'agent_event', event: fields });
const text = (words: string): Wire[] => [
  event({ type: 'content_start', contentType: 'text', text: words, accumulated: words }),
  event({ type: 'content_end', contentType: 'text', text: words }),
];
const toolStart = (toolCallId: string, toolName: string, input: unknown): Wire =>
  event({ type: 'content_start', contentType: 'tool', toolName, toolCallId, input });
const toolEnd = (toolCallId: string, toolName: string, fields: Wire): Wire =>
  event({ type: 'content_end', contentType: 'tool', toolName, toolCallId, durationMs: 5, ...fields });
const result = (finishReason: string, fields: Wire = {}): Wire =>
  at({
    type: 'run_result',
    finishReason,
    iterations: 1,
    usage: { inputTokens: 0, outputTokens: 0 },
    durationMs: 900,
    text: '',
    ...fields,
  });
const loop = event({
  type: 'error',
  error: {
    name: 'Error',
    message: 'Detected 5 consecutive identical calls to `run_commands`; stopping to avoid a loop.',
  },
  recoverable: true,
  iteration: 5,
});
const refused = 'Tool "run_commands" requires approval in a TTY session';
const update = (fields: unknown): Wire =>
  event({ type: 'content_update', contentType: 'tool', toolCallId: 'c', update: fields });
const usage = (inputTokens: number, totalInputTokens: number): Wire =>
  event({
    type: 'usage',
    inputTokens,
    outputTokens: 2,
    cacheReadTokens: 4,
    totalInputTokens,
    totalOutputTokens: 4,
    cost: 0.5,
    totalCost: 1,
  });
const say = (kind: string, words: unknown, time: number, fields: Wire = {}): Wire => ({
  type: 'say',
  say: kind,
  text: typeof words === 'string' ? words : JSON.stringify(words),
  ts: time,
  ...fields,
});
const ask = (kind: string, words: string, time: number): Wire => ({ type: 'ask', ask: kind, text: words, ts: time });
const run = (lines: Wire[]): Read => readLines(lines, { exit: exited(0) });

describe('3.x', () => {
  it('takes session and model from run_start', () => {
    const read = readLines([
      at({
        type: 'run_start',
        providerId: 'p',
        modelId: 'm-1',
        catalog: 'live',
        thinking: 'off',
        mode: 'act',
        sessionId: 's-1',
      }),
    ]);
    expect(only(read, 'thread.started')).toEqual([
      { type: 'thread.started', agent: 'cline', session_id: 's-1', model: 'm-1' },
    ]);
  });

  it.each([
    [
      'run_commands',
      'Command not executed: output redirection can modify files, and file modifications are blocked in plan mode.',
      'denied',
    ],
    [
      'editor',
      "Tool call editor was rejected before execution: AI_NoSuchToolError: Model tried to call unavailable tool 'editor'.",
      'denied',
    ],
    [
      'teleport',
      "Tool call teleport was rejected before execution: AI_NoSuchToolError: Model tried to call unavailable tool 'teleport'.",
      'error',
    ],
  ])('tells what a mode without edits refuses: %s', (name, error, status) => {
    const read = readLines([toolStart('c', name, {}), toolEnd('c', name, { output: { error }, error })]);
    expect(only(read, 'item.completed')).toMatchObject([{ status }]);
  });

  it('adds the deltas up and never the running text', () => {
    const read = readLines([
      event({ type: 'content_start', contentType: 'text', text: 'One', accumulated: 'One' }),
      event({ type: 'content_start', contentType: 'text', text: ' two', accumulated: 'One two' }),
      event({ type: 'content_end', contentType: 'text', text: 'One two' }),
      result('completed'),
    ]);
    expect(only(read, 'text.delta', 'text.completed').map((each) => ('text' in each ? each.text : ''))).toEqual([
      'One',
      ' two',
      'One two',
    ]);
    expect(read.outcome.verdict.class).toBe('success');
  });

  it('reads reasoning beside text', () => {
    const read = readLines([
      event({ type: 'content_start', contentType: 'reasoning', reasoning: 'Hm.', redacted: false }),
      event({ type: 'content_end', contentType: 'reasoning', reasoning: 'Hm.' }),
    ]);
    expect(only(read, 'reasoning.completed')).toMatchObject([{ text: 'Hm.' }]);
  });

  it.each<[string, Wire, string[]]>([
    ['a good tool', { output: [{ query: 'ls', result: 'a', success: true }] }, ['run_commands completed']],
    [
      'a failed part',
      { output: [{ success: true }, { success: false, error: 'Command exited with code 3' }] },
      ['run_commands error'],
    ],
    [
      'an error beside the output',
      { output: { error: 'no such tool' }, error: '{"error":"no such tool"}' },
      ['run_commands error'],
    ],
    ['a refusal', { output: { error: refused }, error: refused }, ['run_commands error denied']],
    [
      'an aborted command',
      { output: [{ error: 'Command failed: Command was aborted', success: false }] },
      ['run_commands cancelled'],
    ],
  ])('tells %s', (_, end, want) => {
    expect(tools(readLines([toolStart('c', 'run_commands', {}), toolEnd('c', 'run_commands', end)]))).toEqual(want);
  });

  it('takes the exit code out of the words', () => {
    const read = readLines([
      toolStart('c', 'run_commands', { commands: ['x'] }),
      toolEnd('c', 'run_commands', { output: [{ result: '', success: false, error: 'Command exited with code 3' }] }),
    ]);
    expect(only(read, 'item.completed')).toMatchObject([
      { status: 'error', exit_code: 3, error: 'Command exited with code 3' },
    ]);
  });

  it('tells progress of both streams and skips empty chunks', () => {
    const read = readLines([
      toolStart('c', 'run_commands', {}),
      update({ stream: 'stdout', chunk: '' }),
      update({ stream: 'stdout', chunk: 'out' }),
      update({ stream: 'stderr', chunk: 'err' }),
      update({ percent: 50 }),
    ]);
    expect(only(read, 'item.output')).toEqual([
      { type: 'item.output', item_id: 'c', stream: 'stdout', chunk: 'out' },
      { type: 'item.output', item_id: 'c', stream: 'stderr', chunk: 'err' },
      { type: 'item.output', item_id: 'c', stream: 'progress', chunk: '{"percent":50}' },
    ]);
  });

  it('names the files that editor and apply_patch changed', () => {
    const patch =
      '*** Begin Patch\n*** Add File: a.txt\n+x\n*** Update File: b.txt\n*** Delete File: c.txt\n*** End Patch';
    const read = readLines([
      toolStart('1', 'editor', { path: '/w/new.txt' }),
      toolEnd('1', 'editor', { output: { result: 'File created successfully at: /w/new.txt', success: true } }),
      toolStart('2', 'editor', { path: '/w/old.txt' }),
      toolEnd('2', 'editor', { output: { result: 'Edited /w/old.txt', success: true } }),
      toolStart('3', 'apply_patch', { input: patch }),
      toolEnd('3', 'apply_patch', { output: 'ok' }),
      toolStart('4', 'editor', { path: '/w/not.txt' }),
      toolEnd('4', 'editor', { output: { success: false, error: 'no' } }),
    ]);
    expect(read.outcome.artifacts.map(({ path, operation }) => [path, operation])).toEqual([
      ['/w/new.txt', 'created'],
      ['/w/old.txt', 'modified'],
      ['a.txt', 'created'],
      ['b.txt', 'modified'],
      ['c.txt', 'deleted'],
    ]);
  });

  it('counts a delta once, and lets the final total replace the sum', () => {
    const steps = [usage(10, 10), usage(20, 30)];
    expect(readLines(steps).outcome.metrics).toMatchObject({
      input_tokens: 30,
      output_tokens: 4,
      cache_read_tokens: 8,
      cost: 1,
    });
    const total = { inputTokens: 50, outputTokens: 9, cacheReadTokens: 8, cacheWriteTokens: 0, totalCost: 2 };
    const read = readLines([
      ...steps,
      ...text('Done.'),
      result('completed', { aggregateUsage: total, model: { id: 'm-1' } }),
    ]);
    expect(read.outcome.metrics).toMatchObject({
      input_tokens: 50,
      output_tokens: 9,
      cache_read_tokens: 8,
      cost: 2,
      cost_source: 'reported',
      model_name: 'm-1',
    });
    expect(read.outcome.metrics).not.toHaveProperty('cache_write_tokens');
  });

  it('does not take a cost of 0 for a price, nor zeros for counts', () => {
    const zeros = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, totalCost: 0 };
    const free = event({
      type: 'usage',
      inputTokens: 5,
      outputTokens: 1,
      cost: 0,
      totalInputTokens: 5,
      totalOutputTokens: 1,
    });
    expect(readLines([free]).outcome.metrics.cost_source).toBe('unknown');
    expect(readLines([result('error', { usage: zeros, text: 'boom' })]).outcome.metrics).not.toHaveProperty(
      'input_tokens',
    );
  });

  it.each<[string, Wire[], Parameters<typeof readLines>[1], string]>([
    ['completed', [...text('Hi.'), result('completed')], { exit: exited(0) }, 'success'],
    ['an error in words', [result('error', { text: 'Incorrect API key provided' })], { exit: exited(1) }, 'provider'],
    ['an unknown reason', [...text('Hi.'), result('complete')], { exit: exited(0) }, 'incomplete'],
    ['too many iterations', [result('max_iterations')], { exit: exited(1) }, 'turn_limit'],
    ['too many mistakes', [result('mistake_limit', { text: 'Three errors' })], { exit: exited(1) }, 'tool'],
    [
      'SIGINT, by its own words',
      [at({ type: 'run_abort_requested', reason: 'sigint' })],
      { exit: exited(0) },
      'cancelled',
    ],
    [
      'a local abort with exit 0',
      [...text('Hi.'), result('aborted'), at({ type: 'run_aborted', reason: 'local_abort', message: 'aborted' })],
      { exit: exited(0) },
      'cancelled',
    ],
    [
      'an abort after completion',
      [...text('Hi.'), result('completed'), at({ type: 'run_aborted', reason: 'x', message: '' })],
      {},
      'cancelled',
    ],
    [
      'its loop check',
      [loop, result('aborted'), at({ type: 'run_aborted', reason: 'external_abort', message: '' })],
      { exit: exited(0) },
      'turn_limit',
    ],
    ['a loop warning that it got over', [loop, ...text('Hi.'), result('completed')], { exit: exited(0) }, 'success'],
    [
      'giving up on a refusal',
      [toolStart('c', 'run_commands', {}), toolEnd('c', 'run_commands', { error: refused }), result('aborted')],
      { exit: exited(0) },
      'permission',
    ],
    [
      'a refusal that the model answered',
      [
        toolStart('c', 'run_commands', {}),
        toolEnd('c', 'run_commands', { error: refused }),
        ...text('I may not.'),
        result('completed'),
      ],
      { exit: exited(0) },
      'permission',
    ],
    [
      'its own time limit',
      [result('aborted')],
      {
        exit: exited(1),
        stderr: '{"ts":"2026-11-15T10:00:00.000Z","type":"error","message":"run timed out after 15s"}\n',
      },
      'time_limit',
    ],
    [
      'a cut last line',
      text('Whole.'),
      { exit: exited(0), cut: '{"ts":"2026-11-15T10:00:00.000Z","type":"run_result","finishRe' },
      'incomplete',
    ],
    ['a stream that stops', text('Whole.'), { exit: exited(0) }, 'incomplete'],
    ['a kill', text('Whole.'), { exit: signalled('SIGKILL') }, 'incomplete'],
    [
      'nothing but an error on stderr',
      [],
      {
        exit: exited(1),
        stderr:
          '{"ts":"2026-11-15T10:00:00.000Z","type":"error","message":"JSON output mode requires a prompt argument"}\n',
      },
      'input',
    ],
  ])('is judged: %s', (_, lines, rest, want) => {
    const { outcome } = readLines(lines, rest);
    expect({ class: outcome.verdict.class, dialect: outcome.provenance.dialect }).toEqual({
      class: want,
      dialect: 'cline',
    });
  });

  it('tells an error once that came on both streams', () => {
    const error = event({
      type: 'error',
      error: { name: 'Error', message: 'Overloaded', stack: 'Error: Overloaded\n at /a/b.js:1:2' },
      recoverable: false,
      iteration: 1,
    });
    const read = readLines([error, result('error', { text: 'Overloaded' })], {
      stderr: '{"ts":"x","type":"error","message":"Overloaded"}\n',
    });
    expect(only(read, 'error')).toEqual([
      {
        type: 'error',
        scope: 'provider',
        code: 'server',
        message: 'Overloaded',
        fatal: true,
        stack: 'Error: Overloaded\n at /a/b.js:1:2',
        iteration: 1,
      },
    ]);
    expect(read.outcome.error_details).toMatchObject({ message: 'Overloaded', file_path: '/a/b.js', line_number: 1 });
  });

  it('keeps notices, and reads a recovery as a retry', () => {
    const read = readLines([
      event({ type: 'notice', noticeType: 'status', message: 'Working' }),
      event({ type: 'notice', noticeType: 'stop', message: 'Stopping' }),
      event({ type: 'notice', noticeType: 'recovery', message: 'Rate limit, trying again' }),
    ]);
    expect(only(read, 'log', 'retry.scheduled')).toEqual([
      { type: 'log', stream: 'agent', level: 'info', text: 'Working' },
      { type: 'log', stream: 'agent', level: 'warning', text: 'Stopping' },
      { type: 'retry.scheduled', code: 'rate_limit', cause: 'Rate limit, trying again' },
    ]);
  });

  it('passes over team and hook lines and keeps what is new', () => {
    const unknown = [at({ type: 'run_paused' }), event({ type: 'content_start', contentType: 'video' })];
    const read = readLines([
      at({ type: 'hook_event', hookEventName: 'agent_start', agentId: 'a', taskId: 't', parentAgentId: null }),
      at({ type: 'team_event', event: { type: 'x' } }),
      at({ type: 'team_restored', teamName: 'n' }),
      ...unknown,
    ]);
    expect(only(read, 'line.unknown')).toEqual(
      unknown.map((wire) => ({ type: 'line.unknown', dialect: 'cline', wire })),
    );
  });

  it('does not keep the warnings of a library', () => {
    const stderr = 'Warning: AI SDK Warning System: x\n      at f (/a.js:1:2)\nsomething else\n';
    expect(only(readLines([...text('Hi.'), result('completed')], { stderr }), 'log')).toEqual([
      { type: 'log', stream: 'stderr', text: 'something else' },
    ]);
  });
});

describe('2.x', () => {
  it('reads a whole run', () => {
    const read = run([
      say('task', 'Write it.', 1),
      say('api_req_started', { request: 'x' }, 2),
      say('reasoning', 'Hm.', 3),
      say('text', 'I wr', 4, { partial: true }),
      say('text', 'I write.', 4, { partial: true }),
      say('text', 'I write.', 4),
      say(
        'api_req_started',
        { request: 'x', tokensIn: 10, tokensOut: 5, cacheReads: 90, cacheWrites: 0, cost: 0.25 },
        2,
      ),
      say('tool', { tool: 'newFileCreated', path: 'a.txt', content: 'x' }, 5),
      say('api_req_started', { tokensIn: 20, tokensOut: 6, cost: 0.5 }, 6),
      say('command', 'ls', 7),
      say('command_output', 'a.txt', 8),
      say('use_mcp_server', { type: 'use_mcp_tool', serverName: 'srv', toolName: 'find', arguments: '{}' }, 9),
      say('mcp_server_response', 'found', 10),
      say('completion_result', 'All done.HAS_CHANGES', 11),
      ask('completion_result', '', 12),
    ]);
    expect(read.outcome).toMatchObject({
      message: 'All done.',
      metadata: { initial_prompt: 'Write it.' },
      metrics: {
        input_tokens: 120,
        output_tokens: 11,
        cache_read_tokens: 90,
        cost: 0.75,
        turns: 2,
        start_time_ms: 1,
        end_time_ms: 12,
      },
      artifacts: [{ path: 'a.txt', operation: 'created' }],
      verdict: { class: 'success' },
    });
    expect(tools(read)).toEqual(['newFileCreated completed', 'command completed', 'srv.find completed']);
    expect(only(read, 'text.completed').map((each) => ('text' in each ? each.text : ''))).toEqual([
      'I write.',
      'All done.',
    ]);
  });

  it.each<[string, Wire[], string]>([
    ['a completion that was never whole', [say('completion_result', 'All do', 1, { partial: true })], 'incomplete'],
    ['a failed request', [ask('api_req_failed', '401 Unauthorized', 1)], 'provider'],
    ['a request that broke', [say('api_req_started', { streamingFailedMessage: 'socket hang up' }, 1)], 'provider'],
    ['a cancelled request', [say('api_req_started', { cancelReason: 'user_cancelled' }, 1)], 'cancelled'],
    ['too many mistakes', [ask('mistake_limit_reached', 'Cline is having trouble', 1)], 'tool'],
    ['too many requests', [ask('auto_approval_max_req_reached', '20', 1)], 'turn_limit'],
    ['no completion', [say('text', 'Hello.', 1)], 'incomplete'],
  ])('is judged: %s', (_, lines, want) => {
    expect(run(lines).outcome.verdict.class).toBe(want);
  });

  it('blames the open tool for an error', () => {
    const edit = (time: number): Wire => say('tool', { tool: 'editedExistingFile', path: 'a' }, time);
    expect(
      tools(run([edit(1), say('diff_error', 'no match', 2), edit(3), say('error', 'broken', 4), edit(5)])),
    ).toEqual(['editedExistingFile error', 'editedExistingFile error', 'editedExistingFile cancelled abandoned']);
  });

  it('tells questions, retries, notes and what is new', () => {
    const unknown = [say('hologram', '', 6), ask('hologram', '', 7)];
    const read = run([
      ask('command', 'rm -r x', 1),
      ask('tool', '{"tool":"readFile","path":"p"}', 2),
      say('error_retry', { attempt: 1, maxAttempts: 3, errorMessage: '429 Too Many Requests' }, 3),
      say('info', 'note', 4),
      say('checkpoint_created', '', 5),
      ...unknown,
      ask('followup', '{"question":"Which one?","options":[]}', 8),
    ]);
    expect(only(read, 'permission.requested', 'retry.scheduled', 'log', 'line.unknown')).toEqual([
      { type: 'permission.requested', permission_id: 'ask_1', what: 'command', pattern: 'rm -r x' },
      { type: 'permission.requested', permission_id: 'ask_2', what: 'readFile', pattern: 'p' },
      { type: 'retry.scheduled', code: 'rate_limit', cause: '429 Too Many Requests', attempt: 1, max_attempts: 3 },
      { type: 'log', stream: 'agent', level: 'info', text: 'note' },
      ...unknown.map((wire) => ({ type: 'line.unknown', dialect: 'cline', wire })),
    ]);
    expect(read.outcome.message).toBe('Which one?');
  });
});

describe('detection', () => {
  it.each<[string, Wire[], string[], string | undefined]>([
    ['3.x from any line', [at({ type: 'hook_event' })], [], 'cline'],
    ['2.x from any line', [{ type: 'say', say: 'text', text: '', ts: 5 }], [], 'cline'],
    ['stderr alone', [], ['{"ts":"2026-11-15T10:00:00.000Z","type":"error","message":"x"}'], 'cline'],
    ['not an error without a time', [], ['{"type":"error","message":"x"}'], undefined],
    ['not a line without a time', [{ type: 'run_result' }], [], undefined],
  ])('%s', (_, lines, stderr, want) => {
    expect(detected(lines, stderr)).toBe(want);
  });
});

it('has a schema that every recorded line fits', async () => {
  expect(await cline.schema()).toBe(Line);
  for (const scenario of Object.keys(expected.classes)) {
    const lines = new TextDecoder().decode(loadRecording(expected.folder, scenario).stdout).split('\n');
    // The last piece is empty, or a line that was cut.
    for (const line of lines.slice(0, -1)) expect(Line.safeParse(JSON.parse(line)).error).toBeUndefined();
  }
  expect(Line.safeParse({ type: 'run_result' }).success).toBe(false);
});
