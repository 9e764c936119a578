import { assert, constantFrom, double, property, record } from 'fast-check';
import { expect, it } from 'vitest';
import { dialects, findDialect, findWriter } from '../../src/dialects/registry.ts';
import type { EventRecord } from '../../src/events/event.ts';
import { Reader } from '../../src/pipeline/reader.ts';
import type { ProcessEnd } from '../../src/pipeline/thread.ts';
import { Writer } from '../../src/pipeline/writer.ts';
import { fuzzRuns, fuzzSeed } from '../support/fuzz.ts';
import { allRecordings, loadRecording } from '../support/recordings.ts';
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

type Change = (lines: readonly string[], at: number) => readonly string[];

/** What happens to streams: `at` is a place in it, from 0 to 1. */
const changes: Record<string, Change> = {
  none: (lines) => lines,
  'cut between lines': (lines, at) => lines.slice(0, Math.ceil(lines.length * at)),
  'cut in a line': (lines, at) => {
    const kept = lines.slice(0, Math.ceil(lines.length * at));
    return [...kept.slice(0, -1), (kept.at(-1) ?? '').slice(0, -3)];
  },
  'a line lost': (lines, at) => lines.toSpliced(Math.floor(lines.length * at), 1),
  'a line twice': (lines, at) => lines.toSpliced(Math.floor(lines.length * at), 0, lines[Math.floor(lines.length * at)] ?? ''),
  'a line damaged': (lines, at) => lines.with(Math.min(Math.floor(lines.length * at), lines.length - 1), '{"type":"res'),
  'a second run begun': (lines, at) => [...lines, ...lines.slice(0, Math.ceil(lines.length * at))],
};

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
    reader.stdout(Buffer.from((changes[change] as Change)(lines, at).join('\n')));
    if (hasStderr) reader.stderr(stderr);
    const before = reader.end(end === 'as it was' ? exit : end);
    const { dialect, variant } = findWriter(to);
    const writer = new Writer(dialect, variant);
    for (const each of records) writer.record(each);
    writer.end(before);
    const again = new Reader({ dialect });
    again.stdout(Buffer.from(writer.take()));
    const after = again.end();
    expect({ isSuccess: after.verdict.class === 'success', verdict: after.verdict }).toMatchObject({
      isSuccess: before.verdict.class === 'success',
    });
  });
  assert(check, { numRuns: fuzzRuns(250), seed: fuzzSeed });
});
