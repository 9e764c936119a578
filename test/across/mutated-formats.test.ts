import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AgentEvent } from '../../src/events/event.ts';
import { fuzzRuns, fuzzSeed } from '../support/fuzz.ts';
import { isSweep } from '../support/sweep.ts';
import { wiresOf } from '../support/front-ends.ts';
import { pass } from '../support/pipeline.ts';
import { allRecordings, loadRecording } from '../support/recordings.ts';
import { tables } from './expected/index.ts';

// Runs in the formats that others write and hand around, as somebody else may have changed them on the way.

type Value = unknown;

const strange = [
  'null',
  'true',
  '0',
  '-1',
  '1e308',
  '""',
  '"x"',
  '"__proto__"',
  '"constructor"',
  '1e999',
  '[]',
  '{}',
  '[[]]',
  '{"constructor":1}',
];
const proto = '{"__proto__":{"status":"success","stopReason":"end_turn","type":"x"}}';
/** Stands for what is nested more deeply than any stack. */
const deep = '@deep@';
const nested = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;

/** All places of a document that hold a value. */
function placesOf(
  value: Value,
  found: [holder: Record<string, Value>, key: string][] = [],
): [Record<string, Value>, string][] {
  if (typeof value !== 'object' || value === null) return found;
  for (const [key, inner] of Object.entries(value)) {
    found.push([value as Record<string, Value>, key]);
    placesOf(inner, found);
  }
  return found;
}

function isOutcomeOf(value: Value): boolean {
  return typeof value === 'object' && value !== null && 'outcome' in value && typeof value.outcome === 'object';
}

/** Also where the key is `__proto__`. */
function put(holder: Record<string, Value>, key: string, value: Value): void {
  Object.defineProperty(holder, key, { value, configurable: true, enumerable: true, writable: true });
}

interface Change {
  kind: 'other type' | 'drop' | 'twice' | 'proto' | 'deep' | 'move' | 'cut';
  at: number;
  to: number;
}

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('other type', 'other type', 'other type', 'twice', 'proto', 'deep', 'move', 'cut'),
  at: fc.nat(),
  to: fc.nat(),
});

function changed(text: string, changes: readonly Change[]): string {
  const lines: Value[] = wiresOf(text);
  let cut: number | undefined;
  for (const { kind, at, to } of changes) {
    // Who takes the outcome away whole leaves a run of which nobody says how it ended.
    const places = placesOf(lines).filter(([inside, name]) => !isOutcomeOf(inside[name]));
    const [holder, key] = places[at % places.length] ?? [{}, ''];
    if (kind === 'other type') put(holder, key, JSON.parse(strange[to % strange.length] ?? ''));
    else if (kind === 'proto') put(holder, key, JSON.parse(proto));
    else if (kind === 'deep') put(holder, key, deep);
    else if (kind === 'twice' && Array.isArray(holder)) holder.splice(Number(key), 0, holder[Number(key)]);
    else if (kind === 'move' && Array.isArray(holder))
      holder.splice(to % holder.length, 0, ...holder.splice(Number(key), 1));
    else if (kind === 'cut') cut = at;
  }
  const whole = lines.map((line) => `${JSON.stringify(line).replaceAll(`"${deep}"`, nested)}\n`).join('');
  return cut === undefined ? whole : whole.slice(0, cut % (whole.length + 1));
}

const recordings = allRecordings(tables);

it.each(['atif', 'acp', 'acp:agent', 'ai-sdk-ui', 'ag-ui'])(
  '%s: no change breaks a reading, or makes a success of a failure',
  (format) => {
    const written = new Map<string, { text: string; isSuccess: boolean }>();
    const inFormat = (index: number) => {
      const { folder, scenario, name } = recordings[index % recordings.length] ?? recordings[0]!;
      let known = written.get(name);
      if (known === undefined) {
        const { stdout, stderr, exit } = loadRecording(folder, scenario);
        const { text, outcome } = pass(
          { stdout: Buffer.from(stdout).toString(), stderr: Buffer.from(stderr).toString(), exit },
          format,
        );
        written.set(name, (known = { text, isSuccess: outcome.verdict.class === 'success' }));
      }
      return known;
    };
    fc.assert(
      fc.property(fc.nat(), fc.array(change, { minLength: 1, maxLength: 3 }), (index, changes) => {
        const { text, isSuccess } = inFormat(index);
        const { events, outcome } = pass({ stdout: changed(text, changes) });
        // The schema ends with the stack before our reading does.
        const checked = changes.some(({ kind }) => kind === 'deep') ? [] : events;
        for (const event of checked) expect(AgentEvent.safeParse(event).error).toBeUndefined();
        if (!isSuccess) expect(outcome.verdict.class).not.toBe('success');
      }),
      { numRuns: fuzzRuns(isSweep ? 120 : 20), seed: fuzzSeed },
    );
  },
);
