import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json/json.ts';
import { dexter } from '../../src/dialects/dexter/index.ts';
import { Line } from '../../src/dialects/dexter/wire.ts';
import { cutText } from '../../src/outcome/bounded.ts';
import type { AgentEvent } from '../../src/events/event.ts';
import { loadRecording, scenariosOf } from '../support/recordings.ts';
import { jsonl, only, readLines, readText, rewrite, writeEvents } from '../support/wire.ts';

const folder = 'dexter@1.0.3';
const scenarios = scenariosOf(folder);
const scratchpad = (scenario: string): string =>
  readFileSync(join(import.meta.dirname, '..', 'recordings', folder, scenario, 'scratchpad.jsonl'), 'utf8');

function objects(text: string): JsonObject[] {
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as JsonObject];
    } catch {
      return [];
    }
  });
}

const requesting = { type: 'stream_progress', charDelta: 0, mode: 'requesting' };
const responding = (charDelta: number): JsonObject => ({ type: 'stream_progress', charDelta, mode: 'responding' });
const tokenUsage = { inputTokens: 90, outputTokens: 10, totalTokens: 100 };
const done = (answer: string, more: JsonObject = {}): JsonObject => ({
  type: 'done',
  answer,
  toolCalls: [],
  iterations: 1,
  totalTime: 5,
  ...more,
});
const bash = (data: JsonObject): JsonObject[] => [
  { type: 'tool_start', tool: 'bash', args: { command: 'x' }, toolCallId: 'c' },
  {
    type: 'tool_end',
    tool: 'bash',
    args: { command: 'x' },
    result: JSON.stringify({ data }),
    duration: 1,
    toolCallId: 'c',
  },
];
const ends = (data: JsonObject): unknown => {
  const [end] = only(readLines(bash(data), 'dexter'), 'item.completed');
  return [end?.status, end?.exit_code];
};
const clock = (second: number): string => `2026-02-22T10:15:0${second}.000Z`;
const verdictOf = (lines: readonly JsonObject[]): string => readLines(lines, 'dexter').outcome.verdict.class;

describe('the wire schema', () => {
  it.each(scenarios)('fits every object of %s, and of what we write from it', (scenario) => {
    const stdout = new TextDecoder().decode(loadRecording(folder, scenario).stdout);
    const written = [rewrite(stdout, 'dexter', 'dexter').text, rewrite(stdout, 'dexter', 'dexter:events').text];
    const wires = [stdout, scratchpad(scenario), ...written].flatMap(objects);
    expect(wires.length).toBeGreaterThan(2);
    expect(wires.filter((wire) => !Line.safeParse(wire).success)).toEqual([]);
  });

  it('fits what is written from another agent', () => {
    const codex = new TextDecoder().decode(loadRecording('codex@0.166.0', 'multi-tool').stdout);
    for (const to of ['dexter', 'dexter:events'])
      expect(rewrite(codex, 'codex', to).lines.filter((wire) => !Line.safeParse(wire).success)).toEqual([]);
  });
});

describe('the answer and its second witness', () => {
  const fault = 'Error: HTTP 503 from the provider';

  it.each([
    ['an answer as long as what was streamed', [requesting, responding(3), responding(2), done('Blue.')], 'success'],
    ['counted in UTF-16 code units', [requesting, responding(4), done('🦊🦊')], 'success'],
    ['a model that itself says Error', [requesting, responding(fault.length), done(fault, { tokenUsage })], 'success'],
    ['an error as long as what was streamed', [requesting, responding(fault.length), done(fault)], 'provider'],
    ['an error', [requesting, done(fault)], 'provider'],
    ['an error after a part of an answer', [requesting, responding(4), done(fault)], 'provider'],
    [
      'an error without wording of its own',
      [requesting, done("Error: Cannot read properties of undefined (reading 'x')")],
      'provider',
    ],
    ['an error whose prefix is damaged', [requesting, done('Erqor: HTTP 503 from the provider')], 'incomplete'],
    [
      'the same after a good turn',
      [requesting, responding(2), requesting, done('Erqor: x', { tokenUsage, iterations: 2 })],
      'incomplete',
    ],
    [
      'a stream that broke and a blocking call that answered',
      [requesting, responding(2), done('Blue.', { tokenUsage })],
      'success',
    ],
    ['neither streamed nor counted', [requesting, responding(2), done('Blue.')], 'incomplete'],
    ['an old version: tokens are the only witness', [done('Blue.', { tokenUsage })], 'success'],
    ['an old version with nothing to show for its answer', [done('Blue.')], 'incomplete'],
    ['no tools', [requesting, done('No tools available. Check your configuration.')], 'config'],
    ['an empty answer', [requesting, done('', { tokenUsage })], 'incomplete'],
    [
      'words after a reply that called tools',
      [
        requesting,
        responding(5),
        { type: 'stream_progress', charDelta: 0, mode: 'tool-use' },
        done('Blue.', { tokenUsage }),
      ],
      'incomplete',
    ],
    ['an answer that is no text', [requesting, done('', { answer: 7 })], 'incomplete'],
  ])('%s', (_title, lines, verdict) => {
    expect(verdictOf(lines)).toBe(verdict);
  });

  it('takes no byte of a failed run for a success, wherever it flips', () => {
    const text = jsonl([requesting, done(fault)]);
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 1) {
      for (const flip of [1, 4, 16, 32]) {
        const damaged = Buffer.from(bytes);
        damaged[at] = (damaged[at] ?? 0) ^ flip;
        expect(readText(damaged.toString('latin1'), 'dexter').outcome.verdict.class).not.toBe('success');
      }
    }
  });

  it('tells a limit with its number', () => {
    const sentence = 'Reached maximum iterations (4). I was unable to complete the research in the allotted steps.';
    const read = readLines([requesting, done(sentence, { tokenUsage, iterations: 4 })], 'dexter');
    expect(only(read, 'limit.reached')).toEqual([
      { type: 'limit.reached', limit: 'turns', maximum: 4, message: sentence },
    ]);
    expect(read.outcome).toMatchObject({ message: '', verdict: { class: 'turn_limit' } });
  });

  it('believes the first end', () => {
    expect(verdictOf([requesting, done(fault), done('Blue.', { tokenUsage })])).toBe('provider');
  });
});

describe('events that no recording shows', () => {
  it('pairs calls without ids by name, first in first out', () => {
    const read = readLines(
      [
        { type: 'tool_start', tool: 'a', args: { n: 1 } },
        { type: 'tool_start', tool: 'b', args: { n: 2 } },
        { type: 'tool_start', tool: 'a', args: { n: 3 } },
        { type: 'tool_end', tool: 'b', args: { n: 2 }, result: 'B', duration: 1 },
        { type: 'tool_end', tool: 'a', args: { n: 1 }, result: 'A1', duration: 2 },
        { type: 'tool_error', tool: 'a', error: 'A3' },
        { type: 'answer_start' },
        done('Blue.', { tokenUsage, iterations: 2 }),
      ],
      'dexter',
    );
    expect(read.outcome.tool_calls).toEqual([
      { name: 'b', inputs: { n: 2 }, outputs: 'B', duration_ms: 1, status: 'completed' },
      { name: 'a', inputs: { n: 1 }, outputs: 'A1', duration_ms: 2, status: 'completed' },
      { name: 'a', inputs: { n: 3 }, outputs: 'A3', status: 'error' },
    ]);
    expect(read.outcome).toMatchObject({ message: 'Blue.', metrics: { turns: 2 }, verdict: { class: 'success' } });
  });

  it('starts a turn where an old version goes on after its tools', () => {
    const { outcome } = readLines(
      [
        { type: 'thinking', message: 'One.' },
        { type: 'tool_start', tool: 'a', args: {} },
        { type: 'tool_end', tool: 'a', args: {}, result: '' },
        { type: 'thinking', message: 'Two.' },
        { type: 'tool_start', tool: 'a', args: {} },
        { type: 'tool_end', tool: 'a', args: {}, result: '' },
        { type: 'answer_start' },
        done('Three.', { tokenUsage, iterations: 3 }),
      ],
      'dexter',
    );
    expect(outcome).toMatchObject({ message: 'Three.', metrics: { turns: 3 } });
  });

  it('tells a failed command by the code inside its result', () => {
    expect(ends({ exitCode: 3, interrupted: false, timedOut: false })).toEqual(['error', 3]);
    expect(ends({ exitCode: 0, interrupted: false, timedOut: false })).toEqual(['success', 0]);
    expect(ends({ exitCode: null, interrupted: false, timedOut: true })).toEqual(['error', undefined]);
    expect(ends({ exitCode: 130, interrupted: true })).toEqual(['cancelled', 130]);
    expect(ends({})).toEqual(['success', undefined]);
  });

  it('keeps a denial by rule, without an approval before it', () => {
    const read = readLines(
      [
        requesting,
        { type: 'tool_start', tool: 'bash', args: { command: 'a' }, toolCallId: 'c1' },
        { type: 'tool_denied', tool: 'bash', args: { command: 'b' } },
        { type: 'tool_end', tool: 'bash', args: { command: 'a' }, result: 'ok', duration: 3, toolCallId: 'c1' },
        done('', { tokenUsage }),
      ],
      'dexter',
    );
    expect(read.outcome.tool_calls).toEqual([
      { name: 'bash', inputs: { command: 'b' }, status: 'error', reason: 'denied' },
      { name: 'bash', inputs: { command: 'a' }, outputs: 'ok', duration_ms: 3, status: 'completed' },
    ]);
    expect(read.outcome.verdict).toMatchObject({ class: 'permission', code: 'permission' });
  });

  it('takes the calls of a lone done event', () => {
    const { outcome } = readLines(
      [
        done('Blue.', {
          tokenUsage,
          toolCalls: [
            { tool: 'a', args: { n: 1 }, result: 'Error: no' },
            { tool: 'b', args: {}, result: 'yes' },
          ],
        }),
      ],
      'dexter',
    );
    expect(outcome.tool_calls).toEqual([
      { name: 'a', inputs: { n: 1 }, outputs: 'no', status: 'error' },
      { name: 'b', inputs: {}, outputs: 'yes', status: 'completed' },
    ]);
  });

  it('keeps messages of the user, and passes over housekeeping', () => {
    const read = readLines(
      [
        requesting,
        { type: 'microcompact', cleared: 2, tokensSaved: 900 },
        { type: 'memory_flush', phase: 'end', filesWritten: ['a.md'] },
        { type: 'memory_recalled', filesLoaded: ['a.md'], tokenCount: 7 },
        { type: 'compaction', phase: 'end', success: true },
        { type: 'context_cleared', clearedCount: 1, keptCount: 4 },
        { type: 'queue_drain', messageCount: 1, mergedText: 'and in red' },
        { type: 'stream_progress', charDelta: 9, mode: 'thinking' },
        { type: 'stream_progress', charDelta: 9, mode: 'tool-input' },
        responding(4),
        done('Red.'),
      ],
      'dexter',
    );
    expect(read.events.map((event) => event.type)).toEqual([
      'thread.started',
      'turn.started',
      'prompt.submitted',
      'text.delta',
      'text.completed',
      'agent.finished',
      'turn.completed',
      'thread.completed',
    ]);
    expect(only(read, 'prompt.submitted')).toEqual([{ type: 'prompt.submitted', text: 'and in red' }]);
    expect(read.outcome.verdict.class).toBe('success');
  });

  it('keeps a line of tomorrow whole', () => {
    const wire = { type: 'mood', value: 'good' };
    expect(only(readLines([requesting, wire], 'dexter'), 'line.unknown')).toEqual([
      { type: 'line.unknown', dialect: 'dexter', wire },
    ]);
    expect(rewrite(jsonl([requesting, wire]), 'dexter', 'dexter:events').lines).toEqual([requesting, wire]);
  });
});

describe('the scratchpad', () => {
  it.each(scenarios)('of %s is read, and never proves a success', (scenario) => {
    const read = readText(scratchpad(scenario));
    expect(read.outcome.provenance).toMatchObject({ dialect: 'dexter', unknown_lines: 0 });
    expect(read.outcome.verdict.class).toBe('incomplete');
    const finished = read.events.some((event) => event.type === 'agent.finished');
    expect(finished).toBe(false);
  });

  it('has the same tools and words as the events beside it', () => {
    const events = readText(new TextDecoder().decode(loadRecording(folder, 'multi-tool').stdout));
    const pad = readText(scratchpad('multi-tool'));
    const tools = ({ outcome }: typeof pad): unknown =>
      outcome.tool_calls.map(({ name, inputs, status }) => ({ name, inputs, status }));
    expect(tools(pad)).toEqual(tools(events));
    expect(only(pad, 'text.completed').map((event) => event.text)).toEqual(
      only(events, 'text.completed')
        .map((event) => event.text)
        .slice(0, -1),
    );
    expect(pad.outcome.artifacts).toEqual(events.outcome.artifacts);
  });

  it('has the query, times, and results that may be any JSON', () => {
    const { outcome } = readLines([
      { type: 'init', content: 'How much?', timestamp: clock(0) },
      { type: 'tool_result', timestamp: clock(1), toolName: 'count', args: {}, result: 42, llmSummary: 'many' },
      { type: 'tool_result', timestamp: clock(3), toolName: 'count', args: {}, result: 'Error: none left' },
    ]);
    expect(outcome).toMatchObject({
      metadata: { initial_prompt: 'How much?' },
      metrics: { duration_ms: 3000 },
      tool_calls: [
        { name: 'count', outputs: '42', status: 'completed' },
        { name: 'count', outputs: 'none left', status: 'error' },
      ],
    });
  });
});

describe('detection', () => {
  it.each([
    [[requesting], 1],
    [[done('x')], 1],
    [[{ type: 'tool_start', tool: 'bash', args: {} }], 0.9],
    [[{ type: 'init', content: 'q', timestamp: '2026-01-01T00:00:00Z' }], 1],
    [[{ type: 'thinking', message: 'hm' }], 0.6],
    [[{ type: 'thinking', content: 'hm', turn: 1 }], 0],
    [[{ type: 'init', session_id: 's', model: 'm', timestamp: '2026-01-01T00:00:00Z' }], 0],
    [[{ type: 'done' }], 0],
    [[{ status: 'success', response: 'x' }], 0],
  ])('%j: %d', (head, sure) => {
    expect(dexter.detect(head as JsonObject[], [])).toBe(sure);
  });
});

describe('what the response cannot say', () => {
  it('is counted', () => {
    const { losses } = rewrite(
      new TextDecoder().decode(loadRecording(folder, 'multi-tool').stdout),
      'dexter',
      'dexter',
    );
    expect(losses).toEqual(['permission', 'text', 'tool_progress', 'turn_boundary']);
  });
});

describe('a run of many calls, and of long ones', () => {
  const begin: AgentEvent = { type: 'thread.started', session_id: 's' };
  const calls = (count: number, output: string): AgentEvent[] =>
    Array.from({ length: count }, (_, index): AgentEvent[] => [
      {
        type: 'item.started',
        item_id: `c${index}`,
        turn_id: 't',
        kind: 'read',
        name: 'read_file',
        args: { path: `file ${index}` },
      },
      { type: 'item.completed', item_id: `c${index}`, status: 'success', output },
    ]).flat();
  const said: AgentEvent = { type: 'text.completed', turn_id: 't', message_id: 'm', block_id: 'b', text: 'Done.' };
  const ok: AgentEvent = { type: 'agent.finished', status: 'ok' };
  const turn: AgentEvent = { type: 'turn.started', turn_id: 'turn_2', iteration: 2 };
  const records = (told: unknown): { args: { path: string }; result: string }[] => told as never;
  const paths = (told: unknown): string[] => records(told).map(({ args }) => args.path);

  it('is answered with the first and the last of its calls', () => {
    const { lines, losses } = writeEvents([begin, ...calls(1200, 'x'), said, ok], 'dexter');
    const told = paths(lines[0]?.tools);
    expect([told.length, told[0], told[499], told[500], told[999]]).toEqual([
      1000,
      'file 0',
      'file 499',
      'file 700',
      'file 1199',
    ]);
    expect(losses).toEqual(['tool_call']);
  });

  it('is answered with whole results while they are few, and then with their heads and tails', () => {
    const { lines, losses } = writeEvents([begin, ...calls(9, 'x'.repeat(1024 * 1024)), said, ok], 'dexter');
    const results = records(lines[0]?.tools).map(({ result }) => result.length);
    expect(results.slice(0, 3)).toEqual([1_048_576, 1_048_576, 1_048_576]);
    expect(Math.max(...results.slice(4))).toBeLessThan(5000);
    expect(losses).toEqual(['tool_output']);
  });

  it('is answered with the ends of arguments that are very long, never without a mark', () => {
    const long = 'x'.repeat(5 * 1024 * 1024);
    const told = [{ path: 'a', content: long }, { parts: Array.from({ length: 9 }, () => long) }].map((args) => {
      const start: AgentEvent = {
        type: 'item.started',
        item_id: 'c',
        turn_id: 't',
        kind: 'file_edit',
        name: 'write_file',
        args,
      };
      const end: AgentEvent = { type: 'item.completed', item_id: 'c', status: 'success', output: 'ok' };
      const { lines, losses } = writeEvents([begin, start, end, said, ok], 'dexter');
      return { args: records(lines[0]?.tools)[0]?.args, losses };
    });
    expect(told).toEqual([
      { args: { path: 'a', content: cutText(long) }, losses: ['tool_args'] },
      { args: { omitted: 'arguments that are too long to be listed here' }, losses: ['tool_args'] },
    ]);
  });

  it('is told by its own lines, and its last line does not repeat them all', () => {
    const { lines, losses } = writeEvents([begin, ...calls(1200, 'x'.repeat(5000)), turn, said, ok], 'dexter:events');
    expect(lines.filter((wire) => wire.type === 'tool_end')).toHaveLength(1200);
    expect(paths(lines.at(-1)?.toolCalls)).toHaveLength(1000);
    expect(JSON.stringify(lines.at(-1)).length).toBeLessThan(10_000_000);
    expect(losses).toEqual([]);
  });
});
