import { describe, expect, it } from 'vitest';
import { Line } from '../../src/dialects/dev-agent/wire.ts';
import type { JsonObject } from '../../src/json/json.ts';
import { dialects } from '../../src/dialects/registry.ts';
import type { AgentEvent, ErrorCode } from '../../src/events/event.ts';
import { loadRecording, scenariosOf } from '../support/recordings.ts';
import { jsonl, only, readLines, readText, rewrite, type Written, writeEvents } from '../support/wire.ts';

const started: AgentEvent = {
  type: 'thread.started',
  task: 'Fix foo',
  project_name: 'acme',
  parent_branch_id: '123',
  session_id: 'thread-1',
};
const turn = (iteration: number): AgentEvent => ({ type: 'turn.started', turn_id: `turn_${iteration}`, iteration });
const turnEnd = (iteration: number, calls = 0): AgentEvent => ({
  type: 'turn.completed',
  turn_id: `turn_${iteration}`,
  iteration,
  tool_call_count: calls,
  has_final_report: false,
});
const said = (iteration: number, text: string): AgentEvent => ({
  type: 'text.completed',
  turn_id: `turn_${iteration}`,
  message_id: `m${iteration}`,
  block_id: `b${iteration}`,
  text,
});
const item = (id: string, args: JsonObject, name = 'execute_agent'): AgentEvent => ({
  type: 'item.started',
  item_id: id,
  turn_id: 'turn_1',
  kind: 'tool_call',
  name,
  args,
});
const itemEnd = (id: string, more: Partial<Extract<AgentEvent, { type: 'item.completed' }>> = {}): AgentEvent => ({
  type: 'item.completed',
  item_id: id,
  status: 'success',
  duration_ms: 4523,
  branch_id: 'branch_456',
  summary: 'done',
  ...more,
});
const ok: AgentEvent = { type: 'agent.finished', status: 'ok' };
const failed = (code: ErrorCode, message: string): AgentEvent => ({
  type: 'agent.finished',
  status: 'failed',
  code,
  message,
});

const run: AgentEvent[] = [
  started,
  turn(1),
  said(1, 'I delegate.'),
  item('item_1', { agent: 'codex' }),
  itemEnd('item_1'),
  turnEnd(1, 1),
  turn(2),
  said(2, 'All is done.'),
  {
    type: 'usage.reported',
    scope: 'thread',
    model: 'm-1',
    input_tokens: 900,
    output_tokens: 40,
    cache_read_tokens: 300,
    cost_usd: 0.5,
  },
  turnEnd(2),
  ok,
];
const write = (events: readonly AgentEvent[] = run): Written => writeEvents(events, 'dev-agent');
const lineOf = (type: string, { lines }: Written = write()): JsonObject =>
  lines.find((wire) => wire.type === type) ?? {};
const without = (wire: JsonObject, key: string): JsonObject =>
  Object.fromEntries(Object.entries(wire).filter(([each]) => each !== key));
const fits = (wire: JsonObject): boolean => Line.safeParse(wire).success;
const statusAfter = (end: AgentEvent): unknown =>
  lineOf('thread.completed', write([started, turn(1), said(1, 'Hm.'), turnEnd(1), end])).status;
const messageOf = (text: string): JsonObject =>
  lineOf('assistant.message', write([started, turn(1), said(1, text), turnEnd(1), ok]));
const argsOf = (prompt: string): unknown =>
  lineOf('item.started', write([started, turn(1), item('a', { agent: 'codex', prompt }), itemEnd('a'), ok])).args;

describe('Goal', () => {
  it('encodes each event as newline-delimited JSON, one object a line', () => {
    const { text, lines } = write();
    expect(text.endsWith('\n')).toBe(true);
    expect(
      text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as JsonObject),
    ).toEqual(lines);
  });

  it('covers the whole of every run', () => {
    for (const scenario of scenariosOf('codex@0.166.0')) {
      const { lines } = rewrite(
        new TextDecoder().decode(loadRecording('codex@0.166.0', scenario).stdout),
        'codex',
        'dev-agent',
      );
      expect(lines[0]?.type).toBe('thread.started');
      expect(lines.at(-1)?.type).toBe('thread.completed');
      expect(lines.filter((wire) => !fits(wire))).toEqual([]);
    }
  });
});

describe('Transport / Encoding', () => {
  it('is ASCII-safe', () => {
    const { text } = write([started, turn(1), said(1, 'naïve 日本 🦊 \u2028\u007f'), turnEnd(1), ok]);
    // eslint-disable-next-line no-control-regex -- all of ASCII but DEL
    expect(text).toMatch(/^[\x00-\x7e]*$/);
    expect(readText(text).outcome.message).toBe('naïve 日本 🦊 \u2028\u007f');
  });

  it('puts type, timestamp, sequence and thread_id first on every line', () => {
    for (const wire of write().lines)
      expect(Object.keys(wire).slice(0, 4)).toEqual(['type', 'timestamp', 'sequence', 'thread_id']);
  });

  it.each(['type', 'timestamp', 'sequence', 'thread_id'])('requires %s', (field) => {
    for (const wire of write().lines) expect(fits(without(wire, field))).toBe(false);
  });

  it('timestamp uses RFC 3339 UTC', () => {
    for (const wire of write().lines) expect(wire.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/);
  });

  it('timestamp is the last known one where a record has none, and the epoch where there was none', () => {
    const { lines, losses } = writeEvents(run, 'dev-agent', null);
    expect(new Set(lines.map((wire) => wire.timestamp))).toEqual(new Set(['1970-01-01T00:00:00Z']));
    expect(losses).toContain('time');
    const partly = rewrite(
      jsonl([
        { type: 'session_start', session_id: 's', model: 'm', timestamp: '2026-04-16T03:00:00Z' },
        { type: 'text_delta', content: 'Hi.', turn: 1 },
        { type: 'turn_complete', turn: 1, input_tokens: 1, output_tokens: 1, cost_usd: 0 },
        { type: 'session_end', turns: 1, total_cost_usd: 0, exit_code: 0 },
      ]),
      'agent-code',
      'dev-agent',
    );
    expect(new Set(partly.lines.map((wire) => wire.timestamp))).toEqual(new Set(['2026-04-16T03:00:00.000Z']));
    expect(partly.losses).toContain('time');
  });

  it('sequence is a monotonically increasing integer', () => {
    const { lines } = write();
    expect(lines.map((wire) => wire.sequence)).toEqual(lines.map((_wire, index) => index + 1));
  });

  it('thread_id is reused in all events', () => {
    expect(new Set(write().lines.map((wire) => wire.thread_id))).toEqual(new Set(['thread-1']));
  });
});

describe('Event Catalog', () => {
  const withError = write([
    started,
    turn(1),
    { type: 'error', scope: 'llm.complete', code: 'server', message: 'HTTP 500', fatal: true },
    failed('server', 'HTTP 500'),
  ]);

  it.each([
    ['thread.started', ['task', 'project_name', 'parent_branch_id', 'headless']],
    ['turn.started', ['turn_id', 'iteration', 'message_count', 'tool_count']],
    ['assistant.message', ['turn_id', 'preview', 'tool_call_count']],
    ['turn.completed', ['turn_id', 'iteration', 'tool_call_count', 'has_final_report']],
    ['item.started', ['item_id', 'kind', 'name', 'args']],
    ['item.completed', ['item_id', 'status', 'duration_ms', 'summary']],
    ['thread.completed', ['status', 'summary', 'final_report']],
    ['error', ['scope', 'message']],
  ])('%s always has %j', (type, fields) => {
    const wire = type === 'error' ? lineOf(type, withError) : lineOf(type);
    expect(Object.keys(wire)).toEqual(expect.arrayContaining(fields));
    const optional = new Set(['summary', 'final_report']);
    for (const field of fields) expect(fits(without(wire, field))).toBe(optional.has(field));
  });

  it('requires what is not known too: empty strings, zeros, headless', () => {
    const { lines } = write([
      { type: 'thread.started' },
      turn(1),
      item('x', {}),
      { type: 'item.completed', item_id: 'x', status: 'success' },
      turnEnd(1),
      ok,
    ]);
    expect(lines.slice(0, 5).map((wire) => without(wire, 'timestamp'))).toEqual([
      {
        type: 'thread.started',

        sequence: 1,
        thread_id: 'thread-1',
        task: '',
        project_name: '',
        parent_branch_id: '',
        headless: true,
      },
      {
        type: 'turn.started',

        sequence: 2,
        thread_id: 'thread-1',
        turn_id: 'turn_1',
        iteration: 1,
        message_count: 1,
        tool_count: 0,
      },
      {
        type: 'assistant.message',
        sequence: 3,
        thread_id: 'thread-1',
        turn_id: 'turn_1',
        preview: '',
        tool_call_count: 1,
      },
      {
        type: 'item.started',

        sequence: 4,
        thread_id: 'thread-1',
        item_id: 'x',
        kind: 'tool_call',
        name: 'execute_agent',
        args: {},
      },
      {
        type: 'item.completed',

        sequence: 5,
        thread_id: 'thread-1',
        item_id: 'x',
        status: 'success',
        duration_ms: 0,
        summary: '',
      },
    ]);
  });

  it('keeps the order: turn.started, assistant.message, items, turn.completed, and thread.completed last', () => {
    expect(write().lines.map((wire) => wire.type)).toEqual([
      'thread.started',
      'turn.started',
      'assistant.message',
      'item.started',
      'item.completed',
      'turn.completed',
      'turn.started',
      'assistant.message',
      'turn.completed',
      'thread.completed',
    ]);
  });

  it('starts a new turn for words that follow tools', () => {
    const { lines, losses } = write([
      started,
      turn(1),
      said(1, 'One.'),
      item('a', {}),
      itemEnd('a'),
      { ...said(1, 'Two.'), message_id: 'm9', block_id: 'b9' } as AgentEvent,
      turnEnd(1, 1),
      ok,
    ]);
    expect(lines.slice(1, -1).map((wire) => [wire.type, wire.turn_id ?? wire.item_id, wire.tool_call_count])).toEqual([
      ['turn.started', 'turn_1', undefined],
      ['assistant.message', 'turn_1', 1],
      ['item.started', 'a', undefined],
      ['item.completed', 'a', undefined],
      ['turn.completed', 'turn_1', 1],
      ['turn.started', 'turn_2', undefined],
      ['assistant.message', 'turn_2', 0],
      ['turn.completed', 'turn_2', 0],
    ]);
    expect(losses).toContain('turn_boundary');
    expect(readLines(lines).outcome.message).toBe('Two.');
  });

  it('error has its place where it is known', () => {
    const error = lineOf(
      'error',
      write([
        started,
        turn(1),
        { type: 'error', scope: 'mcp', code: 'tool', message: 'gone', fatal: false, iteration: 1, item_id: 'item_1' },
        ok,
      ]),
    );
    expect(error).toMatchObject({ scope: 'mcp', message: 'gone', iteration: 1, item_id: 'item_1' });
  });

  it('thread.completed tells success, the iteration limit and errors apart', () => {
    expect(statusAfter(ok)).toBe('completed');
    expect(statusAfter(failed('turn_limit', 'too many'))).toBe('iteration_limit');
    expect(statusAfter(failed('tool', 'it broke'))).toBe('FINISHED_WITH_ERROR');
    expect(statusAfter(failed('auth', 'HTTP 401'))).toBe('error');
  });

  it('thread.completed reports the task, the status, and the outcome', () => {
    expect(lineOf('thread.completed')).toMatchObject({
      status: 'completed',
      summary: 'All is done.',
      final_report: {
        task: 'Fix foo',
        status: 'completed',
        summary: 'All is done.',
        is_finished: true,
        message: 'All is done.',
        metrics: { input_tokens: 900, output_tokens: 40, cost: 0.5, model_name: 'm-1', turns: 2 },
        tool_calls: [{ name: 'execute_agent', status: 'completed', duration_ms: 4523 }],
        verdict: { class: 'success', exit_code: 0 },
      },
    });
  });

  it('thread.completed read back restores the words, the tokens and the verdict', () => {
    const long = `${'word '.repeat(400)}end.`;
    const { text, losses } = write([...run.slice(0, 7), said(2, long), ...run.slice(8)]);
    const { outcome } = readText(text);
    expect(outcome).toMatchObject({
      message: long,
      metrics: {
        input_tokens: 900,
        output_tokens: 40,
        cache_read_tokens: 300,
        cost: 0.5,
        cost_source: 'reported',
        model_name: 'm-1',
        turns: 2,
      },
      metadata: { initial_prompt: 'Fix foo' },
      verdict: { class: 'success' },
    });
    expect(losses).toEqual([]);
  });

  it.each<[ErrorCode, string]>([
    ['config', 'config'],
    ['input', 'input'],
    ['tool', 'tool'],
    ['auth', 'provider'],
    ['cost_limit', 'cost_limit'],
    ['turn_limit', 'turn_limit'],
    ['permission', 'permission'],
    ['unknown', 'incomplete'],
    ['time_limit', 'time_limit'],
  ])('a run that failed with %s comes back as %s', (code, verdict) => {
    const { lines } = write([started, turn(1), said(1, 'Hm.'), turnEnd(1), failed(code, 'for some reason')]);
    expect(readLines(lines).outcome).toMatchObject({ message: 'Hm.', verdict: { class: verdict } });
  });
});

describe('Notes', () => {
  it('assistant.message truncates long responses to 500 characters, whole ones', () => {
    expect(messageOf('x'.repeat(500))).toMatchObject({ preview: 'x'.repeat(500) });
    expect(messageOf('x'.repeat(500))).not.toHaveProperty('truncated');
    expect(messageOf('x'.repeat(501))).toMatchObject({ preview: 'x'.repeat(500), truncated: true });
    expect(messageOf('🦊'.repeat(500))).toMatchObject({ preview: '🦊'.repeat(500) });
    expect(messageOf('🦊'.repeat(501))).toMatchObject({ preview: '🦊'.repeat(500), truncated: true });
  });

  it('args have a prompt_preview of at most 240 characters', () => {
    expect(argsOf('short')).toEqual({ agent: 'codex', prompt_preview: 'short' });
    expect(argsOf('p'.repeat(300))).toEqual({
      agent: 'codex',
      prompt_preview: 'p'.repeat(240),
      prompt_truncated: true,
    });
  });

  it('args of other tools are cut alike, and that is reported', () => {
    const { lines, losses } = write([
      started,
      turn(1),
      item('a', { n: 1, deep: { text: 'q'.repeat(999) } }, 'look_around'),
      itemEnd('a'),
      said(1, 'x'),
      ok,
    ]);
    expect(lines.find((wire) => wire.type === 'item.started')?.args).toEqual({ n: 1, deep: { text: 'q'.repeat(240) } });
    expect(losses).toContain('tool_args');
  });

  it('publish shows up as an item', () => {
    const { lines } = write([
      started,
      turn(1),
      { ...item('item_2', { agent: 'codex' }, 'publish'), kind: 'publish' } as AgentEvent,
      itemEnd('item_2'),
      turnEnd(1, 1),
      ok,
    ]);
    expect(lines.filter((wire) => String(wire.type).startsWith('item.'))).toMatchObject([
      { kind: 'publish', name: 'publish' },
      { status: 'success' },
    ]);
    expect(only(readLines(lines), 'item.started')).toMatchObject([{ kind: 'publish', name: 'publish' }]);
  });

  it('additional helper events are kept', () => {
    const wire = {
      type: 'review.iteration',
      timestamp: '2026-03-01T10:00:01Z',
      sequence: 2,
      thread_id: 'thread-1',
      review: 1,
    };
    const lines = [lineOf('thread.started'), wire];
    expect(only(readLines(lines), 'line.unknown')).toEqual([{ type: 'line.unknown', dialect: 'dev-agent', wire }]);
    expect(rewrite(jsonl(lines), 'dev-agent', 'dev-agent').lines[1]).toEqual(wire);
  });
});

describe('Sample NDJSON Flow', () => {
  const sample = [
    '{"type":"thread.started","thread_id":"019b...","timestamp":"2024-06-01T12:00:00Z","task":"Fix foo","project_name":"acme","parent_branch_id":"123","headless":true}',
    '{"type":"turn.started","thread_id":"019b...","turn_id":"turn_1","iteration":1,"timestamp":"...","message_count":2}',
    '{"type":"turn.completed","thread_id":"019b...","turn_id":"turn_1","iteration":1,"timestamp":"...","tool_call_count":1}',
    '{"type":"item.started","thread_id":"019b...","item_id":"item_1","kind":"tool_call","name":"execute_agent","args":{"agent":"codex","phase":"implement"}}',
    '{"type":"item.completed","thread_id":"019b...","item_id":"item_1","status":"success","timestamp":"...","duration_ms":4523,"branch_id":"branch_456"}',
    '...',
    '{"type":"thread.completed","thread_id":"019b...","status":"completed","summary":"Workflow completed successfully.","final_report":{"task":"Fix foo","status":"completed"}}',
  ];

  it('is read as it stands', () => {
    const { outcome, events } = readText(`${sample.join('\n')}\n`);
    expect(outcome).toMatchObject({
      session_id: '019b...',
      status: 'success',
      message: 'Workflow completed successfully.',
      tool_calls: [
        {
          name: 'execute_agent',
          inputs: { agent: 'codex', phase: 'implement' },
          duration_ms: 4523,
          status: 'completed',
        },
      ],
      metadata: { initial_prompt: 'Fix foo' },
      provenance: { agent: 'dev-agent', dialect: 'dev-agent', unknown_lines: 0 },
    });
    expect(events[0]).toEqual({
      type: 'thread.started',
      agent: 'dev-agent',
      session_id: '019b...',
      task: 'Fix foo',
      project_name: 'acme',
      parent_branch_id: '123',
      headless: true,
    });
  });

  it('is claimed by this dialect alone, from each of its lines', () => {
    for (const line of sample.filter((each) => each.startsWith('{'))) {
      const head = [JSON.parse(line) as JsonObject];
      expect(dialects.filter((dialect) => dialect.detect(head, []) > 0.5).map((dialect) => dialect.id)).toEqual([
        'dev-agent',
      ]);
    }
  });
});

describe('Implementation Hooks', () => {
  it('5. Final JSON: the pretty report after the stream is not part of it', () => {
    const { text, lines } = write();
    const tail = `${JSON.stringify(lines.at(-1)?.final_report, null, 2)}\n`;
    const { outcome, events } = readText(text + tail);
    expect(events).toEqual(readText(text).events);
    expect(outcome.provenance).toMatchObject({ unknown_lines: 0, notes: [] });
  });

  it('5. Final JSON: neither is the one that newer versions print on stderr', () => {
    const { text, lines } = write();
    const stderr = JSON.stringify(lines.at(-1)?.final_report, null, 2);
    expect(only(readText(text, 'dev-agent', { stderr }), 'log')).toEqual([]);
  });
});

describe('Instrumentation Guidance', () => {
  it('nothing follows thread.completed, and there is one', () => {
    const { lines } = write();
    expect(lines.filter((wire) => wire.type === 'thread.completed')).toEqual([lines.at(-1)]);
  });

  it('an error is written at once, in its turn', () => {
    const { lines } = write([
      started,
      turn(1),
      said(1, 'Hm.'),
      { type: 'error', scope: 'publish', code: 'tool', message: 'push refused', fatal: true },
      turnEnd(1),
      failed('tool', 'push refused'),
    ]);
    expect(lines.map((wire) => wire.type).slice(2)).toEqual([
      'assistant.message',
      'error',
      'turn.completed',
      'thread.completed',
    ]);
  });
});
