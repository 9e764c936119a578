import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json/json.ts';
import type { AgentEvent } from '../../src/events/event.ts';
import { OutcomeFold } from '../../src/outcome/fold.ts';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import type { Price } from '../../src/outcome/price.ts';
import { findWriter } from '../../src/dialects/registry.ts';
import { Writer } from '../../src/pipeline/writer.ts';
import { numbered } from '../support/records.ts';
import { jsonl, only, readLines, readText, writeEvents } from '../support/wire.ts';

const started: AgentEvent = { type: 'thread.started', task: 'Fix foo', parent_branch_id: 'main' };
const turn: AgentEvent = { type: 'turn.started', turn_id: 'turn_1', iteration: 1 };
const said: AgentEvent = { type: 'text.completed', turn_id: 'turn_1', message_id: 'm', block_id: 'b', text: 'Done.' };
const turnEnd: AgentEvent = {
  type: 'turn.completed',
  turn_id: 'turn_1',
  iteration: 1,
  tool_call_count: 0,
  has_final_report: true,
};
const ok: AgentEvent = { type: 'agent.finished', status: 'ok' };

const branches: AgentEvent[] = [
  { type: 'branch.updated', branch_id: 'main', is_start: true, commit: 'c0' },
  {
    type: 'branch.updated',
    branch_id: 'runwire/r/1-a',
    parent_branch_id: 'main',
    agent: 'codex',
    run_id: 'r-1',
    status: 'success',
    verified: 'passed',
    files: 2,
    commit: 'c1',
    cost_usd: 0.25,
    item_id: 'i',
  },
  {
    type: 'branch.updated',
    branch_id: 'runwire/r/2-b',
    parent_branch_id: 'main',
    status: 'tool',
    verified: 'base_red',
  },
  { type: 'branch.updated', branch_id: 'runwire/r/1-a', status: 'success' },
];
const published: AgentEvent = {
  type: 'branch.published',
  branch_id: 'runwire/r/1-a',
  status: 'success',
  remote: 'origin',
  ref: 'refs/heads/a',
  commit: 'c1',
  url: 'https://example.com/pr/1',
  dry_run: false,
  message: 'Pushed.',
};
const children: AgentEvent = {
  type: 'children.reported',
  runs: 2,
  tokens_used: 30,
  input_tokens: 20,
  output_tokens: 10,
  cost_usd: 0.1,
  cost_known: 1,
};
const usage: AgentEvent = {
  type: 'usage.reported',
  scope: 'thread',
  model: 'm-1',
  input_tokens: 5,
  output_tokens: 2,
  cost_usd: 0.2,
};

function reportOf(events: readonly AgentEvent[]): JsonObject {
  return writeEvents([started, turn, said, turnEnd, ...events, ok], 'dev-agent').lines.at(-1)
    ?.final_report as JsonObject;
}

describe('what is written', () => {
  it('has the branches, what came of publishing, and what the whole tree took', () => {
    const report = reportOf([...branches, published, usage, children]);
    expect(report.lineage).toEqual({
      start_branch_id: 'main',
      latest_branch_id: 'runwire/r/1-a',
      branches: [
        { branch_id: 'main', commit: 'c0' },
        {
          branch_id: 'runwire/r/1-a',
          parent_branch_id: 'main',
          commit: 'c1',
          agent: 'codex',
          run_id: 'r-1',
          status: 'success',
          verified: 'passed',
          files: 2,
          cost: 0.25,
        },
        { branch_id: 'runwire/r/2-b', parent_branch_id: 'main', status: 'tool', verified: 'base_red' },
      ],
    });
    const { type: _type, ...publish } = published;
    expect(report.publish).toEqual(publish);
    expect(report.usage).toEqual({
      runs: 3,
      tokens_used: 37,
      input_tokens: 25,
      output_tokens: 12,
      cost: 0.3,
      cost_known: 2,
    });
    expect(report.children).toEqual({
      runs: 2,
      tokens_used: 30,
      input_tokens: 20,
      output_tokens: 10,
      cost: 0.1,
      cost_known: 1,
    });
  });

  it('counts a single run as a tree of one, and names no branches where there are none', () => {
    const report = reportOf([usage]);
    expect(report.usage).toEqual({
      runs: 1,
      tokens_used: 7,
      input_tokens: 5,
      output_tokens: 2,
      cost: 0.2,
      cost_known: 1,
    });
    expect(Object.keys(report)).not.toEqual(expect.arrayContaining(['lineage']));
    expect(report).not.toHaveProperty('publish');
    expect(report).not.toHaveProperty('children');
  });

  it('is no loss, and in every other dialect one that is said', () => {
    const events = [started, turn, said, turnEnd, ...branches, published, ok];
    expect(writeEvents(events, 'dev-agent').losses).toEqual([]);
    for (const to of ['codex', 'claude', 'opencode', 'agent-code', 'dexter', 'qwen', 'gemini', 'pi'])
      expect(writeEvents(events, to).losses).toContain('lineage');
    expect(writeEvents(events, 'runwire').losses).toEqual([]);
  });
});

/** A run that was judged with prices, as it is live, written and read again without them. */
function again(events: readonly AgentEvent[], price?: Price): { first: RunOutcome; second: RunOutcome } {
  const fold = new OutcomeFold();
  const { dialect, variant } = findWriter('dev-agent');
  const writer = new Writer(dialect, variant);
  const place = numbered();
  for (const event of events) {
    const record = place(event, { at: 1_770_000_000_000 });
    fold.apply(event, 1_770_000_000_000);
    writer.record(record);
  }
  const first = fold.outcome('runwire', [], price);
  writer.end(first);
  return { first, second: readText(writer.take()).outcome };
}

describe('what is read again', () => {
  const whole = [started, turn, said, turnEnd];
  it.each<[string, AgentEvent[], Price?]>([
    ['branches, publishing, children', [...branches, published, usage, children, ok]],
    ['a branch that began the work and no other', [branches[0] as AgentEvent, ok]],
    ['branches without a start', [branches[2] as AgentEvent, branches[1] as AgentEvent, ok]],
    [
      'a failed publish',
      [{ ...published, status: 'error', url: undefined } as AgentEvent, ok].map((each) =>
        JSON.parse(JSON.stringify(each)),
      ),
    ],
    [
      'a cost that was computed',
      [{ type: 'usage.reported', scope: 'thread', model: 'm-1', input_tokens: 5, output_tokens: 2 }, ok],
      () => 0.125,
    ],
    [
      'a cost that is unknown',
      [{ type: 'usage.reported', scope: 'thread', model: 'm-1', input_tokens: 5, output_tokens: 2 }, ok],
    ],
    [
      'two models',
      [
        { ...usage, scope: 'step', cache_read_tokens: 1 } as AgentEvent,
        { ...usage, scope: 'step', model: 'm-2', reasoning_tokens: 1 } as AgentEvent,
        ok,
      ],
    ],
    ['a claimed duration', [{ ...ok, duration_ms: 1234 } as AgentEvent]],
    [
      'files',
      [
        { type: 'file.edited', path: 'a', operation: 'created', size: 5 },
        { type: 'file.edited', path: 'd', operation: 'deleted', file_type: 'directory' },
        ok,
      ],
    ],
    [
      'warnings',
      [
        { type: 'retry.scheduled', cause: 'slow' },
        { type: 'error', scope: 'mcp', code: 'tool', message: 'gone', fatal: true },
        ok,
      ],
    ],
    [
      'errors that it got over, and then nothing',
      [
        { type: 'error', scope: 'mcp', code: 'tool', message: 'gone', fatal: false },
        { type: 'error', scope: 'mcp', code: 'tool', message: 'gone again', fatal: false },
      ],
    ],
    [
      'a limit that ended it',
      [
        { type: 'limit.reached', limit: 'cost', value: 2, maximum: 1, message: 'too dear' },
        { type: 'agent.finished', status: 'failed', code: 'cost_limit', message: 'too dear' },
      ],
    ],
    ['a limit that came late', [{ type: 'limit.reached', limit: 'tokens', value: 2, maximum: 1, late: true }, ok]],
  ])('%s', (_, events, price) => {
    const { first, second } = again([...whole, ...events], price);
    const { start_time_ms: _start, end_time_ms: _end, ...metrics } = second.metrics;
    expect(first.metrics).toMatchObject(metrics);
    expect(Object.keys(metrics)).toHaveLength(Object.keys(first.metrics).length - 2);
    for (const field of [
      'status',
      'message',
      'usage_by_model',
      'children',
      'lineage',
      'publish',
      'artifacts',
      'warnings',
      'limits_hit',
    ] as const)
      expect({ [field]: second[field] }).toEqual({ [field]: first[field] });
    expect(second.verdict.class).toBe(first.verdict.class);
    expect(second.provenance.notes).toEqual([]);
  });

  it('a tape keeps it too', () => {
    const events = [...whole, ...branches, published, usage, children, ok];
    const tape = writeEvents(events, 'runwire').text;
    const { lineage, publish, children: below } = readText(tape).outcome;
    expect({ lineage, publish, below }).toEqual({
      lineage: again(events).first.lineage,
      publish: again(events).first.publish,
      below: { runs: 2, tokens_used: 30, input_tokens: 20, output_tokens: 10, cost: 0.1, cost_known: 1 },
    });
  });

  it('the latest branch is the latest, also when it is not the last in the list', () => {
    const { lines } = writeEvents([...whole, ...branches, ok], 'dev-agent');
    expect(only(readLines(lines), 'branch.updated').map(({ branch_id, is_start }) => [branch_id, is_start])).toEqual([
      ['main', true],
      ['runwire/r/1-a', undefined],
      ['runwire/r/2-b', undefined],
      ['runwire/r/1-a', undefined],
    ]);
  });
});

describe('reports of the program itself', () => {
  const line = (type: string, sequence: number, fields: JsonObject): JsonObject => ({
    ...fields,
    sequence,
    thread_id: '2f0c',
    timestamp: '2026-02-10T09:00:00Z',
    type,
  });
  const read = (final_report: JsonObject, ...between: JsonObject[]) =>
    readText(
      jsonl([
        line('thread.started', 1, { task: 'Fix foo', project_name: 'acme', parent_branch_id: 'b-1', headless: true }),
        ...between,
        line('thread.completed', 9, { status: 'completed', summary: 'All green.', final_report }),
      ]),
    );
  const report = { is_finished: true, status: 'completed', task: 'Fix foo', summary: 'All green.' };

  it('the two branches of one are kept', () => {
    expect(read({ ...report, start_branch_id: 'b-1', latest_branch_id: 'b-2' }).outcome.lineage).toEqual({
      start_branch_id: 'b-1',
      latest_branch_id: 'b-2',
      branches: [{ branch_id: 'b-1' }, { branch_id: 'b-2' }],
    });
    expect(read({ ...report, start_branch_id: 7, latest_branch_id: 7 }).outcome.lineage).toEqual({
      start_branch_id: '7',
      latest_branch_id: '7',
      branches: [{ branch_id: '7' }],
    });
    expect(read(report).outcome).not.toHaveProperty('lineage');
  });

  it.each<[string, JsonObject, RunOutcome['publish']]>([
    [
      'its words',
      { publish_report: 'Pushed.', latest_branch_id: 'b-2' },
      { branch_id: 'b-2', status: 'success', message: 'Pushed.' },
    ],
    [
      'an object',
      { publish_report: { a: 1 }, latest_branch_id: 'b-2' },
      { branch_id: 'b-2', status: 'success', message: '{"a":1}' },
    ],
    [
      'a pull request',
      { pr_url: 'https://example.com/1', pr_number: 1, pr_head_branch: 'fix', start_branch_id: 'b-1' },
      { branch_id: 'b-1', status: 'success', ref: 'fix', url: 'https://example.com/1' },
    ],
    [
      'only its number',
      { pr_number: 1, pr_head_branch: 'fix' },
      { branch_id: 'fix', status: 'success', ref: 'fix', message: 'pull request 1' },
    ],
  ])('what came of publishing: %s', (_, fields, want) => {
    expect(read({ ...report, ...fields }).outcome.publish).toEqual(want);
  });

  it('a publish that failed is told as one', () => {
    const failure = line('error', 2, { scope: 'publish', message: 'push refused' });
    expect(
      read({ ...report, publish_report: 'push refused', latest_branch_id: 'b' }, failure).outcome.publish,
    ).toMatchObject({
      status: 'error',
    });
  });

  it('what cannot be kept is noted', () => {
    const { notes, outcome } = read({
      ...report,
      publish_report: 'Pushed.',
      instructions: 'x',
      lineage: { branches: [{}, { branch_id: 'b', files: 'many' }] },
    });
    expect(notes.map(({ kind, what }) => `${kind}: ${what}`)).toEqual([
      'unrecognised: a branch without an id',
      'unrecognised: what is said of a branch',
      'unrecognised: a publish report without a branch',
      'unrecognised: final_report.instructions',
    ]);
    expect(outcome.lineage?.branches).toEqual([{ branch_id: 'b' }]);
  });
});
