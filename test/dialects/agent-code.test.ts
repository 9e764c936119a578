import { describe, expect, it } from 'vitest';
import { agentCode } from '../../src/dialects/agent-code/index.ts';
import { Line } from '../../src/dialects/agent-code/wire.ts';
import type { JsonObject } from '../../src/json/json.ts';
import type { AgentEvent } from '../../src/events/event.ts';
import { jsonl, only, readLines, readText, rewrite, writeEvents } from '../support/wire.ts';

const start: JsonObject = {
  type: 'session_start',
  session_id: '5c1e',
  model: 'some-model',
  timestamp: '2026-08-04T12:00:00.104233+00:00',
  cwd: '/srv/app',
  os: 'linux',
  arch: 'x86_64',
  agent_version: '0.30.0',
};
const turnStart = (turn: number): JsonObject => ({ type: 'turn_start', turn });
const text = (turn: number, content: string): JsonObject => ({ type: 'text_delta', content, turn });
const call = (turn: number, tool: string, input: JsonObject = {}): JsonObject => ({
  type: 'tool_call',
  tool,
  input,
  turn,
});
const result = (turn: number, tool: string, output: string, is_error = false): JsonObject => ({
  type: 'tool_result',
  tool,
  output,
  is_error,
  turn,
});
const turnEnd = (turn: number): JsonObject => ({
  type: 'turn_complete',
  turn,
  input_tokens: 2210,
  output_tokens: 12,
  cost_usd: 0.0071,
});
const warning = (turn: number, message: string): JsonObject => ({ type: 'warning', message, turn });
const end = (exit_code: number, turns = 2): JsonObject => ({
  type: 'session_end',
  turns,
  total_cost_usd: 0.0139,
  exit_code,
});

const good = [
  start,
  turnStart(1),
  call(1, 'Bash', { command: 'ls' }),
  result(1, 'Bash', 'a.txt\n'),
  turnStart(2),
  text(2, 'One file.'),
  turnEnd(2),
  end(0),
];

const said = (message_id: string, block_id: string, words: string): AgentEvent => ({
  type: 'text.completed',
  turn_id: 't',
  message_id,
  block_id,
  text: words,
});
const item = (id: string, more: Partial<Extract<AgentEvent, { type: 'item.completed' }>>): AgentEvent[] => [
  { type: 'item.started', item_id: id, turn_id: 't', kind: 'tool_call', name: id, args: {} },
  { type: 'item.completed', item_id: id, status: 'success', ...more },
];

describe('the twelve events', () => {
  it('fit the schema, as does what is written from them', () => {
    const lines = [
      ...good,
      warning(1, 'careful'),
      { type: 'compact', freed_tokens: 900, turn: 1 },
      { type: 'permission_denied', tool: 'Bash', reason: 'rule', turn: 1 },
      { type: 'error', message: 'x', turn: 1 },
      { type: 'thinking', content: 'x', turn: 1 },
    ];
    const written = rewrite(jsonl(good), 'agent-code', 'agent-code').lines;
    expect([...lines, ...written].filter((wire) => !Line.safeParse(wire).success)).toEqual([]);
  });

  it('tell the run, its version and its place', () => {
    const read = readLines(good);
    expect(only(read, 'thread.started')).toEqual([
      {
        type: 'thread.started',
        agent: 'agent-code',
        session_id: '5c1e',
        model: 'some-model',
        cwd: '/srv/app',
        agent_version: '0.30.0',
      },
    ]);
    expect(read.outcome).toMatchObject({
      message: 'One file.',
      metrics: { turns: 2, cost: 0.0139, start_time_ms: Date.parse('2026-08-04T12:00:00.104Z') },
      verdict: { class: 'success' },
      tool_calls: [{ name: 'Bash', inputs: { command: 'ls' }, outputs: 'a.txt\n', status: 'completed' }],
    });
  });

  it('count the tokens of the last call only, and that is noted', () => {
    const { outcome, notes } = readLines(good);
    expect(outcome.metrics).toMatchObject({ input_tokens: 2210, output_tokens: 12 });
    expect(notes).toEqual([
      { kind: 'guessed', what: 'tokens of some model calls are not on this wire', count: 1, line: 8 },
    ]);
  });

  it('have no cost for a model without a price', () => {
    const { metrics } = readLines([
      start,
      text(1, 'x'),
      { ...turnEnd(1), cost_usd: 0 },
      { ...end(0), total_cost_usd: 0 },
    ]).outcome;
    expect(metrics).toMatchObject({ tokens_used: 2222, cost_source: 'unknown' });
    expect(metrics.cost).toBeUndefined();
  });

  it('keep warnings and compaction as the words of the agent', () => {
    const read = readLines(
      [start, turnStart(1), warning(1, 'Falling back from a to b'), { type: 'compact', freed_tokens: 900, turn: 1 }],
      'agent-code',
    );
    expect(only(read, 'log')).toEqual([
      { type: 'log', stream: 'agent', level: 'warning', text: 'Falling back from a to b' },
      { type: 'log', stream: 'agent', level: 'info', text: 'compacted: freed ~900 tokens' },
    ]);
  });

  it('pair a denial with its call', () => {
    const read = readLines(
      [
        start,
        turnStart(1),
        call(1, 'Bash'),
        { type: 'permission_denied', tool: 'Bash', reason: 'user denied at prompt', turn: 1 },
        result(1, 'Bash', 'no', true),
      ],
      'agent-code',
    );
    expect(read.events.slice(2, 6)).toEqual([
      { type: 'item.started', item_id: 'call_1', turn_id: 'turn_1', kind: 'command', name: 'Bash', args: {} },
      {
        type: 'permission.requested',
        permission_id: 'denial_1',
        item_id: 'call_1',
        what: 'Bash',
        title: 'Bash: user denied at prompt',
      },
      { type: 'permission.resolved', permission_id: 'denial_1', item_id: 'call_1', decision: 'denied', by: 'user' },
      { type: 'item.completed', item_id: 'call_1', status: 'denied', output: 'no' },
    ]);
  });

  it('emit the file that a tool wrote', () => {
    const read = readLines(
      [
        start,
        call(1, 'FileWrite', { file_path: '/a' }),
        call(1, 'FileEdit', { file_path: '/b' }),
        result(1, 'FileWrite', 'ok'),
        result(1, 'FileEdit', 'no', true),
      ],
      'agent-code',
    );
    expect(only(read, 'file.edited')).toEqual([
      { type: 'file.edited', path: '/a', operation: 'created', item_id: 'call_1' },
    ]);
  });

  it('keep a line of tomorrow whole', () => {
    const wire = { type: 'mood', turn: 1 };
    expect(only(readLines([start, wire]), 'line.unknown')).toEqual([
      { type: 'line.unknown', dialect: 'agent-code', wire },
    ]);
    expect(rewrite(jsonl([start, wire]), 'agent-code', 'agent-code').lines[1]).toEqual(wire);
  });
});

describe('pairing without ids', () => {
  it('takes the first open call of that name in the same turn', () => {
    const { outcome } = readLines([
      start,
      call(1, 'Grep', { n: 0 }),
      call(2, 'Grep', { n: 1 }),
      call(2, 'Read', { n: 2 }),
      call(2, 'Grep', { n: 3 }),
      result(2, 'Read', 'two'),
      result(2, 'Grep', 'one'),
      result(2, 'Grep', '(cancelled)', true),
    ]);
    expect(outcome.tool_calls).toEqual([
      { name: 'Read', inputs: { n: 2 }, outputs: 'two', status: 'completed' },
      { name: 'Grep', inputs: { n: 1 }, outputs: 'one', status: 'completed' },
      { name: 'Grep', inputs: { n: 3 }, outputs: '(cancelled)', status: 'cancelled' },
      { name: 'Grep', inputs: { n: 0 }, status: 'cancelled', reason: 'abandoned' },
    ]);
  });

  it('takes a result without a call for a call', () => {
    expect(readLines([start, result(1, 'Read', 'x')]).outcome.tool_calls).toEqual([
      { name: 'Read', inputs: null, outputs: 'x', status: 'completed' },
    ]);
  });

  it('a result that does not say it is good is not', () => {
    expect(
      only(
        readLines([start, call(1, 'Read'), { type: 'tool_result', tool: 'Read', output: 'x', turn: 1 }]),
        'item.completed',
      ),
    ).toEqual([{ type: 'item.completed', item_id: 'call_1', status: 'error', output: 'x' }]);
  });
});

describe('exit code 0 is not success', () => {
  it.each([
    [
      'the turn limit',
      [
        start,
        turnStart(1),
        call(1, 'Bash'),
        result(1, 'Bash', 'x'),
        warning(1, 'Agent stopped after 1 turns'),
        end(0, 1),
      ],
      'turn_limit',
    ],
    [
      'the budget',
      [start, turnStart(1), text(1, 'x'), warning(1, 'Cost budget exhausted ($1.00)'), end(0, 1)],
      'cost_limit',
    ],
    [
      'the token budget',
      [start, turnStart(1), text(1, 'x'), warning(1, 'Token budget exhausted'), end(0, 1)],
      'cost_limit',
    ],
    ['an interrupt', [start, turnStart(1), text(1, 'x'), warning(1, 'Cancelled'), end(0, 1)], 'cancelled'],
    [
      'an error at the end of the reply',
      [start, turnStart(1), text(1, 'x'), { type: 'error', message: 'stream closed', turn: 1 }, turnEnd(1), end(0, 1)],
      'provider',
    ],
    [
      'a turn that never ended',
      [start, turnStart(1), call(1, 'Bash'), result(1, 'Bash', 'x'), end(0, 1)],
      'incomplete',
    ],
    ['no turn at all', [start, end(0, 0)], 'incomplete'],
    [
      'an error that was got over',
      [
        start,
        turnStart(1),
        { type: 'error', message: 'stream closed', turn: 1 },
        turnStart(2),
        text(2, 'x'),
        turnEnd(2),
        end(0),
      ],
      'success',
    ],
    [
      'words after an error',
      [start, turnStart(1), { type: 'error', message: 'stream closed', turn: 1 }, text(1, 'x'), turnEnd(1), end(0)],
      'success',
    ],
  ])('%s', (_title, lines, verdict) => {
    expect(readLines(lines).outcome.verdict.class).toBe(verdict);
  });

  it('and neither is an exit code that is none', () => {
    expect(
      readLines([...good.slice(0, -1), { type: 'session_end', turns: 2, total_cost_usd: 0, exit_code: '0' }]).outcome
        .verdict.class,
    ).toBe('incomplete');
  });

  it('takes no damaged byte of a failed run for a success', () => {
    const bytes = Buffer.from(
      jsonl([
        start,
        turnStart(1),
        text(1, 'x'),
        call(1, 'Bash'),
        result(1, 'Bash', 'x'),
        warning(1, 'Agent stopped after 1 turns'),
        end(0, 1),
      ]),
    );
    for (let place = 0; place < bytes.length; place += 1) {
      for (const flip of [1, 4, 16, 32]) {
        const damaged = Buffer.from(bytes);
        damaged[place] = (damaged[place] ?? 0) ^ flip;
        expect(readText(damaged.toString('latin1'), 'agent-code').outcome.verdict.class).not.toBe('success');
      }
    }
  });

  it('the limit may be told on stderr alone, as before 0.19', () => {
    const lines = jsonl([start, call(1, 'Bash'), result(1, 'Bash', 'x'), end(0, 1)]);
    const { outcome } = readText(lines, 'agent-code', { stderr: 'warning: Agent stopped after 3 turns\n' });
    expect(outcome).toMatchObject({ verdict: { class: 'turn_limit' }, limits_hit: [{ limit: 'turns', maximum: 3 }] });
  });
});

describe('what we write of a failure', () => {
  it('takes no damaged byte of a failed run for a success', () => {
    const bytes = Buffer.from(
      jsonl(rewrite(jsonl([start, text(1, 'x'), turnEnd(1), end(6, 1)]), 'agent-code', 'agent-code').lines),
    );
    for (let place = 0; place < bytes.length; place += 1) {
      for (const flip of [1, 4, 16, 32]) {
        const damaged = Buffer.from(bytes);
        damaged[place] = (damaged[place] ?? 0) ^ flip;
        expect(readText(damaged.toString('latin1'), 'agent-code').outcome.verdict.class).not.toBe('success');
      }
    }
  });
});

describe('writing', () => {
  const started: AgentEvent = { type: 'thread.started', model: 'm', session_id: 's' };
  const turn: AgentEvent = { type: 'turn.started', turn_id: 't', iteration: 1 };
  const ok: AgentEvent = { type: 'agent.finished', status: 'ok' };

  it('joins the texts of one message and keeps messages apart', () => {
    const { lines } = writeEvents(
      [
        started,
        turn,
        said('a', '1', 'First.'),
        said('b', '2', '  '),
        said('b', '3', 'One,'),
        said('b', '4', 'two.'),
        ok,
      ],
      'agent-code',
    );
    expect(lines.filter((wire) => wire.type === 'text_delta')).toEqual([
      text(1, 'First.'),
      text(2, 'One,'),
      text(2, '\ntwo.'),
    ]);
    expect(readLines(lines).outcome.message).toBe('One,\ntwo.');
  });

  it('keeps texts apart that have one block id after the other', () => {
    const { lines, losses } = writeEvents(
      [started, turn, said('a', 'item', 'One,'), said('a', 'item', 'two.'), ok],
      'agent-code',
    );
    expect(readLines(lines).outcome.message).toBe('One,\ntwo.');
    expect(losses).toEqual([]);
  });

  it('says that it cannot keep texts apart which come in turns', () => {
    const delta = (block_id: string, words: string): AgentEvent => ({
      type: 'text.delta',
      turn_id: 't',
      message_id: 'a',
      block_id,
      text: words,
    });
    const events = [
      delta('1', 'One'),
      delta('2', 'two'),
      delta('1', ', three'),
      said('a', '1', 'One, three'),
      said('a', '2', 'two'),
    ];
    expect(writeEvents([started, turn, ...events, ok], 'agent-code').losses).toEqual(['text']);
  });

  it('keeps what became of each call', () => {
    const { lines } = writeEvents(
      [
        started,
        turn,
        ...item('a', { output: { n: 1 } }),
        ...item('b', { status: 'error', error: 'bad' }),
        ...item('c', { status: 'denied', error: 'rule' }),
        ...item('d', { status: 'cancelled' }),
        said('a', '1', 'x'),
        ok,
      ],
      'agent-code',
    );
    expect(
      lines.filter((wire) => wire.type === 'tool_result').map(({ output, is_error }) => [output, is_error]),
    ).toEqual([
      ['{"n":1}', false],
      ['bad', true],
      ['Permission denied: rule', true],
      ['(cancelled)', true],
    ]);
    expect(only(readLines(lines), 'item.completed').map((event) => event.status)).toEqual([
      'success',
      'error',
      'denied',
      'cancelled',
    ]);
  });

  it('says that a result may be taken for that of another call', () => {
    const calls = (...ids: string[]): AgentEvent[] =>
      ids.map((item_id) => ({
        type: 'item.started',
        item_id,
        turn_id: 't',
        kind: 'command',
        name: 'Bash',
        args: { item_id },
      }));
    const ended = (...ids: string[]): AgentEvent[] =>
      ids.map((item_id) => ({ type: 'item.completed', item_id, status: 'success' }));
    const losses = (...events: AgentEvent[]): string[] =>
      writeEvents([started, turn, ...events, ok], 'agent-code').losses;
    expect(losses(...calls('a', 'b'), ...ended('a', 'b'))).toEqual([]);
    expect(losses(...calls('a', 'b'), ...ended('b', 'a'))).toEqual(['tool_args']);
    // The first one never ended, so a reader still waits for it.
    expect(losses(...calls('a', 'a'), ...ended('a'))).toEqual(['tool_args']);
  });

  it('does not let an error that the agent got over end the run', () => {
    const { lines, losses } = writeEvents(
      [
        started,
        turn,
        said('a', '1', 'x'),
        { type: 'error', scope: 'tool', code: 'tool', message: 'odd', fatal: false },
        ok,
      ],
      'agent-code',
    );
    expect(readLines(lines).outcome.verdict.class).toBe('success');
    expect(losses).toEqual(['error']);
  });
});

describe('detection', () => {
  it.each([
    [[start], 1],
    [[turnStart(1)], 0.9],
    [[text(1, 'x')], 0.9],
    [[call(1, 'Bash')], 0.95],
    [[end(0)], 1],
    [[{ type: 'session_start', session_id: 's' }], 0],
    [[{ type: 'turn_start' }], 0],
    [[{ type: 'thinking', content: 'x', timestamp: '2026-01-01T00:00:00Z' }], 0],
    [[{ type: 'tool_result', toolName: 'x', timestamp: '2026-01-01T00:00:00Z' }], 0],
  ])('%j: %d', (head, sure) => {
    expect(agentCode.detect(head as JsonObject[], [])).toBe(sure);
  });

  it('knows its own complaint on stderr', () => {
    expect(agentCode.detect([], ['Error: unknown output format: xml (expected text or json)'])).toBe(0.9);
    expect(agentCode.detect([], ['Error: unknown output format: xml'])).toBe(0);
  });

  it('knows in linear time that a complaint is not its own', () => {
    expect(agentCode.detect([], ['unknown output format: '.repeat(100_000)])).toBe(0);
  });
});
