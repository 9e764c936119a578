import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json/json.ts';
import { pi } from '../../src/dialects/pi/index.ts';
import { expected as anthropicTable } from '../across/expected/pi-anthropic.ts';
import { expected as googleTable } from '../across/expected/pi-google.ts';
import { expected as responsesTable } from '../across/expected/pi-responses.ts';
import { expected as chatTable } from '../across/expected/pi.ts';
import { eventsOf, exited, facts, linesOf, read, type Reading } from '../support/reading.ts';
import { allRecordings, loadRecording } from '../support/recordings.ts';

const session = { type: 'session', version: 3, id: 'p-1', timestamp: '2026-05-01T10:00:00.000Z', cwd: '/w' };
const start = { type: 'agent_start' };
const turn = { type: 'turn_start' };
const usage = {
  input: 10,
  output: 5,
  cacheRead: 20,
  cacheWrite: 3,
  totalTokens: 38,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.25 },
};
const text = (words: string): JsonObject => ({ type: 'text', text: words });
const thinking = (words: string): JsonObject => ({ type: 'thinking', thinking: words });
const message = (content: JsonObject[], stopReason: string, more: JsonObject = {}): JsonObject => ({
  role: 'assistant',
  content,
  api: 'openai-completions',
  provider: 'acme',
  model: 'm-1',
  usage,
  stopReason,
  timestamp: 1_777_629_601_000,
  ...more,
});
const begin = (of: JsonObject): JsonObject => ({ type: 'message_start', message: of });
const finish = (of: JsonObject): JsonObject => ({ type: 'message_end', message: of });
const update = (type: string, contentIndex: number, more: JsonObject = {}): JsonObject => ({
  type: 'message_update',
  // A snapshot of now, not of the event: it already holds what later deltas say.
  message: message([text('from the future')], 'stop'),
  assistantMessageEvent: { type, contentIndex, ...more, partial: message([text('from the future')], 'stop') },
});
const turnEnd = (of: JsonObject): JsonObject => ({ type: 'turn_end', message: of, toolResults: [] });
const agentEnd = (...messages: JsonObject[]): JsonObject => ({ type: 'agent_end', messages });
const prompt = finish({ role: 'user', content: [text('do it')], timestamp: 1_777_629_600_500 });
const turnOf = (of: JsonObject): JsonObject[] => [turn, begin({ ...of, content: [] }), finish(of), turnEnd(of)];
const runOf = (of: JsonObject): JsonObject[] => [start, ...turnOf(of), agentEnd(of)];
const good = message([text('Done.')], 'stop');
const broken = message([], 'error', { errorMessage: '429 Too many requests' });
const retry = {
  type: 'auto_retry_start',
  attempt: 1,
  maxAttempts: 3,
  delayMs: 2000,
  errorMessage: '429 Too many requests',
};
const call = (id: string, name: string, args: JsonObject = {}): JsonObject => ({
  type: 'tool_execution_start',
  toolCallId: id,
  toolName: name,
  args,
});
const result = (id: string, name: string, words: string, isError = false, details: JsonObject = {}): JsonObject => ({
  type: 'tool_execution_end',
  toolCallId: id,
  toolName: name,
  result: { content: [text(words)], details },
  isError,
});

const judged = ({ outcome }: Reading): [string, string | undefined] => [outcome.verdict.class, outcome.verdict.code];
const claims = (reading: Reading): unknown[] => eventsOf(reading, 'agent.finished');
const run = (...stdout: JsonObject[]): Reading => read({ stdout: [session, ...stdout], exit: exited(0) });

describe('reading', () => {
  it('tells a whole run', () => {
    const called = message([thinking('Hm.'), text('Looking.')], 'toolUse');
    const reading = run(
      start,
      turn,
      begin({ role: 'user', content: 'do it' }),
      prompt,
      begin({ ...called, content: [] }),
      update('thinking_start', 0),
      update('thinking_delta', 0, { delta: 'Hm.' }),
      update('text_start', 1),
      update('text_delta', 1, { delta: 'Look' }),
      update('text_delta', 1, { delta: 'ing.' }),
      update('toolcall_start', 2),
      update('toolcall_delta', 2, { delta: '{}' }),
      update('thinking_end', 0, { content: 'Hm.' }),
      update('text_end', 1, { content: 'Looking.' }),
      update('toolcall_end', 2, { toolCall: { type: 'toolCall', id: 'c1', name: 'ls', arguments: {} } }),
      finish(called),
      call('c1', 'ls'),
      result('c1', 'ls', 'a\nb'),
      finish({ role: 'toolResult', toolCallId: 'c1', toolName: 'ls', content: [text('a\nb')], isError: false }),
      turnEnd(called),
      ...turnOf(good),
      agentEnd(called, good),
      { type: 'agent_settled' },
    );
    const first = { turn_id: 'turn_1', message_id: 'message_1' };
    const second = { turn_id: 'turn_2', message_id: 'message_2', block_id: 'message_2.0', text: 'Done.' };
    const counted = {
      type: 'usage.reported',
      scope: 'step',
      model: 'm-1',
      input_tokens: 33,
      output_tokens: 5,
      cache_read_tokens: 20,
      cache_write_tokens: 3,
      cost_usd: 0.25,
    };
    expect(facts(reading)).toEqual([
      { type: 'thread.started', agent: 'pi', session_id: 'p-1', cwd: '/w' },
      { type: 'turn.started', turn_id: 'turn_1', iteration: 1 },
      { type: 'prompt.submitted', text: 'do it' },
      { type: 'reasoning.delta', ...first, block_id: 'message_1.0', text: 'Hm.' },
      { type: 'text.delta', ...first, block_id: 'message_1.1', text: 'Look' },
      { type: 'text.delta', ...first, block_id: 'message_1.1', text: 'ing.' },
      { type: 'reasoning.completed', ...first, block_id: 'message_1.0', text: 'Hm.' },
      { type: 'text.completed', ...first, block_id: 'message_1.1', text: 'Looking.' },
      counted,
      { type: 'item.started', item_id: 'c1', turn_id: 'turn_1', kind: 'search', name: 'ls', args: {} },
      { type: 'item.completed', item_id: 'c1', status: 'success', output: 'a\nb' },
      {
        type: 'turn.completed',
        turn_id: 'turn_1',
        iteration: 1,
        tool_call_count: 1,
        has_final_report: false,
        finish_reason: 'tool_calls',
      },
      { type: 'turn.started', turn_id: 'turn_2', iteration: 2 },
      { type: 'text.delta', ...second },
      { type: 'text.completed', ...second },
      counted,
      {
        type: 'turn.completed',
        turn_id: 'turn_2',
        iteration: 2,
        tool_call_count: 0,
        has_final_report: false,
        finish_reason: 'stop',
      },
      { type: 'agent.finished', status: 'ok' },
    ]);
    expect(judged(reading)).toEqual(['success', undefined]);
    expect(reading.outcome.metrics).toMatchObject({
      input_tokens: 66,
      output_tokens: 10,
      cost: 0.5,
      cost_source: 'reported',
    });
  });

  it('does not take a cost of nothing for a price', () => {
    const { outcome } = run(...runOf(message([text('x')], 'stop', { usage: { ...usage, cost: { total: 0 } } })));
    expect(outcome.metrics).toMatchObject({ input_tokens: 33, cost_source: 'unknown' });
  });

  it.each([
    ['message_end', [start, turn, finish(broken)]],
    ['turn_end', [start, turn, turnEnd(broken)]],
    ['agent_end', [start, turn, agentEnd(broken)]],
    [
      'auto_retry_end',
      [start, { type: 'auto_retry_end', success: false, attempt: 3, finalError: '429 Too many requests' }],
    ],
    ['an earlier word against a later one', [start, turn, finish(broken), turnEnd(good), agentEnd(good)]],
    ['a later word against an earlier one', [start, turn, finish(good), turnEnd(good), agentEnd(broken)]],
    [
      'words though the reason is good',
      [...runOf(message([text('x')], 'stop', { errorMessage: '429 Too many requests' }))],
    ],
  ])('sees a failure from %s alone', (_, lines) => {
    const reading = run(...lines);
    expect(judged(reading)).toEqual(['provider', 'rate_limit']);
    expect(claims(reading)).toMatchObject([{ status: 'failed', message: '429 Too many requests' }]);
  });

  it.each([
    ['length', ['incomplete', 'output_length']],
    ['aborted', ['cancelled', 'cancelled']],
    ['toolUse', ['incomplete', undefined]],
    ['stopp', ['incomplete', 'unknown']],
    ['', ['incomplete', 'unknown']],
  ])('does not take the stop reason "%s" for success', (reason, verdict) => {
    expect(judged(run(...runOf(message([text('x')], reason))))).toEqual(verdict);
  });

  it('knows no stop reason by a name that every object has', () => {
    expect(eventsOf(run(...runOf(message([text('x')], 'constructor'))), 'turn.completed')).toMatchObject([
      { finish_reason: 'other', raw_finish_reason: 'constructor' },
    ]);
  });

  it.each([
    ['only the session line', []],
    ['no end of the run', [start, ...turnOf(good)]],
    ['a second prompt that is cut off', [...runOf(good), start, turn, begin(message([], 'stop'))]],
    ['a retry that is still to come', [...runOf(broken), retry]],
    ['an empty answer', runOf(message([], 'stop'))],
  ])('is incomplete: %s', (_, lines) => {
    expect(run(...lines).outcome.verdict.class).toBe('incomplete');
  });

  it('warns of a failure that a retry got over', () => {
    const reading = run(
      ...runOf(broken),
      retry,
      start,
      ...turnOf(good),
      { type: 'auto_retry_end', success: true, attempt: 1 },
      agentEnd(good),
    );
    expect(judged(reading)).toEqual(['success', undefined]);
    expect(reading.outcome.warnings).toEqual(['retry 1: 429 Too many requests']);
    expect(eventsOf(reading, 'retry.scheduled')).toEqual([
      {
        type: 'retry.scheduled',
        attempt: 1,
        max_attempts: 3,
        delay_ms: 2000,
        code: 'rate_limit',
        cause: '429 Too many requests',
      },
    ]);
  });

  it('judges several prompts by the last', () => {
    expect(judged(run(...runOf(broken), ...runOf(good)))).toEqual(['success', undefined]);
    expect(judged(run(...runOf(good), ...runOf(broken)))).toEqual(['provider', 'rate_limit']);
  });

  it.each([
    ['new', 'compaction_start', 'compaction_end'],
    ['old', 'auto_compaction_start', 'auto_compaction_end'],
  ])('reads the %s names of a compaction', (_, from, to) => {
    const overflow = message([], 'error', { errorMessage: '400 maximum context length is 8192 tokens' });
    const lines = [...runOf(overflow), { type: from, reason: 'overflow' }];
    expect(judged(run(...lines))).toEqual(['provider', 'context_overflow']);
    const failed = run(...lines, { type: to, aborted: false, willRetry: false, errorMessage: 'cannot compact' });
    expect([failed.outcome.verdict.class, failed.outcome.warnings]).toEqual(['provider', ['cannot compact']]);
    expect(judged(run(...lines, { type: to, result: {}, aborted: false, willRetry: true }, ...runOf(good)))).toEqual([
      'success',
      undefined,
    ]);
  });

  it('ignores what it need not tell and keeps what it does not know', () => {
    const odd = { type: 'hologram', depth: 3 };
    const update3 = update('hologram_delta', 0);
    const reading = run(
      { type: 'queue_update', steering: [], followUp: [] },
      odd,
      start,
      update3,
      ...turnOf(good),
      agentEnd(good),
    );
    expect(eventsOf(reading, 'line.unknown').map((event) => event.wire)).toEqual([odd, update3]);
    expect(judged(reading)).toEqual(['success', undefined]);
  });

  it.each([
    ['bash', 'Tool bash not found', true, { status: 'denied' }],
    ['teleport', 'Tool teleport not found', true, { status: 'error' }],
    ['bash', 'out\n\n\nCommand exited with code 3', true, { status: 'error', exit_code: 3 }],
    ['bash', 'Command exited with code 3', false, { status: 'success' }],
    ['read', 'ENOENT', true, { status: 'error' }],
  ])('%s ending in "%s"', (name, words, isError, fields) => {
    const reading = run(
      start,
      turn,
      call('c', name),
      result('c', name, words, isError),
      ...turnOf(good),
      agentEnd(good),
    );
    expect(eventsOf(reading, 'item.completed')).toEqual([
      { type: 'item.completed', item_id: 'c', output: words, ...fields },
    ]);
    expect(judged(reading)).toEqual(fields.status === 'denied' ? ['permission', 'permission'] : ['success', undefined]);
  });

  it('tells the growth of an output, of a call or its result alone too', () => {
    const progress = (words: string): JsonObject => ({
      type: 'tool_execution_update',
      toolCallId: 'c',
      toolName: 'bash',
      args: { command: 'x' },
      partialResult: { content: words === '' ? [] : [text(words)] },
    });
    const spoken = { role: 'toolResult', toolCallId: 'c', toolName: 'bash', content: [text('a\nb\n')], isError: false };
    const reading = run(
      start,
      turn,
      progress(''),
      progress('a\n'),
      progress('a\nb\n'),
      progress('…b\n'),
      finish(spoken),
      finish(spoken),
    );
    expect(eventsOf(reading, 'item.started', 'item.output', 'item.completed')).toEqual([
      { type: 'item.started', item_id: 'c', turn_id: 'turn_1', kind: 'command', name: 'bash', args: { command: 'x' } },
      { type: 'item.output', item_id: 'c', chunk: 'a\n' },
      { type: 'item.output', item_id: 'c', chunk: 'b\n' },
      { type: 'item.output', item_id: 'c', chunk: '…b\n' },
      { type: 'item.completed', item_id: 'c', status: 'success', output: 'a\nb\n' },
    ]);
  });

  it('knows which files a run changed, and how', () => {
    const lines = [
      call('w', 'write', { path: 'a', content: 'x' }),
      result('w', 'write', 'ok'),
      call('e', 'edit', { path: 'b', edits: [] }),
      result('e', 'edit', 'ok', false, { diff: '-1 x\n+1 y' }),
      call('f', 'edit', { path: 'c', edits: [] }),
      result('f', 'edit', 'no match', true),
    ];
    const stdout = [session, start, turn, ...lines, ...turnOf(good), agentEnd(good)];
    const reading = read({ stdout }, 'pi');
    const edits = [
      { type: 'file.edited', path: 'a', operation: 'created', item_id: 'w' },
      { type: 'file.edited', path: 'b', operation: 'modified', item_id: 'e', diff: '-1 x\n+1 y' },
    ];
    expect(eventsOf(reading, 'file.edited')).toEqual(edits);
    expect(eventsOf(read({ stdout: reading.text }), 'file.edited')).toEqual(edits);
    expect(reading.losses).toEqual([]);
  });

  it('takes the streamed words of a block when its whole only lacks blank lines', () => {
    const whole = message([thinking('Hm.'), text('')], 'stop');
    const reading = run(
      start,
      turn,
      begin(whole),
      update('thinking_delta', 0, { delta: 'Hm.\n\n' }),
      update('thinking_end', 0, { content: 'Hm.' }),
      update('text_delta', 1, { delta: '' }),
      update('text_end', 1, { content: '' }),
      finish(whole),
    );
    expect(eventsOf(reading, 'reasoning.completed').map((event) => event.text)).toEqual(['Hm.\n\n']);
    expect(eventsOf(reading, 'text.completed')).toEqual([]);
  });

  it('names the session it continues', () => {
    const reading = read({ stdout: [{ ...session, parentSession: 'p-0' }, ...runOf(good)] }, 'pi');
    expect(eventsOf(reading, 'thread.started')).toEqual([
      { type: 'thread.started', agent: 'pi', session_id: 'p-1', parent_session_id: 'p-0', cwd: '/w' },
    ]);
    expect(facts(read({ stdout: reading.text }))).toEqual(facts(reading));
  });
});

it.each([
  ['the session line', [session], [], 1],
  ['an update', [update('text_delta', 0)], [], 1],
  ['the end of a turn', [turnEnd(good)], [], 1],
  ['a session of another kind', [{ type: 'session', id: 'x' }], [], 0],
  ['a call', [call('c', 'bash')], [], 1],
  ['its home folder on stderr', [], ['No models available. See ~/.pi/agent/models.json'], 0.9],
  ['nothing', [], ['no'], 0],
])('detects %s', (_, head, stderr, sure) => {
  expect(pi.detect(head, stderr)).toBe(sure);
});

const codex = (...lines: JsonObject[]): Reading => read({ dialect: 'codex', stdout: lines }, 'pi');
const begun = [{ type: 'thread.started', thread_id: 't' }, { type: 'turn.started' }];
const item = (phase: string, fields: JsonObject): JsonObject => ({ type: `item.${phase}`, item: fields });
const command = {
  id: 'item_0',
  type: 'command_execution',
  command: 'ls',
  aggregated_output: 'a',
  exit_code: 0,
  status: 'completed',
};
const closed = { type: 'turn.completed', usage: { input_tokens: 9, cached_input_tokens: 4, output_tokens: 2 } };
const said = (id: string, words: string): JsonObject => item('completed', { id, type: 'agent_message', text: words });

describe('writing', () => {
  it('gives a run that ends in a call one more message, which carries what was counted', () => {
    const { text: written, losses } = codex(...begun, item('started', command), item('completed', command), closed);
    const again = read({ stdout: written });
    expect(again.outcome.metrics).toMatchObject({ input_tokens: 9, output_tokens: 2, cache_read_tokens: 4 });
    expect(again.outcome.tool_calls).toMatchObject([{ name: 'command_execution', status: 'completed', outputs: 'a' }]);
    expect(judged(again)).toEqual(['success', undefined]);
    expect(losses).toEqual([]);
  });

  it('starts a turn for each message', () => {
    const again = read({ stdout: codex(...begun, said('item_0', 'First.'), said('item_1', 'Second.'), closed).text });
    expect(again.outcome.message).toBe('Second.');
    expect(again.outcome.metrics.turns).toBe(2);
  });

  it('writes a failure as the last message', () => {
    const again = read({ stdout: codex(...begun, { type: 'turn.failed', error: { message: 'quota exceeded' } }).text });
    expect(judged(again)).toEqual(['provider', 'quota']);
    expect(claims(again)).toEqual([
      { type: 'agent.finished', status: 'failed', code: 'quota', message: 'quota exceeded' },
    ]);
  });

  it('leaves a run open that nobody ended', () => {
    const { text: written } = codex(...begun, item('started', command));
    expect(linesOf(written).at(-1)).toMatchObject({ type: 'tool_execution_start', toolCallId: 'item_0' });
    expect(judged(read({ stdout: written }))).toEqual(['incomplete', undefined]);
  });

  it('does not write a success over a process that failed', () => {
    const { text: written } = read({ stdout: [session, ...runOf(good)], exit: exited(1) }, 'pi');
    expect(judged(read({ stdout: written }))).toEqual(['incomplete', 'unknown']);
  });

  it('reports what it cannot say', () => {
    const odd = { ...command, exit_code: 3, status: 'failed' };
    const noise = item('completed', { id: 'item_1', type: 'error', message: 'careful' });
    const { losses } = codex(
      ...begun,
      noise,
      item('started', odd),
      item('completed', odd),
      { type: 'error', message: 'bad' },
      closed,
    );
    expect(losses.toSorted()).toEqual(['error', 'exit_code', 'log']);
  });

  it.each([
    ['one far place', [100_000_000]],
    ['far places that meet near ones', [0, 100_000_000, 1, 2, 99_999_999, 3]],
    ['a place that no message has', [9_007_199_254_740_991]],
  ])('does not fill a message up to %s', (_, places) => {
    const words = (place: number): string => `At ${place}.`;
    const whole = message([], 'stop');
    const stdout = [
      session,
      start,
      turn,
      begin(whole),
      ...places.flatMap((place) => [
        update('text_delta', place, { delta: words(place) }),
        update('text_end', place, { content: words(place) }),
      ]),
      finish(whole),
      turnEnd(whole),
      agentEnd(whole),
    ];
    const reading = read({ stdout }, 'pi');
    const written = linesOf(reading.text);
    expect(reading.text.length).toBeLessThan(20_000);
    expect(JSON.stringify(written.at(-1))).toContain(words(places.at(-1) ?? 0));
    const told = (of: Reading): string[] => eventsOf(of, 'text.completed').map((event) => event.text);
    expect(told(reading)).toEqual(places.map(words));
    expect(told(read({ stdout: reading.text }))).toEqual(places.map(words));
  });

  it.each([
    ['a call that ends', true],
    ['a call that never ends', false],
  ])('writes all that %s has printed, but not all of it again for every piece', (_, ends) => {
    const piece = `${'x'.repeat(99)}\n`;
    const progress = (count: number): JsonObject => ({
      ...call('c', 'bash'),
      type: 'tool_execution_update',
      ...partial(count),
    });
    const partial = (count: number): JsonObject => ({ partialResult: { content: [text(piece.repeat(count))] } });
    const pieces = Array.from({ length: 300 }, (__, index) => progress(index + 1));
    const stdout = [session, start, turn, call('c', 'bash'), ...pieces, ...(ends ? [result('c', 'bash', 'ok')] : [])];
    const reading = read({ stdout }, 'pi');
    const again = read({ stdout: reading.text });
    const output = (of: Reading): string =>
      eventsOf(of, 'item.output')
        .map((event) => event.chunk)
        .join('');
    expect(output(reading)).toBe(piece.repeat(300));
    expect(output(again)).toBe(piece.repeat(300));
    expect(eventsOf(again, 'item.output').length).toBeGreaterThan(40);
    expect(reading.text.length).toBeLessThan(15 * output(reading).length);
  });

  it('writes a thought as a thought, though it comes after the text behind it', () => {
    const whole = message([], 'stop');
    const updates = [update('text_delta', 1, { delta: 'Done.' }), update('thinking_delta', 0, { delta: 'Hm.' })];
    const { text: written } = read(
      { stdout: [session, start, turn, begin(whole), ...updates, finish(whole), agentEnd(whole)] },
      'pi',
    );
    expect(linesOf(written).at(-1)).toMatchObject({ messages: [{ content: [thinking('Hm.'), text('Done.')] }] });
  });

  it('does not wait for a turn with any number of prompts', () => {
    const prompts = Array.from({ length: 300 }, (_, index) => finish({ role: 'user', content: `Do ${index}.` }));
    const { text: written } = read({ stdout: [session, ...prompts] }, 'pi');
    expect(eventsOf(read({ stdout: written }), 'prompt.submitted').map((event) => event.text)).toEqual(
      Array.from({ length: 300 }, (_, index) => `Do ${index}.`),
    );
  });

  it('writes nothing for a run that said nothing', () => {
    expect(read({ dialect: 'pi' }, 'pi').text).toBe('');
  });
});

describe('session files of the first version', () => {
  const { version: _, ...first } = { ...session, provider: 'acme', modelId: 'm-1', thinkingLevel: 'off' };
  const kept = (of: JsonObject): JsonObject => ({
    type: 'message',
    timestamp: '2026-05-01T10:00:01.000Z',
    message: of,
  });
  const lines = [first, kept({ role: 'user', content: [text('do it')] }), kept(good)];

  it('are known by their first line, and read', async () => {
    const reading = read({ stdout: lines });
    expect(reading.outcome).toMatchObject({
      session_id: 'p-1',
      message: 'Done.',
      metadata: { initial_prompt: 'do it' },
      metrics: { model_name: 'm-1', output_tokens: 5 },
      verdict: { class: 'success' },
      provenance: { dialect: 'pi', unknown_lines: 0 },
    });
    const schema = await pi.schema();
    for (const each of lines) expect(schema.safeParse(each).success).toBe(true);
  });
});

it('knows what an extension appends', async () => {
  const appended = {
    type: 'entry_appended',
    entry: { type: 'custom', customType: 'x', id: 'e', parentId: null, timestamp: session.timestamp },
  };
  expect(run(...runOf(good), appended).outcome.provenance.unknown_lines).toBe(0);
  expect((await pi.schema()).safeParse(appended).success).toBe(true);
});

describe('the schema', () => {
  it.each(allRecordings([chatTable, anthropicTable, googleTable, responsesTable]))(
    'fits $name and what we write of it',
    async ({ folder, scenario }) => {
      const schema = await pi.schema();
      const stdout = new TextDecoder().decode(loadRecording(folder, scenario).stdout);
      const written = read({ dialect: 'pi', stdout }, 'pi').text;
      expect([...linesOf(stdout), ...linesOf(written)].filter((wire) => !schema.safeParse(wire).success)).toEqual([]);
    },
  );

  it.each([{ type: 'session' }, { type: 'agent_end' }, finish(message([], 'because')), update('text_delta', 0), {}])(
    'does not fit %j',
    async (wire) => {
      expect((await pi.schema()).safeParse(wire).success).toBe(false);
    },
  );
});

const published = join(import.meta.dirname, '..', '..', '..', 'shared', 'public-streams', 'pi-takopi-error.jsonl');

describe.runIf(existsSync(published))('a published stream', () => {
  it('is a failure, though it has a text and only two kinds of ends', () => {
    const reading = read({ stdout: readFileSync(published, 'utf8'), exit: exited(0) });
    expect(reading.outcome.provenance).toMatchObject({ dialect: 'pi', unknown_lines: 0 });
    expect(claims(reading)).toEqual([
      { type: 'agent.finished', status: 'failed', code: 'network', message: 'Upstream error' },
    ]);
    expect(reading.outcome.metrics).toMatchObject({ input_tokens: 5, output_tokens: 1, cost_source: 'unknown' });
    expect(reading.outcome.verdict.class).toBe('provider');
  });
});

describe('session files', () => {
  let ids = 0;
  const at = session.timestamp;
  const row = (spoken: JsonObject): JsonObject => ({
    type: 'message',
    id: `e${++ids}`,
    parentId: null,
    timestamp: at,
    message: spoken,
  });
  const asked = (words: string, timestamp: number): JsonObject =>
    row({ role: 'user', content: [text(words)], timestamp });
  const answered = (content: JsonObject[], stopReason: string, timestamp: number): JsonObject =>
    row(message(content, stopReason, { timestamp }));
  const callOf = (id: string): JsonObject => ({ type: 'toolCall', id, name: 'bash', arguments: { command: 'ls' } });
  const resultOf = (toolCallId: string, timestamp: number): JsonObject =>
    row({ role: 'toolResult', toolCallId, toolName: 'bash', content: [text('a')], isError: false, timestamp });
  const told = (stdout: JsonObject[]) => {
    const { outcome } = read({ stdout });
    const { verdict, metrics, message: answer, provenance } = outcome;
    return {
      class: verdict.class,
      answer,
      turns: metrics.turns,
      calls: metrics.tool_calls_count,
      input: metrics.input_tokens,
      dialect: provenance.dialect,
      agent: provenance.agent,
      unknown: provenance.unknown_lines,
    };
  };
  const whole = [
    asked('go', 1),
    answered([callOf('c1')], 'toolUse', 2),
    resultOf('c1', 3),
    answered([text('Done.')], 'stop', 4),
  ];
  const done = {
    class: 'success',
    answer: 'Done.',
    turns: 2,
    calls: 1,
    input: 66,
    dialect: 'pi',
    agent: 'pi',
    unknown: 0,
  };

  it('are not answered by what was said before the last prompt', () => {
    expect(told([session, ...whole])).toEqual(done);
    expect(told([session, ...whole, asked('now the rest', 5)])).toEqual({ ...done, class: 'incomplete', answer: '' });
    expect(told([session, ...whole, asked('now the rest', 5), answered([text('All.')], 'stop', 6)])).toEqual({
      ...done,
      answer: 'All.',
      turns: 3,
      input: 99,
    });
  });

  it('count the messages that a new branch repeats once', () => {
    const copies = whole.slice(1, 3).map((each) => ({ ...each, id: `copy-${++ids}` }));
    const compaction = {
      type: 'compaction',
      id: 'k',
      parentId: null,
      timestamp: at,
      summary: 's',
      firstKeptEntryId: 'e',
      tokensBefore: 9,
    };
    expect(told([session, ...whole.slice(0, 3), compaction, ...copies, ...whole.slice(3)])).toEqual(done);
  });

  it.each<[string, JsonObject[]]>([
    ['an answer', whole.slice(1)],
    ['a prompt', whole],
    [
      'a row of an extension',
      [
        { type: 'custom', customType: 'model-snapshot', data: { x: 1 }, id: 'x', parentId: null, timestamp: at },
        ...whole,
      ],
    ],
    [
      'a change of model',
      [{ type: 'model_change', provider: 'acme', modelId: 'm-1', id: 'x', parentId: null, timestamp: at }, ...whole],
    ],
  ])('are known without their first row, from %s on', (_title, rows) => {
    expect(told(rows)).toEqual(done);
  });
});
