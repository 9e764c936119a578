import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { importRuns, runsAt } from '../../src/ledger/import.ts';
import { absorbImports } from '../../src/ledger/one-run.ts';
import { newRunId } from '../../src/ids/run-id.ts';
import type { RunRecord, RunStore } from '../../src/stores/run-store.ts';
import { openSqlite } from '../../src/stores/sqlite.ts';
import { Reader } from '../../src/pipeline/reader.ts';
import { newRun, outcomeWith } from '../stores/support/runs.ts';
import { ledgerSink } from '../stores/support/sink.ts';
import { pass } from '../support/pipeline.ts';
import { loadRecording } from '../support/recordings.ts';
import { claudeSessionLines } from '../support/claude-session.ts';

const home = mkdtempSync(join(tmpdir(), 'runwire-one-run-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
let count = 0;
const folder = (): string => join(home, `${(count += 1)}`);

function fail(message: string): never {
  throw new Error(message);
}

const begun = Date.UTC(2026, 2, 1, 10);
const at = (second: number): string => new Date(begun + second * 1000).toISOString();

function write(path: string, lines: readonly unknown[]): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return path;
}

async function withStore(work: (store: RunStore) => Promise<void>): Promise<void> {
  mkdirSync(join(home, `${(count += 1)}`));
  const store = await openSqlite(join(home, `${count}`, 'ledger.db'));
  try {
    await work(store);
    expect(await store.verify()).toEqual([]);
  } finally {
    await store.close();
  }
}

async function take(store: RunStore, path: string | string[]): Promise<string[]> {
  const kinds: string[] = [];
  for await (const { kind } of importRuns(store, runsAt(path))) kinds.push(kind);
  return kinds;
}

async function all(store: RunStore): Promise<RunRecord[]> {
  const found: RunRecord[] = [];
  for await (const run of store.export({})) found.push(run);
  return found;
}

const rollout = (second: number, type: string, payload: object) => ({ timestamp: at(second), type, payload });
/** A turn of a codex session: its prompt, its answer, and the total so far. */
const codexTurn = (second: number, name: string, total: number) => [
  rollout(second, 'event_msg', { type: 'task_started', turn_id: name }),
  rollout(second, 'turn_context', { turn_id: name, cwd: '/repo', model: 'gpt-5.5', approval_policy: 'never' }),
  rollout(second, 'event_msg', { type: 'user_message', message: `Do ${name}` }),
  rollout(second + 1, 'event_msg', {
    type: 'token_count',
    info: {
      total_token_usage: { input_tokens: total, cached_input_tokens: 0, output_tokens: 1, reasoning_output_tokens: 0 },
    },
  }),
  rollout(second + 2, 'response_item', {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text: `Did ${name}` }],
  }),
  rollout(second + 2, 'event_msg', { type: 'agent_message', message: `Did ${name}` }),
  rollout(second + 2, 'event_msg', { type: 'task_complete', turn_id: name, last_agent_message: `Did ${name}` }),
];
const meta = rollout(0, 'session_meta', {
  id: 'codex-1',
  timestamp: at(0),
  cwd: '/repo',
  originator: 'codex_exec',
  cli_version: '0.166.0',
});

/** A run that was seen live, from one second of the session to another. */
async function live(store: RunStore, from: number, to: number, tokens: number): Promise<string> {
  const started_at = begun + from * 1000;
  const run = { ...newRun({}), id: newRunId(started_at), started_at };
  const metrics = {
    cost_source: 'unknown' as const,
    input_tokens: tokens,
    output_tokens: 1,
    api_calls_count: 0,
    tool_calls_count: 0,
    turns: 1,
  };
  const provenance = { agent: 'codex', dialect: 'codex', runwire_version: '0.1.0', unknown_lines: 0, notes: [] };
  await store.begin(run);
  await store.finish(run.id, {
    outcome: { ...outcomeWith(), session_id: 'codex-1', metrics, provenance },
    ended_at: begun + to * 1000,
  });
  return run.id;
}

describe('one run, whichever door it came in by', () => {
  it('a live run, then the session that its agent kept', () =>
    withStore(async (store) => {
      const id = await live(store, 0, 3, 100);
      const path = write(join(folder(), 'rollout-codex-1.jsonl'), [meta, ...codexTurn(0, 'a', 100)]);
      expect([await take(store, path), await take(store, path)]).toEqual([['same'], ['same']]);
      expect((await all(store)).map((run) => [run.id, run.labels['import.also']])).toEqual([[id, path]]);
    }));

  it('the session, then the live run that made it', () =>
    withStore(async (store) => {
      const path = write(join(folder(), 'rollout-codex-1.jsonl'), [meta, ...codexTurn(0, 'a', 100)]);
      expect(await take(store, path)).toEqual(['added']);
      const id = await live(store, 0, 3, 100);
      await absorbImports(store, id);
      expect((await all(store)).map((run) => [run.id, run.labels['import.also']])).toEqual([[id, 'codex:codex-1']]);
      expect(await take(store, path)).toEqual(['same']);
    }));

  it('while the live run goes on', () =>
    withStore(async (store) => {
      const run = { ...newRun({}), id: newRunId(begun), started_at: begun };
      await store.begin(run);
      await store.note(run.id, { at: begun, session_id: 'codex-1', agent: 'codex' });
      expect(await take(store, write(join(folder(), 'codex-1.jsonl'), [meta, ...codexTurn(0, 'a', 100)]))).toEqual([
        'same',
      ]);
    }));

  it('what the session holds beside live runs is a run of its own, with its own bill', () =>
    withStore(async (store) => {
      await live(store, 100, 103, 40);
      const path = write(join(folder(), 'codex-1.jsonl'), [
        meta,
        ...codexTurn(0, 'a', 100),
        ...codexTurn(100, 'b', 140),
        ...codexTurn(200, 'c', 200),
      ]);
      expect([await take(store, path), await take(store, path)]).toEqual([['added'], ['same']]);
      const found = await all(store);
      expect(found.map(({ input_tokens: input }) => input).toSorted()).toEqual([160, 40]);
    }));

  it('another agent with the same session id is another run', () =>
    withStore(async (store) => {
      const session = [
        { type: 'session', version: 3, id: 'codex-1', timestamp: at(0), cwd: '/repo' },
        {
          type: 'message',
          id: 'b',
          parentId: null,
          timestamp: at(1),
          message: { role: 'user', content: [{ type: 'text', text: 'Do it' }] },
        },
      ];
      await live(store, 0, 3, 100);
      expect(await take(store, write(join(folder(), 'codex-1.jsonl'), session))).toEqual(['added']);
    }));

  it('a tape is the run that it is of', () =>
    withStore(async (store) => {
      const id = newRunId(begun);
      const envelope = { timestamp: at(0), thread_id: 't', source: 'agent', synthetic: false };
      const tape = [
        { type: 'thread.started', agent: 'codex', session_id: 'codex-1', run_id: id, sequence: 1, ...envelope },
        { type: 'agent.finished', status: 'ok', sequence: 2, ...envelope },
      ];
      const path = write(join(folder(), 'a.tape'), tape);
      expect(await take(store, path)).toEqual(['added']);
      expect(
        await take(
          store,
          write(join(folder(), 'b.tape'), [
            ...tape,
            { type: 'log', stream: 'stdout', text: 'x', sequence: 3, ...envelope },
          ]),
        ),
      ).toEqual(['same']);
      expect((await all(store)).map((run) => run.id)).toEqual([id]);
    }));
});

describe('a run without a session', () => {
  const agents: [agent: string, recording: string, scenario: string][] = [
    ['cline', 'cline@3.0.65', 'multi-tool'],
    ['dexter', 'dexter@1.0.3', 'multi-tool'],
    ['continue', 'continue@1.5.47', 'plain'],
    ['dexter', 'dexter@1.0.3', 'error-401'],
  ];
  it.each(agents)('of %s, what it printed and a tape of that are one (%s, %s)', async (agent, recording, scenario) => {
    const place = folder();
    const { stdout } = loadRecording(recording, scenario);
    const printed = join(place, 'printed.jsonl');
    mkdirSync(place);
    writeFileSync(printed, stdout);
    const tape = join(place, 'converted.tape');
    writeFileSync(tape, pass({ stdout: new TextDecoder().decode(stdout) }, 'runwire').text);

    const sink = ledgerSink({ folder: place, agent, warn: fail });
    const reader = new Reader({
      clock: Date.now,
      introduction: { agent, run_id: sink.id },
      onRecord: (record) => sink.record(record),
    });
    reader.stdout(stdout);
    sink.end(reader.end({ exit_code: 0, signal: null }));
    await sink.close();
    const store = await openSqlite(join(place, 'ledger.db'));
    expect(await take(store, printed)).toEqual(['same']);
    expect(await take(store, tape)).toEqual(['same']);
    expect((await all(store)).map(({ id }) => id)).toEqual([sink.id]);
    await store.close();

    await withStore(async (fresh) => {
      expect([...(await take(fresh, printed)), ...(await take(fresh, tape))]).toEqual(['added', 'same']);
    });
    await withStore(async (fresh) => {
      expect([...(await take(fresh, tape)), ...(await take(fresh, printed))]).toEqual(['added', 'same']);
    });
  });
});

it('two outputs that only say the same are two runs', () =>
  withStore(async (store) => {
    const place = folder();
    const answer = { response: 'Done.', status: 'success', note: 'wrapped' };
    for (const name of ['a', 'b']) {
      write(join(place, name, 'stdout.jsonl'), [answer]);
      writeFileSync(
        join(place, name, 'exit.json'),
        JSON.stringify({ code: 0, signal: null, wallMs: name === 'a' ? 1 : 2 }),
      );
    }
    expect(await take(store, place)).toEqual(['added', 'added']);
    expect(await take(store, place)).toEqual(['same', 'same']);
  }));

describe('copies of a run that was not seen live', () => {
  it.each(['codex@0.166.0', 'gemini@0.61.0', 'opencode@1.18.33', 'pi@0.73.1', 'qwen@0.24.4'])(
    '%s: its output and its tape',
    (recording) =>
      withStore(async (store) => {
        const place = folder();
        mkdirSync(place);
        for (const scenario of ['multi-tool', 'plain']) {
          const { stdout } = loadRecording(recording, scenario);
          writeFileSync(join(place, `${scenario}.jsonl`), stdout);
          writeFileSync(
            join(place, `${scenario}.tape`),
            pass({ stdout: new TextDecoder().decode(stdout) }, 'runwire').text,
          );
          expect(await take(store, join(place, `${scenario}.jsonl`))).toEqual(['added']);
          expect(await take(store, join(place, `${scenario}.tape`))).toEqual(['same']);
        }
      }),
  );
});

describe('a run that was tried again', () => {
  const session = [meta, ...codexTurn(0, 'first', 100)];
  const attempt = { number: 1, status: 'error', class: 'provider', session_id: 'codex-1', reason: 'server' } as const;

  async function retried(store: RunStore): Promise<string> {
    const run = { ...newRun({}), id: newRunId(begun), started_at: begun };
    await store.begin(run);
    const provenance = { agent: 'codex', dialect: 'codex', runwire_version: '0.1.0', unknown_lines: 0, notes: [] };
    await store.finish(run.id, {
      outcome: { ...outcomeWith(), session_id: 'codex-2', provenance },
      ended_at: begun + 10_000,
      attempts: [attempt],
    });
    await absorbImports(store, run.id);
    return run.id;
  }

  it('is also the session of its first attempt', () =>
    withStore(async (store) => {
      const id = await retried(store);
      expect(await take(store, write(join(folder(), 'rollout-codex-1.jsonl'), session))).toEqual(['same']);
      expect((await all(store)).map((run) => run.id)).toEqual([id]);
    }));

  it('takes in what was imported of it meanwhile', () =>
    withStore(async (store) => {
      expect(await take(store, write(join(folder(), 'rollout-codex-1.jsonl'), session))).toEqual(['added']);
      const id = await retried(store);
      expect((await all(store)).map((run) => run.id)).toEqual([id]);
    }));
});

describe('Claude files that repeat others', () => {
  const line = (session: string, uuid: string, second: number, more: object) => ({
    parentUuid: uuid === 'u1' ? null : 'u1',
    isSidechain: false,
    cwd: '/repo',
    sessionId: session,
    version: '2.1.63',
    uuid,
    timestamp: at(second),
    ...more,
  });
  const turn = (session: string, name: string, second: number) => [
    line(session, `u${name}`, second, { type: 'user', message: { role: 'user', content: `Do ${name}` } }),
    line(session, `a${name}`, second + 1, {
      type: 'assistant',
      message: {
        id: `msg_${name}`,
        type: 'message',
        role: 'assistant',
        model: 'claude-opus-4-6',
        content: [{ type: 'text', text: `Did ${name}` }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 10, output_tokens: 1 },
      },
    }),
  ];

  it.each([
    ['under their own id', 'child'],
    ["under the other's id", 'parent'],
  ])('count each turn once: %s', (_, copied) =>
    withStore(async (store) => {
      const project = folder();
      write(join(project, 'parent.jsonl'), turn('parent', '1', 0));
      await new Promise((resolve) => setTimeout(resolve, 15));
      write(join(project, 'child.jsonl'), [...turn(copied, '1', 0), ...turn('child', '2', 60)]);
      expect((await take(store, project)).toSorted()).toEqual(['added', 'added']);
      const found = await all(store);
      expect(found.map(({ prompt, input_tokens: input }) => [prompt, input]).toSorted()).toEqual([
        ['Do 1', 10],
        ['Do 2', 10],
      ]);
      expect(await take(store, join(project, 'child.jsonl'))).toEqual(['same']);
    }),
  );
});

describe('the sub-agents of Claude Code', () => {
  const line = claudeSessionLines({ cwd: '/repo', sessionId: 'main', version: '2.1.326' }, at);
  const says = (second: number, id: string, content: object[], stop_reason: string, more: object = {}) =>
    line(second, `a-${id}`, {
      type: 'assistant',
      requestId: `req_${id}`,
      message: {
        id,
        type: 'message',
        role: 'assistant',
        model: 'claude-opus-4-6',
        content,
        stop_reason,
        usage: { input_tokens: 10, output_tokens: 1 },
      },
      ...more,
    });
  const session = [
    line(0, 'u1', { type: 'user', message: { role: 'user', content: 'Do it' } }),
    says(1, 'm1', [{ type: 'tool_use', id: 't1', name: 'Agent', input: { prompt: 'Look' } }], 'tool_use'),
    line(9, 'u2', {
      type: 'user',
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'Seen.' }] },
    }),
    says(10, 'm2', [{ type: 'text', text: 'Done.' }], 'end_turn'),
  ];
  const side = { isSidechain: true, agentId: 'a1' };
  const agent = [
    line(2, 's1', { type: 'user', message: { role: 'user', content: 'Look' }, ...side }),
    says(3, 'm3', [{ type: 'text', text: 'Seen.' }], 'end_turn', side),
  ];

  it.each([
    ['in a folder of the session', join('main', 'subagents', 'agent-a1.jsonl')],
    ['beside the session', 'agent-a1.jsonl'],
  ])('are a part of it, not runs: %s', (_title, name) =>
    withStore(async (store) => {
      const project = folder();
      const path = write(join(project, 'main.jsonl'), session);
      write(join(project, name), agent);
      expect(await take(store, project)).toEqual(['added']);
      expect([await take(store, project), await take(store, path)]).toEqual([['same'], ['same']]);
      // As a shell lists them for a pattern, and beside the folder that has them all.
      expect([
        await take(store, [join(project, name), path]),
        await take(store, [join(project, name), project]),
      ]).toEqual([['same'], ['same']]);
      const alone = [];
      for await (const told of importRuns(store, runsAt(join(project, name)))) alone.push(told);
      expect(alone).toEqual([
        { kind: 'broken', name: join(project, name), why: `it is a part of ${path}: import that` },
      ]);
      const inner = dirname(join(project, name));
      if (inner !== project) expect(await take(store, inner)).toEqual(['broken']);
      const found = await all(store);
      expect(
        found.map((run) => [run.session_id, run.turns, run.input_tokens, run.outcome?.message, run.status]),
      ).toEqual([['main', 2, 30, 'Done.', 'success']]);
    }),
  );

  it('are a part of the live run of their session', () =>
    withStore(async (store) => {
      const project = folder();
      write(join(project, 'main.jsonl'), session);
      write(join(project, 'main', 'subagents', 'agent-a1.jsonl'), agent);
      const run = { ...newRun({}), id: newRunId(begun), started_at: begun };
      const provenance = { agent: 'claude', dialect: 'claude', runwire_version: '0.1.0', unknown_lines: 0, notes: [] };
      await store.begin(run);
      await store.finish(run.id, {
        outcome: { ...outcomeWith(), session_id: 'main', provenance },
        ended_at: begun + 11_000,
      });
      expect(await take(store, project)).toEqual(['same']);
      expect((await all(store)).map(({ id }) => id)).toEqual([run.id]);
    }));

  it('are a run with the id of their session where that is gone', () =>
    withStore(async (store) => {
      const project = folder();
      write(join(project, 'main', 'subagents', 'agent-a1.jsonl'), agent);
      expect(await take(store, project)).toEqual(['added']);
      expect((await all(store)).map((run) => [run.session_id, run.input_tokens])).toEqual([['a1', 10]]);
    }));

  it('and their session count once in a project that was copied, with new ids of lines', () =>
    withStore(async (store) => {
      const root = folder();
      write(join(root, 'at-first', 'main.jsonl'), session);
      write(join(root, 'at-first', 'main', 'subagents', 'agent-a1.jsonl'), agent);
      const copied = [...session, says(20, 'm9', [{ type: 'text', text: 'More.' }], 'end_turn')].map((each, index) => ({
        ...each,
        uuid: `copy-${index}`,
        sessionId: 'copy',
      }));
      const total = {
        type: 'cost-state',
        sessionId: 'copy',
        totalCostUSD: 9,
        modelUsage: { 'claude-opus-4-6': { inputTokens: 40, costUSD: 9 } },
      };
      write(join(root, 'moved', 'copy.jsonl'), [...copied, total]);
      write(
        join(root, 'moved', 'copy', 'subagents', 'agent-a1.jsonl'),
        agent.map((each) => ({ ...each, sessionId: 'copy' })),
      );
      expect(await take(store, root)).toEqual(['added', 'added']);
      expect((await all(store)).map((run) => [run.session_id, run.input_tokens]).toSorted()).toEqual([
        ['copy', 10],
        ['main', 30],
      ]);
      expect(await take(store, root)).toEqual(['same', 'same']);
    }));
});

it('an export keeps every run that was seen live, however alike they are', () =>
  withStore(async (there) => {
    const content = { 'run.content': 'the same' };
    for (const session_id of ['', 's-1'])
      for (const second of [0, 60]) {
        const run = newRun({
          id: newRunId(begun + second * 1000 + session_id.length),
          started_at: begun + second * 1000,
          labels: content,
        });
        await there.begin(run);
        await there.finish(run.id, { ended_at: run.started_at + 1000, outcome: { ...outcomeWith(), session_id } });
      }
    const exported = await all(there);
    const file = write(join(folder(), 'export.jsonl'), exported);
    await withStore(async (here) => {
      expect(await take(here, file)).toEqual(['added', 'added', 'added', 'added']);
      expect(await take(here, file)).toEqual(['same', 'same', 'same', 'same']);
      expect((await all(here)).map((run) => ({ ...run, key: undefined }))).toEqual(exported);
    });
  }));
