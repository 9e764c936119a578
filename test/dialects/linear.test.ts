import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/dialects/dialect.ts';
import { findDialect } from '../../src/dialects/registry.ts';
import { steepest, steepnessOf } from '../support/cpu.ts';

type Lines = (size: number) => Iterable<JsonObject>;

/** A line for each number below `size`, from the first or from the last. */
function* each(size: number, line: (index: number) => JsonObject): Iterable<JsonObject> {
  for (let index = 0; index < size; index += 1) yield line(index);
}

function* backwards(size: number, line: (index: number) => JsonObject): Iterable<JsonObject> {
  for (let index = size - 1; index >= 0; index -= 1) yield line(index);
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
