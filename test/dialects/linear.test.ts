import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/dialects/dialect.ts';
import { findDialect } from '../../src/dialects/registry.ts';
import type { AgentEvent } from '../../src/events/event.ts';
import { writable, Writer } from '../../src/pipeline/writer.ts';
import { steepest, steepnessOf } from '../support/cpu.ts';
import { numbered } from '../support/records.ts';

type Lines = (size: number) => Iterable<JsonObject>;

/** One for each number below `size`, from the first or from the last. */
function* each<T>(size: number, make: (index: number) => T): Iterable<T> {
  for (let index = 0; index < size; index += 1) yield make(index);
}

function* backwards<T>(size: number, make: (index: number) => T): Iterable<T> {
  for (let index = size - 1; index >= 0; index -= 1) yield make(index);
}

interface Talk {
  /** A piece of one text that goes on. */
  piece(index: number): JsonObject;
  start(index: number): JsonObject;
  end(index: number): JsonObject;
}

const said = (text: string): JsonObject => ({ type: 'text', text });

const gooseMessage = (role: string, ...content: JsonObject[]): JsonObject => ({
  type: 'message',
  message: { id: 'm', role, created: 1000, content },
});

const talks: Record<string, Talk> = {
  goose: {
    piece: () => gooseMessage('assistant', said('some words ')),
    start: (index) =>
      gooseMessage('assistant', {
        type: 'toolRequest',
        id: `t${index}`,
        toolCall: { status: 'success', value: { name: 'write', arguments: { path: 'a' } } },
      }),
    end: (index) =>
      gooseMessage('user', { type: 'toolResponse', id: `t${index}`, toolResult: { status: 'success', value: { content: [said('ok')] } } }),
  },
};

const shapes: Record<string, (talk: Talk) => Lines> = {
  'one text in many pieces': (talk) => (size) => each(size, talk.piece),
  'calls that are never closed': (talk) => (size) => each(size, talk.start),
  'calls closed in order': (talk) =>
    function* (size) {
      yield* each(size, talk.start);
      yield* each(size, talk.end);
    },
  'calls closed in reverse': (talk) =>
    function* (size) {
      yield* each(size, talk.start);
      yield* backwards(size, talk.end);
    },
};

function steepnessOfReading(id: string, lines: Lines): number {
  return steepnessOf((size) => {
    const decoder = findDialect(id).decoder({ emit() {}, at() {}, unknown() {}, note() {} });
    for (const line of lines(size)) decoder.line(line);
    decoder.end();
  });
}

describe.each(Object.keys(shapes))('%s', (shape) => {
  it.each(Object.entries(talks))('%s', (id, talk) => {
    const lines = shapes[shape]?.(talk) ?? (() => []);
    expect(steepnessOfReading(id, lines)).toBeLessThan(steepest);
  });
});

it.each<[string, string, Lines]>([
  [
    'goose',
    "its own words, said in the model's name, in many pieces",
    (size) => each(size, () => gooseMessage('assistant', said('Network error: '))),
  ],
])('%s: %s', (id, _, lines) => {
  expect(steepnessOfReading(id, lines)).toBeLessThan(steepest);
});

const turn = { turn_id: 'turn_1' };
const textAt = (index: number): AgentEvent => ({
  type: 'text.delta',
  ...turn,
  message_id: 'message_1',
  block_id: `message_1.${index}`,
  text: 'some words ',
});
const started = (index: number): AgentEvent => ({
  type: 'item.started',
  ...turn,
  item_id: `item_${index}`,
  kind: 'command',
  name: 'bash',
  args: { command: 'make' },
});
const printed = (index: number): AgentEvent => ({ type: 'item.output', item_id: `item_${index}`, chunk: 'a line of output\n' });
const ended = (index: number): AgentEvent => ({ type: 'item.completed', item_id: `item_${index}`, status: 'success', output: 'ok' });

/** Long arguments, and as many pieces of output: a writer that repeats both must not repeat them each time. */
const largeCall = (size: number): AgentEvent => ({
  type: 'item.started',
  ...turn,
  item_id: 'item_0',
  kind: 'file_edit',
  name: 'write',
  args: { path: 'a', content: 'x'.repeat(10 * size) },
});

describe.each(['pi'])('written as %s', (id) => {
  it.each<[string, (size: number) => Iterable<AgentEvent>]>([
    ['one text in many pieces', (size) => each(size, () => textAt(0))],
    ['a message of many texts', (size) => each(size, textAt)],
    ['a message of many texts, the last first', (size) => backwards(size, textAt)],
    ['calls that are never closed', (size) => each(size, started)],
    [
      'calls closed in reverse',
      function* (size) {
        yield* each(size, started);
        yield* backwards(size, ended);
      },
    ],
    [
      'one call that prints much',
      function* (size) {
        yield started(0);
        yield* each(size, () => printed(0));
        yield ended(0);
      },
    ],
    [
      'one large call that prints much',
      function* (size) {
        yield largeCall(size);
        yield* each(size, () => printed(0));
        yield ended(0);
      },
    ],
    ['prompts', (size) => each(size, (index) => ({ type: 'prompt.submitted', text: `Do ${index}.` }))],
  ])('%s', (_, events) => {
    const steepness = steepnessOf((size) => {
      const writer = new Writer(...writable(findDialect(id)));
      const place = numbered();
      for (const event of events(size)) {
        writer.record(place(event));
        writer.take();
      }
    });
    expect(steepness).toBeLessThan(steepest);
  });
});
