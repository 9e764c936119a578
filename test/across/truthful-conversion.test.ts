import { assert, constantFrom, double, property, record } from 'fast-check';
import { expect, it } from 'vitest';
import { dialects, findDialect, findWriter } from '../../src/dialects/registry.ts';
import type { EventRecord } from '../../src/events/event.ts';
import { Reader } from '../../src/pipeline/reader.ts';
import type { ProcessEnd } from '../../src/pipeline/thread.ts';
import { Writer } from '../../src/pipeline/writer.ts';
import type { Dialect, JsonObject } from '../../src/dialects/dialect.ts';
import { wiresOf } from '../support/front-ends.ts';
import { fuzzRuns, fuzzSeed } from '../support/fuzz.ts';
import { allRecordings, loadRecording } from '../support/recordings.ts';
import { changes } from '../support/stream-changes.ts';
import { tables } from './expected/index.ts';

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
  if (to.startsWith('ag-ui')) return { isSuccess: (wires.at(-1)?.['outcome'] as JsonObject | undefined)?.['type'] === 'success' };
  const reasons = wires.flatMap(({ type, finishReason }) => (type === 'finish' ? [finishReason] : []));
  return { isSuccess: reasons.length === 1 && reasons[0] !== 'error' && !wires.some(({ type }) => type === 'error' || type === 'abort') };
}

it('a conversion makes no success of a failure, and no failure of a success', () => {
  const cases = record({
    recording: constantFrom(...allRecordings(tables)),
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
  assert(check, { numRuns: fuzzRuns(250), seed: fuzzSeed });
});
