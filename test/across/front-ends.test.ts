import { asyncProperty, assert, constantFrom, double, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Event } from '../../src/dialects/ag-ui/wire.ts';
import { Chunk } from '../../src/dialects/ai-sdk-ui/wire.ts';
import { Trajectory } from '../../src/dialects/atif/wire.ts';
import type { JsonObject } from '../../src/json/json.ts';
import { findDialect, findWriter } from '../../src/dialects/registry.ts';
import type { AgentEvent, EventOf, EventRecord } from '../../src/events/event.ts';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import { Reader } from '../../src/pipeline/reader.ts';
import { Writer } from '../../src/pipeline/writer.ts';
import { readAgent, readChat, shownMessages } from '../support/front-ends.ts';
import { fuzzRuns, fuzzSeed } from '../support/fuzz.ts';
import { allRecordings, loadRecording, withOneLong } from '../support/recordings.ts';
import { wilderChanges } from '../support/stream-changes.ts';
import { tables } from './expected/index.ts';
import { isSweep } from '../support/sweep.ts';

interface Told {
  events: AgentEvent[];
  outcome: RunOutcome;
  chat: string;
  agent: string;
  trajectory: string;
}

/** One reading, written in all three formats. */
function tell(folder: string, scenario: string, dialect: string, change = 'none', at = 0): Told {
  const { stdout, stderr, exit } = loadRecording(folder, scenario);
  const [chat, agent, trajectory] = ['ai-sdk-ui', 'ag-ui', 'atif'].map((to) => {
    const target = findWriter(to);
    return new Writer(target.dialect, target.variant);
  }) as [Writer, Writer, Writer];
  const events: EventRecord[] = [];
  const reader = new Reader({
    dialect: findDialect(dialect),
    newId: () => 'thread-1',
    onRecord(each) {
      events.push(each);
      for (const writer of [chat, agent, trajectory]) writer.record(each);
    },
  });
  const lines = Buffer.from(stdout).toString().split('\n');
  reader.stdout(change === 'none' ? stdout : Buffer.from((wilderChanges[change]?.(lines, at) ?? []).join('\n')));
  reader.stderr(stderr);
  const outcome = reader.end(exit);
  for (const writer of [chat, agent, trajectory]) writer.end(outcome);
  return { events, outcome, chat: chat.take(), agent: agent.take(), trajectory: trajectory.take() };
}

function* only<Type extends AgentEvent['type']>(events: readonly AgentEvent[], type: Type): Iterable<EventOf<Type>> {
  for (const event of events) if (event.type === type) yield event as EventOf<Type>;
}

const textsOf = (events: readonly AgentEvent[], type: 'text.completed' | 'reasoning.completed'): string[] =>
  [...only(events, type)].flatMap(({ text, parent_item_id }) => (parent_item_id === undefined ? [text] : []));

const trajectoriesIn = (text: string): unknown[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown);

/** What a call came to, in the words of the AI SDK. */
const states = {
  success: 'output-available',
  denied: 'output-denied',
  error: 'output-error',
  cancelled: 'output-error',
  abandoned: 'output-error',
} as const;

describe.each(tables)('$folder', ({ folder, classes, dialect }) => {
  const runs = Object.keys(classes).map((scenario) => ({ scenario, ...tell(folder, scenario, dialect) }));

  it('is a message of the AI SDK', async () => {
    for (const { scenario, events, outcome, chat } of runs) {
      const { message, chunks, refused, errors } = await readChat(chat);
      expect({ scenario, refused }).toEqual({ scenario, refused: [] });
      expect(chat.endsWith('data: [DONE]\n\n')).toBe(true);
      expect(chunks.filter((chunk) => !Chunk.safeParse(chunk).success)).toEqual([]);
      const parts = message?.parts ?? [];
      expect(parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))).toEqual(
        textsOf(events, 'text.completed'),
      );
      expect(parts.flatMap((part) => (part.type === 'reasoning' ? [part.text] : []))).toEqual(
        textsOf(events, 'reasoning.completed'),
      );
      expect(
        parts.filter((part) => 'state' in part && (part.state === 'streaming' || part.state === 'input-available')),
      ).toEqual([]);
      const ends = new Map([...only(events, 'item.completed')].map((end) => [end.item_id, end]));
      const calls = [...only(events, 'item.started')].map(({ item_id, name, args }) => {
        const end = ends.get(item_id);
        const state = states[end?.status ?? 'abandoned'];
        return {
          id: item_id,
          name,
          input: args,
          state,
          ...(state === 'output-available' ? { output: end?.output ?? null } : {}),
        };
      });
      const shown = parts.flatMap((part) => {
        if (part.type !== 'dynamic-tool') return [];
        const { toolCallId: id, toolName: name, input, state } = part;
        if (state === 'output-error') expect(part.errorText).not.toBe('');
        return [{ id, name, input, state, ...(state === 'output-available' ? { output: part.output } : {}) }];
      });
      expect(shown).toEqual(calls);
      const verdict = outcome.verdict.class;
      expect(errors).toHaveLength(verdict === 'success' || verdict === 'cancelled' ? 0 : 1);
      const last = chunks.at(-1);
      expect(last).toMatchObject(verdict === 'cancelled' ? { type: 'abort' } : { type: 'finish' });
      if (verdict !== 'cancelled') expect(last?.['finishReason'] === 'error').toBe(verdict !== 'success');
      expect(message?.metadata).toMatchObject({ verdict: { class: verdict, exitCode: outcome.verdict.exit_code } });
    }
  });

  it('is a run of AG-UI', async () => {
    for (const { scenario, events: told, outcome, agent } of runs) {
      const { events, refused } = await readAgent(agent);
      expect({ scenario, refused }).toEqual({ scenario, refused: [] });
      expect(events.filter((event) => !Event.safeParse(event).success)).toEqual([]);
      const contents = new Map<unknown, string>();
      for (const { type, role, messageId, delta, subagentRunId } of events) {
        if (subagentRunId !== undefined) continue;
        if (type === 'TEXT_MESSAGE_START' && role === 'assistant') contents.set(messageId, '');
        if (type === 'TEXT_MESSAGE_CONTENT' && contents.has(messageId))
          contents.set(messageId, `${contents.get(messageId)}${String(delta)}`);
      }
      expect([...contents.values()]).toEqual(textsOf(told, 'text.completed'));
      const calls = [...only(told, 'item.started')].map(({ item_id, name, args }) => ({ item_id, name, args }));
      const ids = new Map<unknown, unknown>();
      const shown = events.flatMap(({ type, toolCallId, toolCallName, delta, metadata }) => {
        if (type === 'TOOL_CALL_START')
          ids.set(toolCallId, { item_id: (metadata as JsonObject)['itemId'], name: toolCallName });
        return type === 'TOOL_CALL_ARGS'
          ? [{ ...(ids.get(toolCallId) as object), args: JSON.parse(String(delta)) as unknown }]
          : [];
      });
      expect(shown).toEqual(calls);
      expect(events.filter(({ type }) => type === 'TOOL_CALL_RESULT')).toHaveLength(calls.length);
      expect(events.at(-1)).toMatchObject(endingOf(outcome));
    }
  });

  it('is a trajectory', () => {
    for (const { scenario, trajectory } of runs) {
      const refused = trajectoriesIn(trajectory).flatMap((wire) => Trajectory.safeParse(wire).error?.issues ?? []);
      expect({ scenario, refused }).toEqual({ scenario, refused: [] });
    }
  });
});

function endingOf({ verdict, metrics }: RunOutcome): object {
  const usage = metrics.tokens_used === undefined ? {} : { usage: expect.any(Array) as unknown };
  if (verdict.class === 'success') return { type: 'RUN_FINISHED', outcome: { type: 'success' }, ...usage };
  if (verdict.class === 'cancelled') return { type: 'RUN_FINISHED', outcome: { type: 'cancelled' } };
  return { type: expect.stringMatching(/^RUN_(?:ERROR|FINISHED)$/) as unknown, metadata: { verdict: verdict.class } };
}

it('is shown as messages by a client of AG-UI', async () => {
  const { agent, outcome } = tell('codex@0.166.0', 'multi-tool', 'codex');
  const messages = await shownMessages(agent);
  expect(messages.findLast(({ role }) => role === 'assistant')).toMatchObject({ content: outcome.message });
  expect(messages.filter(({ role }) => role === 'tool')).toHaveLength(outcome.tool_calls.length);
});

it('holds whatever happens to a stream', async () => {
  const cases = record({
    recording: constantFrom(...withOneLong(allRecordings(tables))),
    change: constantFrom(...Object.keys(wilderChanges)),
    at: double({ min: 0, max: 1, noNaN: true }),
  });
  const check = asyncProperty(cases, async ({ recording: { folder, scenario, expected }, change, at }) => {
    const { chat, agent, trajectory, outcome } = tell(folder, scenario, expected.dialect, change, at);
    const [message, run] = [await readChat(chat), await readAgent(agent)];
    expect([message.refused, run.refused]).toEqual([[], []]);
    const isGood = outcome.verdict.class === 'success' || outcome.verdict.class === 'cancelled';
    expect(message.errors).toHaveLength(isGood ? 0 : 1);
    expect(trajectoriesIn(trajectory).flatMap((wire) => Trajectory.safeParse(wire).error?.issues ?? [])).toEqual([]);
  });
  await assert(check, { numRuns: fuzzRuns(isSweep ? 60 : 30), seed: fuzzSeed });
});
