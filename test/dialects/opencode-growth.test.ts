import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json/json.ts';
import { findDialect } from '../../src/dialects/registry.ts';
import type { AgentEvent, Draft } from '../../src/events/event.ts';
import { OutcomeFold } from '../../src/outcome/fold.ts';
import { steepest, steepnessOf } from '../support/growth.ts';
import { steepnessOfReading } from '../support/reading-growth.ts';
import { numbered } from '../support/records.ts';
import { some } from '../support/sweep.ts';

function* each(size: number, ...lines: ((index: number) => JsonObject)[]): Iterable<JsonObject> {
  for (let index = 0; index < size; index += 1) for (const line of lines) yield line(index);
}

const bus = (type: string, properties: JsonObject): JsonObject => ({ type, properties });
const session = bus('session.created', { info: { id: 's', version: '1.18.0' } });
const message = bus('message.updated', { info: { id: 'm', sessionID: 's', role: 'assistant', time: { created: 1 } } });
const part = (fields: JsonObject): JsonObject =>
  bus('message.part.updated', { part: { sessionID: 's', messageID: 'm', type: 'text', ...fields } });
const delta = (id: string, messageID = 'm'): JsonObject =>
  bus('message.part.delta', { sessionID: 's', messageID, partID: id, field: 'text', delta: 'words ' });
const tool = (index: number, state: JsonObject): JsonObject =>
  part({
    id: `p${index}`,
    type: 'tool',
    callID: `c${index}`,
    tool: 'bash',
    state: { input: { command: 'ls' }, ...state },
  });
const start = (index: number): JsonObject => tool(index, { status: 'running' });
const end = (index: number): JsonObject => tool(index, { status: 'completed', output: 'a' });
const stepStart = (index: number): JsonObject => part({ id: `s${index}`, messageID: `m${index}`, type: 'step-start' });
const stepEnd = (index: number): JsonObject =>
  part({ id: `f${index}`, messageID: `m${index}`, type: 'step-finish', reason: 'tool-calls' });
const child = (index: number): JsonObject => bus('session.created', { info: { id: `child${index}`, parentID: 's' } });
const version2 = (type: string, index: number): JsonObject => ({
  id: 'e',
  created: 1,
  type: `session.tool.${type}`,
  data: { sessionID: 's', id: `c${index}`, name: 'bash', input: {} },
});
const run = (type: string, fields: JsonObject): JsonObject => ({
  type,
  timestamp: 1,
  sessionID: 's',
  part: { messageID: 'm', ...fields },
});

type Shape = (size: number) => Iterable<JsonObject>;

const shapes: Record<string, Shape> = {
  *'a text in many pieces'(size) {
    yield* each(size, () => delta('p'));
  },
  *'texts that never end'(size) {
    yield* each(size, (index) => delta(`p${index}`));
  },
  *'texts of other messages that stay open over many steps'(size) {
    yield* each(size, (index) =>
      part({ id: `p${index}`, messageID: `other${index}`, text: 'words', time: { start: 1 } }),
    );
    yield* each(size, stepStart, stepEnd);
  },
  *'texts that never say when they end, while others stay open'(size) {
    yield* each(size, (index) => part({ id: `p${index}`, text: 'words', time: { start: 1 } }));
    yield* each(size, (index) => part({ id: `q${index}`, text: 'words' }));
  },
  *'texts whose author is never told'(size) {
    yield* each(size, (index) => part({ id: `p${index}`, messageID: `other${index}`, text: 'words' }));
    yield* each(size, () => message);
  },
  *'calls that never end'(size) {
    yield* each(size, start);
  },
  *'calls that end in order'(size) {
    yield* each(size, start);
    yield* each(size, end);
  },
  *'calls that end in reverse'(size) {
    yield* each(size, start);
    yield* each(size, (index) => end(size - 1 - index));
  },
  *'calls that stay open while sub-agents come'(size) {
    yield* each(size, start);
    yield* each(size, child);
  },
  *'calls that stay open while later ones end and sub-agents come'(size) {
    yield* each(size, start);
    yield* each(
      size,
      (index) => start(size + index),
      child,
      (index) => end(size + index),
    );
  },
  *'files that are edited while no call ends'(size) {
    yield* each(size, (index) => bus('file.edited', { file: `/f${index}` }));
    yield* each(size, (index) => bus('file.watcher.updated', { file: `/f${index}`, event: 'add' }));
  },
  *'calls of version 2 that end in reverse'(size) {
    yield* each(size, (index) => version2('called', index));
    yield* each(size, (index) => version2('success', size - 1 - index));
  },
  *'calls of the run stream'(size) {
    yield* each(size, (index) =>
      run('tool_use', {
        id: `p${index}`,
        callID: `c${index}`,
        tool: 'bash',
        state: { status: 'completed', output: 'a' },
      }),
    );
  },
};

describe('reading grows with the stream, not faster', () => {
  it.each(some(Object.entries(shapes)))('%s', (_title, shape) => {
    const lines = function* (size: number): Iterable<JsonObject> {
      yield* [session, message];
      yield* shape(size);
    };
    expect(steepnessOfReading('opencode', lines)).toBeLessThan(steepest);
  });
});

function read(lines: Iterable<JsonObject>): Draft[] {
  const drafts: Draft[] = [];
  const decoder = findDialect('opencode').decoder({
    emit: (draft) => void drafts.push(draft),
    at() {},
    unknown() {},
    note() {},
    quote: (text: string) => text,
    quoteLine: (line: string) => line,
  });
  decoder.line(session);
  decoder.line(message);
  for (const line of lines) decoder.line(line);
  decoder.end();
  return drafts;
}

const texts = (drafts: readonly Draft[]): string[] =>
  drafts.flatMap((draft) => (draft.type === 'text.completed' ? [`${draft.block_id} ${draft.text}`] : []));
const files = (drafts: readonly Draft[]): string[] =>
  drafts.flatMap((draft) => (draft.type === 'file.edited' ? [draft.path] : []));
const numbers = Array.from({ length: 3000 }, (_, index) => index);

describe('what is held is bounded', () => {
  it('texts that are open at once', () => {
    const whole = (index: number, time: JsonObject): JsonObject =>
      part({ id: `p${index}`, text: 'words', time: { start: 1, ...time } });
    const expected = numbers.map((index) => `p${index} words`);
    expect(texts(read(each(3000, (index) => whole(index, {})))).toSorted()).toEqual(expected.toSorted());
    const streamed = [...each(3000, (index) => delta(`p${index}`)), ...each(3000, (index) => whole(index, { end: 2 }))];
    expect(texts(read(streamed))).toEqual(expected);
  });

  it('files that are edited while no call ends', () => {
    const lines = [
      ...each(3000, (index) => bus('file.edited', { file: `/f${index}` })),
      part({ type: 'patch', files: ['/f0', '/f2999', '/g'] }),
    ];
    expect(files(read(lines))).toEqual(expect.arrayContaining([...numbers.map((index) => `/f${index}`), '/g']));
  });

  it('the sessions of one call', () => {
    const lines = [
      start(0),
      ...each(3000, child),
      ...each(3000, (index) =>
        part({ sessionID: `child${index}`, messageID: `n${index}`, id: 'p', text: 'words', time: { end: 2 } }),
      ),
    ];
    expect(texts(read(lines))).toHaveLength(100);
  });
});

const place = { turn_id: 't', message_id: 'm' };
const started = (index: number, args: JsonObject = {}): AgentEvent => ({
  type: 'item.started',
  item_id: `c${index}`,
  turn_id: 't',
  kind: 'command',
  name: 'bash',
  args,
});
const ended = (index: number): AgentEvent => ({
  type: 'item.completed',
  item_id: `c${index}`,
  status: 'success',
  output: 'a',
});
const output = (): AgentEvent => ({ type: 'item.output', item_id: 'c0', chunk: '.' });

function write(events: Iterable<AgentEvent>): { characters: number; losses: number } {
  const written = { characters: 0, losses: 0 };
  const sink = {
    line: (wire: JsonObject) => void (written.characters += JSON.stringify(wire).length),
    lose: () => void (written.losses += 1),
  };
  const encoder = findDialect('opencode').encoder?.(sink, 'bus');
  const record = numbered();
  for (const event of events) encoder?.record(record(event));
  encoder?.end(new OutcomeFold().outcome('runwire', []));
  return written;
}

function* times(size: number, ...events: ((index: number) => AgentEvent)[]): Iterable<AgentEvent> {
  for (let index = 0; index < size; index += 1) for (const event of events) yield event(index);
}

const talks: Record<string, (size: number) => Iterable<AgentEvent>> = {
  *'a text in many pieces'(size) {
    yield* times(size, () => ({ type: 'text.delta', ...place, block_id: 'b', text: 'words ' }));
  },
  *'calls that never end'(size) {
    yield* times(size, started);
  },
  *'calls that end in reverse'(size) {
    yield* times(size, started);
    yield* times(size, (index) => ended(size - 1 - index));
  },
  *'sub-agents at once'(size) {
    yield* times(size, started);
    yield* times(size, (index) => ({
      type: 'text.delta',
      ...place,
      block_id: `b${index}`,
      parent_item_id: `c${index}`,
      text: 'words ',
    }));
  },
  *'a long output of a call with a long input'(size) {
    yield started(0, { script: 'x'.repeat(10 * size) });
    yield* times(size, output);
  },
};

describe('writing grows with the run, not faster', () => {
  it.each(some(Object.entries(talks)))('%s', (_title, talk) => {
    expect(steepnessOf((size) => write(talk(size)))).toBeLessThan(steepest);
  });
});

it('repeats the input and the output of a running call a limited number of times', () => {
  const { characters, losses } = write([started(0, { script: 'x'.repeat(1000) }), ...times(20_000, output)]);
  expect(losses).toBeGreaterThan(18_000);
  expect(characters).toBeLessThan(2_000_000);
  expect(write([started(0), ...times(500, output)]).losses).toBe(0);
});
