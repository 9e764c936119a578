import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json/json.ts';
import { findWriter } from '../../src/dialects/registry.ts';
import type { AgentEvent } from '../../src/events/event.ts';
import { OutcomeFold } from '../../src/outcome/fold.ts';
import { steepest, steepnessOf } from '../support/growth.ts';
import { steepnessOfReading } from '../support/reading-growth.ts';
import { numbered } from '../support/records.ts';
import { sweep } from '../support/sweep.ts';

/** One line for each number below `size`. */
function* each<T>(size: number, line: (index: number) => T): Iterable<T> {
  for (let index = 0; index < size; index += 1) yield line(index);
}

/** What an agent may do many times, in lines of a dialect or in events. */
interface Talk<T> {
  start: (index: number) => T;
  end: (index: number) => T;
  piece: (index: number) => T;
  turn: (index: number) => T;
}

type Shape = <T>(talk: Talk<T>, size: number) => Iterable<T>;

const shapes: Record<string, Shape> = {
  *'calls that never end'(talk, size) {
    yield* each(size, talk.start);
  },
  *'calls that end in order'(talk, size) {
    yield* each(size, talk.start);
    yield* each(size, talk.end);
  },
  *'calls that end in reverse'(talk, size) {
    yield* each(size, talk.start);
    yield* each(size, (index) => talk.end(size - 1 - index));
  },
  *'calls that end while one stays open'(talk, size) {
    yield talk.start(size);
    for (const index of each(size, (number) => number)) yield* [talk.start(index), talk.end(index)];
  },
  *'calls of which every second ends'(talk, size) {
    yield* each(2 * size, talk.start);
    yield* each(size, (index) => talk.end(2 * index + 1));
  },
  *'calls of many turns that end in the last'(talk, size) {
    for (const index of each(size, (number) => number)) yield* [talk.turn(index), talk.start(index)];
    yield* each(size, talk.end);
  },
  *'a text in many pieces'(talk, size) {
    yield* each(size, talk.piece);
  },
};

const codexItem = (phase: string, index: number): JsonObject => ({
  type: `item.${phase}`,
  item: {
    id: `item_${index}`,
    type: 'command_execution',
    command: 'ls',
    aggregated_output: 'a',
    exit_code: 0,
    status: 'completed',
  },
});
const rollout = (payload: JsonObject): JsonObject => ({
  timestamp: '2026-03-01T10:00:00Z',
  type: 'response_item',
  payload,
});
const message = (text: string): JsonObject => rollout({ type: 'message', role: 'assistant', content: [{ text }] });

const dialects: Record<string, Talk<JsonObject>> = {
  codex: {
    start: (index) => codexItem('started', index),
    end: (index) => codexItem('completed', index),
    piece: (index) => ({
      type: 'item.completed',
      item: { id: `item_${index}`, type: 'agent_message', text: 'words ' },
    }),
    turn: () => ({ type: 'turn.started' }),
  },
  'codex session': {
    start: (index) =>
      rollout({ type: 'function_call', call_id: `c${index}`, name: 'shell', arguments: '{"command":["ls"]}' }),
    end: (index) => rollout({ type: 'function_call_output', call_id: `c${index}`, output: 'Exit code: 0' }),
    piece: () => message('words '),
    turn: () => ({ timestamp: '2026-03-01T10:00:00Z', type: 'event_msg', payload: { type: 'task_started' } }),
  },
  'agent-code': {
    start: (index) => ({ type: 'tool_call', tool: 'Bash', input: { command: 'ls' }, turn: Math.max(1, index % 7) }),
    end: (index) => ({ type: 'tool_result', tool: 'Bash', output: 'a', is_error: false, turn: Math.max(1, index % 5) }),
    piece: () => ({ type: 'text_delta', content: 'words ', turn: 1 }),
    turn: (index) => ({ type: 'turn_start', turn: index + 1 }),
  },
  dexter: {
    start: (index) => ({ type: 'tool_start', tool: `tool_${index % 2}`, args: {} }),
    end: (index) => ({ type: 'tool_end', tool: `tool_${index % 2}`, args: {}, result: 'b' }),
    piece: () => ({ type: 'thinking', message: 'words ' }),
    turn: () => ({ type: 'stream_progress', charDelta: 0, mode: 'requesting' }),
  },
  'dev-agent': {
    start: (index) => ({
      type: 'item.started',
      item_id: `item_${index}`,
      kind: 'tool_call',
      name: 'read_artifact',
      args: {},
    }),
    end: (index) => ({
      type: 'item.completed',
      item_id: `item_${index}`,
      status: 'success',
      duration_ms: 5,
      summary: 'a',
    }),
    piece: () => ({ type: 'assistant.message', turn_id: 'turn_1', preview: 'words ', tool_call_count: 0 }),
    turn: (index) => ({
      type: 'turn.started',
      turn_id: `turn_${index}`,
      iteration: index,
      message_count: 1,
      tool_count: 1,
    }),
  },
};

const readings = sweep(Object.entries(dialects), Object.entries(shapes)).map(
  ([[name, talk], [title, shape]]) => [name, title, talk, shape] as const,
);

describe('reading', () => {
  it.each(readings)('%s: %s', (name, _title, talk, shape) => {
    const [id = ''] = name.split(' ');
    expect(steepnessOfReading(id, (size) => shape(talk, size))).toBeLessThan(steepest);
  });
});

const text = { turn_id: 't', message_id: 'm' };
const events: Talk<AgentEvent> = {
  start: (index) => ({
    type: 'item.started',
    item_id: `c${index}`,
    turn_id: 't',
    kind: 'command',
    name: 'Bash',
    args: { command: 'ls' },
  }),
  end: (index) => ({ type: 'item.completed', item_id: `c${index}`, status: 'success', output: 'a' }),
  piece: () => ({ type: 'text.delta', ...text, block_id: 'b', text: 'words ' }),
  turn: (index) => ({ type: 'turn.started', turn_id: `turn_${index}`, iteration: index }),
};

const written: Record<string, (size: number) => Iterable<AgentEvent>> = {
  ...Object.fromEntries(Object.entries(shapes).map(([title, shape]) => [title, (size: number) => shape(events, size)])),
  'white space in many pieces': (size) => each(size, () => ({ type: 'text.delta', ...text, block_id: 'b', text: ' ' })),
  'a message of many texts': (size) =>
    each(size, (index) => ({ type: 'text.completed', ...text, block_id: `b${index}`, text: 'words' })),
};

function steepnessOfWriting(to: string, shape: (size: number) => Iterable<AgentEvent>): number {
  const { dialect, variant } = findWriter(to);
  const outcome = new OutcomeFold().outcome('runwire', []);
  return steepnessOf((size) => {
    const record = numbered();
    const encoder = dialect.encoder({ line() {}, lose() {} }, variant.name);
    for (const event of shape(size)) encoder.record(record(event));
    encoder.end(outcome);
  });
}

const writings = sweep(['codex', 'agent-code', 'dexter', 'dexter:events', 'dev-agent'], Object.entries(written)).map(
  ([to, [title, shape]]) => [to, title, shape] as const,
);

describe('writing', () => {
  it.each(writings)('%s: %s', (to, _title, shape) => {
    expect(steepnessOfWriting(to, shape)).toBeLessThan(steepest);
  });
});

it.each(['atif', 'ai-sdk-ui', 'ag-ui'])('writing %s: all of it, and sub-agents', (to) => {
  const below = { ...text, block_id: 'b', parent_item_id: 'c0' };
  const steepness = steepnessOfWriting(to, function* (size) {
    for (const shape of Object.values(written)) yield* shape(Math.ceil(size / 8));
    yield* each(size, (index) => ({ type: 'text.completed', ...below, parent_item_id: `c${index}`, text: 'words' }));
    yield* each(size, (index) => ({
      type: 'permission.requested',
      permission_id: `p${index}`,
      item_id: `c${index}`,
      what: 'shell',
    }));
  });
  expect(steepness).toBeLessThan(steepest);
});
