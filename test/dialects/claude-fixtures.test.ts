import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claude } from '../../src/dialects/claude/index.ts';
import { Line } from '../../src/dialects/claude/wire.ts';
import type { JsonObject } from '../../src/json/json.ts';
import { dialects, findWriter } from '../../src/dialects/registry.ts';
import type { AgentEvent, EventRecord } from '../../src/events/event.ts';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import { Reader } from '../../src/pipeline/reader.ts';
import { Writer } from '../../src/pipeline/writer.ts';
import { fuzzRuns, fuzzSeed } from '../support/fuzz.ts';
import { eventOf } from '../support/records.ts';

const home = join(import.meta.dirname, '..', 'fixtures', 'claude');
const published = join(import.meta.dirname, '..', '..', '..', 'shared', 'public-streams');
const numRuns = fuzzRuns(12);
const seed = fuzzSeed;

interface Expected {
  class: string;
  message: string;
  tools: [string, string][];
  tokens: { input: number; output: number } | null;
  cost: number | null;
  warnings: number;
  exit: number;
  /** What the messages alone add up to, where they tell it all. */
  steps?: [number, number];
  model?: string;
  artifacts?: [string, string][];
  /** The result object alone. */
  document?: boolean;
}

interface Read {
  events: AgentEvent[];
  records: EventRecord[];
  outcome: RunOutcome;
}

function read(stdout: string | Uint8Array, end?: { exit: number; stderr: string }, isNamed = true): Read {
  const events: AgentEvent[] = [];
  const records: EventRecord[] = [];
  const reader = new Reader({
    ...(isNamed ? { dialect: claude } : {}),
    newId: () => 'thread-1',
    onRecord(record) {
      events.push(eventOf(record));
      records.push(record);
    },
  });
  reader.stdout(typeof stdout === 'string' ? new TextEncoder().encode(stdout) : stdout);
  if (end !== undefined) reader.stderr(new TextEncoder().encode(end.stderr));
  const outcome = reader.end(end === undefined ? undefined : { exit_code: end.exit, signal: null });
  return { events, records, outcome };
}

function write(
  { records, outcome }: Pick<Read, 'records' | 'outcome'>,
  to: string,
): { text: string; losses: string[] } {
  const { dialect, variant } = findWriter(to);
  const writer = new Writer(dialect, variant);
  for (const record of records) writer.record(record);
  writer.end(outcome);
  return { text: writer.take(), losses: [...writer.losses.keys()] };
}

function objectsOf(text: string): JsonObject[] {
  return text.split('\n').flatMap((line): JsonObject[] => {
    try {
      const value: unknown = JSON.parse(line);
      return (Array.isArray(value) ? value : [value]) as JsonObject[];
    } catch {
      return [];
    }
  });
}

/**
 * The thread's end repeats the rest; what was not JSON on stdout is not written again; that a result was all there was shows
 * only where it is alone.
 */
function facts(events: readonly AgentEvent[]): AgentEvent[] {
  const told = events.filter(
    (event) => event.type !== 'thread.completed' && !(event.type === 'log' && event.stream === 'stdout'),
  );
  // Lines show their turns, so that the last of them need not be believed.
  return told.map((event) => {
    if (event.type !== 'agent.finished') return event;
    const { turns: _turns, ...rest } = event;
    return rest;
  });
}

function misfits(text: string): unknown[] {
  return objectsOf(text).flatMap((wire) => {
    const checked = Line.safeParse(wire);
    return checked.success ? [] : [{ wire, issues: checked.error.issues }];
  });
}

function checkLifecycle(events: readonly AgentEvent[]): void {
  expect(events[0]?.type).toBe('thread.started');
  expect(events.filter((event) => event.type === 'thread.completed')).toEqual([events.at(-1)]);
  const open = new Set<string>();
  const streamed = new Map<string, string>();
  for (const event of events) {
    if (event.type === 'item.started') {
      expect(open).not.toContain(event.item_id);
      open.add(event.item_id);
    }
    if (event.type === 'item.completed') expect(open.delete(event.item_id)).toBe(true);
    if (event.type === 'text.delta') streamed.set(event.block_id, (streamed.get(event.block_id) ?? '') + event.text);
    if (event.type === 'text.completed') {
      expect(streamed.get(event.block_id) ?? '').toBe(event.text);
      streamed.delete(event.block_id);
    }
  }
  expect(open.size).toBe(0);
}

describe.each(readdirSync(home).toSorted())('%s', (name) => {
  const file = (path: string): string => join(home, name, path);
  const wire = readFileSync(file('wire.jsonl'), 'utf8');
  const expected = JSON.parse(readFileSync(file('expected.json'), 'utf8')) as Expected;
  const end = {
    exit: expected.exit,
    stderr: existsSync(file('stderr.txt')) ? readFileSync(file('stderr.txt'), 'utf8') : '',
  };
  const whole = read(wire, end, false);

  it('says what it shows', () => expect(readFileSync(file('about.md'), 'utf8').trim()).not.toBe(''));

  it('is read as expected', () => {
    const { outcome } = whole;
    const { metrics } = outcome;
    expect({
      class: outcome.verdict.class,
      message: outcome.message,
      tools: outcome.tool_calls.map((call) => [call.name, call.status]),
      tokens: metrics.tokens_used === undefined ? null : { input: metrics.input_tokens, output: metrics.output_tokens },
      cost: metrics.cost ?? null,
      warnings: outcome.warnings.length,
      ...(expected.model === undefined ? {} : { model: metrics.model_name }),
      ...(expected.artifacts === undefined
        ? {}
        : { artifacts: outcome.artifacts.map((each) => [each.path, each.operation]) }),
    }).toEqual({
      class: expected.class,
      message: expected.message,
      tools: expected.tools,
      tokens: expected.tokens,
      cost: expected.cost,
      warnings: expected.warnings,
      ...(expected.model === undefined ? {} : { model: expected.model }),
      ...(expected.artifacts === undefined ? {} : { artifacts: expected.artifacts }),
    });
  });

  it('is understood to the last line', () => {
    expect(whole.events.filter((event) => event.type === 'line.unknown')).toEqual([]);
    checkLifecycle(whole.events);
  });

  it('is detected', () => {
    expect(whole.outcome.provenance.dialect).toBe('claude');
    const head = objectsOf(wire).slice(0, 20);
    const claims = dialects.filter((each) => each.detect(head, head.length > 0 ? [] : [end.stderr]) > 0.5);
    expect(claims.map((each) => each.id)).toEqual(['claude']);
  });

  it('fits the schema', () => expect(misfits(wire)).toEqual([]));

  if (expected.steps !== undefined) {
    it('counts the tokens message by message', () => {
      const steps = whole.events
        .filter((event) => event.type === 'usage.reported')
        .filter((event) => event.scope === 'step');
      const sum = (field: 'input_tokens' | 'output_tokens'): number =>
        steps.reduce((total, step) => total + (step[field] ?? 0), 0);
      expect([sum('input_tokens'), sum('output_tokens')]).toEqual(expected.steps);
    });
  }

  describe('written and read again', () => {
    const first = read(wire);
    const isStreamed = wire.includes('"stream_event"');

    it(`is the same as ${isStreamed ? 'partial' : 'stream-json'}`, () => {
      const { text } = write(first, isStreamed ? 'claude:partial' : 'claude:stream-json');
      const second = read(text);
      expect(facts(second.events)).toEqual(facts(first.events));
      expect(second.outcome.verdict.class).toBe(first.outcome.verdict.class);
      expect(misfits(text)).toEqual([]);
    });

    it.each(['claude:stream-json', 'claude:json-array', 'claude:partial', 'claude:json', 'runwire'])(
      'keeps the outcome as %s',
      (to) => {
        const { text, losses } = write(first, to);
        const events: AgentEvent[] = [];
        const reader = new Reader({
          dialect: findWriter(to).dialect,
          onRecord: (record) => void events.push(eventOf(record)),
        });
        reader.stdout(new TextEncoder().encode(text));
        const outcome = reader.end();
        const kept = ({ message, metrics, tool_calls, verdict }: RunOutcome): unknown => ({
          message: to === 'claude:json' && verdict.class !== 'success' ? '' : message,
          tools: losses.includes('tool_call') ? [] : tool_calls.map((call) => [call.name, call.status]),
          tokens: losses.includes('usage') ? [] : [metrics.input_tokens, metrics.output_tokens, metrics.cost],
          isGood: verdict.class === 'success',
        });
        expect(kept(outcome)).toEqual(kept(first.outcome));
        expect(events.filter((event) => event.type === 'line.unknown')).toEqual([]);
        expect(to === 'runwire' ? [] : misfits(text)).toEqual([]);
      },
    );
  });

  it('is no success when cut after any line, unless it was one by then', () => {
    const lines = wire.split('\n');
    for (let count = 0; count < lines.length; count += 1) {
      const head = lines.slice(0, count).map((line) => `${line}\n`);
      const { events, outcome } = read(head.join(''), end);
      checkLifecycle(events);
      const lastWord =
        head.findLast((line) => /"subtype":"(?:init|success|error_\w+)"|"type":"assistant"/.test(line)) ?? '';
      if (outcome.verdict.class === 'success') expect(lastWord).toContain('"subtype":"success","is_error":false');
    }
  });

  it('survives any damage, and no damage makes a failure a success', () => {
    const bytes = new TextEncoder().encode(wire);
    const place = fc.record({
      at: fc.nat(),
      length: fc.integer({ min: 1, max: 200 }),
      byte: fc.integer({ min: 0, max: 255 }),
    });
    const kind = fc.constantFrom('flip', 'drop', 'truncate', 'repeat');
    fc.assert(
      fc.property(fc.array(fc.tuple(kind, place), { minLength: 1, maxLength: 3 }), (damages) => {
        let damaged: Buffer = Buffer.from(bytes);
        for (const [how, where] of damages) {
          if (damaged.length === 0) break;
          const at = where.at % damaged.length;
          const to = Math.min(damaged.length, at + where.length);
          if (how === 'flip') damaged[at] = where.byte;
          else if (how === 'drop') damaged = Buffer.concat([damaged.subarray(0, at), damaged.subarray(to)]);
          else if (how === 'truncate') damaged = damaged.subarray(0, at);
          else damaged = Buffer.concat([damaged.subarray(0, to), damaged.subarray(at)]);
        }
        const { events, outcome } = read(damaged, end);
        checkLifecycle(events);
        if (whole.outcome.verdict.class !== 'success') expect(outcome.verdict.class).not.toBe('success');
      }),
      { numRuns, seed },
    );
  });
});

describe.runIf(existsSync(published))('streams that others published', () => {
  const names = existsSync(published) ? readdirSync(published).filter((name) => name.startsWith('claude-')) : [];

  it.each(names)('%s', (name) => {
    const wire = readFileSync(join(published, name), 'utf8');
    const first = read(wire, undefined, false);
    expect(first.outcome.provenance).toMatchObject({ dialect: 'claude', unknown_lines: 0 });
    checkLifecycle(first.events);
    const second = read(write(first, 'claude').text);
    expect(facts(second.events)).toEqual(facts(first.events));
  });
});
