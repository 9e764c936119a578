import { describe, expect, it } from 'vitest';
import type { Dialect, Loss } from '../../src/dialects/dialect.ts';
import { findDialect, findWriter, readable } from '../../src/dialects/registry.ts';
import type { AgentEvent } from '../../src/events/event.ts';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import { Reader } from '../../src/pipeline/reader.ts';
import { Writer } from '../../src/pipeline/writer.ts';
import { tables } from '../across/expected/index.ts';
import { allRecordings, loadRecording, withOneLong } from '../support/recordings.ts';
import { eventOf } from '../support/records.ts';
import { sweep } from '../support/sweep.ts';

function translate(bytes: Uint8Array, from: Dialect, to: string) {
  const { dialect, variant } = findWriter(to);
  const writer = new Writer(dialect, variant);
  const events: AgentEvent[] = [];
  const reader = new Reader({
    dialect: from,
    newId: () => 'thread-1',
    onRecord(record) {
      events.push(eventOf(record));
      writer.record(record);
    },
  });
  reader.stdout(bytes);
  const outcome = reader.end();
  writer.end(outcome);
  return { events, outcome, text: writer.take(), losses: new Set(writer.losses.keys()) };
}

function decode(text: string, dialect: Dialect): { events: AgentEvent[]; outcome: RunOutcome } {
  const events: AgentEvent[] = [];
  const reader = new Reader({ dialect, onRecord: (record) => void events.push(eventOf(record)) });
  reader.stdout(new TextEncoder().encode(text));
  return { events, outcome: reader.end() };
}

/** The thread's end repeats what the other events say, plus who read it; noise and cut lines are no lines of a dialect. */
const facts = (events: readonly AgentEvent[]): AgentEvent[] =>
  events.filter((event) => event.type !== 'thread.completed' && !(event.type === 'log' && event.cause !== undefined));

const recordings = withOneLong(allRecordings(tables));
const writable = readable.filter((dialect) => dialect.encoder !== undefined);

describe('into its own dialect and back', () => {
  it.each(recordings.filter(({ expected }) => findDialect(expected.dialect).encoder !== undefined))(
    '$name',
    ({ folder, scenario, expected }) => {
      const dialect = findDialect(expected.dialect);
      const first = translate(loadRecording(folder, scenario).stdout, dialect, expected.writer ?? dialect.id);
      const second = decode(first.text, dialect);
      expect(facts(second.events)).toEqual(facts(first.events));
      expect(second.outcome.verdict.class).toBe(first.outcome.verdict.class);
    },
  );
});

/** What must survive every conversion, and the losses that excuse a difference. */
const kept: readonly { what: string; of: (outcome: RunOutcome) => unknown; excuses: readonly Loss[] }[] = [
  { what: 'message', of: (outcome) => outcome.message, excuses: ['text'] },
  {
    what: 'tool names',
    of: (outcome) => outcome.tool_calls.map((call) => call.name),
    excuses: ['tool_name', 'tool_call'],
  },
  {
    what: 'tool statuses',
    of: (outcome) => outcome.tool_calls.map((call) => call.status),
    excuses: ['tool_status', 'tool_call'],
  },
  { what: 'usage totals', of: ({ metrics }) => [metrics.input_tokens, metrics.output_tokens], excuses: ['usage'] },
  { what: 'success', of: (outcome) => outcome.verdict.class === 'success', excuses: ['verdict'] },
];

/** Of each dialect's recordings, so that each is written in every other one, also where they are dealt out. */
const conversions = readable
  .flatMap(({ id }) =>
    sweep(
      recordings.filter(({ expected }) => expected.dialect === id),
      writable.filter((target) => target.id !== id),
    ),
  )
  .map(([recording, target]) => [target.id, recording.name, target, recording] as const);

describe('into another dialect and back', () => {
  it.each(conversions)('%s: %s', (_id, _name, target, { folder, scenario, expected }) => {
    const first = translate(loadRecording(folder, scenario).stdout, findDialect(expected.dialect), target.id);
    const second = decode(first.text, target);
    for (const { what, of, excuses } of kept) {
      if (excuses.some((loss) => first.losses.has(loss))) continue;
      expect({ [what]: of(second.outcome) }).toEqual({ [what]: of(first.outcome) });
    }
    expect(second.events.filter((event) => event.type === 'line.unknown')).toEqual([]);
    // A conversion may lose things; it may never make a failure look like a success.
    if (first.outcome.verdict.class !== 'success') expect(second.outcome.verdict.class).not.toBe('success');
  });
});
