import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dialects } from '../../src/dialects/registry.ts';
import type { AgentEvent } from '../../src/events/event.ts';
import { Reader } from '../../src/pipeline/reader.ts';
import { tables } from './expected/index.ts';
import { allRecordings, loadRecording, scenariosOf, truthOf } from '../support/recordings.ts';
import { eventOf } from '../support/records.ts';

function read(folder: string, scenario: string) {
  const recording = loadRecording(folder, scenario);
  const events: AgentEvent[] = [];
  const reader = new Reader({ onRecord: (record) => void events.push(eventOf(record)) });
  reader.stdout(recording.stdout);
  reader.stderr(recording.stderr);
  const outcome = reader.end(recording.exit);
  return { recording, events, outcome };
}

it('has a table for every recorded agent and a row for every scenario', () => {
  const folders = readdirSync(join(import.meta.dirname, '..', 'recordings')).toSorted();
  expect(tables.map((table) => table.folder).toSorted()).toEqual(folders);
  for (const table of tables) expect(Object.keys(table.classes).toSorted()).toEqual(scenariosOf(table.folder));
});

describe.each(allRecordings(tables))('$name', ({ folder, scenario, expected }) => {
  const { recording, events, outcome } = read(folder, scenario);
  const truth = truthOf(recording.served);
  const differs = expected.differs?.[scenario];
  const silent = new Set(expected.silent);

  it(`is ${expected.classes[scenario]}`, () => {
    expect({ class: outcome.verdict.class, evidence: outcome.verdict.evidence }).toMatchObject({
      class: expected.classes[scenario],
    });
  });

  it('is understood to the last line', () => {
    expect(events.filter(({ type }) => type === 'line.unknown')).toEqual([]);
    expect(outcome.provenance.unknown_lines).toBe(0);
  });

  it('is claimed by its own dialect alone', () => {
    expect(outcome.provenance.dialect).toBe(differs?.dialect ?? expected.dialect);
    const head: Parameters<(typeof dialects)[number]['detect']>[0][number][] = [];
    for (const line of new TextDecoder().decode(recording.stdout).split('\n')) {
      try {
        const value: unknown = JSON.parse(line);
        if (typeof value === 'object' && value !== null && !Array.isArray(value) && head.length < 20)
          head.push(value as (typeof head)[number]);
      } catch {
        // Noise and cut lines are not for detection.
      }
    }
    const stderr = new TextDecoder().decode(recording.stderr).split('\n');
    if (head.length > 0)
      expect(dialects.filter((each) => each.detect(head, stderr) > 0.5).map((each) => each.id)).toEqual([
        expected.dialect,
      ]);
  });

  it('ends once, last, and counts up', () => {
    expect(events.at(-1)?.type).toBe('thread.completed');
    expect(events.filter(({ type }) => type === 'thread.completed')).toHaveLength(1);
    expect(events[0]?.type).toBe('thread.started');
  });

  if (expected.classes[scenario] === 'success' && !silent.has('message')) {
    it('tells the last words of the model', () => {
      const long = recording.served.requests.find((request) => request.answer?.textLength !== undefined)?.answer
        ?.textLength;
      if (long === undefined) expect(outcome.message).toBe(differs?.message ?? truth.message);
      else
        expect(events.findLast(({ type }) => type === 'text.completed')).toHaveProperty(
          'text.length',
          differs?.messageLength ?? long,
        );
    });
  }

  if (!silent.has('tools') && (expected.classes[scenario] === 'success' || differs?.tools !== undefined)) {
    it('tells the tool calls', () => {
      const names = truth.calls.flatMap((name) => {
        const printed = expected.toolNames?.[name];
        return printed === null ? [] : [printed ?? name];
      });
      expect(outcome.tool_calls.map((call) => call.name).toSorted()).toEqual([...(differs?.tools ?? names)].toSorted());
    });
  }

  if (!silent.has('usage') && outcome.metrics.tokens_used !== undefined) {
    it('counts the tokens that were served', () => {
      const {
        input_tokens: input,
        output_tokens: output,
        reasoning_tokens: reasoning,
        cache_read_tokens: cached,
      } = outcome.metrics;
      if (differs?.tokens !== undefined) expect({ input, output }).toEqual(differs.tokens);
      else {
        expect({ input, output }).toEqual({ input: truth.tokens.input, output: truth.tokens.output });
        if (!silent.has('cached_tokens')) expect(cached).toBe(truth.tokens.cached);
        if (!silent.has('reasoning_tokens')) expect(reasoning).toBe(truth.tokens.reasoning);
      }
    });
  } else if (expected.classes[scenario] === 'success' && !silent.has('usage')) {
    it('has no token counts, as known', () => expect(differs?.tokens).toBe(false));
  }
});
