import { describe, expect, it } from 'vitest';
import { devAgent } from '../../src/dialects/dev-agent/index.ts';
import { Line } from '../../src/dialects/dev-agent/wire.ts';
import { writeEnding } from '../../src/dialects/dev-agent/write/ending.ts';
import type { JsonObject } from '../../src/json/json.ts';
import { findWriter } from '../../src/dialects/registry.ts';
import type { AgentEvent } from '../../src/events/event.ts';
import { linesOf, pass } from '../support/pipeline.ts';
import { numbered } from '../support/records.ts';
import { jsonl, only, readLines, readText, rewrite, writeEvents } from '../support/wire.ts';

let sequence = 0;
/** A line as the program writes it: keys in alphabetical order, up to nine digits of a second. */
function line(type: string, fields: JsonObject = {}): JsonObject {
  sequence += 1;
  const timestamp = `2026-02-10T09:00:${String(sequence % 60).padStart(2, '0')}.123456789Z`;
  const wire: JsonObject = { ...fields, sequence, thread_id: '2f0c', timestamp, type };
  return Object.fromEntries(Object.entries(wire).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const started = line('thread.started', {
  task: 'Fix foo',
  project_name: 'acme',
  parent_branch_id: 'b-1',
  headless: true,
});
const turn = (iteration: number): JsonObject =>
  line('turn.started', { turn_id: `turn_${iteration}`, iteration, message_count: 2, tool_count: iteration - 1 });
const message = (iteration: number, preview: string, tool_call_count = 0): JsonObject =>
  line('assistant.message', { turn_id: `turn_${iteration}`, preview, tool_call_count });
const turnEnd = (iteration: number, tool_call_count = 0, has_final_report = false): JsonObject =>
  line('turn.completed', { turn_id: `turn_${iteration}`, iteration, tool_call_count, has_final_report });
const item = (id: string, name = 'execute_agent', kind = 'tool_call'): JsonObject =>
  line('item.started', { item_id: id, kind, name, args: { agent: 'codex' } });
const itemEnd = (
  id: string,
  status = 'success',
  more: JsonObject = { branch_id: 'b-2', summary: 'done' },
): JsonObject => line('item.completed', { item_id: id, status, duration_ms: 452300, ...more });
const end = (status: string, report?: JsonObject, summary = 'All green.'): JsonObject =>
  line('thread.completed', { status, summary, ...(report === undefined ? {} : { final_report: report }) });

const real = [
  started,
  turn(1),
  message(1, '', 1),
  item('item_1'),
  itemEnd('item_1'),
  turnEnd(1, 1),
  turn(2),
  message(2, '{"is_finished":true}'),
  turnEnd(2, 0, true),
  turn(3),
  item('item_2', 'publish', 'publish'),
  itemEnd('item_2'),
  turnEnd(3, 1),
  end('completed', {
    is_finished: true,
    status: 'completed',
    task: 'Fix foo',
    summary: 'All green.',
    latest_branch_id: 'b-2',
  }),
];

describe('what the program really prints', () => {
  it('fits the schema, as does what is written from it', () => {
    const wires = [...real, ...rewrite(jsonl(real), 'dev-agent', 'dev-agent').lines];
    expect(wires.filter((wire) => !Line.safeParse(wire).success)).toEqual([]);
  });

  it('is a run with a publish turn of its own', () => {
    const { events, outcome } = readLines(real);
    expect(events.map((event) => event.type)).toEqual([
      'thread.started',
      'turn.started',
      'item.started',
      'item.completed',
      'turn.completed',
      'turn.started',
      'text.delta',
      'text.completed',
      'turn.completed',
      'turn.started',
      'item.started',
      'item.completed',
      'text.delta',
      'text.completed',
      'turn.completed',
      'branch.updated',
      'agent.finished',
      'thread.completed',
    ]);
    expect(outcome).toMatchObject({
      session_id: '2f0c',
      message: 'All green.',
      metrics: { turns: 3 },
      tool_calls: [
        { name: 'execute_agent', outputs: 'done', duration_ms: 452300, status: 'completed' },
        { name: 'publish', outputs: 'done', duration_ms: 452300, status: 'completed' },
      ],
      verdict: { class: 'success' },
    });
  });

  it('comes back the same when it is written and read again', () => {
    const once = readLines(real);
    const twice = readText(rewrite(jsonl(real), 'dev-agent', 'dev-agent').text);
    const facts = ({ events }: typeof once): unknown =>
      events.filter((event) => event.type !== 'thread.completed' && event.type !== 'usage.reported');
    expect(facts(twice)).toEqual(facts(once));
  });

  it('keeps what the wire says of a turn and an item', () => {
    const read = readLines(real);
    expect(only(read, 'turn.started')[1]).toEqual({
      type: 'turn.started',
      turn_id: 'turn_2',
      iteration: 2,
      message_count: 2,
      tool_count: 1,
    });
    expect(only(read, 'turn.completed')[1]).toEqual({
      type: 'turn.completed',
      turn_id: 'turn_2',
      iteration: 2,
      tool_call_count: 0,
      has_final_report: true,
    });
    expect(only(read, 'item.completed')[0]).toEqual({
      type: 'item.completed',
      item_id: 'item_1',
      status: 'success',
      output: 'done',
      duration_ms: 452300,
      branch_id: 'b-2',
      summary: 'done',
    });
  });

  it('has no summary where there is none', () => {
    expect(
      only(readLines([started, turn(1), item('item_1'), itemEnd('item_1', 'error', {})]), 'item.completed'),
    ).toEqual([{ type: 'item.completed', item_id: 'item_1', status: 'error', duration_ms: 452300 }]);
  });

  it('takes everything after the last line for the report', () => {
    const tail = `${JSON.stringify({ is_finished: true, status: 'completed', task: 'Fix foo' }, null, 2)}\n`;
    expect(readText(jsonl(real) + tail).events).toEqual(readLines(real).events);
  });
});

describe('the end', () => {
  const report = { is_finished: true, status: 'completed', task: 'Fix foo', summary: 'All green.' };
  const whole = [started, turn(1), message(1, 'x'), turnEnd(1)];
  it.each([
    ['completed', [end('completed', report)], 'success'],
    ['completed, by a report that says otherwise', [end('completed', { ...report, status: 'error' })], 'incomplete'],
    [
      'completed, by a report that is not finished',
      [end('completed', { ...report, is_finished: false })],
      'incomplete',
    ],
    ['a word that the model made up', [end('mostly_done', { ...report, status: 'mostly_done' })], 'incomplete'],
    ['a damaged word', [end('complezed', report)], 'incomplete'],
    [
      'iteration_limit',
      [end('iteration_limit', { ...report, is_finished: false, status: 'iteration_limit' })],
      'turn_limit',
    ],
    [
      'FINISHED_WITH_ERROR',
      [end('FINISHED_WITH_ERROR', { ...report, status: 'FINISHED_WITH_ERROR', error: { message: 'tests fail' } })],
      'tool',
    ],
    [
      'an LLM failure',
      [
        line('error', { scope: 'llm.complete', message: 'HTTP 401', iteration: 1, turn_id: 'turn_1' }),
        line('error', { scope: 'cli', message: 'HTTP 401' }),
        end('error', undefined, 'HTTP 401'),
      ],
      'provider',
    ],
    [
      'a publish failure',
      [line('error', { scope: 'publish', message: 'push refused' }), end('error', undefined, 'push refused')],
      'tool',
    ],
    ['an error without an end', [line('error', { scope: 'llm.complete', message: 'boom', iteration: 1 })], 'provider'],
    [
      'calls against the policy, which are not run',
      [line('error', { scope: 'tool_policy', message: 'one at a time', tool_call_count: 2 }), end('completed', report)],
      'success',
    ],
    ['no end', [], 'incomplete'],
  ])('%s', (_title, lines, verdict) => {
    expect(readLines([...whole, ...lines]).outcome.verdict.class).toBe(verdict);
  });

  it('an instruction to stop ends the run in order', () => {
    const read = readLines([
      ...whole,
      line('error', { scope: 'tool_instruction', message: 'tests fail', instruction: 'FINISHED_WITH_ERROR' }),
      end('FINISHED_WITH_ERROR', {}, 'tests fail'),
    ]);
    expect(only(read, 'error')).toEqual([
      { type: 'error', scope: 'tool_instruction', code: 'tool', message: 'tests fail', fatal: false },
    ]);
    expect(only(read, 'agent.finished')).toEqual([
      {
        type: 'agent.finished',
        status: 'failed',
        code: 'tool',
        raw_status: 'FINISHED_WITH_ERROR',
        message: 'tests fail',
      },
    ]);
  });

  it('takes no damaged byte of a failed run for a success', () => {
    const bytes = Buffer.from(
      jsonl([...whole, end('iteration_limit', { ...report, is_finished: false, status: 'iteration_limit' })]),
    );
    for (let place = 0; place < bytes.length; place += 1) {
      for (const flip of [1, 4, 16, 32]) {
        const damaged = Buffer.from(bytes);
        damaged[place] = (damaged[place] ?? 0) ^ flip;
        expect(readText(damaged.toString('latin1'), 'dev-agent').outcome.verdict.class).not.toBe('success');
      }
    }
  });

  it('the verdict of our own report outweighs its status', () => {
    const ours = { ...report, metrics: {}, message: 'x', verdict: { class: 'permission', exit_code: 7, evidence: [] } };
    expect(readLines([...whole, end('completed', ours)]).outcome.verdict.class).toBe('permission');
  });
});

describe('siblings', () => {
  it('threads without turns are runs too', () => {
    const { outcome } = readLines([
      started,
      message(1, 'A plan.'),
      end('completed', { status: 'completed' }, 'A plan.'),
    ]);
    expect(outcome).toMatchObject({
      message: 'A plan.',
      verdict: { class: 'success' },
      provenance: { dialect: 'dev-agent' },
    });
  });

  it('items without turns are calls too', () => {
    const { outcome } = readLines([
      started,
      item('item_1', 'read_artifact'),
      itemEnd('item_1', 'error', { summary: 'gone' }),
      end('error', undefined, 'gone'),
    ]);
    expect(outcome.tool_calls).toEqual([
      { name: 'read_artifact', inputs: { agent: 'codex' }, outputs: 'gone', duration_ms: 452300, status: 'error' },
    ]);
  });
});

describe('writing', () => {
  const begin: AgentEvent = { type: 'thread.started', task: 'Fix foo', session_id: 's' };
  const first: AgentEvent = { type: 'turn.started', turn_id: 'turn_1', iteration: 1 };
  const said = (text: string): AgentEvent => ({
    type: 'text.completed',
    turn_id: 'turn_1',
    message_id: text,
    block_id: 'b',
    text,
  });
  const call = (index: number): AgentEvent => ({
    type: 'item.started',
    item_id: `c${index}`,
    turn_id: 'turn_1',
    kind: 'read',
    name: 'read_artifact',
    args: { path: 'a' },
  });
  const ok: AgentEvent = { type: 'agent.finished', status: 'ok' };
  const calls = (count: number): AgentEvent[] => Array.from({ length: count }, (_, index) => call(index));

  it('ends with the report that follows from the outcome', () => {
    const { outcome, text } = pass({ stdout: jsonl(real) }, 'dev-agent');
    const report = writeEnding(outcome);
    expect(linesOf(text).at(-1)).toMatchObject({
      type: 'thread.completed',
      status: 'completed',
      summary: 'All green.',
    });
    expect(linesOf(text).at(-1)?.final_report).toEqual(report);
    expect(report).toMatchObject({
      task: 'Fix foo',
      is_finished: true,
      message: 'All green.',
      verdict: { class: 'success' },
    });
  });

  it('says in the report why a run failed', () => {
    const { outcome } = readLines([started, turn(1), end('error', undefined, 'HTTP 401')]);
    expect(writeEnding(outcome)).toMatchObject({
      status: 'error',
      summary: 'HTTP 401',
      is_finished: false,
      error: { message: 'HTTP 401' },
    });
  });

  it('tells how many calls a message makes before they are made', () => {
    const { lines } = writeEvents([begin, first, said('Look.'), ...calls(3), ok], 'dev-agent');
    expect(lines.slice(2, 4).map(({ type, tool_call_count }) => [type, tool_call_count])).toEqual([
      ['assistant.message', 3],
      ['item.started', undefined],
    ]);
  });

  it('does not wait for more calls than it can hold', () => {
    const lines: JsonObject[] = [];
    const encoder = findWriter('dev-agent').dialect.encoder(
      { line: (wire) => void lines.push(wire), lose() {} },
      'stream',
    );
    const place = numbered();
    for (const event of [begin, first, said('Look.'), ...calls(1500)]) encoder.record(place(event));
    expect(lines).toHaveLength(2 + 1 + 1500);
    expect(lines[2]).toMatchObject({ type: 'assistant.message', tool_call_count: 1000 });
  });

  it('loses a long text unless it is the message of the report', () => {
    const long = 'word '.repeat(200);
    expect(writeEvents([begin, first, said(long), ok], 'dev-agent').losses).toEqual([]);
    expect(writeEvents([begin, first, said(long), said('Done.'), ok], 'dev-agent').losses).toEqual(['text']);
  });
});

describe('detection', () => {
  it.each([
    [[started], 1],
    [[turn(1)], 1],
    [[line('error', { scope: 'cli', message: 'x' })], 1],
    [[{ type: 'thread.started', thread_id: 't' }], 0],
    [[{ type: 'turn.started' }], 0],
    [[{ ...started, source: 'agent', synthetic: false }], 0],
    [[line('log', {})], 0],
  ])('%j: %d', (head, sure) => {
    expect(devAgent.detect(head as JsonObject[], [])).toBe(sure);
  });

  it('knows its own log lines on stderr', () => {
    expect(devAgent.detect([], ['[09:00:01] ERROR dev_agent: GITHUB_TOKEN is not set'])).toBe(0.9);
  });
});
