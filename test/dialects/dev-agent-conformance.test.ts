import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json/json.ts';
import { findDialect } from '../../src/dialects/registry.ts';
import type { AgentEvent } from '../../src/events/event.ts';
import { fold } from '../../src/pipeline/convert.ts';
import { tables } from '../across/expected/index.ts';
import { live } from '../cli/run/live.ts';
import { folder } from '../cli/run/scripted.ts';
import { conformanceProblems } from '../support/dev-agent-conformance.ts';
import { type ModelServer, startModelServer } from '../support/model-server/index.ts';
import { linesOf, pass } from '../support/pipeline.ts';
import { allRecordings, loadRecording, withOneLong } from '../support/recordings.ts';
import { writeEvents } from '../support/wire.ts';

const root = join(import.meta.dirname, '..', '..');
const secret = 'hunter2-value';

interface Stream {
  stdout: string;
  stderr: string;
  status: number | null;
  lines: string[];
  wires: JsonObject[];
}

/** The example of the README, on a replayed model. */
let good: Stream;
/** Words too long to show, arguments that hold secrets, then a model that fails. */
let bad: Stream;
let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer({
    turns: [
      {
        text: `Näïve ${'y'.repeat(900)}`,
        calls: [{ name: 'grep', args: { pattern: 'z'.repeat(900), apiKey: secret, env: { A: secret } } }],
      },
      { fault: { status: 401 } },
    ],
  });
  const cwd = folder();
  cpSync(join(root, 'examples', 'fix-the-test', 'project'), cwd, { recursive: true });
  const replay = ['--model', 'replay/examples/fix-the-test/model.jsonl', '--allow', 'bash(node --test)'];
  [good, bad] = await Promise.all([
    streamed(['--cwd', cwd, ...replay, 'A test fails here. Find out why, and fix it.']),
    streamed([
      '--model',
      'openai-compatible/test-model',
      '--base-url',
      server.baseUrl('chat'),
      '--cwd',
      folder(),
      'Fix it',
    ]),
  ]);
});
afterAll(() => server.close());

async function streamed(args: readonly string[]): Promise<Stream> {
  const ran = await live(['--stream-json', ...args], { cwd: root });
  const lines = ran.stdout.split('\n').slice(0, -1);
  const wires = lines.slice(0, lines.indexOf('{')).map((line) => JSON.parse(line) as JsonObject);
  return { ...ran, lines, wires };
}

const places = (wires: readonly JsonObject[], type: string): number[] =>
  wires.flatMap((wire, index) => (wire.type === type ? [index] : []));
const only = (wires: readonly JsonObject[], type: string): JsonObject[] => wires.filter((wire) => wire.type === type);
const types = (wires: readonly JsonObject[]): unknown[] => wires.map(({ type }) => type);

describe('Goal', () => {
  it('newline-delimited JSON, one object a line, of the whole run', () => {
    expect(conformanceProblems(good.lines)).toEqual([]);
    expect(conformanceProblems(bad.lines)).toEqual([]);
  });
});

describe('Activation', () => {
  it('--stream-json keeps stdout machine-parsable and stderr silent', () => {
    expect([good.stderr, good.status]).toEqual(['', 0]);
    expect(good.wires[0]?.headless).toBe(true);
  });
});

describe('Transport / Encoding', () => {
  it('UTF-8, ASCII-safe', () => {
    // eslint-disable-next-line no-control-regex -- ASCII is what is promised
    for (const { stdout } of [good, bad]) expect(stdout).toMatch(/^[\x00-\x7e]*$/);
    expect(bad.stdout).toContain(String.raw`N\u00e4\u00efve`);
  });

  it('the general envelope is on every line', () => {
    for (const wire of [...good.wires, ...bad.wires])
      expect(Object.keys(wire).slice(0, 4)).toEqual(['type', 'timestamp', 'sequence', 'thread_id']);
  });

  it('thread_id is a UUID v4, one for all', () => {
    expect(good.wires[0]?.thread_id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });
});

describe('Event Catalog', () => {
  it('thread.started: before the first turn', () => {
    expect(good.wires[0]).toMatchObject({
      type: 'thread.started',
      task: 'A test fails here. Find out why, and fix it.',
    });
    expect(places(good.wires, 'turn.started')[0]).toBe(1);
  });

  it('turn.started: before each model call', () => {
    expect(only(good.wires, 'turn.started').map(({ turn_id, iteration }) => [turn_id, iteration])).toEqual(
      [1, 2, 3, 4, 5].map((iteration) => [`turn_${iteration}`, iteration]),
    );
    for (const wire of only(good.wires, 'turn.started')) expect(wire.tool_count).toBeGreaterThan(0);
  });

  it('assistant.message: right after the reply', () => {
    for (const index of places(good.wires, 'assistant.message'))
      expect(good.wires[index - 1]?.type).toBe('turn.started');
    expect(only(good.wires, 'assistant.message').map((wire) => wire.tool_call_count)).toEqual([1, 2, 1, 1, 0]);
  });

  it('turn.completed: after its calls, or the final report', () => {
    expect(types(good.wires.slice(6, 13))).toEqual([
      'turn.started',
      'assistant.message',
      'item.started',
      'item.started',
      'item.completed',
      'item.completed',
      'turn.completed',
    ]);
    expect(only(good.wires, 'turn.completed').map((wire) => wire.has_final_report)).toEqual([
      false,
      false,
      false,
      false,
      true,
    ]);
    expect(only(bad.wires, 'turn.completed').some((wire) => wire.has_final_report === true)).toBe(false);
  });

  it('item.started: before a tool is dispatched', () => {
    expect(only(good.wires, 'item.started').map(({ kind, name }) => [kind, name])).toEqual(
      ['bash', 'read', 'read', 'edit', 'bash'].map((name) => ['tool_call', name]),
    );
  });

  it('item.completed: after it has finished', () => {
    expect(only(good.wires, 'item.completed').map(({ status }) => status)).toEqual([
      'error',
      'success',
      'success',
      'success',
      'success',
    ]);
  });

  it('thread.completed: last, before the final pretty JSON', () => {
    expect(good.wires.at(-1)).toMatchObject({
      type: 'thread.completed',
      status: 'completed',
      summary: expect.stringMatching(/^The tests pass/),
    });
    expect(bad.wires.at(-1)).toMatchObject({
      type: 'thread.completed',
      status: 'error',
      final_report: { verdict: { class: 'provider' } },
    });
  });

  it('error: whenever the orchestration returns one', () => {
    expect(only(bad.wires, 'error')).toMatchObject([
      { scope: 'provider', message: expect.stringContaining('HTTP'), iteration: 2, turn_id: 'turn_2' },
    ]);
    expect(types(bad.wires.slice(-4))).toEqual(['turn.started', 'error', 'turn.completed', 'thread.completed']);
  });
});

describe('Notes', () => {
  it('assistant.message truncates long responses to 500 characters', () => {
    expect(only(bad.wires, 'assistant.message')[0]).toMatchObject({
      preview: `Näïve ${'y'.repeat(494)}`,
      truncated: true,
    });
  });

  it('args include safe metadata, and secrets are never emitted', () => {
    expect(only(bad.wires, 'item.started')[0]?.args).toEqual({ pattern: 'z'.repeat(240) });
    expect(bad.stdout).not.toContain(secret);
  });

  it('args include a short prompt_preview, and publish shows up as an item', () => {
    expect(only(orchestration().lines, 'item.started').map(({ kind, name, args }) => [kind, name, args])).toEqual([
      [
        'tool_call',
        'execute_agent',
        { agent: 'codex', parent_branch_id: 'main', prompt_preview: 'p'.repeat(240), prompt_truncated: true },
      ],
      ['branch_poll', 'branch_output', { branch_id: 'b-1', full_output: false }],
      ['publish', 'publish', { branch_id: 'b-1', message: 'Fix foo', remote: 'origin' }],
    ]);
  });
});

describe('Implementation Hooks', () => {
  it('4. Publish flow: item.* with kind publish, before thread.completed, and no publish.* events', () => {
    const { lines, text } = orchestration();
    expect(conformanceProblems(text.split('\n').slice(0, -1))).toEqual([]);
    expect(text).not.toContain('"type":"publish');
    expect(types(lines.slice(-4))).toEqual(['turn.started', 'assistant.message', 'turn.completed', 'thread.completed']);
  });

  it('5. Final JSON: printed even in streaming mode, the same report', () => {
    const report = JSON.parse(good.lines.slice(good.wires.length).join('\n')) as JsonObject;
    expect(report).toEqual(good.wires.at(-1)?.final_report);
  });
});

describe('Instrumentation Guidance', () => {
  it('2. every item is wrapped, and an error comes at once', () => {
    const open = new Set<unknown>();
    for (const { type, item_id } of good.wires) {
      if (type === 'item.started') open.add(item_id);
      else if (type === 'item.completed') expect(open.delete(item_id)).toBe(true);
    }
    expect(open.size).toBe(0);
  });

  it('3. lineage is attached, and a single thread.completed ends the stream', () => {
    const { lines } = orchestration();
    expect(lines.at(-1)?.final_report).toMatchObject({
      task: 'Fix foo',
      status: 'completed',
      summary: 'All is done.',
      lineage: {
        start_branch_id: 'main',
        latest_branch_id: 'b-1',
        branches: [
          { branch_id: 'main' },
          { branch_id: 'b-1', parent_branch_id: 'main', agent: 'codex', verified: 'passed' },
        ],
      },
      publish: { branch_id: 'b-1', status: 'success', remote: 'origin' },
      usage: { runs: 2, input_tokens: 30, output_tokens: 12, cost: 0.75, cost_known: 2 },
    });
    expect(only(lines, 'thread.completed')).toHaveLength(1);
  });
});

describe('read back', () => {
  it('the stream has the totals of its own report', async () => {
    for (const { stdout, wires } of [good, bad]) {
      const outcome = await fold([new TextEncoder().encode(stdout)]);
      const report = wires.at(-1)?.final_report as JsonObject;
      const { start_time_ms: _start, end_time_ms: _end, ...metrics } = report.metrics as JsonObject;
      expect(outcome.metrics).toMatchObject(metrics);
      expect(outcome.message).toBe(report.message);
      expect(outcome.warnings).toEqual(report.warnings);
      expect(outcome.verdict.class).toBe((report.verdict as JsonObject).class);
      expect(outcome.provenance.notes).toEqual([]);
    }
  });

  it('every recorded stream of another agent that is converted conforms, and has its answer', () => {
    const wrong = withOneLong(allRecordings(tables)).flatMap(({ name, folder: agent, scenario, expected }) => {
      const stdout = new TextDecoder().decode(loadRecording(agent, scenario).stdout);
      const { text, outcome } = pass({ stdout, dialect: findDialect(expected.dialect) }, 'dev-agent');
      const problems = conformanceProblems(text.split('\n').slice(0, -1));
      const isAnswered = text.includes('"has_final_report":true');
      // An agent that was denied everything may have an answer all the same.
      const isRight = isAnswered
        ? ['success', 'permission'].includes(outcome.verdict.class)
        : outcome.verdict.class !== 'success';
      return problems.length === 0 && isRight ? [] : [{ name, problems, isAnswered }];
    });
    expect(wrong).toEqual([]);
  });
});

/** An orchestration as the fold and the writer get it. */
function orchestration(): { lines: JsonObject[]; text: string } {
  const turn = (iteration: number): AgentEvent => ({
    type: 'turn.started',
    turn_id: `turn_${iteration}`,
    iteration,
    message_count: 2,
    tool_count: 7,
  });
  const end = (iteration: number, calls: number): AgentEvent => ({
    type: 'turn.completed',
    turn_id: `turn_${iteration}`,
    iteration,
    tool_call_count: calls,
    has_final_report: calls === 0,
  });
  const call = (
    item_id: string,
    kind: 'subagent' | 'branch_poll' | 'publish',
    name: string,
    args: JsonObject,
  ): AgentEvent[] => [
    { type: 'item.started', item_id, turn_id: 'turn_1', kind, name, args },
    { type: 'item.completed', item_id, status: 'success', duration_ms: 5, branch_id: 'b-1', summary: 'done' },
  ];
  const { lines, text } = writeEvents(
    [
      { type: 'thread.started', task: 'Fix foo', project_name: 'acme', parent_branch_id: 'main', headless: true },
      { type: 'branch.updated', branch_id: 'main', is_start: true },
      turn(1),
      ...call('i1', 'subagent', 'execute_agent', {
        agent: 'codex',
        parent_branch_id: 'main',
        prompt: 'p'.repeat(300),
        env: { TOKEN: secret },
      }),
      {
        type: 'branch.updated',
        branch_id: 'b-1',
        parent_branch_id: 'main',
        agent: 'codex',
        status: 'success',
        verified: 'passed',
        files: 1,
        cost_usd: 0.5,
      },
      ...call('i2', 'branch_poll', 'branch_output', { branch_id: 'b-1', full_output: false }),
      end(1, 2),
      turn(2),
      ...call('i3', 'publish', 'publish', { branch_id: 'b-1', message: 'Fix foo', remote: 'origin', token: secret }),
      { type: 'branch.published', branch_id: 'b-1', status: 'success', remote: 'origin', ref: 'refs/heads/b-1' },
      end(2, 1),
      turn(3),
      { type: 'text.completed', turn_id: 'turn_3', message_id: 'm', block_id: 'b', text: 'All is done.' },
      { type: 'usage.reported', scope: 'thread', input_tokens: 10, output_tokens: 2, cost_usd: 0.25 },
      end(3, 0),
      {
        type: 'children.reported',
        runs: 1,
        tokens_used: 30,
        input_tokens: 20,
        output_tokens: 10,
        cost_usd: 0.5,
        cost_known: 1,
      },
      { type: 'agent.finished', status: 'ok' },
    ],
    'dev-agent',
  );
  return { lines, text };
}

describe('the checker sees', () => {
  type Change = (wires: JsonObject[]) => unknown;
  const at = (wires: JsonObject[], type: string): JsonObject => wires.find((wire) => wire.type === type) ?? {};
  it.each<[string, Change]>([
    ['a missing envelope', (wires) => delete at(wires, 'turn.started').timestamp],
    ['another thread', (wires) => (at(wires, 'turn.completed').thread_id = 'x')],
    ['a gap', (wires) => wires.splice(3, 1)],
    ['an unknown event', (wires) => (at(wires, 'assistant.message').type = 'publish.started')],
    ['a kind of ours', (wires) => (at(wires, 'item.started').kind = 'subagent')],
    ['an argument that is not listed', (wires) => ((at(wires, 'item.started').args as JsonObject).shell = 'x')],
    ['a secret', (wires) => ((at(wires, 'item.started').args as JsonObject).agent = { apiKey: 'x' })],
    ['a long argument', (wires) => ((at(wires, 'item.started').args as JsonObject).agent = 'x'.repeat(241))],
    ['a long preview', (wires) => (at(wires, 'assistant.message').preview = 'x'.repeat(501))],
    [
      'no final report',
      (wires) => ((wires.findLast(({ type }) => type === 'turn.completed') ?? {}).has_final_report = false),
    ],
    ['too many of them', (wires) => (at(wires, 'turn.completed').has_final_report = true)],
    ['a status of ours', (wires) => (at(wires, 'item.completed').status = 'denied')],
    [
      'an end before its items',
      (wires) =>
        wires.splice(
          3,
          0,
          ...wires.splice(
            wires.findIndex(({ type }) => type === 'turn.completed'),
            1,
          ),
        ),
    ],
    ['another report', (wires) => ((at(wires, 'thread.completed').final_report as JsonObject).status = 'x')],
    [
      'a wrong sum',
      (wires) => (((at(wires, 'thread.completed').final_report as JsonObject).usage as JsonObject).input_tokens = 1),
    ],
    ['no end', (wires) => wires.pop()],
    ['something after the end', (wires) => wires.push({ ...at(wires, 'error'), type: 'error' })],
  ])('%s', (_, change) => {
    const wires = linesOf(orchestration().text);
    change(wires);
    expect(conformanceProblems(wires.map((wire) => JSON.stringify(wire)))).not.toEqual([]);
  });
});
