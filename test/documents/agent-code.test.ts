import { describe, expect, it } from 'vitest';
import { Line } from '../../src/dialects/agent-code/wire.ts';
import type { JsonObject } from '../../src/json/json.ts';
import type { AgentEvent, ErrorCode } from '../../src/events/event.ts';
import { loadRecording, scenariosOf } from '../support/recordings.ts';
import { jsonl, only, readLines, readText, rewrite, writeEvents } from '../support/wire.ts';

const run: JsonObject[] = [
  { type: 'session_start', session_id: 's-1', model: 'some-model', timestamp: '2026-04-16T03:00:00.104233+00:00' },
  { type: 'thinking', content: 'Which files?\nAll of them.', turn: 1 },
  { type: 'text_delta', content: 'I look ', turn: 1 },
  { type: 'text_delta', content: 'around.', turn: 1 },
  { type: 'tool_call', tool: 'Bash', input: { command: 'ls' }, turn: 1 },
  { type: 'tool_call', tool: 'FileRead', input: { file_path: '/a' }, turn: 1 },
  { type: 'tool_result', tool: 'FileRead', output: 'no such file', is_error: true, turn: 1 },
  { type: 'tool_result', tool: 'Bash', output: 'a.txt\nb.txt\n', is_error: false, turn: 1 },
  { type: 'turn_complete', turn: 1, input_tokens: 900, output_tokens: 30, cost_usd: 0.25 },
  { type: 'text_delta', content: 'Two files:\na and b.', turn: 2 },
  { type: 'turn_complete', turn: 2, input_tokens: 1000, output_tokens: 12, cost_usd: 0.5 },
  { type: 'session_end', turns: 2, total_cost_usd: 0.75, exit_code: 0 },
];
const failedRun: JsonObject[] = [
  { type: 'session_start', session_id: 's-2', model: 'some-model', timestamp: '2026-04-16T03:00:00Z' },
  { type: 'error', message: 'HTTP 529: overloaded', turn: 1 },
  { type: 'session_end', turns: 1, total_cost_usd: 0, exit_code: 4 },
];

const without = (wire: JsonObject, key: string): JsonObject =>
  Object.fromEntries(Object.entries(wire).filter(([each]) => each !== key));
const fits = (wire: JsonObject): boolean => Line.safeParse(wire).success;
const line = (type: string): JsonObject => [...run, ...failedRun].find((each) => each.type === type) ?? {};

const started: AgentEvent = { type: 'thread.started', task: 'fix the tests', model: 'm-1', session_id: 'ses_1' };
const turn = (iteration: number): AgentEvent => ({ type: 'turn.started', turn_id: `turn_${iteration}`, iteration });
const turnEnd = (iteration: number): AgentEvent => ({
  type: 'turn.completed',
  turn_id: `turn_${iteration}`,
  iteration,
  tool_call_count: 0,
  has_final_report: false,
});
const text = (iteration: number, words: string): AgentEvent => ({
  type: 'text.completed',
  turn_id: `turn_${iteration}`,
  message_id: `m${iteration}`,
  block_id: `b${iteration}`,
  text: words,
});
const call = (id: string, name: string): AgentEvent => ({
  type: 'item.started',
  item_id: id,
  turn_id: 'turn_1',
  kind: 'tool_call',
  name,
  args: { id },
});
const result = (id: string, output: string): AgentEvent => ({
  type: 'item.completed',
  item_id: id,
  status: 'success',
  output,
});
const ok: AgentEvent = { type: 'agent.finished', status: 'ok' };
const failed = (code: ErrorCode, message: string): AgentEvent => ({
  type: 'agent.finished',
  status: 'failed',
  code,
  message,
});

describe('Event types', () => {
  const fields: [string, string[]][] = [
    ['session_start', ['session_id', 'model', 'timestamp']],
    ['text_delta', ['content', 'turn']],
    ['thinking', ['content', 'turn']],
    ['tool_call', ['tool', 'input', 'turn']],
    ['tool_result', ['tool', 'output', 'is_error', 'turn']],
    ['turn_complete', ['turn', 'input_tokens', 'output_tokens', 'cost_usd']],
    ['error', ['message', 'turn']],
    ['session_end', ['turns', 'total_cost_usd', 'exit_code']],
  ];

  it.each(fields)('%s has the fields %j', (type, names) => {
    expect(fits(line(type))).toBe(true);
    for (const name of names) expect(fits(without(line(type), name))).toBe(false);
  });

  it('are written with these fields and no others, and nothing else is written', () => {
    const allowed = new Map(fields.map(([type, names]) => [type, ['type', ...names].toSorted()]));
    for (const scenario of scenariosOf('codex@0.166.0')) {
      const stdout = new TextDecoder().decode(loadRecording('codex@0.166.0', scenario).stdout);
      for (const wire of rewrite(stdout, 'codex', 'agent-code').lines) {
        expect(Object.keys(wire).toSorted()).toEqual(allowed.get(String(wire.type)));
        expect(fits(wire)).toBe(true);
      }
    }
  });

  it('are read into the run they tell', () => {
    const { events, outcome } = readLines(run);
    expect(events.slice(0, -1)).toEqual([
      { type: 'thread.started', agent: 'agent-code', session_id: 's-1', model: 'some-model' },
      { type: 'turn.started', turn_id: 'turn_1', iteration: 1 },
      {
        type: 'reasoning.delta',
        turn_id: 'turn_1',
        message_id: 'turn_1',
        block_id: 'block_1',
        text: 'Which files?\nAll of them.',
      },
      {
        type: 'reasoning.completed',
        turn_id: 'turn_1',
        message_id: 'turn_1',
        block_id: 'block_1',
        text: 'Which files?\nAll of them.',
      },
      { type: 'text.delta', turn_id: 'turn_1', message_id: 'turn_1', block_id: 'block_2', text: 'I look ' },
      { type: 'text.delta', turn_id: 'turn_1', message_id: 'turn_1', block_id: 'block_2', text: 'around.' },
      {
        type: 'item.started',
        item_id: 'call_1',
        turn_id: 'turn_1',
        kind: 'command',
        name: 'Bash',
        args: { command: 'ls' },
      },
      {
        type: 'item.started',
        item_id: 'call_2',
        turn_id: 'turn_1',
        kind: 'read',
        name: 'FileRead',
        args: { file_path: '/a' },
      },
      { type: 'item.completed', item_id: 'call_2', status: 'error', output: 'no such file' },
      { type: 'item.completed', item_id: 'call_1', status: 'success', output: 'a.txt\nb.txt\n' },
      {
        type: 'usage.reported',
        scope: 'step',
        input_tokens: 900,
        output_tokens: 30,
        cache_is: 'unknown',
        cost_usd: 0.25,
      },
      { type: 'text.completed', turn_id: 'turn_1', message_id: 'turn_1', block_id: 'block_2', text: 'I look around.' },
      { type: 'turn.completed', turn_id: 'turn_1', iteration: 1, tool_call_count: 2, has_final_report: false },
      { type: 'turn.started', turn_id: 'turn_2', iteration: 2 },
      {
        type: 'text.delta',
        turn_id: 'turn_2',
        message_id: 'turn_2',
        block_id: 'block_3',
        text: 'Two files:\na and b.',
      },
      {
        type: 'usage.reported',
        scope: 'step',
        input_tokens: 1000,
        output_tokens: 12,
        cache_is: 'unknown',
        cost_usd: 0.5,
      },
      {
        type: 'text.completed',
        turn_id: 'turn_2',
        message_id: 'turn_2',
        block_id: 'block_3',
        text: 'Two files:\na and b.',
      },
      { type: 'turn.completed', turn_id: 'turn_2', iteration: 2, tool_call_count: 0, has_final_report: false },
      { type: 'usage.reported', scope: 'thread', input_tokens: 1900, output_tokens: 42, cost_usd: 0.75 },
      { type: 'agent.finished', status: 'ok', raw_status: '0' },
    ]);
    expect(outcome).toMatchObject({
      status: 'success',
      message: 'Two files:\na and b.',
      metrics: { input_tokens: 1900, output_tokens: 42, cost: 0.75, turns: 2, tool_calls_count: 2 },
    });
  });

  it('are written back as they were read', () => {
    const normal = run.map((wire) =>
      wire.type === 'session_start' ? { ...wire, timestamp: '2026-04-16T03:00:00.104Z' } : wire,
    );
    expect(rewrite(jsonl(run), 'agent-code', 'agent-code').lines).toEqual(normal);
  });

  it('session_start comes before the first turn, session_end last', () => {
    const { lines } = writeEvents([started, turn(1), text(1, 'Done.'), turnEnd(1), ok], 'agent-code');
    expect(lines).toEqual([
      { type: 'session_start', session_id: 'ses_1', model: 'm-1', timestamp: '2026-03-01T10:00:00.000Z' },
      { type: 'text_delta', content: 'Done.', turn: 1 },
      { type: 'turn_complete', turn: 1, input_tokens: 0, output_tokens: 0, cost_usd: 0 },
      { type: 'session_end', turns: 1, total_cost_usd: 0, exit_code: 0 },
    ]);
  });

  it('turn_complete: the turns add up to the totals, however the agent counts', () => {
    const { lines } = writeEvents(
      [
        started,
        turn(1),
        {
          type: 'usage.reported',
          scope: 'step',
          input_tokens: 10,
          output_tokens: 1,
          cache_is: 'unknown',
          cost_usd: 0.5,
        },
        turnEnd(1),
        turn(2),
        text(2, 'Done.'),
        turnEnd(2),
        { type: 'usage.reported', scope: 'thread', input_tokens: 25, output_tokens: 4, cost_usd: 2 },
        ok,
      ],
      'agent-code',
    );
    expect(lines.filter((wire) => wire.type === 'turn_complete')).toEqual([
      { type: 'turn_complete', turn: 1, input_tokens: 10, output_tokens: 1, cost_usd: 0.5 },
      { type: 'turn_complete', turn: 2, input_tokens: 15, output_tokens: 3, cost_usd: 1.5 },
    ]);
    expect(readLines(lines).outcome.metrics).toMatchObject({ input_tokens: 25, output_tokens: 4, cost: 2 });
  });

  it('a session without a known time still has a valid one', () => {
    const { lines, losses } = writeEvents([started, turn(1), text(1, 'Done.'), ok], 'agent-code', null);
    expect(lines[0]).toHaveProperty('timestamp', '1970-01-01T00:00:00Z');
    expect(losses).toEqual(['prompt', 'time']);
  });
});

describe('Exit codes', () => {
  it.each([
    [0, 'success'],
    [1, 'config'],
    [2, 'input'],
    [3, 'tool'],
    [4, 'provider'],
    [5, 'cost_limit'],
    [6, 'turn_limit'],
    [7, 'permission'],
    [8, 'incomplete'],
    [9, 'expectation'],
    [10, 'output'],
    [11, 'incomplete'],
    [124, 'time_limit'],
    [130, 'cancelled'],
  ])('%d is read as %s', (exit_code, verdict) => {
    expect(
      readLines([...run.slice(0, -1), { type: 'session_end', turns: 2, total_cost_usd: 0.75, exit_code }]).outcome
        .verdict.class,
    ).toBe(verdict);
  });

  const ends: [number, AgentEvent][] = [
    [1, failed('config', 'no key')],
    [2, failed('input', 'no prompt')],
    [3, failed('tool', 'it broke')],
    [4, failed('auth', 'HTTP 401')],
    [5, failed('cost_limit', 'spent')],
    [6, failed('turn_limit', 'too many')],
    [7, failed('permission', 'not you')],
    [8, failed('unknown', 'who knows')],
    [124, failed('time_limit', 'too slow')],
    [130, { type: 'agent.finished', status: 'cancelled' }],
  ];
  it.each(ends)('%d is written, with an error that says why, and read back', (exit_code, end) => {
    const { lines } = writeEvents([started, turn(1), text(1, 'So far.'), turnEnd(1), end], 'agent-code');
    expect(lines.slice(2).map((wire) => wire.type)).toEqual(['error', 'turn_complete', 'session_end']);
    expect(lines.at(-1)).toEqual({ type: 'session_end', turns: 1, total_cost_usd: 0, exit_code });
    expect(readLines(lines).outcome.verdict.exit_code).toBe(exit_code);
  });

  it.each([
    [1, 'config'],
    [2, 'input'],
    [3, 'tool'],
    [4, 'provider'],
    [5, 'cost_limit'],
    [6, 'turn_limit'],
    [7, 'permission'],
  ])('%d of the process alone is %s', (exit_code, verdict) => {
    const { outcome } = readText('', 'agent-code', { process: { exit_code, signal: null } });
    expect(outcome.verdict).toMatchObject({ class: verdict, exit_code });
  });

  it('a failure stays one when its code is damaged', () => {
    const { lines } = writeEvents(
      [started, turn(1), text(1, 'So far.'), turnEnd(1), failed('turn_limit', 'too many')],
      'agent-code',
    );
    const damaged = [...lines.slice(0, -1), { ...lines.at(-1), exit_code: 0 } as JsonObject];
    expect(readLines(damaged).outcome.verdict.class).not.toBe('success');
    expect(
      readLines([...failedRun.slice(0, -1), { ...failedRun[2], exit_code: 0 } as JsonObject]).outcome.verdict.class,
    ).toBe('provider');
  });

  it('no end is no success, whatever was said', () => {
    expect(readLines(run.slice(0, -1)).outcome.verdict.class).toBe('incomplete');
  });
});

describe('Architecture: warnings and compact notifications go to stderr, not the JSONL stream', () => {
  it('logs are not written', () => {
    const { lines, losses } = writeEvents(
      [started, turn(1), { type: 'log', stream: 'agent', level: 'warning', text: 'careful' }, text(1, 'Done.'), ok],
      'agent-code',
    );
    expect(lines.map((wire) => wire.type)).toEqual(['session_start', 'text_delta', 'turn_complete', 'session_end']);
    expect(losses).toContain('log');
  });
});

describe('Test plan: single-line-JSON invariant for multiline content', () => {
  it('every event is one line', () => {
    const words = 'one\ntwo\r\nthree\u2028four\u0085five';
    const { text: written, lines } = writeEvents(
      [
        started,
        turn(1),
        text(1, words),
        call('a', 'Bash'),
        result('a', words),
        { ...text(1, words), block_id: 'b2' } as AgentEvent,
        ok,
      ],
      'agent-code',
    );
    expect(written.split('\n').filter((each) => each !== '')).toHaveLength(lines.length);
    expect(written).not.toContain('\r');
    expect(readText(written).outcome.tool_calls[0]?.outputs).toBe(words);
  });
});

describe('Self-review', () => {
  it('Bug 1: every event carries the 1-indexed number of its turn', () => {
    const { lines } = writeEvents(
      [
        started,
        turn(1),
        text(1, 'One.'),
        call('a', 'Bash'),
        result('a', 'x'),
        turnEnd(1),
        turn(2),
        call('b', 'Grep'),
        result('b', 'y'),
        turnEnd(2),
        turn(3),
        text(3, 'Three.'),
        turnEnd(3),
        ok,
      ],
      'agent-code',
    );
    expect(lines.slice(1, -1).map((wire) => [wire.type, wire.turn])).toEqual([
      ['text_delta', 1],
      ['tool_call', 1],
      ['tool_result', 1],
      ['turn_complete', 1],
      ['tool_call', 2],
      ['tool_result', 2],
      ['turn_complete', 2],
      ['text_delta', 3],
      ['turn_complete', 3],
    ]);
    expect(lines.at(-1)).toHaveProperty('turns', 3);
  });

  it('Bug 1: an error before the first turn is one of turn 1', () => {
    const { lines } = writeEvents([started, failed('auth', 'HTTP 401')], 'agent-code');
    expect(lines[1]).toEqual({ type: 'error', message: 'HTTP 401', turn: 1 });
  });

  it('Bug 2: a result has the name of its own tool when tools run in parallel', () => {
    const { lines, losses } = writeEvents(
      [
        started,
        turn(1),
        call('a', 'Read'),
        call('b', 'Grep'),
        result('a', 'A'),
        result('b', 'B'),
        text(1, 'Done.'),
        ok,
      ],
      'agent-code',
    );
    expect(lines.filter((wire) => wire.type === 'tool_result').map(({ tool, output }) => [tool, output])).toEqual([
      ['Read', 'A'],
      ['Grep', 'B'],
    ]);
    expect(losses).toEqual(['prompt']);
    expect(readLines(lines).outcome.tool_calls.map(({ name, inputs, outputs }) => [name, inputs, outputs])).toEqual([
      ['Read', { id: 'a' }, 'A'],
      ['Grep', { id: 'b' }, 'B'],
    ]);
  });

  it('two calls of one tool that end in another order cannot be told apart, and that is reported', () => {
    const { losses } = writeEvents(
      [
        started,
        turn(1),
        call('a', 'Read'),
        call('b', 'Read'),
        result('b', 'B'),
        result('a', 'A'),
        text(1, 'Done.'),
        ok,
      ],
      'agent-code',
    );
    expect(losses).toContain('tool_args');
  });
});

describe('New integration tests', () => {
  it('no API key: an empty stdout is no session, and the exit code says config', () => {
    const { outcome } = readText('', 'agent-code', {
      stderr: 'Error: something is off\n',
      process: { exit_code: 1, signal: null },
    });
    expect(outcome.verdict.class).toBe('config');
  });

  it('an error is told by its event', () => {
    expect(only(readLines(failedRun), 'error')).toEqual([
      { type: 'error', scope: 'provider', code: 'server', message: 'HTTP 529: overloaded', fatal: true },
    ]);
  });
});
