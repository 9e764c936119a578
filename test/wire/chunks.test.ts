import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AnswerMeter } from '../../src/wire/answer-meter.ts';
import { apiOf } from '../../src/wire/apis/registry.ts';
import { EventReader } from '../../src/wire/event-reader.ts';
import { fuzzRuns, fuzzSeed } from '../support/fuzz.ts';
import { answerOf } from '../support/model-server/answer.ts';
import { formats } from '../support/model-server/routes.ts';
import { steepest, steepnessOf } from '../support/growth.ts';
import { apis } from './support/clients.ts';
import { type ModelApi, modelApis } from '../../src/words/vocabulary.ts';

const usage = { input: 900, cached: 700, output: 120, reasoning: 80 };

/** A whole stream, as the model server writes it. */
function streamOf(name: ModelApi, text: string): Buffer {
  const format = formats[apis[name].format];
  const facts = format.decode(apis[name].body(true), { path: '', model: 'gemini-3-pro', stream: true });
  const turn = { text, reasoning: text, calls: [{ name: 'add', args: { text } }], usage, chunkSize: 7 };
  const answer = answerOf(turn, { request: 1, model: facts.model, body: '', callPrefix: format.callPrefix });
  const lines = format.frames(answer, facts).map(({ event, data }) => {
    const named = event === undefined ? '' : `event: ${event}${format.lineEnd}`;
    return `${named}data: ${typeof data === 'string' ? data : JSON.stringify(data)}${format.lineEnd}${format.lineEnd}`;
  });
  return Buffer.from(lines.join(''));
}

it.each(modelApis)('%s: figures do not depend on where the bytes are cut', async (name) => {
  const api = apiOf('POST', apis[name].path(true).replace(/\?.*/, ''));
  if (typeof api !== 'object') throw new Error(name);
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.array(fc.nat(), { maxLength: 40 }),
      async (text, cuts) => {
        const bytes = streamOf(name, text);
        const places = [...new Set(cuts.map((cut) => cut % bytes.length))].toSorted((a, b) => a - b);
        const meter = new AnswerMeter(api, { type: 'text/event-stream; charset=utf-8' });
        for (const [index, place] of [0, ...places].entries()) meter.push(bytes.subarray(place, places[index]));
        const { cached: cacheRead, ...counts } = usage;
        const reading = await meter.end(false);
        expect(reading.tokens).toMatchObject({ ...counts, cacheRead });
        expect(reading).toMatchObject({ usage: 'final', isWhole: true, finish: 'tool_calls' });
      },
    ),
    { numRuns: fuzzRuns(60), seed: fuzzSeed },
  );
});

it('an event that is too long is passed over, and the next one is read', () => {
  const seen: string[] = [];
  const reader = new EventReader((_name, data) => seen.push(data), { longest: 100 });
  for (const part of [
    'data: a\n\ndata: ',
    ...Array.from({ length: 50 }, () => 'x'.repeat(9)),
    '\n\n',
    'data: b\n\n',
    'data: c',
  ])
    reader.push(Buffer.from(part));
  reader.end();
  expect(seen).toEqual(['a', 'b', 'c']);
});

it('of events that tell nothing none is needed, and none that tells is lost, wherever the bytes are cut', () => {
  const event = fc.record({
    text: fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.replaceAll(/[\r\n]/g, '')),
    tells: fc.boolean(),
    lines: fc.constantFrom('\n', '\r\n', '\r'),
  });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), fc.array(fc.nat(), { maxLength: 60 }), (events, cuts) => {
      const texts = events.map(({ text, tells }, at) => `${at}${text}${tells ? '"usage"' : ''}`);
      const wire = events.map(({ lines }, at) => `event: e${lines}data: ${texts[at]}${lines}${lines}`).join('');
      const bytes = Buffer.from(wire);
      const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].toSorted((a, b) => a - b);
      const seen: string[] = [];
      const reader = new EventReader((_name, data) => seen.push(data), { telling: () => /"usage"/ });
      for (const [index, place] of [0, ...places].entries()) reader.push(bytes.subarray(place, places[index]));
      reader.end();
      const telling = (each: string): boolean => each.includes('"usage"');
      const whole = texts.map((text) => Buffer.from(text).toString());
      expect(seen.filter(telling)).toEqual(whole.filter(telling));
      expect(whole).toEqual(expect.arrayContaining(seen));
    }),
    { numRuns: fuzzRuns(200), seed: fuzzSeed },
  );
});

it.each([64 * 1024, 1400, 100])('long events that tell nothing are not read, in chunks of %s bytes', (size) => {
  const seen: number[] = [];
  const reader = new EventReader((_name, data) => seen.push(data.length), { telling: () => /"usage"/ });
  const filler = `data: ${'x'.repeat(4000)}\n\n`;
  const bytes = Buffer.from(`${filler.repeat(100)}data: "usage"\n\n${filler.repeat(100)}`);
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
  reader.end();
  expect(seen).toContain('"usage"'.length);
  expect(seen.length).toBeLessThan(40);
});

it.each([
  ['many events', (size: number) => 'data: {"a":1}\n\n'.repeat(size)],
  ['one event', (size: number) => `data: ${'x'.repeat(14 * size)}\n\n`],
  ['no event', (size: number) => '\r\n'.repeat(7 * size)],
])('%s: reading costs as much as there is to read', (_name, textOf) => {
  const work = (size: number): void => {
    const bytes = Buffer.from(textOf(size));
    const reader = new EventReader(() => {});
    for (let at = 0; at < bytes.length; at += 1400) reader.push(bytes.subarray(at, at + 1400));
    reader.end();
  };
  expect(steepnessOf(work)).toBeLessThan(steepest);
});
