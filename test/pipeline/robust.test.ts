import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/events/event.ts';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import { Reader } from '../../src/pipeline/reader.ts';
import { tables } from '../across/expected/index.ts';
import { allRecordings, loadRecording, type Recording, withOneLong } from '../support/recordings.ts';
import { fuzzRuns, fuzzSeed } from '../support/fuzz.ts';
import { eventOf } from '../support/records.ts';
import { isSweep } from '../support/sweep.ts';

/** Of each recording: there are hundreds. */
const numRuns = fuzzRuns(isSweep ? 12 : 3);
const seed = fuzzSeed;

type Stream = Pick<Recording, 'stdout' | 'stderr' | 'exit'>;

const fixtures = join(import.meta.dirname, '..', 'fixtures');

/** A stream that was made by hand: with the exit code that it expects, or a document. */
function fixture(name: string): Stream {
  const isDocument = name.endsWith('.json');
  const stdout = readFileSync(join(fixtures, name, ...(isDocument ? [] : ['wire.jsonl'])));
  const { exit } = isDocument
    ? { exit: 0 }
    : (JSON.parse(readFileSync(join(fixtures, name, 'expected.json'), 'utf8')) as { exit: number });
  return { stdout, stderr: new Uint8Array(), exit: { exit_code: exit, signal: null } };
}

const madeByHand = [
  ...readdirSync(join(fixtures, 'claude')).map((name) => `claude/${name}`),
  ...readdirSync(join(fixtures, 'atif')).flatMap((name) => (name.endsWith('.json') ? [`atif/${name}`] : [])),
];

/** `npm run fuzz` damages the long ones, too. */
const recordings = process.env['FUZZ_RUNS'] === undefined ? withOneLong(allRecordings(tables)) : allRecordings(tables);

const streams: { name: string; load: () => Stream }[] = [
  ...recordings.map(({ name, folder, scenario }) => ({ name, load: () => loadRecording(folder, scenario) })),
  ...madeByHand.map((name) => ({ name: `fixtures/${name}`, load: () => fixture(name) })),
];

function read(recording: Stream, chunks: readonly Uint8Array[]): { events: AgentEvent[]; outcome: RunOutcome } {
  const events: AgentEvent[] = [];
  let last = 0;
  const reader = new Reader({
    newId: () => 'thread-1',
    onRecord(record) {
      events.push(eventOf(record));
      assert(record.sequence === last + 1, `record ${record.sequence} follows ${last}`);
      last = record.sequence;
    },
  });
  for (const chunk of chunks) reader.stdout(chunk);
  reader.stderr(recording.stderr);
  return { events, outcome: reader.end(recording.exit) };
}

type Mutation = { at: number; length: number } & (
  | { kind: 'flip'; byte: number }
  | { kind: 'drop' }
  | { kind: 'insert'; bytes: Uint8Array }
  | { kind: 'truncate' }
  | { kind: 'repeat' }
);

const place = { at: fc.nat(), length: fc.integer({ min: 1, max: 200 }) };
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({ kind: fc.constant('flip' as const), byte: fc.integer({ min: 0, max: 255 }), ...place }),
  fc.record({ kind: fc.constant('drop' as const), ...place }),
  fc.record({ kind: fc.constant('insert' as const), bytes: fc.uint8Array({ minLength: 1, maxLength: 20 }), ...place }),
  fc.record({ kind: fc.constant('truncate' as const), ...place }),
  fc.record({ kind: fc.constant('repeat' as const), ...place }),
);

function mutate(bytes: Uint8Array, mutations: readonly Mutation[]): Uint8Array {
  let out = Buffer.from(bytes);
  for (const each of mutations) {
    if (out.length === 0) break;
    const at = each.at % out.length;
    const end = Math.min(out.length, at + each.length);
    switch (each.kind) {
      case 'flip':
        out[at] = each.byte;
        break;
      case 'drop':
        out = Buffer.concat([out.subarray(0, at), out.subarray(end)]);
        break;
      case 'insert':
        out = Buffer.concat([out.subarray(0, at), each.bytes, out.subarray(at)]);
        break;
      case 'truncate':
        out = out.subarray(0, at);
        break;
      case 'repeat':
        out = Buffer.concat([out.subarray(0, end), out.subarray(at)]);
    }
  }
  return out;
}

/** Without `expect`, which takes longer than all the rest for each of millions of events. */
function checkLifecycle(events: readonly AgentEvent[]): void {
  assert.equal(events[0]?.type, 'thread.started');
  assert.equal(events.at(-1)?.type, 'thread.completed');
  const open = new Set<string>();
  const streamed = new Map<string, string>();
  let ends = 0;
  for (const event of events) {
    if (event.type === 'thread.completed') ends += 1;
    if (event.type === 'item.started') {
      assert(!open.has(event.item_id), `${event.item_id} begins twice`);
      open.add(event.item_id);
    }
    if (event.type === 'item.completed') assert(open.delete(event.item_id), `${event.item_id} ends, and never began`);
    if (event.type === 'text.delta') streamed.set(event.block_id, (streamed.get(event.block_id) ?? '') + event.text);
    if (event.type === 'text.completed') {
      assert.equal(streamed.get(event.block_id) ?? '', event.text);
      streamed.delete(event.block_id);
    }
  }
  assert.equal(ends, 1);
  assert.equal(open.size, 0);
}

describe.each(streams)('$name', ({ load }) => {
  const recording = load();
  const whole = read(recording, [recording.stdout]);

  it('has every start with its end, and deltas that agree with whole texts', () => checkLifecycle(whole.events));

  it('reads the same however the bytes arrive', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 8 }), (cuts) => {
        const places = [
          ...new Set(cuts.map((cut) => (recording.stdout.length === 0 ? 0 : cut % recording.stdout.length))),
        ].toSorted((a, b) => a - b);
        const chunks = [0, ...places].map((start, index) =>
          recording.stdout.subarray(start, places[index] ?? recording.stdout.length),
        );
        expect(read(recording, chunks).events).toEqual(whole.events);
      }),
      { numRuns: Math.min(numRuns, 5), seed },
    );
  });

  it('survives any damage, and no damage makes a failure a success', () => {
    fc.assert(
      fc.property(fc.array(mutation, { minLength: 1, maxLength: 3 }), (mutations) => {
        const { events, outcome } = read(recording, [mutate(recording.stdout, mutations)]);
        checkLifecycle(events);
        if (whole.outcome.verdict.class !== 'success') assert.notEqual(outcome.verdict.class, 'success');
      }),
      { numRuns, seed },
    );
  });
});

/** Damage that once made a success of a failure. */
const found: readonly [folder: string, scenario: string, mutations: Mutation[]][] = [
  ['gemini@0.61.0', 'denied', [{ kind: 'flip', byte: 0, at: 787598887, length: 1 }]],
  ['gemini@0.61.0', 'denied', [drop(1082889645, 123), drop(1054250748, 111)]],
  ['gemini@0.61.0', 'denied', [insert(1070603639, [0, 0, 32]), insert(1364918577, [32, 0])]],
  ['gemini@0.61.0', 'denied', [drop(0, 177), repeat(50340432, 1), drop(130549714, 192)]],
  ['gemini@0.61.0', 'denied', [repeat(0, 179), repeat(1370523619, 178), { kind: 'flip', byte: 0, at: 0, length: 1 }]],
  ['gemini@0.61.0', 'denied', [{ kind: 'flip', byte: 0, at: 1860921118, length: 1 }]],
  ['gemini@0.61.0', 'denied', [drop(1689784138, 1)]],
  [
    'gemini@0.61.0',
    'denied',
    [repeat(190873087, 118), drop(1835064624, 117), { kind: 'flip', byte: 0, at: 1450372856, length: 1 }],
  ],
  [
    'gemini@0.61.0',
    'denied',
    [drop(1166467226, 79), drop(843343667, 72), { kind: 'flip', byte: 32, at: 8576414, length: 1 }],
  ],
  ['gemini@0.61.0', 'denied', [drop(1685534688, 119), drop(1387437334, 24)]],
  ['gemini@0.61.0', 'denied', [repeat(1710676034, 196)]],
  ['qwen@0.24.4', 'denied', [repeat(661864443, 130), drop(743721364, 2), insert(0, [0])]],
  ['gemini-json@0.61.0', 'stream-error', [drop(291482525, 96), drop(513315613, 1)]],
  ['pi-anthropic@0.73.1', 'denied', [repeat(0, 150), repeat(102736763, 143), drop(1762480910, 33)]],
  ['pi-anthropic@0.73.1', 'denied', [drop(2347281, 23), repeat(1215877077, 1)]],
  ['pi-responses@0.73.1', 'denied', [insert(2008902563, [32, 0])]],
  ['qwen@0.24.4', 'denied', [repeat(234888342, 1)]],
  [
    'qwen@0.24.4',
    'denied',
    [insert(1355926507, [9, 0, 0, 0, 0, 0]), insert(274408406, [0, 0, 33, 0]), drop(584721548, 151)],
  ],
  [
    'gemini@0.61.0',
    'denied',
    [repeat(39698089, 19), drop(79818301, 56), { kind: 'flip', byte: 32, at: 1322234900, length: 1 }],
  ],
  ['qwen-json@0.24.4', 'denied', [{ kind: 'flip', byte: 0, at: 6664137, length: 1 }]],
  ['qwen-partial@0.24.4', 'denied', [{ kind: 'flip', byte: 0, at: 1084048003, length: 1 }]],
];

/** The same in streams that were made by hand. */
const foundInFixtures: readonly (readonly [fixture: string, mutations: Mutation[]])[] = [
  ['claude/denied', [{ kind: 'flip', byte: 0, at: 517457956, length: 1 }]],
  ['claude/denied', [drop(0, 88), { kind: 'flip', byte: 0, at: 501975720, length: 1 }]],
  ['claude/hook-stopped', [{ kind: 'flip', byte: 0, at: 1829973069, length: 1 }, insert(1287515227, [32])]],
  [
    'claude/hook-stopped',
    [
      { kind: 'flip', byte: 0, at: 1314660557, length: 1 },
      { kind: 'flip', byte: 0, at: 1325448522, length: 1 },
    ],
  ],
  // Read as another agent's.
  ['claude/refusal', [drop(233, 3), drop(50, 4)]],
  ['claude/denied', [drop(216, 141), insert(54, [0, 0, 32, 77, 141]), { kind: 'flip', byte: 159, at: 401, length: 1 }]],
  // Keys that are nearly right, and what is left of a line.
  [
    'claude/hook-stopped',
    [{ kind: 'flip', byte: 44, at: 1176, length: 1 }, repeat(2, 4), { kind: 'flip', byte: 27, at: 1945, length: 1 }],
  ],
  ['claude/hook-stopped', [repeat(1940, 1), { kind: 'flip', byte: 92, at: 1227, length: 1 }]],
  ['claude/hook-stopped', [repeat(1158, 1), drop(1940, 1), drop(1763, 114)]],
  // A document that is still JSON, but no longer what its format allows.
  ['atif/v1.7-sub-agents.json', [insert(1383, [32])]],
  ['atif/v1.7-sub-agents.json', [drop(1986, 3)]],
  ['atif/v1.7-sub-agents.json', [drop(1874, 64)]],
  ['atif/v1.7-sub-agents.json', [repeat(1268, 1)]],
  ['atif/v1.7-sub-agents.json', [insert(1593, [32])]],
  ['atif/v1.7-sub-agents.json', [drop(1346, 2)]],
  ['atif/v1.7-sub-agents.json', [repeat(1157, 1)]],
  ['atif/v1.7-sub-agents.json', [drop(1375, 4)]],
  ['atif/v1.7-sub-agents.json', [insert(1319, [32])]],
  ['atif/v1.7-sub-agents.json', [repeat(1888, 2)]],
  ['atif/v1.7-sub-agents.json', [drop(1043, 80)]],
  ['atif/v1.7-sub-agents.json', [drop(20, 3), drop(2314, 176)]],
  ['atif/v1.7-sub-agents.json', [{ kind: 'flip', byte: 134, at: 1998, length: 1 }]],
];

it.each(foundInFixtures)('no success comes of the fixture %s with %j', (name, mutations) => {
  const stream = fixture(name);
  expect(read(stream, [mutate(stream.stdout, mutations)]).outcome.verdict.class).not.toBe('success');
});

function drop(at: number, length: number): Mutation {
  return { kind: 'drop', at, length };
}

function repeat(at: number, length: number): Mutation {
  return { kind: 'repeat', at, length };
}

function insert(at: number, bytes: number[]): Mutation {
  return { kind: 'insert', bytes: Uint8Array.from(bytes), at, length: 1 };
}

it.each(found)('no success comes of %s %s with %j', (folder, scenario, mutations) => {
  const recording = loadRecording(folder, scenario);
  expect(read(recording, [mutate(recording.stdout, mutations)]).outcome.verdict.class).not.toBe('success');
});
