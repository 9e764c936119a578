import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findDialect } from '../../../src/dialects/registry.ts';
import { Reader } from '../../../src/pipeline/reader.ts';
import type { RunRecord } from '../../../src/stores/run-store.ts';
import { claudeSessionLines } from '../../support/claude-session.ts';
import { runwire } from '../../support/command.ts';
import { fuzzRuns, fuzzSeed } from '../../support/fuzz.ts';
import { exported, newLedger, runs, temporary } from './ledger.ts';

const at = (second: number): string => new Date(Date.UTC(2026, 2, 1, 10, 0, second)).toISOString();
const ms = (second: number): number => Date.parse(at(second));

function write(path: string, lines: readonly unknown[]): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return path;
}

/** What all four sessions tell: a prompt, a call that works, a file, an answer. */
const told = (run: RunRecord | undefined) => ({
  agent: run?.agent,
  status: run?.status,
  prompt: run?.prompt,
  answer: run?.outcome?.message,
  cwd: run?.cwd,
  session: run?.session_id,
  model: run?.model,
  started_at: run?.started_at,
  input: run?.input_tokens,
  output: run?.output_tokens,
  tools: run?.outcome?.tool_calls.map(({ name, status }) => `${name} ${status}`),
  files: run?.outcome?.artifacts.map(({ path, operation }) => `${operation} ${path}`),
  unknown: run?.outcome?.provenance.unknown_lines,
});

const ofClaude = {
  userType: 'external',
  cwd: '/repo/app',
  sessionId: 'claude-session',
  version: '2.1.63',
  gitBranch: 'main',
};
const claudeLine = claudeSessionLines(ofClaude, at);
const claudeMessage = (id: string, content: object[], stop: string | null, output: number) => ({
  type: 'assistant',
  requestId: 'req',
  message: {
    id,
    type: 'message',
    role: 'assistant',
    model: 'claude-opus-4-6',
    content,
    stop_reason: stop,
    stop_sequence: null,
    usage: { input_tokens: 5, cache_read_input_tokens: 100, cache_creation_input_tokens: 20, output_tokens: output },
  },
});
const claudeSession = [
  {
    type: 'file-history-snapshot',
    messageId: 'u1',
    snapshot: { messageId: 'u1', trackedFileBackups: {} },
    isSnapshotUpdate: false,
  },
  claudeLine(0, 'u1', { type: 'user', message: { role: 'user', content: 'Add a note' }, permissionMode: 'default' }),
  claudeLine(1, 'u2', {
    type: 'user',
    isMeta: true,
    message: { role: 'user', content: '<local-command-caveat>no</local-command-caveat>' },
  }),
  claudeLine(2, 'u3', claudeMessage('msg_1', [{ type: 'text', text: 'I write it.' }], null, 3)),
  claudeLine(
    2,
    'u4',
    claudeMessage(
      'msg_1',
      [{ type: 'tool_use', id: 'toolu_1', name: 'Write', input: { file_path: '/repo/app/note.md', content: 'x' } }],
      'tool_use',
      30,
    ),
  ),
  claudeLine(3, 'u5', {
    type: 'user',
    message: {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'File created', is_error: false }],
    },
    toolUseResult: { type: 'create', filePath: '/repo/app/note.md', content: 'x', structuredPatch: [] },
  }),
  claudeLine(5, 'u6', claudeMessage('msg_2', [{ type: 'text', text: 'The note is there.' }], 'end_turn', 10)),
  claudeLine(5, 'u7', { type: 'system', subtype: 'turn_duration', durationMs: 5000, isMeta: false }),
];

const rollout = (second: number, type: string, payload: object) => ({ timestamp: at(second), type, payload });
const codexSession = [
  rollout(0, 'session_meta', {
    id: 'codex-session',
    timestamp: at(0),
    cwd: '/repo/app',
    originator: 'codex_cli',
    cli_version: '0.166.0',
    source: 'cli',
  }),
  rollout(0, 'response_item', {
    type: 'message',
    role: 'user',
    content: [{ type: 'input_text', text: '<environment_context>x</environment_context>' }],
  }),
  rollout(0, 'event_msg', { type: 'task_started', turn_id: 't1' }),
  rollout(0, 'turn_context', { turn_id: 't1', cwd: '/repo/app', model: 'gpt-5.5', approval_policy: 'never' }),
  rollout(0, 'response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Add a note' }] }),
  rollout(0, 'event_msg', { type: 'user_message', message: 'Add a note' }),
  rollout(1, 'response_item', {
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: 'A patch.' }],
    encrypted_content: 'e',
  }),
  rollout(2, 'response_item', {
    type: 'custom_tool_call',
    call_id: 'call_1',
    name: 'apply_patch',
    input: '*** Begin Patch\n*** Add File: note.md\n+x\n*** End Patch',
  }),
  rollout(3, 'response_item', {
    type: 'custom_tool_call_output',
    call_id: 'call_1',
    output: '{"output":"Success.","metadata":{"exit_code":0,"duration_seconds":0.5}}',
  }),
  rollout(3, 'response_item', {
    type: 'function_call',
    call_id: 'call_2',
    name: 'exec_command',
    arguments: '{"cmd":"false"}',
  }),
  rollout(4, 'response_item', {
    type: 'function_call_output',
    call_id: 'call_2',
    output: 'Exit code: 1\nWall time: 0.1 seconds\nOutput:\n',
  }),
  rollout(4, 'event_msg', {
    type: 'token_count',
    info: {
      total_token_usage: {
        input_tokens: 900,
        cached_input_tokens: 100,
        output_tokens: 50,
        reasoning_output_tokens: 5,
        total_tokens: 950,
      },
    },
  }),
  rollout(5, 'response_item', {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'The note is there.' }],
  }),
  rollout(5, 'event_msg', { type: 'agent_message', message: 'The note is there.' }),
  rollout(5, 'event_msg', { type: 'task_complete', turn_id: 't1', last_agent_message: 'The note is there.' }),
];

const piMessage = (second: number, id: string, message: object) => ({
  type: 'message',
  id,
  parentId: null,
  timestamp: at(second),
  message: { timestamp: ms(second), ...message },
});
const piAnswer = (content: object[], stopReason: string) => ({
  role: 'assistant',
  content,
  api: 'anthropic-messages',
  provider: 'anthropic',
  model: 'claude-opus-4-6',
  usage: { input: 100, output: 20, cacheRead: 0, cacheWrite: 0, totalTokens: 120, cost: { total: 0.01 } },
  stopReason,
});
const piSession = [
  { type: 'session', version: 3, id: 'pi-session', timestamp: at(0), cwd: '/repo/app' },
  {
    type: 'model_change',
    id: 'a',
    parentId: null,
    timestamp: at(0),
    provider: 'anthropic',
    modelId: 'claude-opus-4-6',
  },
  piMessage(0, 'b', { role: 'user', content: [{ type: 'text', text: 'Add a note' }] }),
  piMessage(
    2,
    'c',
    piAnswer(
      [
        { type: 'text', text: 'I write it.' },
        { type: 'toolCall', id: 'call_1', name: 'write', arguments: { path: 'note.md', content: 'x' } },
      ],
      'toolUse',
    ),
  ),
  piMessage(3, 'd', {
    role: 'toolResult',
    toolCallId: 'call_1',
    toolName: 'write',
    content: [{ type: 'text', text: 'Wrote it' }],
    isError: false,
  }),
  piMessage(5, 'e', piAnswer([{ type: 'text', text: 'The note is there.' }], 'stop')),
];

const openSession = {
  id: 'ses_1',
  version: '1.1.40',
  projectID: 'p',
  directory: '/repo/app',
  title: 't',
  time: { created: ms(0), updated: ms(5) },
};
const openTokens = { input: 100, output: 20, reasoning: 0, cache: { read: 0, write: 0 } };
const openMessages = [
  { id: 'msg_1', sessionID: 'ses_1', role: 'user', time: { created: ms(0) } },
  {
    id: 'msg_2',
    sessionID: 'ses_1',
    role: 'assistant',
    time: { created: ms(1), completed: ms(5) },
    modelID: 'claude-opus-4-6',
    providerID: 'anthropic',
    cost: 0.01,
    tokens: openTokens,
    finish: 'stop',
  },
];
const openParts = [
  { id: 'prt_1', sessionID: 'ses_1', messageID: 'msg_1', type: 'text', text: 'Add a note' },
  { id: 'prt_2', sessionID: 'ses_1', messageID: 'msg_2', type: 'step-start' },
  {
    id: 'prt_3',
    sessionID: 'ses_1',
    messageID: 'msg_2',
    type: 'tool',
    callID: 'call_1',
    tool: 'write',
    state: {
      status: 'completed',
      input: { filePath: '/repo/app/note.md', content: 'x' },
      output: 'Wrote it',
      title: 'note.md',
      metadata: { exists: false },
      time: { start: ms(2), end: ms(3) },
    },
  },
  {
    id: 'prt_4',
    sessionID: 'ses_1',
    messageID: 'msg_2',
    type: 'text',
    text: 'The note is there.',
    time: { start: ms(4), end: ms(5) },
  },
  {
    id: 'prt_5',
    sessionID: 'ses_1',
    messageID: 'msg_2',
    type: 'step-finish',
    reason: 'stop',
    cost: 0.01,
    tokens: openTokens,
  },
];

const one = { sessions: [openSession], messages: openMessages, parts: openParts };

/** The same with a fork, which begins with copies under new ids and goes on. Its ids come before those of the session, as newer ones do. */
function withFork(): typeof one {
  const sessionID = 'ses_0';
  const renamed = (id: string): string => id.replace('_', '_f');
  const more = { id: 'msg_g1', sessionID, role: 'user', time: { created: ms(20) } };
  const [, answer] = openMessages;
  return {
    sessions: [openSession, { ...openSession, id: sessionID, time: { created: ms(10), updated: ms(22) } }],
    messages: [
      ...openMessages,
      ...openMessages.map((each) => ({ ...each, id: renamed(each.id), sessionID })),
      more,
      {
        ...answer,
        id: 'msg_g2',
        sessionID,
        time: { created: ms(21), completed: ms(22) },
        tokens: { ...openTokens, input: 30 },
      },
    ] as typeof openMessages,
    parts: [
      ...openParts,
      ...openParts.map((each) => ({ ...each, id: renamed(each.id), sessionID, messageID: renamed(each.messageID) })),
      { id: 'prt_g1', sessionID, messageID: 'msg_g1', type: 'text', text: 'And another' },
      {
        id: 'prt_g2',
        sessionID,
        messageID: 'msg_g2',
        type: 'text',
        text: 'Two notes.',
        time: { start: ms(21), end: ms(22) },
      },
    ] as typeof openParts,
  };
}

function openCodeFiles(home: string, { sessions, messages, parts } = one): string {
  const storage = join(home, 'storage');
  for (const session of sessions) write(join(storage, 'session', 'p', `${session.id}.json`), [session]);
  for (const message of messages) write(join(storage, 'message', message.sessionID, `${message.id}.json`), [message]);
  for (const part of parts) write(join(storage, 'part', part.messageID, `${part.id}.json`), [part]);
  return home;
}

function openCodeDatabase(home: string, { sessions, messages, parts } = one): string {
  const database = new DatabaseSync(join(home, 'opencode.db'));
  database.exec(`create table session (id text primary key, project_id text, parent_id text, directory text, title text, version text, time_created integer, time_updated integer);
    create table message (id text primary key, session_id text, time_created integer, data text);
    create table part (id text primary key, message_id text, session_id text, time_created integer, data text)`);
  for (const { id, time } of sessions)
    database
      .prepare('insert into session values (?, ?, ?, ?, ?, ?, ?, ?)')
      .run(id, 'p', null, '/repo/app', 't', '1.2.0', time.created, time.updated);
  for (const { id, sessionID, ...data } of messages)
    database.prepare('insert into message values (?, ?, ?, ?)').run(id, sessionID, ms(0), JSON.stringify(data));
  for (const { id, sessionID, messageID, ...data } of parts)
    database
      .prepare('insert into part values (?, ?, ?, ?, ?)')
      .run(id, messageID, sessionID, ms(0), JSON.stringify(data));
  database.close();
  return home;
}

const common = {
  status: 'success',
  prompt: 'Add a note',
  answer: 'The note is there.',
  cwd: '/repo/app',
  started_at: ms(0),
  unknown: 0,
};

describe('session stores', () => {
  it('Claude Code', async () => {
    const home = temporary();
    write(join(home, '-work-app', 'claude-session.jsonl'), claudeSession);
    write(join(home, '-work-app', 'other.jsonl'), [{ type: 'summary', summary: 'An old talk', leafUuid: 'x' }]);
    const ledger = newLedger();
    const subAgent = claudeSession.slice(1).map((line) => ({ ...line, isSidechain: true, agentId: 'a1b2' }));
    write(join(home, '-work-app', 'claude-session', 'subagents', 'agent-a1b2.jsonl'), subAgent);
    expect(await runs(ledger, ['import', home])).toMatchObject({
      status: 0,
      stderr: 'runwire: 1 run added, 1 without a turn\n',
    });
    expect(await runs(ledger, ['import', home])).toMatchObject({
      stderr: 'runwire: 0 runs added, 1 there before, 1 without a turn\n',
    });
    const found = await exported(ledger);
    // What the sub-agent did is a part of its session; here it repeats the very lines of the session.
    expect(found.map(({ session_id: id }) => id)).toEqual(['claude-session']);
    expect(told(found[0])).toEqual({
      ...common,
      agent: 'claude',
      session: 'claude-session',
      model: 'claude-opus-4-6',
      input: 250,
      output: 40,
      tools: ['Write completed'],
      files: ['created /repo/app/note.md'],
    });
  });

  it('Claude Code with a sub-agent in the same file', async () => {
    const side = claudeMessage('msg_s', [{ type: 'text', text: 'Found it.' }], 'end_turn', 7);
    const aside = claudeLine(4, 's1', { ...side, isSidechain: true });
    const { stdout } = await runwire([
      'outcome',
      write(join(temporary(), 'session.jsonl'), [...claudeSession.slice(0, -2), aside, ...claudeSession.slice(-2)]),
    ]);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'success',
      message: 'The note is there.',
      metrics: { output_tokens: 47, turns: 2 },
    });
  });

  it('Codex', async () => {
    const home = temporary();
    write(join(home, '2026', '03', '01', 'rollout-2026-03-01T10-00-00-codex-session.jsonl'), codexSession);
    const ledger = newLedger();
    expect((await runs(ledger, ['import', home])).status).toBe(0);
    expect(told((await exported(ledger))[0])).toEqual({
      ...common,
      agent: 'codex',
      session: 'codex-session',
      model: 'gpt-5.5',
      input: 900,
      output: 50,
      tools: ['apply_patch completed', 'exec_command error'],
      files: ['created note.md'],
    });
  });

  it('pi', async () => {
    const home = temporary();
    write(join(home, '--work-app--', '2026_pi-session.jsonl'), piSession);
    const ledger = newLedger();
    expect((await runs(ledger, ['import', home])).status).toBe(0);
    expect(told((await exported(ledger))[0])).toEqual({
      ...common,
      agent: 'pi',
      session: 'pi-session',
      model: 'claude-opus-4-6',
      input: 200,
      output: 40,
      tools: ['write completed'],
      files: ['created note.md'],
    });
  });

  it.each([
    ['files', openCodeFiles],
    ['a database', openCodeDatabase],
  ])('OpenCode in %s', async (_name, make) => {
    const ledger = newLedger();
    expect(await runs(ledger, ['import', make(temporary())])).toMatchObject({
      status: 0,
      stderr: 'runwire: 1 run added\n',
    });
    expect(told((await exported(ledger))[0])).toEqual({
      ...common,
      agent: 'opencode',
      session: 'ses_1',
      model: 'anthropic/claude-opus-4-6',
      input: 100,
      output: 20,
      tools: ['write completed'],
      files: ['created /repo/app/note.md'],
    });
  });

  it.each([
    ['files', openCodeFiles],
    ['a database', openCodeDatabase],
  ])('OpenCode in %s: a fork counts only what is its own', async (_name, make) => {
    const ledger = newLedger();
    expect(await runs(ledger, ['import', make(temporary(), withFork())])).toMatchObject({
      status: 0,
      stderr: 'runwire: 2 runs added\n',
    });
    const found = (await exported(ledger)).map(told);
    expect(
      found
        .map(({ session, prompt, input, output, answer }) => ({ session, prompt, input, output, answer }))
        .toSorted((a, b) => (String(a.session) < String(b.session) ? 1 : -1)),
    ).toEqual([
      { session: 'ses_1', prompt: 'Add a note', input: 100, output: 20, answer: 'The note is there.' },
      { session: 'ses_0', prompt: 'And another', input: 30, output: 20, answer: 'Two notes.' },
    ]);
  });

  it('OpenCode in both, after it moved', async () => {
    const ledger = newLedger();
    const home = openCodeDatabase(openCodeFiles(temporary()));
    for (const stderr of ['runwire: 1 run added, 1 there before\n', 'runwire: 0 runs added, 2 there before\n'])
      expect(await runs(ledger, ['import', home])).toMatchObject({ status: 0, stderr });
    expect(await exported(ledger)).toHaveLength(1);
  });

  it.each([
    ['claude', claudeSession.slice(0, -3)],
    ['codex', codexSession.slice(0, -4)],
    ['pi', piSession.slice(0, -1)],
  ])('a %s session that stops inside a turn is incomplete', async (dialect, lines) => {
    const file = write(join(temporary(), 'session.jsonl'), lines);
    const { stdout } = await runwire(['outcome', file]);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'incomplete', provenance: { dialect, unknown_lines: 0 } });
  });

  it('files are taken as a shell lists them: a sub-agent goes with its session', async () => {
    const [ledger, home] = [newLedger(), temporary()];
    const [first, ...rest] = claudeSession.slice(1);
    write(join(home, 'one.jsonl'), [first, ...rest]);
    // Another session, so that there is something to compare with.
    const other = claudeSessionLines({ ...ofClaude, sessionId: 'two' }, at);
    write(join(home, 'two.jsonl'), [
      other(0, 'v1', { type: 'user', message: { role: 'user', content: 'Look' } }),
      other(2, 'v2', claudeMessage('msg_9', [{ type: 'text', text: 'Seen.' }], 'end_turn', 7)),
    ]);
    write(join(home, 'two', 'subagents', 'agent-a1.jsonl'), [
      other(1, 's1', {
        ...claudeMessage('msg_8', [{ type: 'text', text: 'Yes.' }], 'end_turn', 4),
        isSidechain: true,
        agentId: 'a1',
      }),
    ]);
    const listed = ['./one.jsonl', './two.jsonl', './two/subagents/agent-a1.jsonl'];
    expect(await runwire(['runs', 'import', '--ledger', ledger, ...listed], { cwd: home })).toMatchObject({
      status: 0,
      stderr: 'runwire: 2 runs added\n',
    });
    expect((await exported(ledger)).map((run) => [run.session_id, run.output_tokens]).toSorted()).toEqual([
      ['claude-session', 40],
      ['two', 11],
    ]);
  });

  it('a session that has grown takes the place of what it was', async () => {
    const ledger = newLedger();
    const path = join(temporary(), 'session.jsonl');
    await runs(ledger, ['import', write(path, piSession.slice(0, -1))]);
    expect(await runs(ledger, ['import', write(path, piSession)])).toMatchObject({
      stderr: 'runwire: 0 runs added, 1 grown\n',
    });
    expect(await runs(ledger, ['import', path])).toMatchObject({ stderr: 'runwire: 0 runs added, 1 there before\n' });
    expect((await exported(ledger)).map(({ status }) => status)).toEqual(['success']);
  });

  it('a live run, its session and its tape are one run', async () => {
    const [ledger, home] = [newLedger(), temporary()];
    const stream = write(join(home, 'out.jsonl'), [
      { type: 'thread.started', thread_id: 'codex-session' },
      { type: 'turn.started' },
      { type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: 'The note is there.' } },
      { type: 'turn.completed', usage: { input_tokens: 900, cached_input_tokens: 100, output_tokens: 50 } },
    ]);
    expect((await runwire(['run', '--ledger', ledger, '--', 'cat', stream])).status).toBe(0);
    const now = new Date().toISOString();
    const session = codexSession.map((line) => ({ ...line, timestamp: now }));
    const rolloutFile = write(join(home, 'sessions', 'rollout-codex-session.jsonl'), session);
    for (const path of [rolloutFile, stream, join(dirname(ledger), 'tapes')])
      expect(await runs(ledger, ['import', path])).toMatchObject({ stderr: 'runwire: 0 runs added, 1 there before\n' });
    expect((await exported(ledger)).map(({ input_tokens: input }) => input)).toEqual([900]);
  });

  it('a broken session costs itself alone', async () => {
    const home = openCodeFiles(temporary());
    writeFileSync(join(home, 'storage', 'session', 'p', 'ses_0.json'), '{');
    const { stderr, status } = await runs(newLedger(), ['import', home]);
    expect(status).toBe(2);
    expect(stderr).toMatch(/ses_0\.json: .*JSON.*\nrunwire: 1 run added, 1 broken\n$/);
  });
});

/** Another value in the place of any one of a line. */
function spoil(value: unknown, place: number, by: unknown): unknown {
  let left = place;
  const visit = (each: unknown): unknown => {
    if (left-- === 0) return by;
    if (Array.isArray(each)) return each.map(visit);
    if (typeof each !== 'object' || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([key, inner]) => [key, visit(inner)]));
  };
  return visit(value);
}

it.each([
  ['claude', claudeSession],
  ['codex', codexSession],
  ['pi', piSession],
])('no line of a %s session is too strange to be read', (dialect, lines) => {
  const places = fc.array(fc.tuple(fc.nat(lines.length - 1), fc.nat(30), fc.jsonValue()), {
    minLength: 1,
    maxLength: 4,
  });
  fc.assert(
    fc.property(places, (changes) => {
      const spoilt = changes.reduce<unknown[]>(
        (all, [line, place, by]) => all.with(line, spoil(all[line], place, by)),
        [...lines],
      );
      const types: string[] = [];
      const reader = new Reader({ dialect: findDialect(dialect), onRecord: ({ type }) => void types.push(type) });
      reader.stdout(new TextEncoder().encode(spoilt.map((line) => `${JSON.stringify(line)}\n`).join('')));
      reader.end();
      expect(types.filter((type) => type === 'thread.completed')).toHaveLength(1);
      expect(types.at(-1)).toBe('thread.completed');
    }),
    { numRuns: fuzzRuns(300), seed: fuzzSeed },
  );
});
