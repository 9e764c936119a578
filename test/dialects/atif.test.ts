import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keys } from '../../src/dialects/atif/read/whole.ts';
import { ObservationResult, Own, Step, ToolCall, Trajectory } from '../../src/dialects/atif/wire.ts';
import type { JsonObject } from '../../src/json/json.ts';
import { findWriter } from '../../src/dialects/registry.ts';
import type { AgentEvent } from '../../src/events/event.ts';
import { OutcomeFold } from '../../src/outcome/fold.ts';
import { steepest, steepnessOf } from '../support/growth.ts';
import { exited, jsonl, only, pass } from '../support/pipeline.ts';
import { steepnessOfReading } from '../support/reading-growth.ts';
import { numbered } from '../support/records.ts';

const home = join(import.meta.dirname, '..', 'fixtures', 'atif');
const documents = readdirSync(home).filter((name) => name.endsWith('.json'));
const load = (name: string): string => readFileSync(join(home, name), 'utf8');

describe.each(documents)('%s', (name) => {
  const { events, outcome, notes } = pass({ stdout: load(name) });

  it('is read, and valid', async () => {
    expect(outcome.provenance).toMatchObject({ dialect: 'atif', unknown_lines: 0 });
    expect(notes).toEqual([]);
    expect(Trajectory.safeParse(JSON.parse(load(name))).error).toBeUndefined();
    const golden = join(home, name.replace('.json', '.golden.jsonl'));
    const { runwire_version: _version, ...provenance } = outcome.provenance;
    await expect(jsonl([...events.slice(0, -1), { ...outcome, provenance }])).toMatchFileSnapshot(golden);
  });

  it('says the same on one line, cut short, and when it is written again', () => {
    const line = `${JSON.stringify(JSON.parse(load(name)))}\n`;
    expect(pass({ stdout: line }).events.slice(0, -1)).toEqual(events.slice(0, -1));
    expect(pass({ stdout: line.slice(0, -40) }).outcome).toMatchObject({
      verdict: { class: 'incomplete' },
      provenance: { dialect: 'atif' },
    });
    const again = pass({ stdout: pass({ stdout: line }, 'atif').text }).outcome;
    const of = ({ verdict, message, tool_calls, metrics }: typeof outcome) => [
      verdict.class,
      message,
      tool_calls,
      metrics.tokens_used,
    ];
    expect(of(again)).toEqual(of(outcome));
  });
});

it('knows the keys that the format has', () => {
  const known = Object.entries(keys).map(([name, words]) => [name, [...words].toSorted()]);
  expect(Object.fromEntries(known)).toEqual({
    root: [...Object.keys(Own.shape), 'subagent_trajectories'].toSorted(),
    step: Object.keys(Step.shape).toSorted(),
    call: Object.keys(ToolCall.shape).toSorted(),
    observation: ['results'],
    result: Object.keys(ObservationResult.shape).toSorted(),
  });
});

it('tells what sub-agents did under the call that they worked for', () => {
  const read = pass({ stdout: load('v1.7-sub-agents.json') });
  const [task, inner] = only(read, 'item.started');
  expect(task).toMatchObject({ item_id: 't1', kind: 'subagent' });
  expect(inner).toMatchObject({ name: 'Grep', kind: 'search', parent_item_id: 't1' });
  expect(only(read, 'text.completed').filter(({ parent_item_id }) => parent_item_id === 't1')).toHaveLength(2);
  expect(read.outcome).toMatchObject({
    message: 'Fine: b.',
    metrics: { input_tokens: 80, output_tokens: 8 },
    metadata: { initial_prompt: 'Find it.' },
  });
});

it('counts the steps where there is no total but the cost', () => {
  const { outcome } = pass({ stdout: load('v1.4-results-without-names.json') });
  expect(outcome.metrics).toMatchObject({ input_tokens: 230, output_tokens: 25, cost: 0.02, cost_source: 'reported' });
  expect(outcome.tool_calls.map(({ outputs }) => outputs)).toEqual(['1 a', '2 b']);
});

const good: JsonObject = {
  schema_version: 'ATIF-v1.7',
  agent: { name: 'x', version: '1' },
  steps: [
    { step_id: 1, source: 'user', message: 'Go.' },
    {
      step_id: 2,
      source: 'agent',
      message: 'Done.',
      tool_calls: [{ tool_call_id: 'a', function_name: 'bash', arguments: {} }],
      observation: { results: [{ source_call_id: 'a', content: '' }] },
      metrics: { prompt_tokens: 2, cached_tokens: 1 },
    },
  ],
  final_metrics: { total_steps: 2 },
};
const child = {
  schema_version: 'ATIF-v1.7',
  trajectory_id: 'c',
  agent: { name: 'y', version: '1' },
  steps: [{ step_id: 1, source: 'user', message: '' }],
};
const ref = (fields: JsonObject): JsonObject => ({
  'steps.1.observation': { results: [{ source_call_id: 'a', subagent_trajectory_ref: [fields] }] },
});

/** Paths and what stands there instead; undefined: it is left out. */
function changed(changes: Record<string, unknown>): JsonObject {
  const copy = structuredClone(good);
  for (const [path, value] of Object.entries(changes)) {
    const names = path.split('.');
    const last = names.pop() ?? '';
    const place = names.reduce((at, name) => at[name] as JsonObject, copy);
    if (value === undefined) delete place[last];
    else place[last] = value as JsonObject;
  }
  return copy;
}

it.each<[string, Record<string, unknown>, string]>([
  ['a version of another kind', { schema_version: 'ATIF-v2.0' }, 'schema_version'],
  ['no steps', { steps: [] }, 'steps'],
  ['a gap between steps', { 'steps.1.step_id': 3 }, 'steps.1.step_id'],
  ['a model of a user', { 'steps.0.model_name': 'm' }, 'steps.0.model_name'],
  ['calls of a user', { 'steps.0.tool_calls': [] }, 'steps.0.tool_calls'],
  ['an observation of a user', { 'steps.0.observation': { results: [] } }, 'steps.0.observation'],
  ['metrics without a model call', { 'steps.1.llm_call_count': 0 }, 'steps.1.metrics'],
  [
    'reasoning without a model call',
    { 'steps.1.llm_call_count': 0, 'steps.1.metrics': undefined, 'steps.1.reasoning_content': 'x' },
    'steps.1.reasoning_content',
  ],
  [
    'a result of no call',
    { 'steps.1.observation.results.0.source_call_id': 'b' },
    'steps.1.observation.results.0.source_call_id',
  ],
  [
    'two calls of one name',
    { 'steps.1.tool_calls.1': { tool_call_id: 'a', function_name: 'b', arguments: {} } },
    'steps.1.tool_calls.1.tool_call_id',
  ],
  ['arguments that are text', { 'steps.1.tool_calls.0.arguments': '{}' }, 'steps.1.tool_calls.0.arguments'],
  [
    'a child without a name',
    { subagent_trajectories: [{ ...child, trajectory_id: undefined }] },
    'subagent_trajectories.0.trajectory_id',
  ],
  ['two children of one name', { subagent_trajectories: [child, child] }, 'subagent_trajectories.1.trajectory_id'],
  [
    'a child whose steps are none',
    { subagent_trajectories: [{ ...child, steps: [] }] },
    'subagent_trajectories.0.steps',
  ],
  ['a reference to nothing', ref({ session_id: 's' }), 'steps.1.observation.results.0.subagent_trajectory_ref.0'],
  [
    'a reference to nobody',
    ref({ trajectory_id: 'd' }),
    'steps.1.observation.results.0.subagent_trajectory_ref.0.trajectory_id',
  ],
  ['a time that is none', { 'steps.0.timestamp': 'noon' }, 'steps.0.timestamp'],
  [
    'a part that is text and image',
    { 'steps.0.message': [{ type: 'text', text: 'x', source: { media_type: 'image/png', path: 'x' } }] },
    'steps.0.message.0',
  ],
  [
    'an image without a place',
    { 'steps.0.message': [{ type: 'image', source: { media_type: 'image/png' } }] },
    'steps.0.message.0.source.path',
  ],
  ['a key that is unknown', { 'steps.1.cost': 1 }, 'steps.1'],
  ['a total that is not told', { 'final_metrics.total_steps': 3 }, 'notes'],
  ['more cached than prompted', { 'steps.1.metrics.cached_tokens': 3 }, 'steps.1.metrics.cached_tokens'],
  ['no session before 1.7', { schema_version: 'ATIF-v1.6' }, 'session_id'],
  [
    'parts before 1.6',
    { schema_version: 'ATIF-v1.5', session_id: 's', 'steps.0.message': [{ type: 'text', text: 'x' }] },
    'steps.0.message',
  ],
  [
    'audio before 1.8',
    { 'steps.0.message': [{ type: 'audio', source: { media_type: 'audio/wav', path: 'x' } }] },
    'steps.0.message.0',
  ],
  [
    'a field of a later version',
    { schema_version: 'ATIF-v1.4', session_id: 's', 'agent.tool_definitions': [] },
    'agent.tool_definitions',
  ],
])('refuses %s', (_name, changes, path) => {
  expect(Trajectory.safeParse(good).success).toBe(true);
  const { error } = Trajectory.safeParse(changed(changes));
  expect(placesOf(error?.issues ?? [])).toContain(path);
});

interface Issue {
  path: PropertyKey[];
  errors?: Issue[][];
}

/** A union blames all its members. */
function placesOf(issues: readonly Issue[], at: readonly PropertyKey[] = []): string[] {
  return issues.flatMap(({ path, errors = [] }) => {
    const here = [...at, ...path];
    return [here.join('.'), ...errors.flatMap((some) => placesOf(some, here))];
  });
}

it.each([
  ['no version that we read', { ...good, schema_version: 'ATIF-v2.0' }],
  ['no steps at all', { ...good, steps: null }],
])('keeps a document with %s as it is', (_name, wire) => {
  const { outcome } = pass({ stdout: JSON.stringify(wire) });
  expect(outcome).toMatchObject({
    verdict: { class: 'incomplete' },
    provenance: { dialect: 'atif', unknown_lines: 1 },
  });
});

it.each<[string, Record<string, unknown>, string]>([
  ['an answer is an end', { 'steps.1.tool_calls': undefined, 'steps.1.observation': undefined }, 'success'],
  ['calls are none', {}, 'incomplete'],
  [
    'what goes on elsewhere has none',
    { 'steps.1.tool_calls': undefined, 'steps.1.observation': undefined, continued_trajectory_ref: 'next.json' },
    'incomplete',
  ],
  [
    'a failure is believed',
    { extra: { outcome: { status: 'failed', error: { message: 'HTTP 401 unauthorized' } } } },
    'provider',
  ],
  ['a timeout is one', { extra: { outcome: { status: 'timeout' } } }, 'time_limit'],
  ['a cancellation is one', { extra: { outcome: { status: 'cancelled' } } }, 'cancelled'],
  ['a word that is unknown claims nothing', { extra: { outcome: { status: 'splendid' } } }, 'incomplete'],
  [
    'a success whose last tool failed is none',
    {
      'steps.1.message': '',
      'steps.1.observation.results.0.extra': { is_error: true },
      extra: { outcome: { status: 'success' } },
    },
    'tool',
  ],
])('how it ended: %s', (_name, changes, expected) => {
  expect(pass({ stdout: JSON.stringify(changed(changes)) }).outcome.verdict.class).toBe(expected);
});

describe('writing', () => {
  const place = { turn_id: 't', message_id: 'm' };
  const call = (item_id: string, more: object = {}): AgentEvent =>
    ({
      type: 'item.started',
      item_id,
      turn_id: 't',
      kind: 'command',
      name: 'shell',
      args: { command: 'ls' },
      ...more,
    }) as AgentEvent;
  const done = (item_id: string, more: object = {}): AgentEvent =>
    ({ type: 'item.completed', item_id, status: 'success', output: 'a', ...more }) as AgentEvent;
  const say = (text: string, more: object = {}): AgentEvent =>
    ({ type: 'text.completed', ...place, block_id: text, text, ...more }) as AgentEvent;

  function write(...events: AgentEvent[]): { wire: JsonObject; lost: string[] } {
    const lost: string[] = [];
    let wire: JsonObject = {};
    const { dialect, variant } = findWriter('atif');
    const encoder = dialect.encoder(
      { line: (each) => void (wire = each), lose: (what) => void lost.push(what) },
      variant.name,
    );
    const record = numbered();
    for (const event of [{ type: 'thread.started', session_id: 's', task: 'Go.' } as AgentEvent, ...events])
      encoder.record(record(event));
    encoder.end(new OutcomeFold().outcome('codex', []));
    expect(Trajectory.safeParse(wire).error).toBeUndefined();
    return { wire, lost };
  }

  it('puts all calls of one answer into one step, with their results', () => {
    const { wire } = write(
      say('I look.'),
      call('a'),
      call('b'),
      done('b'),
      done('a', { status: 'error', exit_code: 2 }),
      say('Done.', { message_id: 'n' }),
    );
    expect(wire.steps).toMatchObject([
      { source: 'user', message: 'Go.' },
      {
        message: 'I look.',
        tool_calls: [{ tool_call_id: 'a' }, { tool_call_id: 'b' }],
        observation: {
          results: [
            { source_call_id: 'b', content: 'a', extra: { is_error: false } },
            { source_call_id: 'a', extra: { is_error: true, exit_code: 2 } },
          ],
        },
      },
      { message: 'Done.' },
    ]);
  });

  it('embeds sub-agents, also those of sub-agents, and refers to them', () => {
    const inner = { parent_item_id: 'b' };
    const { wire } = write(
      call('a'),
      call('b', { parent_item_id: 'a' }),
      say('Deep.', inner),
      done('b'),
      done('a'),
      say('Done.'),
    );
    expect(wire.steps).toMatchObject([
      {},
      { observation: { results: [{ subagent_trajectory_ref: [{ trajectory_id: 's/main/a' }] }] } },
      {},
    ]);
    expect(wire.subagent_trajectories).toMatchObject([
      {
        trajectory_id: 's/main/a',
        steps: [{ tool_calls: [{ tool_call_id: 'b' }] }],
        subagent_trajectories: [{ trajectory_id: 's/main/b', steps: [{ message: 'Deep.' }] }],
      },
    ]);
    const texts = only(pass({ stdout: JSON.stringify(wire) }), 'text.completed');
    expect(texts.map(({ text, parent_item_id }) => [text, parent_item_id])).toEqual([
      ['Deep.', 'b'],
      ['Done.', undefined],
    ]);
  });

  it('names calls that never ended, and gives results of no call one', () => {
    const { wire } = write(call('a'), done('zz'), say('Done.'));
    expect(wire).toMatchObject({ extra: { unfinished_tool_call_ids: ['a'] } });
    expect(JSON.stringify(wire.steps)).toContain('"llm_call_count":0');
  });

  it('tells tokens as the format counts them, and never more cached than prompted', () => {
    const usage = { type: 'usage.reported', scope: 'step', input_tokens: 10, output_tokens: 2 } as const;
    const { wire } = write(
      say('Hi.'),
      { ...usage, cache_read_tokens: 4, cache_write_tokens: 3, reasoning_tokens: 1, model: 'big' },
      { type: 'turn.started', turn_id: 'u', iteration: 2 },
      { ...usage, cache_read_tokens: 40 },
    );
    expect(wire.steps).toMatchObject([
      {},
      {
        model_name: 'big',
        llm_call_count: 1,
        metrics: {
          prompt_tokens: 10,
          completion_tokens: 2,
          cached_tokens: 4,
          extra: { cache_creation_input_tokens: 3, reasoning_output_tokens: 1 },
        },
      },
      { message: '', llm_call_count: 1, metrics: { prompt_tokens: 10 } },
    ]);
    expect(JSON.stringify(wire.steps)).not.toContain('40');
  });

  it('keeps retries, permissions, edits and arguments that are no object where they belong', () => {
    const { wire } = write(
      { type: 'retry.scheduled', cause: 'overloaded', attempt: 1 },
      call('a', { args: 'ls -l' }),
      { type: 'permission.requested', permission_id: 'p', item_id: 'a', what: 'shell' },
      { type: 'permission.resolved', permission_id: 'p', decision: 'denied', by: 'rule' },
      done('a', { status: 'denied', output: undefined, error: 'no' }),
      { type: 'file.edited', path: 'b', operation: 'created', item_id: 'a', additions: 2 },
    );
    expect(wire.steps).toMatchObject([
      {},
      {
        tool_calls: [
          {
            arguments: { _raw: 'ls -l' },
            extra: { raw_arguments: 'ls -l', permission: { decision: 'denied', by: 'rule' } },
          },
        ],
        observation: {
          results: [
            { content: 'no', extra: { status: 'denied', error: 'no', file_changes: [{ path: 'b', kind: 'created' }] } },
          ],
        },
        extra: { retries: [{ cause: 'overloaded', attempt: 1 }] },
      },
    ]);
    const read = pass({ stdout: JSON.stringify(wire), exit: exited(0) });
    expect(only(read, 'item.started')[0]).toMatchObject({ args: 'ls -l' });
    expect(only(read, 'permission.resolved')).toMatchObject([{ decision: 'denied', by: 'rule' }]);
    expect(only(read, 'file.edited')).toMatchObject([{ path: 'b', operation: 'created', additions: 2, item_id: 'a' }]);
    expect(only(read, 'item.completed')).toEqual([
      { type: 'item.completed', item_id: 'a', status: 'denied', error: 'no' },
    ]);
  });

  it('loses what nests absurdly deep, and nothing else', () => {
    const deep = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`) as unknown;
    const { wire, lost } = write(call('a', { args: deep }), done('a', { output: deep }), say('Done.'));
    expect(JSON.stringify(wire)).toContain('Done.');
    expect(lost).toEqual(['tool_args', 'tool_output']);
  });
});

it('takes time in proportion to the document', () => {
  const step = (index: number, calls: readonly number[]): JsonObject => ({
    step_id: index + 1,
    source: 'agent',
    message: 'words',
    tool_calls: calls.map((call) => ({ tool_call_id: `c${call}`, function_name: 'bash', arguments: {} })),
    observation: {
      results: calls.toReversed().map((call) => ({ source_call_id: call % 2 === 0 ? `c${call}` : null, content: 'a' })),
    },
  });
  const each = <T>(size: number, make: (index: number) => T): T[] =>
    Array.from({ length: size }, (_, index) => make(index));
  // Many steps, a step of many calls, one name for calls of many steps, sub-agents that nobody refers to.
  const large = (size: number): JsonObject => ({
    ...good,
    steps: [
      step(
        0,
        each(size, (index) => index),
      ),
      ...each(size, (index) => step(index + 1, [index % 2 === 0 ? 2 : index])),
    ],
    subagent_trajectories: each(size, (index) => ({ ...child, trajectory_id: `c${index}` })),
  });
  expect(steepnessOfReading('atif', (size) => [large(size)])).toBeLessThan(steepest);
  expect(steepnessOf((size) => void Trajectory.safeParse(large(size)))).toBeLessThan(steepest);
});

describe('a tool output that is a step of its own', () => {
  const call = { tool_call_id: 'c1', function_name: 'exec', arguments: { command: 'go test' } };
  const asked = { step_id: 1, source: 'user', message: 'fix it' };
  const called = { step_id: 2, source: 'agent', message: 'Let me see:', tool_calls: [call] };
  const resultOf = (content: string) => ({ results: [{ source_call_id: 'c1', content }] });
  const long = 'ok  example.org/some/package  0.004s and more of it';
  const read = (steps: readonly object[], final_metrics: object = {}) =>
    pass({
      stdout: JSON.stringify({
        schema_version: 'ATIF-v1.6',
        agent: { name: 'openclaw', version: '1' },
        steps,
        final_metrics,
      }),
    }).outcome;
  const told = ({ verdict, message, tool_calls, metrics }: ReturnType<typeof read>) => ({
    class: verdict.class,
    message,
    calls: tool_calls.map(({ name, status, outputs }) => [name, status, outputs]),
    turns: metrics.turns,
  });

  it.each([
    [
      'repeated as the message',
      { source: 'agent', message: '(no output)', observation: resultOf('(no output)') },
      '(no output)',
    ],
    ['with an empty message', { source: 'agent', message: '', observation: resultOf('ok') }, 'ok'],
    ['cut in the message', { source: 'agent', message: `${long.slice(0, 45)}…`, observation: resultOf(long) }, long],
    ['under a heading', { source: 'agent', message: 'exec said:', observation: resultOf('ok') }, 'ok'],
    [
      'without the id of its call',
      { source: 'agent', message: 'ok', observation: { results: [{ content: 'ok' }] } },
      'ok',
    ],
    ["in the system's name", { source: 'system', message: 'ok', observation: resultOf('ok') }, 'ok'],
    ["in the user's name", { source: 'user', message: 'ok', observation: resultOf('ok') }, 'ok'],
  ])('%s is no answer', (_, step, output) => {
    expect(told(read([asked, called, { step_id: 3, ...step }]))).toEqual({
      class: 'incomplete',
      message: 'Let me see:',
      calls: [['exec', 'completed', output]],
      turns: 1,
    });
    const answer = { step_id: 4, source: 'agent', message: 'Fixed.' };
    expect(told(read([asked, called, { step_id: 3, ...step }, answer]))).toEqual({
      class: 'success',
      message: 'Fixed.',
      calls: [['exec', 'completed', output]],
      turns: 2,
    });
  });

  it("is told from the model's own words about it", () => {
    const step = {
      step_id: 3,
      source: 'agent',
      message: 'Fixed.',
      observation: resultOf('ok'),
      metrics: { prompt_tokens: 3 },
    };
    expect(told(read([asked, called, step]))).toEqual({
      class: 'success',
      message: 'Fixed.',
      calls: [['exec', 'completed', 'ok']],
      turns: 2,
    });
  });

  it('counts cached tokens that are beside the prompt', () => {
    const metrics = (prompt_tokens: number, cached_tokens: number) => ({
      metrics: { prompt_tokens, cached_tokens, completion_tokens: 2 },
    });
    const steps = [
      asked,
      { ...called, ...metrics(10, 900) },
      { step_id: 3, source: 'agent', message: 'Fixed.', ...metrics(50, 20) },
    ];
    const counted = { input_tokens: 980, output_tokens: 4, cache_read_tokens: 920 };
    expect(read(steps).metrics).toMatchObject(counted);
    expect(read(steps, { total_prompt_tokens: 60, total_completion_tokens: 4 }).metrics).toMatchObject(counted);
    expect(
      read(steps, { total_prompt_tokens: 60, total_completion_tokens: 4, total_cached_tokens: 920 }).metrics,
    ).toMatchObject(counted);
  });
});
