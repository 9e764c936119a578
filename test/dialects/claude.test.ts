import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claude } from '../../src/dialects/claude/index.ts';
import { detect } from '../../src/dialects/claude/detect.ts';
import type { JsonObject } from '../../src/json/json.ts';
import { findWriter } from '../../src/dialects/registry.ts';
import type { AgentEvent, Draft, EventOf, EventType } from '../../src/events/event.ts';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import { OutcomeFold } from '../../src/outcome/fold.ts';
import { Reader } from '../../src/pipeline/reader.ts';
import { Repair } from '../../src/pipeline/repair.ts';
import { Writer } from '../../src/pipeline/writer.ts';
import { eventOf, numbered } from '../support/records.ts';

const init: JsonObject = {
  type: 'system',
  subtype: 'init',
  cwd: '/w',
  session_id: 's-1',
  tools: ['Bash'],
  mcp_servers: [],
  model: 'claude-x',
  permissionMode: 'default',
  apiKeySource: 'none',
  claude_code_version: '2.1.300',
};

function said(id: string, block: JsonObject, more: JsonObject = {}): JsonObject {
  const usage = { input_tokens: 3, cache_creation_input_tokens: 50, cache_read_input_tokens: 900, output_tokens: 1 };
  const message = {
    id,
    type: 'message',
    role: 'assistant',
    model: 'claude-x',
    content: [block],
    stop_reason: null,
    usage,
  };
  return { type: 'assistant', message, parent_tool_use_id: null, session_id: 's-1', uuid: `u-${id}`, ...more };
}

const words = (text: string): JsonObject => ({ type: 'text', text });
const call = (id: string, name: string, input: JsonObject = {}): JsonObject => ({ type: 'tool_use', id, name, input });

function answered(id: string, content: string, more: JsonObject = {}, line: JsonObject = {}): JsonObject {
  const block = { type: 'tool_result', tool_use_id: id, content, ...more };
  return {
    type: 'user',
    message: { role: 'user', content: [block] },
    parent_tool_use_id: null,
    session_id: 's-1',
    uuid: 'u-r',
    ...line,
  };
}

function result(more: JsonObject = {}): JsonObject {
  return {
    type: 'result',
    subtype: 'success',
    is_error: false,
    duration_ms: 10,
    duration_api_ms: 9,
    num_turns: 1,
    result: 'Done.',
    stop_reason: 'end_turn',
    session_id: 's-1',
    total_cost_usd: 0.01,
    usage: { input_tokens: 3, cache_creation_input_tokens: 50, cache_read_input_tokens: 900, output_tokens: 20 },
    modelUsage: {
      'claude-x': {
        inputTokens: 3,
        outputTokens: 20,
        cacheReadInputTokens: 900,
        cacheCreationInputTokens: 50,
        costUSD: 0.01,
      },
    },
    permission_denials: [],
    uuid: 'u-end',
    ...more,
  };
}

function read(lines: readonly JsonObject[]): { events: AgentEvent[]; outcome: RunOutcome } {
  const events: AgentEvent[] = [];
  const reader = new Reader({ dialect: claude, onRecord: (record) => void events.push(eventOf(record)) });
  reader.stdout(new TextEncoder().encode(lines.map((line) => `${JSON.stringify(line)}\n`).join('')));
  return { events, outcome: reader.end() };
}

function only<Type extends EventType>(events: readonly AgentEvent[], type: Type): EventOf<Type>[] {
  return events.filter((event): event is EventOf<Type> => event.type === type);
}

/** Writes a run of some other agent, given as its drafts. */
function write(
  drafts: readonly Draft[],
  variant = 'stream-json',
): { lines: JsonObject[]; losses: string[]; text: string } {
  const { dialect, variant: found } = findWriter(`claude:${variant}`);
  const writer = new Writer(dialect, found);
  const place = numbered();
  const fold = new OutcomeFold();
  const push = (event: AgentEvent, synthetic: boolean): void => {
    fold.apply(event);
    writer.record(place(event, { synthetic }));
  };
  const repair = new Repair(push);
  for (const draft of drafts) repair.push(draft);
  repair.end();
  const outcome = fold.outcome('other', []);
  push(
    {
      type: 'thread.completed',
      status: outcome.status,
      summary: outcome.message,
      verdict: { class: outcome.verdict.class, exit_code: outcome.verdict.exit_code, evidence: [] },
      final_report: outcome as never,
    },
    false,
  );
  writer.end(outcome);
  const text = writer.take();
  const values = text
    .split('\n')
    .filter(Boolean)
    .map((line): unknown => JSON.parse(line));
  return { lines: values.flat() as JsonObject[], losses: [...writer.losses.keys()], text };
}

describe('detection', () => {
  const qwenInit = {
    ...init,
    claude_code_version: undefined,
    permissionMode: undefined,
    permission_mode: 'yolo',
    qwen_code_version: '0.24.4',
  };
  const plain = (wire: object): JsonObject => JSON.parse(JSON.stringify(wire)) as JsonObject;
  it.each<[string, JsonObject, number]>([
    ['its init', init, 1],
    ['an init before 2.0', plain({ ...init, claude_code_version: undefined }), 1],
    ['its result object', result(), 1],
    ['a rate limit event', { type: 'rate_limit_event', rate_limit_info: { status: 'allowed' } }, 1],
    ['a hook before init', { type: 'system', subtype: 'hook_started', hook_id: 'h', uuid: 'u', session_id: 's' }, 0.9],
    ['a message', said('msg_1', words('hi')), 0.9],
    ['init of Qwen Code', plain(qwenInit), 0],
    ['a message of Qwen Code', plain({ ...said('q-1', words('hi')), uuid: 'q-1' }), 0],
    ['init of Amp', { type: 'system', subtype: 'init', cwd: '/w', session_id: 'T-1', tools: [], mcp_servers: [] }, 0],
    ['a message of Amp', plain({ ...said('msg_1', words('hi')), session_id: 'T-1', uuid: undefined }), 0],
    [
      'init of Cursor',
      {
        type: 'system',
        subtype: 'init',
        apiKeySource: 'env',
        cwd: '/w',
        session_id: 'c',
        model: 'm',
        permissionMode: 'default',
      },
      0,
    ],
    [
      'result of Cursor',
      {
        type: 'result',
        subtype: 'success',
        is_error: false,
        duration_ms: 1,
        duration_api_ms: 1,
        result: '',
        session_id: 'c',
      },
      0,
    ],
    ['init of Droid', { type: 'system', subtype: 'init', session_id: 'd', cwd: '/w', tools: [], model: 'm' }, 0],
    [
      'result of Droid',
      {
        type: 'result',
        subtype: 'success',
        is_error: false,
        duration_ms: 1,
        num_turns: 1,
        result: '',
        session_id: 'd',
      },
      0,
    ],
    ['an event of Codex', { type: 'thread.started', thread_id: 't' }, 0],
  ])('%s', (_, wire, sure) => expect(detect([wire], [])).toBe(sure));

  it('looks at stderr when stdout is empty', () => {
    expect(detect([], ['[claude-code:mcp] server gone'])).toBe(0.9);
    expect(detect([], ['some other program'])).toBe(0);
  });
});

describe('usage', () => {
  it('counts a message once, however many lines repeat it', () => {
    const { events, outcome } = read([init, said('m1', words('a')), said('m1', words('b')), said('m2', words('c'))]);
    const step = {
      type: 'usage.reported',
      scope: 'step',
      model: 'claude-x',
      input_tokens: 953,
      output_tokens: 1,
      cache_read_tokens: 900,
      cache_write_tokens: 50,
    };
    expect(only(events, 'usage.reported')).toEqual([step, step]);
    expect(outcome.metrics).toMatchObject({ input_tokens: 1906, output_tokens: 2, turns: 2 });
  });

  it('reads the cost under its older names', () => {
    const old = { total_cost_usd: null, modelUsage: {}, total_cost: 0.2 };
    expect(read([init, said('m1', words('a')), result(old)]).outcome.metrics).toMatchObject({
      cost: 0.2,
      input_tokens: 953,
      output_tokens: 20,
    });
  });

  it('takes no cost of 0 for a price', () => {
    const free = { total_cost_usd: 0, modelUsage: { 'claude-x': { inputTokens: 5, outputTokens: 2, costUSD: 0 } } };
    const { metrics } = read([init, said('m1', words('a')), result(free)]).outcome;
    expect([metrics.input_tokens, metrics.cost, metrics.cost_source]).toEqual([5, undefined, 'unknown']);
  });

  it('adds the cost of each turn where no model is named', () => {
    const turn = (cost: number): JsonObject => result({ modelUsage: {}, total_cost_usd: cost });
    const { metrics } = read([
      init,
      said('m1', words('a')),
      turn(0.25),
      init,
      said('m2', words('b')),
      turn(0.75),
    ]).outcome;
    expect(metrics).toMatchObject({ cost: 0.75, input_tokens: 1906, output_tokens: 40 });
  });
});

describe('usage of a session that is resumed', () => {
  const counts = (input: number, output: number, costUSD?: number): JsonObject => ({
    inputTokens: input,
    outputTokens: output,
    cacheReadInputTokens: 0,
    cacheCreationInputTokens: 0,
    ...(costUSD === undefined ? {} : { costUSD }),
  });
  const turn = (input: number, output: number): JsonObject => ({ input_tokens: input, output_tokens: output });
  const step = (id: string, input: number): JsonObject => {
    const line = said(id, words('Done.'));
    return { ...line, message: { ...(line.message as JsonObject), usage: turn(input, 1) } };
  };
  /** The totals begin with 6,681 tokens in, 39 out and $0.03 of earlier runs. */
  const resumed = (since: JsonObject, more: JsonObject = {}): JsonObject =>
    result({
      total_cost_usd: 0.045,
      usage: turn(3352, 9),
      modelUsage: { 'claude-x': counts(10_033, 48, 0.045) },
      model_usage_since_last_result: since,
      ...more,
    });
  const bill = ({ metrics }: RunOutcome) => [
    metrics.input_tokens,
    metrics.output_tokens,
    metrics.cost,
    metrics.cost_source,
  ];

  it('is what it used since, not what the session had used before', () => {
    const { outcome } = read([init, step('m', 3352), resumed({ 'claude-x': counts(3352, 9, 0.015) })]);
    expect(bill(outcome)).toEqual([3352, 9, 0.015, 'reported']);
  });

  it('adds up over several results, for each model', () => {
    const first = resumed({ 'claude-x': counts(3352, 9, 0.015), helper: counts(100, 2, 0.001) });
    const second = resumed(
      { 'claude-x': counts(10, 1, 0.002) },
      { modelUsage: { 'claude-x': counts(10_043, 49, 0.047) } },
    );
    const third = resumed({}, { modelUsage: { 'claude-x': counts(10_043, 49, 0.047) } });
    const { outcome } = read([init, step('m', 3352), first, step('n', 10), second, third]);
    expect(bill(outcome)).toEqual([3462, 12, 0.018, 'reported']);
    expect(
      outcome.usage_by_model?.map(({ model_name, input_tokens, cost }) => [model_name, input_tokens, cost]),
    ).toEqual([
      ['helper', 100, 0.001],
      ['claude-x', 3362, 0.017],
    ]);
  });

  it.each<[string, JsonObject]>([
    ['in the terms of the stream', { 'claude-x': { input_tokens: 3352, output_tokens: 9, cost_usd: 0.015 } }],
    ['as one sum', counts(3352, 9, 0.015)],
    ['as one sum with the names of the result', { input_tokens: 3352, output_tokens: 9, total_cost_usd: 0.015 }],
  ])('is also read %s', (_, since) => {
    expect(bill(read([init, step('m', 3352), resumed(since)]).outcome)).toEqual([3352, 9, 0.015, 'reported']);
  });

  it('is the sum of its messages where it is told in terms that is unknown', () => {
    const { outcome } = read([init, step('m', 3352), resumed({ total: 'much' })]);
    expect(bill(outcome)).toEqual([3352, 1, undefined, 'unknown']);
  });

  it('has no cost where only the total of the session has one, and no guess', () => {
    const unpriced = { 'claude-x': counts(3352, 9) };
    expect(bill(read([init, step('m', 3352), resumed(unpriced)]).outcome)).toEqual([3352, 9, undefined, 'unknown']);
    const guessed = resumed({ 'claude-x': { ...counts(3352, 9, 0.015), costBasis: 'unknown' } });
    expect(bill(read([init, step('m', 3352), guessed]).outcome)).toEqual([3352, 9, undefined, 'unknown']);
    // Nothing came before: the total is its own.
    const all = resumed(unpriced, { total_cost_usd: 0.015, modelUsage: { 'claude-x': counts(3352, 9) } });
    expect(bill(read([init, step('m', 3352), all]).outcome)).toEqual([3352, 9, 0.015, 'reported']);
  });

  it('is the sum of its messages where an older version tells the totals of the session alone', () => {
    const { model_usage_since_last_result: _, ...older } = resumed({});
    const { events } = read([init, step('m', 3352), older]);
    const isKnown = new OutcomeFold();
    const isNot = new OutcomeFold();
    for (const event of events) {
      isKnown.apply(event.type === 'thread.started' ? { ...event, resumed: true } : event);
      isNot.apply(event);
    }
    expect(bill(isKnown.outcome('claude', []))).toEqual([3352, 1, undefined, 'unknown']);
    expect(bill(isNot.outcome('claude', []))).toEqual([10_033, 48, 0.045, 'reported']);
  });
});

describe('claims', () => {
  it.each<[string, JsonObject, string]>([
    ['good', {}, 'success'],
    ['no is_error', { is_error: null }, 'incomplete'],
    ['an unknown subtype', { subtype: 'succeeded' }, 'incomplete'],
    ['an unknown terminal reason', { terminal_reason: 'moon_phase' }, 'incomplete'],
    ['an unknown stop reason', { stop_reason: 'moon_phase' }, 'incomplete'],
    ['a refusal', { stop_reason: 'refusal' }, 'provider'],
    ['an API status', { api_error_status: 529 }, 'provider'],
    ['the usage limit', { is_error: true, terminal_reason: 'blocking_limit' }, 'provider'],
    [
      'a broken set-up',
      { subtype: 'error_during_execution', is_error: true, terminal_reason: 'turn_setup_failed' },
      'config',
    ],
    ['a spent budget', { is_error: true, terminal_reason: 'budget_exhausted' }, 'cost_limit'],
    [
      'an interrupt',
      { subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_tools' },
      'cancelled',
    ],
  ])('%s', (_, more, verdict) => {
    expect(read([init, said('m1', words('Done.')), result(more)]).outcome.verdict.class).toBe(verdict);
  });

  it('tells an account that is empty from one that is too fast', () => {
    const line = result({ is_error: true, api_error_status: 429, result: 'Your credit balance is too low.' });
    expect(read([init, line]).outcome.verdict).toMatchObject({ class: 'provider', code: 'quota' });
  });

  it.each<[string, JsonObject]>([
    ['with its kind', { error: 'overloaded' }],
    ['in an older build', {}],
  ])('a failure %s is no success, whatever the result says', (_, more) => {
    const failure = said('x', words('API Error: 529 overloaded'), more);
    const line = { ...failure, message: { ...(failure.message as JsonObject), model: '<synthetic>' } };
    const { outcome } = read([init, line, result({ result: 'API Error: 529 overloaded' })]);
    expect([outcome.verdict.class, outcome.message]).toEqual(['provider', '']);
    const { verdict, warnings } = read([init, line, said('m1', words('Done.')), result()]).outcome;
    expect([verdict.class, warnings]).toEqual(['success', ['provider: API Error: 529 overloaded (the agent went on)']]);
  });

  it('does not let an old result speak for a turn that began after it', () => {
    expect(read([init, said('m1', words('Done.')), result(), init]).outcome.verdict.class).toBe('incomplete');
  });
});

describe('a result that is all there is', () => {
  const denial = (id: string): JsonObject => ({ tool_name: 'Bash', tool_use_id: id, tool_input: { command: 'rm x' } });
  const refusal = (id: string): JsonObject =>
    answered(id, "Claude requested permissions to use Bash, but you haven't granted it yet.", { is_error: true });

  it('tells how often the model was called, and nothing of the calls', () => {
    const { metrics } = read([result({ num_turns: 24 })]).outcome;
    expect(metrics).toMatchObject({ turns: 24 });
    expect(metrics).not.toHaveProperty('tool_calls_count');
    expect(read([init, said('m', words('Done.')), result()]).outcome.metrics).toMatchObject({
      turns: 1,
      tool_calls_count: 0,
    });
  });

  it.each([
    [
      'one after the other',
      3,
      [said('a', call('t1', 'Bash')), refusal('t1'), said('b', call('t2', 'Bash')), refusal('t2')],
    ],
    ['at once', 2, [said('a', call('t1', 'Bash')), said('a', call('t2', 'Bash')), refusal('t1'), refusal('t2')]],
  ])('has the verdict of the whole stream where every call was denied, %s', (_title, num_turns, lines) => {
    const end = result({ num_turns, permission_denials: [denial('t1'), denial('t2')] });
    expect(read([init, ...lines, said('z', words('Done.')), end]).outcome.verdict.class).toBe('permission');
    expect(read([end]).outcome.verdict.class).toBe('permission');
    expect(read([{ ...end, num_turns: 9 }]).outcome.verdict.class).toBe('success');
  });
});

describe('the time of a run', () => {
  const at = (second: number): JsonObject => ({
    timestamp: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString(),
  });

  it('is that of all its turns', () => {
    const lines = [
      init,
      said('a', words('A.')),
      result({ duration_ms: 4000 }),
      said('b', words('B.')),
      result({ duration_ms: 270 }),
    ];
    expect(read(lines).outcome.metrics.duration_ms).toBe(4270);
  });

  it('includes the time between two turns where lines tell it', () => {
    const lines = [
      { ...init, ...at(0) },
      said('a', words('A.'), at(4)),
      result({ duration_ms: 4000 }),
      said('b', words('B.'), at(10)),
      result({ duration_ms: 270 }),
    ];
    expect(read(lines).outcome.metrics.duration_ms).toBe(10_000);
  });
});

describe('an end without a result', () => {
  const rejected = answered('t', "The user doesn't want to proceed with this tool use.", { is_error: true });
  const interrupted = (text: string): JsonObject => ({
    type: 'user',
    message: { role: 'user', content: [words(text)] },
    parent_tool_use_id: null,
    session_id: 's-1',
    uuid: 'u-i',
  });

  it.each(['[Request interrupted by user for tool use]', '[Request interrupted by user]'])(
    'is a cancellation after %s',
    (text) => {
      const lines = [init, said('a', call('t', 'Bash')), rejected, interrupted(text)];
      expect(read(lines).outcome.verdict).toMatchObject({ class: 'cancelled', exit_code: 130 });
      // It went on: what is left is a call that was denied.
      expect(read([...lines, said('b', words('On.')), result()]).outcome.verdict.class).toBe('permission');
    },
  );
});

describe('a call that was stopped while it ran', () => {
  const stopped = {
    type: 'system',
    subtype: 'task_notification',
    tool_use_id: 't',
    status: 'stopped',
    session_id: 's-1',
  };
  const endOf = (lines: JsonObject[]) =>
    read([init, said('a', call('t', 'Bash')), ...lines]).events.find(({ type }) => type === 'item.completed');

  it.each([
    ['as if it had been refused', "The user doesn't want to proceed with this tool use.", 'user-rejected'],
    ['with the exit code of its signal', 'Exit code 137\nbegun', undefined],
  ])('was cancelled, though it ends %s', (_title, text, non_execution_kind) => {
    const end = answered(
      't',
      text,
      { is_error: true },
      { tool_result_meta: [{ id: 't', non_execution_kind: non_execution_kind ?? null }] },
    );
    expect(endOf([stopped, end])).toMatchObject({ status: 'cancelled' });
    // Nobody stopped it: that is what it says.
    expect(endOf([end])).toMatchObject({ status: non_execution_kind === undefined ? 'error' : 'denied' });
  });

  it('was cancelled when all was, also where only the end tells so', () => {
    const rejected = answered(
      't',
      "The user doesn't want to proceed with this tool use.",
      { is_error: true },
      { tool_result_meta: [{ id: 't', non_execution_kind: 'user-rejected' }] },
    );
    const interrupted = answered('t', '');
    const announced = {
      ...interrupted,
      message: { role: 'user', content: '[Request interrupted by user for tool use]' },
    };
    const stoppedBy = (terminal_reason: string) =>
      result({ subtype: 'error_during_execution', is_error: true, terminal_reason });
    expect(endOf([rejected, announced, stoppedBy('aborted_tools')])).toMatchObject({ status: 'cancelled' });
    expect(endOf([rejected, announced])).toMatchObject({ status: 'cancelled' });
    expect(endOf([rejected, said('b', { type: 'text', text: 'On.' }), result()])).toMatchObject({ status: 'denied' });
    expect(endOf([rejected, stoppedBy('hook_stopped')])).toMatchObject({ status: 'denied' });
  });

  it('has what it did when it was over before', () => {
    expect(endOf([stopped, answered('t', 'begun')])).toMatchObject({ status: 'success' });
  });
});

describe('a command of the program itself', () => {
  const none = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 };
  const warned = (more: JsonObject): string[] =>
    read([
      init,
      result({ result: 'Not enough messages to compact.', usage: none, total_cost_usd: 0, modelUsage: {}, ...more }),
    ]).outcome.warnings;

  it('is a warning: the model was not asked', () => {
    expect(warned({})).toEqual(['the model was not asked']);
    // The totals are those of the session that was resumed.
    const earlier = { 'claude-x': { inputTokens: 5, outputTokens: 2, costUSD: 0.1 } };
    expect(warned({ modelUsage: earlier, model_usage_since_last_result: {} })).toEqual(['the model was not asked']);
    expect(warned({ modelUsage: earlier })).toEqual([]);
    expect(read([init, said('a', words('Done.')), result()]).outcome.warnings).toEqual([]);
  });
});

describe('a server that cannot be reached', () => {
  const message = 'API Error: Unable to connect to API (ConnectionRefused)';
  const failed = (error: string): JsonObject => ({
    ...said('a', words(message), { error }),
    message: {
      id: 'a',
      type: 'message',
      role: 'assistant',
      model: '<synthetic>',
      content: [words(message)],
      stop_reason: 'stop_sequence',
    },
  });
  const end = { is_error: true, result: message, stop_reason: 'stop_sequence', api_error_status: null };

  it.each<[string, JsonObject[]]>([
    ['by the name of a server error', [init, failed('server_error'), result({ ...end, terminal_reason: 'api_error' })]],
    ['by the name of a model error', [init, failed('unknown'), result({ ...end, terminal_reason: 'model_error' })]],
    ['in the result alone', [result({ ...end, terminal_reason: 'model_error' })]],
  ])('is the network, %s', (_title, lines) => {
    expect(read(lines).outcome.verdict).toMatchObject({ class: 'provider', code: 'network' });
  });

  it('is the network in a retry without a status', () => {
    const retry = {
      type: 'system',
      subtype: 'api_retry',
      attempt: 1,
      error: 'server_error',
      session_id: 's-1',
      uuid: 'u-t',
    };
    const codes = [null, 500].map(
      (error_status) => only(read([init, { ...retry, error_status }]).events, 'retry.scheduled')[0]?.code,
    );
    expect(codes).toEqual(['network', 'server']);
  });
});

describe('tools', () => {
  it.each<[string, string]>([
    ['Write', 'denied'],
    ['Bash', 'denied'],
    ['Imagined', 'error'],
  ])('that were disallowed are denied, not unknown: %s', (name, status) => {
    const text = `<tool_use_error>Error: No such tool available: ${name}</tool_use_error>`;
    const { events, outcome } = read([
      init,
      said('a', call('t', name)),
      answered('t', text, { is_error: true }),
      said('b', words('No.')),
      result(),
    ]);
    expect(only(events, 'item.completed').map((each) => each.status)).toEqual([status]);
    expect(outcome.verdict.class).toBe(status === 'denied' ? 'permission' : 'success');
  });

  it.each<[string, JsonObject, JsonObject, string]>([
    [
      'a rule',
      { is_error: true },
      { tool_result_meta: [{ id: 't1', non_execution_kind: 'permission-rule' }] },
      'denied',
    ],
    [
      'a person',
      { is_error: true },
      { tool_result_meta: [{ id: 't1', non_execution_kind: 'user-rejected' }] },
      'denied',
    ],
    [
      'an interrupt',
      { is_error: true },
      { tool_result_meta: [{ id: 't1', non_execution_kind: 'cancelled' }] },
      'cancelled',
    ],
    ['a failure', { is_error: true }, {}, 'error'],
    ['nothing said', {}, {}, 'success'],
  ])('ends by %s', (_, more, line, status) => {
    const { events } = read([init, said('m1', call('t1', 'Bash')), answered('t1', 'no', more, line)]);
    expect(only(events, 'item.completed')).toEqual([{ type: 'item.completed', item_id: 't1', status, output: 'no' }]);
  });

  it('reads the exit code of a failed command', () => {
    const { events } = read([
      init,
      said('m1', call('t1', 'Bash')),
      answered('t1', 'Exit code 127\nnot found', { is_error: true }),
    ]);
    expect(only(events, 'item.completed')[0]).toMatchObject({ status: 'error', exit_code: 127 });
  });

  it('starts a repeated call once', () => {
    const { events } = read([
      init,
      said('m1', call('t1', 'Bash')),
      said('m1', call('t1', 'Bash')),
      answered('t1', 'ok'),
    ]);
    expect(only(events, 'item.started')).toHaveLength(1);
  });
});

describe('sub-agents', () => {
  it('leave the message of the main thread alone when a task of no known call is done', () => {
    const done = {
      type: 'system',
      subtype: 'task_notification',
      task_id: 'x',
      status: 'completed',
      session_id: 's-1',
      uuid: 'u-n',
    };
    const { events, outcome } = read([init, said('m1', words('One.')), done, said('m1', words('Two.')), result()]);
    expect(only(events, 'turn.started')).toHaveLength(1);
    expect(only(events, 'usage.reported').filter((event) => event.scope === 'step')).toHaveLength(1);
    expect(outcome.message).toBe('One.\nTwo.');
  });

  it('are remembered while thousands of others work', () => {
    const of = (task: string, id: string): JsonObject => said(id, words('x'), { parent_tool_use_id: task });
    const others = Array.from({ length: 8000 }, (_, index) => of(`other_${index}`, `m_${index}`));
    const { events } = read([
      init,
      of('t1', 'm1'),
      ...others.slice(0, 4000),
      of('t1', 'm1'),
      ...others.slice(4000),
      of('t1', 'm1'),
    ]);
    // Each counts its usage once, however often its lines repeat it.
    expect(only(events, 'usage.reported')).toHaveLength(8001);
  });
});

describe('lines of a later version', () => {
  const strange = { type: 'system', subtype: 'dream', session_id: 's-1', uuid: 'u-9', content: 'x' };

  it('are kept once, with the blocks that are not known', () => {
    const [first, second] = [
      { type: 'hologram', data: 'x' },
      { type: 'scent', data: 'y' },
    ];
    const line = said('m1', words('Done.'));
    const content = [first, words('Done.'), second, 7];
    const { events, outcome } = read([
      init,
      { ...line, message: { ...(line.message as JsonObject), content } },
      result(),
    ]);
    expect(only(events, 'line.unknown').map((event) => event.wire)).toEqual([
      { ...line, message: { ...(line.message as JsonObject), content: [first, second, 7] } },
    ]);
    expect(outcome).toMatchObject({ message: 'Done.', provenance: { unknown_lines: 1 } });
  });

  it('are kept, and written back as they came', () => {
    const lines = [init, strange, said('m1', words('Done.')), { type: 'novelty', a: 1 }, result()];
    const events: AgentEvent[] = [];
    const { dialect, variant } = findWriter('claude');
    const writer = new Writer(dialect, variant);
    const reader = new Reader({
      dialect: claude,
      newId: () => 'thread-1',
      onRecord(record) {
        events.push(eventOf(record));
        writer.record(record);
      },
    });
    reader.stdout(new TextEncoder().encode(lines.map((line) => JSON.stringify(line)).join('\n')));
    const outcome = reader.end();
    expect(outcome.verdict.class).toBe('success');
    writer.end(outcome);
    const text = writer.take();
    expect(only(events, 'line.unknown').map((event) => event.wire)).toEqual([strange, { type: 'novelty', a: 1 }]);
    expect(text).toContain(`${JSON.stringify(strange)}\n`);
    expect(text).toContain('{"type":"novelty","a":1}\n');
  });

  it('cannot make the decoder throw', () => {
    const types = [
      'system',
      'assistant',
      'user',
      'result',
      'stream_event',
      'rate_limit_event',
      'control_request',
      'auth_status',
    ];
    const subtypes = [
      'init',
      'success',
      'permission_denied',
      'task_updated',
      'api_retry',
      'compact_boundary',
      'files_persisted',
    ];
    const fields = [
      'message',
      'event',
      'usage',
      'modelUsage',
      'permission_denials',
      'parent_tool_use_id',
      'request',
      'failed',
      'patch',
      'errors',
    ];
    const line = fc
      .tuple(
        fc.constantFrom(...types),
        fc.constantFrom(...subtypes),
        fc.dictionary(fc.constantFrom(...fields), fc.jsonValue()),
      )
      .map(([type, subtype, more]) => ({ ...more, type, subtype }) as JsonObject);
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        const { events } = read(lines);
        expect(events.at(-1)?.type).toBe('thread.completed');
      }),
      { numRuns: 300, seed: 7 },
    );
  });
});

describe('writing the run of another agent', () => {
  const drafts: Draft[] = [
    { type: 'thread.started', agent: 'other', session_id: 'o-1', task: 'Look.' },
    { type: 'turn.started' },
    { type: 'reasoning.completed', text: 'Hm.' },
    { type: 'text.completed', text: 'Looking.' },
    { type: 'item.started', item_id: 'c1', kind: 'command', name: 'shell', args: { cmd: 'ls' } },
    { type: 'item.completed', item_id: 'c1', status: 'error', output: 'boom', exit_code: 3, duration_ms: 40 },
    { type: 'item.started', item_id: 'c2', kind: 'file_edit', name: 'patch', args: { path: 'a' } },
    { type: 'item.completed', item_id: 'c2', status: 'success', output: 'ok' },
    { type: 'file.edited', path: 'a', operation: 'created', item_id: 'c2' },
    { type: 'item.started', item_id: 'c3', kind: 'tool_call', name: 'fetch', args: {} },
    { type: 'item.completed', item_id: 'c3', status: 'denied', output: 'not today' },
    { type: 'turn.completed' },
    { type: 'turn.started' },
    { type: 'text.completed', text: 'Finished.' },
    { type: 'usage.reported', scope: 'step', model: 'm', input_tokens: 70, output_tokens: 7, cache_read_tokens: 20 },
    { type: 'turn.completed', finish_reason: 'stop' },
    { type: 'agent.finished', status: 'ok' },
  ];

  it('opens with every array, ends with every key, and names each line once', () => {
    const { lines, losses } = write(drafts);
    expect(lines[0]).toMatchObject({
      type: 'system',
      subtype: 'init',
      tools: [],
      mcp_servers: [],
      slash_commands: [],
      skills: [],
      plugins: [],
    });
    expect(lines.at(-1)).toEqual({
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: 'Finished.',
      stop_reason: 'end_turn',
      duration_ms: 0,
      duration_api_ms: 0,
      num_turns: 2,
      usage: { input_tokens: 50, cache_read_input_tokens: 20, output_tokens: 7 },
      modelUsage: { m: { inputTokens: 50, outputTokens: 7, cacheReadInputTokens: 20, webSearchRequests: 0 } },
      permission_denials: [{ tool_name: 'fetch', tool_use_id: 'c3', tool_input: {} }],
      session_id: 'o-1',
      uuid: lines.at(-1)?.uuid,
    });
    expect(new Set(lines.map((line) => line.uuid)).size).toBe(lines.length);
    expect(
      lines
        .filter((line) => line.type === 'assistant' || line.type === 'user')
        .every((line) => line.parent_tool_use_id === null),
    ).toBe(true);
    expect(losses).toEqual([]);
  });

  it('has one line a block, under one id a message', () => {
    const spoken = write(drafts)
      .lines.filter((line) => line.type === 'assistant')
      .map((line) => line.message as JsonObject);
    expect(spoken.map(({ id, content }) => [id, ((content as JsonObject[])[0] as JsonObject).type])).toEqual([
      ['turn_1', 'thinking'],
      ['turn_1', 'text'],
      ['turn_1', 'tool_use'],
      ['turn_1', 'tool_use'],
      ['turn_1', 'tool_use'],
      ['turn_2', 'text'],
    ]);
  });

  it.each(['stream-json', 'json-array', 'partial'])('reads back the same as %s', (variant) => {
    const { outcome, events } = read(write(drafts, variant).lines);
    expect(outcome).toMatchObject({
      message: 'Finished.',
      verdict: { class: 'success' },
      metadata: { initial_prompt: 'Look.' },
      metrics: { input_tokens: 70, output_tokens: 7, cache_read_tokens: 20 },
      artifacts: [{ path: 'a', operation: 'created' }],
    });
    expect(only(events, 'item.completed')).toEqual([
      { type: 'item.completed', item_id: 'c1', status: 'error', output: 'boom', exit_code: 3, duration_ms: 40 },
      { type: 'item.completed', item_id: 'c2', status: 'success', output: 'ok' },
      { type: 'item.completed', item_id: 'c3', status: 'denied', output: 'not today' },
    ]);
  });

  it('is the result object alone as json, with the rest counted as lost', () => {
    const { lines, losses } = write(drafts, 'json');
    expect(lines.map((line) => line.type)).toEqual(['result']);
    expect(losses.toSorted()).toEqual(['file_edit', 'prompt', 'reasoning', 'text', 'tool_call']);
  });

  it.each<[string, Draft[], JsonObject]>([
    [
      'a turn limit',
      [
        { type: 'limit.reached', limit: 'turns', value: 5, maximum: 5, message: 'five turns' },
        { type: 'agent.finished', status: 'failed', code: 'turn_limit', message: 'five turns' },
      ],
      { subtype: 'error_max_turns', is_error: true, errors: ['five turns'], num_turns: 5 },
    ],
    [
      'a provider',
      [{ type: 'agent.finished', status: 'failed', code: 'rate_limit', message: 'too fast' }],
      { subtype: 'success', is_error: true, result: 'too fast', api_error_status: 429 },
    ],
    [
      'an interrupt',
      [{ type: 'agent.finished', status: 'cancelled' }],
      { subtype: 'error_during_execution', is_error: true, errors: [], terminal_reason: 'aborted_streaming' },
    ],
    [
      'itself',
      [{ type: 'agent.finished', status: 'failed', code: 'unknown', message: 'it broke' }],
      { subtype: 'error_during_execution', is_error: true, errors: ['it broke'] },
    ],
  ])('fails by %s', (_, ending, expected) => {
    const { lines } = write([
      { type: 'thread.started', agent: 'other', session_id: 'o-1' },
      { type: 'text.completed', text: 'So far.' },
      ...ending,
    ]);
    expect(lines.at(-1)).toMatchObject({ type: 'result', ...expected });
    expect('result' in (lines.at(-1) ?? {})).toBe(expected.subtype === 'success');
    expect(read(lines).outcome.verdict.class).not.toBe('success');
  });

  it('repeats an answer in the result of its own turn only', () => {
    const turns: Draft[] = [
      { type: 'thread.started', agent: 'other', session_id: 'o-1' },
      { type: 'text.completed', text: 'Finished.' },
      { type: 'agent.finished', status: 'ok' },
      { type: 'turn.started' },
      { type: 'item.started', item_id: 'c1', kind: 'command', name: 'sh', args: {} },
      { type: 'item.completed', item_id: 'c1', status: 'success', output: 'x' },
      { type: 'agent.finished', status: 'ok' },
    ];
    const { lines } = write(turns);
    expect(lines.filter((line) => line.type === 'result').map((line) => line.result)).toEqual(['Finished.', '']);
    expect(only(read(lines).events, 'text.completed')).toHaveLength(1);
    expect(write(turns, 'json').lines).toMatchObject([{ type: 'result', result: 'Finished.' }]);
  });

  it('writes nothing of a run that printed nothing', () => expect(write([]).text).toBe(''));
});

it.each([
  'Error: --output-format=stream-json requires --verbose',
  '--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons',
  'Error: --no-session-persistence only works with --print.',
  'Error: Invalid session ID. Must be a valid UUID.',
])('explains a refusal to start from stderr: %s', (line) => {
  const reader = new Reader({ dialect: claude });
  reader.stderr(new TextEncoder().encode(`${line}\n`));
  expect(reader.end({ exit_code: 1, signal: null }).verdict.class).toBe('input');
});

it('is known by its refusal to start', () => {
  const reader = new Reader();
  reader.stderr(new TextEncoder().encode('Error: --output-format=stream-json requires --verbose\n'));
  const outcome = reader.end({ exit_code: 1, signal: null });
  expect([outcome.provenance.dialect, outcome.verdict.class]).toEqual(['claude', 'input']);
});

it('keeps the name of the thread when noise comes first', () => {
  const reader = new Reader();
  reader.stdout(
    new TextEncoder().encode(
      `[SandboxDebug] x\n${[init, said('m1', words('Done.')), result()].map((line) => JSON.stringify(line)).join('\n')}\n`,
    ),
  );
  expect(reader.end()).toMatchObject({
    session_id: 's-1',
    verdict: { class: 'success' },
    provenance: { agent: 'claude', version: '2.1.300' },
  });
});
