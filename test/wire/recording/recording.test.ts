import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/json/json.ts';
import { isObject } from '../../../src/json/read.ts';
import { Redactor } from '../../../src/redact/redactor.ts';
import {
  type CompactEvent,
  EventCompactor,
  EventExpander,
  readEvents,
  writeEvents,
} from '../../../src/wire/recording/events.ts';
import { applyDifference, differenceFrom } from '../../../src/wire/recording/likeness.ts';
import {
  type RecordedAnswer,
  type RecordedRequest,
  RecordingReader,
  RecordingWriter,
} from '../../../src/wire/recording/recording.ts';

const plain = (text: string): string => text;
const key = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH-xyzAAAAA';

function request(number: number, body: Json): RecordedRequest {
  return { number, at_ms: number * 100, api: 'chat', route: 'openai', method: 'POST', path: '/chat/completions', body };
}

function answer(number: number, body: string, content_type = 'text/event-stream'): RecordedAnswer {
  return { number, status: 200, content_type, ended: 'complete', first_byte_ms: 3, duration_ms: 9, body };
}

/** What is written, line by line, and what is read from it. */
function recorded(
  write: (writer: RecordingWriter) => void,
  clean = plain,
): { lines: string[]; reader: RecordingReader } {
  const lines: string[] = [];
  write(new RecordingWriter({ agent: 'codex', cwd: '/work' }, clean, (line) => lines.push(JSON.stringify(line))));
  const reader = new RecordingReader();
  for (const line of lines) reader.line(line);
  return { lines, reader };
}

const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);
const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('a'.repeat(100), 'word '.repeat(60)));
const message = fc.record({ role: fc.constantFrom('user', 'assistant', 'tool'), content: fc.oneof(text, json) });

describe('a recording', () => {
  it('gives back every request as it was made', () => {
    const body = fc.oneof(
      json,
      fc.record(
        {
          model: text,
          messages: fc.array(message, { maxLength: 12 }),
          $: json,
          marked: fc.constantFrom<Json>({ $first: 1, more: [] }, { $: 3 }, { $$: { $: 1 } }),
          tools: fc.array(json),
        },
        { requiredKeys: [] },
      ),
    );
    fc.assert(
      fc.property(fc.array(body, { maxLength: 6 }), (bodies) => {
        const { reader } = recorded((writer) =>
          bodies.forEach((each, index) => writer.request(request(index + 1, each as Json))),
        );
        expect(reader.exchanges.map((exchange) => exchange.request.body)).toEqual(bodies);
      }),
    );
  });

  it('gives back an answer as the agent reads it, whatever its events are', () => {
    const event = fc
      .tuple(fc.option(fc.constantFrom('message_start', 'delta'), { nil: undefined }), json)
      .map(([name, data]) => `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`);
    const stream = fc
      .array(fc.oneof(event, fc.constantFrom('data: [DONE]\n\n', ': ping\n\n', 'id: 3\ndata: {}\n\n', 'data: {"a":')), {
        maxLength: 12,
      })
      .map((blocks) => blocks.join(''));
    fc.assert(
      fc.property(fc.oneof(stream, fc.string()), (body) => {
        const kept = JSON.stringify(new EventCompactor().compact(readEvents(body)));
        expect(writeEvents(new EventExpander().expand(JSON.parse(kept) as CompactEvent[]))).toBe(
          writeEvents(readEvents(body)),
        );
        const { reader } = recorded((writer) => {
          writer.request(request(1, {}));
          writer.answer(answer(1, body));
          writer.request(request(2, { messages: [body] }));
          writer.answer(answer(2, body));
        });
        for (const { answer: read } of reader.exchanges) expect(read?.body).toBe(writeEvents(readEvents(body)));
      }),
    );
  });

  it('changes nothing in the usual streams but the spaces', () => {
    const usual =
      'event: message_start\ndata: {"type":"message_start"}\n\nevent: delta\ndata: {"text":"Hel"}\n\nevent: delta\ndata: {"text":"lo"}\n\ndata: [DONE]\n\n';
    expect(writeEvents(readEvents(usual))).toBe(usual);
    expect(writeEvents(readEvents('data: {"a": 1}\r\n\r\n'))).toBe('data: {"a":1}\n\n');
  });

  it('spells out what some readers take for the end of a line', () => {
    const written = writeEvents(readEvents('data: {"text":"a\u2028b\u2029c\u0085d"}\n\n'));
    expect(written).toBe(String.raw`data: {"text":"a\u2028b\u2029c\u0085d"}` + '\n\n');
    expect(readEvents(written)).toEqual(readEvents('data: {"text":"a\u2028b\u2029c\u0085d"}\n\n'));
  });

  it('keeps answers that are no streams: JSON, and text', () => {
    const { reader } = recorded((writer) => {
      writer.request(request(1, {}));
      writer.answer(answer(1, '{ "id": "x", "choices": [] }', 'application/json'));
      writer.request(request(2, {}));
      writer.answer(answer(2, 'upstream broke', 'text/html'));
    });
    expect(reader.exchanges.map((each) => each.answer?.body)).toEqual(['{"id":"x","choices":[]}', 'upstream broke']);
  });

  it('keeps a conversation once, however often it is sent', () => {
    const turn = (index: number): Json[] => [
      {
        role: 'assistant',
        content: `step ${index}: `.padEnd(400, 'x'),
        tool_calls: [{ id: `call_${index}`, function: { name: 'bash', arguments: `{"command":"ls ${index}"}` } }],
      },
      { role: 'tool', tool_call_id: `call_${index}`, content: `${index} `.repeat(700) },
    ];
    const turns = 60;
    const all = Array.from({ length: turns }, (_, index) => turn(index));
    const tools = Array.from({ length: 12 }, (_, index) => ({
      type: 'function',
      function: { name: `tool_${index}`, description: 'd'.repeat(500) },
    }));
    const { lines } = recorded((writer) =>
      all.forEach((_, index) =>
        writer.request(request(index + 1, { model: 'm', tools, messages: all.slice(0, index + 1).flat() })),
      ),
    );
    const last = JSON.stringify({ model: 'm', tools, messages: all.flat() }).length;
    expect(lines.join('\n').length).toBeLessThan(1.2 * last);
  });

  it('costs a mark that moves from message to message no second copy of the message', () => {
    const said = (index: number): string => `${index} `.repeat(900);
    const marked = (count: number): Json => ({
      messages: Array.from({ length: count }, (_, index) => ({
        role: 'user',
        content: [
          { type: 'text', text: said(index), ...(index === count - 1 ? { cache_control: { type: 'ephemeral' } } : {}) },
        ],
      })),
    });
    const { lines } = recorded((writer) =>
      Array.from({ length: 20 }, (_, index) => writer.request(request(index + 1, marked(index + 1)))),
    );
    expect(lines.join('\n').length).toBeLessThan(1.3 * JSON.stringify(marked(20)).length);
  });

  it('writes streamed text in a few bytes an event', () => {
    const words = 'The quick brown fox jumps over the lazy dog. '.repeat(40).match(/.{1,4}/g) ?? [];
    const body = words
      .map(
        (delta, index) =>
          `event: response.output_text.delta\ndata: ${JSON.stringify({ type: 'response.output_text.delta', sequence_number: index, item_id: 'msg_0123456789abcdef', output_index: 0, content_index: 0, delta, logprobs: [] })}\n\n`,
      )
      .join('');
    const { lines } = recorded((writer) => {
      writer.request(request(1, {}));
      writer.answer(answer(1, body));
    });
    expect((lines.at(-1)?.length ?? 0) / body.length).toBeLessThan(0.12);
  });

  it('reads up to the line that was cut off, and says what is missing', () => {
    const { lines } = recorded((writer) => {
      writer.request(request(1, { messages: ['a'.repeat(200)] }));
      writer.request(request(2, { messages: ['a'.repeat(200), 'b'.repeat(200)] }));
    });
    const reader = new RecordingReader();
    const [head = '', ...rest] = lines;
    reader.line(head);
    const withoutPart = rest.filter((line) => !line.startsWith('{"part":1,'));
    expect(() => withoutPart.forEach((line) => reader.line(line))).toThrow('part 1 is missing');
  });
});

describe('secrets', () => {
  const redactor = new Redactor();
  const clean = (each: string): string => redactor.text(each);

  it('are taken out of requests, but never out of the ids that tie a result to its call', () => {
    const { reader } = recorded(
      (writer) =>
        writer.request(request(1, { messages: [{ role: 'tool', tool_call_id: key, content: `the key is ${key}` }] })),
      clean,
    );
    expect(JSON.stringify(reader.exchanges[0]?.request.body)).toMatch(
      /^\{"messages":\[\{"role":"tool","tool_call_id":"sk-ant-[^"]+","content":"the key is \[redacted:[^"]+\]"\}\]\}$/,
    );
  });

  it('are found in an answer however its stream is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: key.length - 1 }), { maxLength: 8 }), (cuts) => {
        const said = `Your key: ${key} is set.`;
        const edges = [0, ...new Set(cuts.map((cut) => cut + 10)), said.length].toSorted((one, other) => one - other);
        const pieces = edges.slice(1).map((edge, index) => said.slice(edges[index], edge));
        const body = pieces
          .map((delta) => `data: ${JSON.stringify({ choices: [{ delta: { content: delta } }] })}\n\n`)
          .join('');
        const { lines, reader } = recorded((writer) => {
          writer.request(request(1, {}));
          writer.answer(answer(1, body));
        }, clean);
        const contents = readEvents(reader.exchanges[0]?.answer?.body ?? '').map((event) =>
          typeof event === 'string' ? '' : event.leaves[0],
        );
        expect(contents.join('')).toBe(redactor.text(said));
        expect(lines.join('\n')).not.toContain(key.slice(10, 30));
      }),
    );
  });
});

it('a difference and what it was made from give the later body', () => {
  const body = json.filter(isObject);
  fc.assert(
    fc.property(body, body, fc.array(json), fc.array(json), (one, other, shared, more) => {
      const [before, now]: JsonObject[] = [
        { ...one, list: shared },
        { ...other, list: [...shared, ...more] },
      ];
      expect(applyDifference(before as JsonObject, differenceFrom(before as JsonObject, now as JsonObject))).toEqual(
        now,
      );
    }),
  );
});
