import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert, constantFrom, double, property, record } from 'fast-check';
import { expect, it } from 'vitest';
import { dialects, findDialect, findWriter } from '../../src/dialects/registry.ts';
import type { EventRecord } from '../../src/events/event.ts';
import { Reader } from '../../src/pipeline/reader.ts';
import type { ProcessEnd } from '../../src/pipeline/thread.ts';
import { Writer } from '../../src/pipeline/writer.ts';
import type { Dialect } from '../../src/dialects/dialect.ts';
import type { JsonObject } from '../../src/json/json.ts';
import { wiresOf } from '../support/front-ends.ts';
import { fuzzRuns, fuzzSeed } from '../support/fuzz.ts';
import { allRecordings, loadRecording, withOneLong } from '../support/recordings.ts';
import { changes } from '../support/stream-changes.ts';
import { tables } from './expected/index.ts';
import { isSweep } from '../support/sweep.ts';

const targets = dialects
  .flatMap(({ id, encoder, variants = [] }) =>
    encoder === undefined ? [] : variants.length === 0 ? [id] : variants.map(({ name }) => `${id}:${name}`),
  )
  .filter(isWritten);

function isWritten(name: string): boolean {
  try {
    findWriter(name);
    return true;
  } catch {
    return false;
  }
}

const ends: readonly (ProcessEnd | undefined)[] = [
  undefined,
  { exit_code: 0, signal: null },
  { exit_code: 1, signal: null },
  { exit_code: null, signal: 'SIGKILL' },
  { exit_code: null, signal: 'SIGSEGV' },
  { exit_code: null, signal: 'SIGTERM', timedOut: true },
];

function reread(text: string, dialect: Dialect): { isSuccess: boolean; verdict: unknown } {
  const again = new Reader({ dialect });
  again.stdout(Buffer.from(text));
  const { verdict } = again.end();
  return { isSuccess: verdict.class === 'success', verdict };
}

/** What a front end takes the last run for that the stream tells. */
function toldOf(text: string, to: string): { isSuccess: boolean } {
  const wires = wiresOf(text);
  if (to.startsWith('ag-ui'))
    return { isSuccess: (wires.at(-1)?.['outcome'] as JsonObject | undefined)?.['type'] === 'success' };
  const reasons = wires.flatMap(({ type, finishReason }) => (type === 'finish' ? [finishReason] : []));
  return {
    isSuccess:
      reasons.length === 1 && reasons[0] !== 'error' && !wires.some(({ type }) => type === 'error' || type === 'abort'),
  };
}

it('a conversion makes no success of a failure, and no failure of a success', () => {
  const cases = record({
    recording: constantFrom(...withOneLong(allRecordings(tables))),
    change: constantFrom(...Object.keys(changes)),
    at: double({ min: 0, max: 1, noNaN: true }),
    end: constantFrom(...ends, 'as it was' as const),
    hasStderr: constantFrom(true, false),
    to: constantFrom(...targets),
  });
  const check = property(cases, ({ recording: { folder, scenario, expected }, change, at, end, hasStderr, to }) => {
    const { stdout, stderr, exit } = loadRecording(folder, scenario);
    const lines = Buffer.from(stdout)
      .toString()
      .split('\n')
      .filter((line) => line !== '');
    if (lines.length === 0) return;
    const records: EventRecord[] = [];
    const reader = new Reader({
      dialect: findDialect(expected.dialect),
      newId: () => 'thread',
      onRecord: (each) => void records.push(each),
    });
    reader.stdout(Buffer.from((changes[change]?.(lines, at) ?? []).join('\n')));
    if (hasStderr) reader.stderr(stderr);
    const before = reader.end(end === 'as it was' ? exit : end);
    const { dialect, variant } = findWriter(to);
    const writer = new Writer(dialect, variant);
    for (const each of records) writer.record(each);
    writer.end(before);
    const text = writer.take();
    const after = dialect.about.reads === undefined ? toldOf(text, to) : reread(text, dialect);
    expect({ to, ...after }).toMatchObject({ isSuccess: before.verdict.class === 'success' });
  });
  assert(check, { numRuns: fuzzRuns(isSweep ? 250 : 150), seed: fuzzSeed });
});

/** A session of Codex: its lines tell the end of each turn. */
const rollout = (...payloads: JsonObject[]): string =>
  [{ type: 'session_meta', id: 's', cwd: '/w' } as JsonObject, ...payloads]
    .map(({ type, ...rest }) => {
      const kind =
        type === 'session_meta'
          ? type
          : type === 'message' || String(type).startsWith('function_call')
            ? 'response_item'
            : 'event_msg';
      return `${JSON.stringify({ timestamp: '2026-01-01T00:00:00.000Z', type: kind, payload: { type, ...rest } })}\n`;
    })
    .join('');
const begun = [{ type: 'task_started' }, { type: 'user_message', message: 'do it' }];
const spoke = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I begin.' }] };
const called = [
  { type: 'function_call', name: 'shell', arguments: '{}', call_id: 'c1' },
  { type: 'function_call_output', call_id: 'c1', output: '{"output":"a","metadata":{"exit_code":0}}' },
];
const nothing = { type: 'task_complete', last_agent_message: null };
const aborted = { type: 'turn_aborted', reason: 'interrupted' };

it.each<[string, string]>([
  ['an aborted turn with words, then one that did nothing', rollout(...begun, spoke, aborted, ...begun, nothing)],
  ['an aborted turn with a call, then one that did nothing', rollout(...begun, ...called, aborted, ...begun, nothing)],
  ['an aborted turn with both, then one that was cut', rollout(...begun, spoke, ...called, aborted, ...begun)],
  ['an aborted turn, then a good one', rollout(...begun, ...called, aborted, ...begun, spoke, nothing)],
  ['a plan that is closed after the answer', openPlan()],
  // One turn went well, and the stream stops inside the next.
  ['a turn that only began after a good one, with notices between', cutFixture('background-task', 4)],
  ['a turn that only began after several good ones', cutFixture('several-results-cut', 1)],
  ['a turn that failed after a good one, and was cut', cutFixture('second-turn-fails', 1)],
])('the same is true of %s', (_title, stdout) => {
  const records: EventRecord[] = [];
  const reader = new Reader({ newId: () => 'thread', onRecord: (each) => void records.push(each) });
  reader.stdout(Buffer.from(stdout));
  const before = reader.end();
  const told = targets.map((to) => {
    const { dialect, variant } = findWriter(to);
    const writer = new Writer(dialect, variant);
    for (const each of records) writer.record(each);
    writer.end(before);
    const text = writer.take();
    return [to, (dialect.about.reads === undefined ? toldOf(text, to) : reread(text, dialect)).isSuccess];
  });
  expect(told).toEqual(targets.map((to) => [to, before.verdict.class === 'success']));
});

/** A stream of Claude Code without its last lines. */
function cutFixture(name: string, missing: number): string {
  const text = readFileSync(join(import.meta.dirname, '..', 'fixtures', 'claude', name, 'wire.jsonl'), 'utf8');
  return text
    .split(/(?<=\n)/)
    .slice(0, -missing)
    .join('');
}

function openPlan(): string {
  const items = (completed: boolean) => [{ text: 'look', completed }];
  const lines = [
    { type: 'thread.started', thread_id: 't' },
    { type: 'turn.started' },
    { type: 'item.started', item: { id: 'item_0', type: 'todo_list', items: items(false) } },
    { type: 'item.completed', item: { id: 'item_1', type: 'agent_message', text: 'Done.' } },
    { type: 'item.completed', item: { id: 'item_0', type: 'todo_list', items: items(true) } },
    { type: 'turn.completed', usage: { input_tokens: 12, cached_input_tokens: 3, output_tokens: 8 } },
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}
