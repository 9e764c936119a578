import { describe, expect, it } from 'vitest';
import type { Loss } from '../../src/dialects/dialect.ts';
import type { JsonObject } from '../../src/json/json.ts';
import { findDialect } from '../../src/dialects/registry.ts';
import type { AgentEvent } from '../../src/events/event.ts';
import { OutcomeFold } from '../../src/outcome/fold.ts';
import { steepest, steepnessOf } from '../support/growth.ts';
import { steepnessOfReading } from '../support/reading-growth.ts';
import { numbered } from '../support/records.ts';

function* each<T>(size: number, ...lines: ((index: number) => T)[]): Iterable<T> {
  for (let index = 0; index < size; index += 1) for (const line of lines) yield line(index);
}

/** What an agent may do many times, in lines of the stream or in events. */
interface Talk<T> {
  start: (index: number) => T;
  end: (index: number) => T;
  piece: (index: number) => T;
  fail: (index: number) => T;
}

type Shape = <T>(talk: Talk<T>, size: number) => Iterable<T>;

const shapes: Record<string, Shape> = {
  *'a text in many pieces'(talk, size) {
    yield* each(size, talk.piece);
  },
  *'calls that never end'(talk, size) {
    yield* each(size, talk.start);
  },
  *'calls one after the other'(talk, size) {
    yield* each(size, talk.start, talk.end);
  },
  *'calls that end in reverse'(talk, size) {
    yield* each(size, talk.start);
    yield* each(size, (index) => talk.end(size - 1 - index));
  },
  *errors(talk, size) {
    yield* each(size, talk.fail);
  },
};

const lines: Talk<JsonObject> = {
  start: (index) => ({
    type: 'tool_use',
    tool_name: 'write_file',
    tool_id: `c${index}`,
    parameters: { file_path: '/f' },
  }),
  end: (index) => ({ type: 'tool_result', tool_id: `c${index}`, status: 'success', output: 'a' }),
  piece: () => ({ type: 'message', role: 'assistant', content: 'words ', delta: true }),
  fail: (index) => ({ type: 'error', severity: 'error', message: `fault ${index}` }),
};

describe('reading grows with the stream, not faster', () => {
  it.each(Object.entries(shapes))('%s', (_title, shape) => {
    expect(steepnessOfReading('gemini', (size) => shape(lines, size))).toBeLessThan(steepest);
  });
});

it('makes no more calls of a document than a run makes, however many tools it names', () => {
  const byName = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`tool_${index}`, { count: 9_000 }]));
  let started = 0;
  const emit = ({ type }: { type: string }): void => void (started += type === 'item.started' ? 1 : 0);
  findDialect('gemini')
    .decoder({
      emit,
      at() {},
      unknown() {},
      note() {},
      quote: (text: string) => text,
      quoteLine: (line: string) => line,
    })
    .line({ response: 'Hi', stats: { tools: { byName } } });
  expect(started).toBe(10_000);
});

const events: Talk<AgentEvent> = {
  start: (index) => ({
    type: 'item.started',
    item_id: `c${index}`,
    turn_id: 't',
    kind: 'command',
    name: 'bash',
    args: { command: 'ls' },
  }),
  end: (index) => ({ type: 'item.completed', item_id: `c${index}`, status: 'success', output: 'a' }),
  piece: () => ({ type: 'text.delta', turn_id: 't', message_id: 'm', block_id: 'b', text: 'words ' }),
  fail: (index) => ({ type: 'error', scope: 'agent', code: 'server', message: `fault ${index}`, fatal: true }),
};

function writer(variant: string) {
  const written: JsonObject[] = [];
  const losses = new Set<Loss>();
  const encoder = findDialect('gemini').encoder?.(
    { line: (wire) => void written.push(wire), lose: (what) => void losses.add(what) },
    variant,
  );
  const record = numbered();
  return {
    written,
    losses,
    write: (some: Iterable<AgentEvent>) => {
      for (const event of some) encoder?.record(record(event));
    },
    end: () => encoder?.end(new OutcomeFold().outcome('runwire', [])),
  };
}

describe.each(['stream-json', 'json'])('writing %s grows with the run, not faster', (variant) => {
  it.each(Object.entries(shapes))('%s', (_title, shape) => {
    const steepness = steepnessOf((size) => {
      const { write, end } = writer(variant);
      write(shape(events, size));
      end();
    });
    expect(steepness).toBeLessThan(steepest);
  });
});

describe('what the stream holds back is bounded', () => {
  const of = (written: readonly JsonObject[], type: string): JsonObject[] =>
    written.filter((wire) => wire.type === type);

  it('results of a batch that never ends', () => {
    const { written, write } = writer('stream-json');
    write(each(5000, events.start, events.end));
    expect(of(written, 'tool_result').length).toBeGreaterThan(3900);
  });

  it('results that are long', () => {
    const { written, write } = writer('stream-json');
    write(each(20, events.start, (index) => ({ ...events.end(index), output: 'x'.repeat(100_000) }) as AgentEvent));
    expect(of(written, 'tool_result').length).toBeGreaterThan(5);
  });

  it('errors that wait for the end, of which the last one is always told', () => {
    const { written, losses, write, end } = writer('stream-json');
    write(each(3000, events.fail));
    end();
    const told = of(written, 'error');
    expect([told.length, told.at(-1)?.message, [...losses]]).toEqual([
      1000,
      'fault 2999',
      expect.arrayContaining(['error']),
    ]);
  });
});
