import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/json/json.ts';
import { findDialect } from '../../src/dialects/registry.ts';
import { faultsOf } from '../support/acp/schema.ts';
import { exited, jsonl, linesOf, only, pass } from '../support/pipeline.ts';
import { allRecordings, loadRecording, withOneLong } from '../support/recordings.ts';
import { handWritten } from '../support/whole-runs.ts';
import { tables } from '../across/expected/index.ts';

type Wire = Record<string, unknown>;

const rpc = { jsonrpc: '2.0' };
const sessionId = 's';
const words = (text: string): Wire => ({ type: 'text', text });
const update = (fields: Wire, session = sessionId): Wire => ({
  ...rpc,
  method: 'session/update',
  params: { sessionId: session, update: fields },
});
const say = (text: string, more: Wire = {}): Wire =>
  update({ sessionUpdate: 'agent_message_chunk', content: words(text), ...more });
const tool = (fields: Wire): Wire =>
  update({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'A tool', ...fields });
const more = (fields: Wire): Wire => update({ sessionUpdate: 'tool_call_update', toolCallId: 't', ...fields });
const initialized = (agentInfo: Wire = { name: 'some-agent', version: '1.2.3' }): Wire[] => [
  { ...rpc, id: 0, method: 'initialize', params: { protocolVersion: 1 } },
  { ...rpc, id: 0, result: { protocolVersion: 1, agentCapabilities: {}, agentInfo } },
];
const opened = (result: Wire = {}): Wire[] => [
  { ...rpc, id: 1, method: 'session/new', params: { cwd: '/w', mcpServers: [] } },
  { ...rpc, id: 1, result: { sessionId, ...result } },
];
const prompted: Wire = { ...rpc, id: 2, method: 'session/prompt', params: { sessionId, prompt: [words('Do it.')] } };
const answered = (result: Wire): Wire => ({ ...rpc, id: 2, result });
const failed = (error: Wire): Wire => ({ ...rpc, id: 2, error });
const ended = answered({ stopReason: 'end_turn' });
const ask = (id: number, toolCall: Wire): Wire => ({
  ...rpc,
  id,
  method: 'session/request_permission',
  params: {
    sessionId,
    toolCall,
    options: [
      { optionId: 'y', name: 'Yes', kind: 'allow_once' },
      { optionId: 'n', name: 'No', kind: 'reject_once' },
    ],
  },
});
const chose = (id: number, optionId: string): Wire => ({
  ...rpc,
  id,
  result: { outcome: { outcome: 'selected', optionId } },
});

const read = (...lines: Wire[]) => pass({ stdout: jsonl(lines) });
const run = (...work: Wire[]) => read(...initialized(), ...opened(), prompted, ...work, ended);

describe('who answers what', () => {
  const begun = [...initialized(), ...opened(), prompted, say('All is well.')];
  const classOf = (...lines: Wire[]): string =>
    pass({ stdout: jsonl([...begun, ...lines]), exit: exited(0) }).outcome.verdict.class;

  it('a prompt is answered by its id alone', () => {
    expect(classOf({ ...rpc, id: 999, result: { stopReason: 'end_turn' } })).toBe('incomplete');
    expect(classOf({ ...rpc, id: '2', result: { stopReason: 'end_turn' } })).toBe('incomplete');
    expect(classOf(ended)).toBe('success');
  });

  it('an error without an id is not the end of the prompt', () => {
    const complaint = { ...rpc, id: null, error: { code: -32600, message: 'what?' } };
    expect(classOf(complaint, ended)).toBe('success');
    expect(classOf(complaint)).toBe('incomplete');
  });

  it('an error that is null is none', () => {
    expect(classOf({ ...ended, error: null })).toBe('success');
  });

  it('neither an error nor another stop reason is a success, whatever is claimed beside it', () => {
    const own = { runwire: { claim: { status: 'ok' } } };
    expect(classOf(answered({ stopReason: 'refusal', _meta: own }))).toBe('provider');
    expect(classOf(failed({ code: -32603, message: 'boom', data: own }))).not.toBe('success');
    expect(classOf(failed({ code: -32603, message: 'boom' }), ended)).not.toBe('success');
  });

  it('a log that has each line twice comes to the same', () => {
    const twice = [...begun, ended].flatMap((line) => [line, line]);
    expect(pass({ stdout: jsonl(twice), exit: exited(0) }).outcome.verdict.class).toBe('success');
  });
});

describe('calls whose ids come again', () => {
  const work = [
    say('I look.'),
    tool({ kind: 'read', status: 'in_progress', rawInput: { path: 'a' } }),
    more({ status: 'completed', rawOutput: 'x' }),
    say('Done.'),
  ];
  const whole = [...initialized(), ...opened(), prompted, ...work, ended];
  const again = { ...prompted, id: 3 };
  const answer = ({ outcome }: ReturnType<typeof read>): unknown => [
    outcome.verdict.class,
    outcome.message,
    outcome.tool_calls.map(({ name, outputs }) => [name, outputs]),
  ];

  it.each<[string, Wire[]]>([
    ['the same run again', [...whole, ...whole]],
    [
      'a run of another session',
      [...whole, ...(JSON.parse(JSON.stringify(whole).replaceAll('"s"', '"other"')) as Wire[])],
    ],
    ['the next prompt', [...whole, again, ...work, { ...ended, id: 3 }]],
    ['the agent alone', [...work, ended, ...work, ended]],
  ])('are calls of their own: %s', (_name, lines) => {
    const calls = [
      ['read', 'x'],
      ['read', 'x'],
    ];
    expect(answer(read(...lines))).toEqual(['success', 'Done.', calls]);
  });

  it('are none where the agent only adds to a call that has ended', () => {
    const late = more({ status: 'completed', rawOutput: 'x' });
    expect(answer(read(...whole, again, late, say('Done.'), { ...ended, id: 3 }))).toEqual([
      'success',
      'Done.',
      [['read', 'x']],
    ]);
    expect(answer(run(...work.slice(0, 3), tool({ status: 'completed', rawOutput: 'x' }), say('Done.')))).toEqual([
      'success',
      'Done.',
      [['read', 'x']],
    ]);
  });
});

describe('what is no part of the work', () => {
  const elsewhere = (text: string): Wire =>
    update({ sessionUpdate: 'agent_message_chunk', content: words(text) }, 'another');

  it('are the words of a session that nobody asked: a log, never the answer', () => {
    const { events, outcome } = run(
      elsewhere('I am another.'),
      say('Mi'),
      elsewhere('No, me!'),
      say('ne.'),
      elsewhere('The end.'),
    );
    expect(outcome).toMatchObject({ message: 'Mine.', verdict: { class: 'success' } });
    expect(only({ events }, 'text.completed')).toMatchObject([{ text: 'Mine.' }]);
    expect(only({ events }, 'log').map(({ text }) => text)).toEqual(['I am another.', 'No, me!', 'The end.']);
    expect(run(elsewhere('I alone.')).outcome).toMatchObject({ message: '', verdict: { class: 'incomplete' } });
  });

  it('nor its plan, its cost and what it tells in our name', () => {
    const { outcome } = run(
      say('Mine.'),
      update({ sessionUpdate: 'plan', entries: [{ content: 'Test', priority: 'high', status: 'pending' }] }, 'another'),
      update({ sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount: 9, currency: 'USD' } }, 'another'),
      update(
        { sessionUpdate: 'session_info_update', _meta: { runwire: { event: { type: 'turn.started' } } } },
        'another',
      ),
    );
    expect(outcome).toMatchObject({
      tool_calls: [],
      metrics: { cost_source: 'unknown', turns: 1 },
      provenance: { unknown_lines: 3 },
    });
  });

  it('are questions and calls after the answer: told, and judged by nobody', () => {
    const late = [
      ask(7, { toolCallId: 'late', title: 'rm -r /', kind: 'execute' }),
      chose(7, 'n'),
      tool({ toolCallId: 'later', status: 'failed' }),
    ];
    const { events, outcome } = read(...initialized(), ...opened(), prompted, say('Done.'), ended, ...late);
    expect(outcome).toMatchObject({ message: 'Done.', tool_calls: [], verdict: { class: 'success' } });
    expect(outcome.warnings).toEqual(['asked for outside of a prompt: rm -r /', 'called outside of a prompt: A tool']);
    expect(only({ events }, 'permission.requested', 'permission.resolved')).toEqual([]);
  });

  it('are words of both of two sessions that were asked, each in blocks of its own', () => {
    const second = { ...rpc, id: 3, method: 'session/prompt', params: { sessionId: 'another', prompt: [] } };
    const { events } = read(...opened(), prompted, second, say('One'), elsewhere('Two'), say('.'));
    expect(only({ events }, 'text.completed').map(({ text }) => text)).toEqual(['One', 'Two', '.']);
  });
});

describe('a call that is open at the end', () => {
  it('is the end of a run that said nothing after it', () => {
    const { outcome } = run(say('I begin.'), tool({ status: 'in_progress' }));
    expect(outcome).toMatchObject({
      tool_calls: [{ status: 'cancelled', reason: 'abandoned' }],
      verdict: { class: 'incomplete' },
    });
    expect(outcome.verdict.evidence[0]?.detail).toBe('the run ended while a tool was still running: A tool');
  });

  it('is a warning where there is an answer', () => {
    const { outcome } = run(tool({ status: 'in_progress' }), say('It runs in the background.'));
    expect(outcome).toMatchObject({
      verdict: { class: 'success' },
      warnings: ['still running when the run ended: A tool'],
    });
  });

  it('hides no call that failed after it', () => {
    const { outcome } = run(tool({ status: 'in_progress' }), tool({ toolCallId: 'u', status: 'failed' }));
    expect(outcome.verdict.class).toBe('tool');
  });
});

describe('every recording as ACP', () => {
  const asked = new Map<Json | undefined, string>([
    [0, 'initialize'],
    [1, 'session/new'],
    [2, 'session/prompt'],
  ]);

  it.each(withOneLong(allRecordings(tables)))(
    '$name is valid by the schema of ACP',
    ({ folder, scenario, expected }) => {
      const { stdout, stderr, exit } = loadRecording(folder, scenario);
      const decoder = new TextDecoder();
      const printed = {
        stdout: decoder.decode(stdout),
        stderr: decoder.decode(stderr),
        exit,
        dialect: findDialect(expected.dialect),
      };
      const lines = linesOf(pass(printed, scenario === 'plain' ? 'acp:agent' : 'acp').text);
      expect(lines.flatMap((line) => faultsOf(line, asked.get(line.id)))).toEqual([]);
      expect(lines.length).toBeGreaterThan(2);
    },
  );

  it('says no to what is none', () => {
    expect(faultsOf(update({ sessionUpdate: 'tool_call', title: 'no id' }))).not.toEqual([]);
    expect(faultsOf(update({ sessionUpdate: 'made_up' }))).not.toEqual([]);
    expect(faultsOf({ ...rpc, id: 2, result: { stopReason: 'bored' } }, 'session/prompt')).not.toEqual([]);
  });

  it('loses nothing of a run of its own, also without the words of the client', () => {
    const stdout = jsonl(handWritten.acp);
    const first = pass({ stdout }, 'acp:agent');
    const again = pass({ stdout: first.text });
    expect(again.events.filter(({ type }) => type !== 'thread.completed')).toEqual(
      first.events.filter(({ type }) => type !== 'thread.completed'),
    );
    expect(first.losses).toEqual([]);
  });
});

describe('who speaks', () => {
  it('is told by the answers to the first requests', () => {
    const { events, outcome } = read(
      ...initialized({ name: 'qwen-code', version: '0.24.4' }),
      ...opened({ models: { currentModelId: 'm' } }),
    );
    expect(events[0]).toMatchObject({
      type: 'thread.started',
      agent: 'qwen',
      agent_version: '0.24.4',
      session_id: 's',
      model: 'm',
      cwd: '/w',
    });
    expect(outcome.verdict.class).toBe('incomplete');
  });

  it('is the agent alone where the client was not recorded', () => {
    const { events, outcome } = read(say('Hello.'), say(' World.'), ended);
    expect(outcome).toMatchObject({ message: 'Hello. World.', verdict: { class: 'success' }, session_id: 's' });
    expect(events[0]).toMatchObject({ type: 'thread.started', session_id: 's' });
  });

  it('does not repeat what a loaded session said before', () => {
    const { outcome, events } = read(
      ...initialized(),
      { ...rpc, id: 1, method: 'session/load', params: { sessionId, cwd: '/w', mcpServers: [] } },
      say('Words of yesterday.'),
      tool({ status: 'completed' }),
      { ...rpc, id: 1, result: {} },
      prompted,
      say('Words of today.'),
      ended,
    );
    expect(outcome).toMatchObject({ message: 'Words of today.', tool_calls: [], verdict: { class: 'success' } });
    expect(events[0]).toMatchObject({ resumed: true, session_id: 's' });
  });
});

describe('texts', () => {
  it('are blocks by message, kind and what comes between', () => {
    const { events } = run(
      say('a', { messageId: 'm1' }),
      say('b', { messageId: 'm1' }),
      say('c', { messageId: 'm2' }),
      update({ sessionUpdate: 'agent_thought_chunk', content: words('hm') }),
      tool({ status: 'completed' }),
      say('d', { messageId: 'm2' }),
    );
    expect(only({ events }, 'text.completed', 'reasoning.completed').map(({ text }) => text)).toEqual([
      'ab',
      'c',
      'hm',
      'd',
    ]);
  });

  it('after the last call are the answer', () => {
    expect(run(say('I look.'), tool({ status: 'completed' }), say('It is '), say('there.')).outcome.message).toBe(
      'It is there.',
    );
    expect(run(say('It is there.'), tool({ status: 'completed' })).outcome.message).toBe('It is there.');
  });

  it('that are none are told as what they are', () => {
    const { events } = run(say('', { content: { type: 'image', mimeType: 'image/png', data: '' } }), say('Done.'));
    expect(only({ events }, 'log')).toMatchObject([{ text: '[image image/png]' }]);
  });
});

describe('calls', () => {
  it('begin when it is known what they are called with', () => {
    const { events } = run(
      tool({ title: 'bash', kind: 'execute', status: 'pending', rawInput: { cwd: '/w' } }),
      more({ status: 'in_progress', rawInput: { command: 'ls', cwd: '/w' } }),
      more({ status: 'in_progress', content: [{ type: 'content', content: words('a\n') }] }),
      more({ content: [{ type: 'content', content: words('a\nb\n') }] }),
      more({ status: 'completed', rawOutput: { output: 'a\nb\n', metadata: { exit: 0 } } }),
      more({ status: 'completed', title: 'told again' }),
      say('Two.'),
    );
    expect(only({ events }, 'item.started', 'item.output', 'item.completed')).toMatchObject([
      { item_id: 't', kind: 'command', name: 'bash', args: { command: 'ls', cwd: '/w' } },
      { chunk: 'a\n' },
      { chunk: 'b\n' },
      { status: 'success', output: 'a\nb\n', exit_code: 0 },
    ]);
  });

  it.each<[string, Wire, Wire[], string]>([
    [
      'the name that the protocol has a place for',
      {},
      [tool({ name: 'grep', kind: 'search', status: 'completed' })],
      'grep',
    ],
    ['a title of one word', {}, [tool({ title: 'read', kind: 'read', status: 'completed' })], 'read'],
    [
      'the kind, when the title is a sentence',
      {},
      [tool({ title: 'Reading a file', kind: 'read', status: 'completed' })],
      'read',
    ],
    [
      'the sentence, when there is no kind',
      {},
      [tool({ title: 'Ask the oracle', kind: 'other', status: 'completed' })],
      'Ask the oracle',
    ],
    ['a word of Qwen Code', {}, [tool({ status: 'completed', _meta: { toolName: 'read_file' } })], 'read_file'],
    ['a word of Claude', {}, [tool({ status: 'completed', _meta: { claudeCode: { toolName: 'Bash' } } })], 'Bash'],
    [
      'the id that Gemini CLI gives it',
      { name: 'gemini-cli', version: '1' },
      [tool({ toolCallId: 'write_file__x', title: 'Writing', kind: 'edit', status: 'completed' })],
      'write_file',
    ],
  ])('are named by %s', (_, info, work, name) => {
    const { outcome } = read(...initialized(info), ...opened(), prompted, ...work, say('Done.'), ended);
    expect(outcome.tool_calls).toMatchObject([{ name }]);
  });

  it.each<[string, Wire, Wire]>([
    [
      'a diff with an old text',
      { kind: 'edit', content: [{ type: 'diff', path: '/w/a', oldText: 'one\ntwo\n', newText: 'one\nTWO\nthree\n' }] },
      { path: '/w/a', operation: 'modified', additions: 2, deletions: 1 },
    ],
    [
      'a diff without one',
      { kind: 'edit', content: [{ type: 'diff', path: '/w/a', newText: 'one\ntwo' }] },
      { path: '/w/a', operation: 'created', additions: 2, deletions: 0 },
    ],
    ['a place alone', { kind: 'edit', locations: [{ path: '/w/a' }] }, { path: '/w/a', operation: 'modified' }],
    [
      'a place of a file that is gone',
      { kind: 'delete', locations: [{ path: '/w/a' }] },
      { path: '/w/a', operation: 'deleted' },
    ],
    ['an argument', { kind: 'edit', rawInput: { file_path: 'a' } }, { path: 'a', operation: 'modified' }],
  ])('change files: %s', (_, fields, edited) => {
    expect(only(run(tool({ ...fields, status: 'completed' }), say('Done.')), 'file.edited')).toEqual([
      { type: 'file.edited', item_id: 't', ...edited },
    ]);
    expect(only(run(tool({ ...fields, status: 'failed' }), say('Done.')), 'file.edited')).toEqual([]);
  });

  it('do not count lines where only a guess could be made', () => {
    const many = (word: string): string => Array.from({ length: 500 }, (_, index) => `${word} ${index}\n`).join('');
    const { events } = run(
      tool({ status: 'completed', content: [{ type: 'diff', path: 'a', oldText: many('x'), newText: many('y') }] }),
    );
    expect(only({ events }, 'file.edited')).toEqual([
      { type: 'file.edited', path: 'a', operation: 'modified', item_id: 't' },
    ]);
  });

  it('of two sessions are told apart', () => {
    const other = (fields: Wire): Wire => update({ toolCallId: 't', ...fields }, 'other');
    const { outcome } = run(
      tool({ title: 'one', status: 'in_progress' }),
      other({ sessionUpdate: 'tool_call', title: 'two', status: 'in_progress' }),
      other({ sessionUpdate: 'tool_call_update', status: 'failed' }),
      more({ status: 'completed' }),
      say('Done.'),
    );
    expect(outcome.tool_calls).toMatchObject([
      { name: 'two', status: 'error' },
      { name: 'one', status: 'completed' },
    ]);
  });

  it('are a list of what to do', () => {
    const plan = (status: string): Wire =>
      update({ sessionUpdate: 'plan', entries: [{ content: 'Test', priority: 'high', status }] });
    const { events } = run(plan('pending'), say('Working.'), plan('completed'), say('Done.'));
    expect(only({ events }, 'item.started', 'item.output', 'item.completed')).toMatchObject([
      { kind: 'plan', name: 'plan' },
      { chunk: JSON.stringify([{ content: 'Test', priority: 'high', status: 'completed' }]) },
      { status: 'success' },
    ]);
  });
});

describe('questions', () => {
  it('are answered by the client, whichever ids both sides count by', () => {
    const { events, outcome } = run(
      ask(2, { toolCallId: 't', title: 'rm -r /', kind: 'execute' }),
      chose(2, 'n'),
      more({ status: 'failed' }),
      say('I may not.'),
    );
    expect(only({ events }, 'permission.requested', 'permission.resolved', 'item.completed')).toMatchObject([
      { permission_id: 'permission_2', item_id: 't', what: 'execute', pattern: 'rm -r /' },
      { decision: 'denied', by: 'user', raw_decision: 'n' },
      { status: 'denied' },
    ]);
    expect(outcome.verdict.class).toBe('permission');
  });

  it('that fail are not the failure of the prompt that has the same id', () => {
    const file = { ...rpc, id: 2, method: 'fs/read_text_file', params: { sessionId, path: '/w/a' } };
    const { outcome } = run(file, failed({ code: -32002, message: 'not found' }), say('It is not there.'));
    expect(outcome.verdict.class).toBe('success');
  });

  it('to write a file change it, if they are granted', () => {
    const file = { ...rpc, id: 7, method: 'fs/write_text_file', params: { sessionId, path: '/w/a', content: '' } };
    expect(only(run(file, { ...rpc, id: 7, result: {} }, say('Done.')), 'file.edited')).toMatchObject([
      { path: '/w/a' },
    ]);
    expect(only(run(file, { ...rpc, id: 7, error: { code: 1, message: 'no' } }, say('Done.')), 'file.edited')).toEqual(
      [],
    );
  });
});

describe('the end', () => {
  it.each<[string, Wire, string, string | undefined]>([
    ['end_turn', answered({ stopReason: 'end_turn' }), 'success', undefined],
    ['max_tokens', answered({ stopReason: 'max_tokens' }), 'incomplete', 'output_length'],
    ['max_turn_requests', answered({ stopReason: 'max_turn_requests' }), 'turn_limit', 'turn_limit'],
    ['refusal', answered({ stopReason: 'refusal' }), 'provider', 'refused'],
    ['cancelled', answered({ stopReason: 'cancelled' }), 'cancelled', 'cancelled'],
    ['a word that is unknown', answered({ stopReason: 'bored' }), 'incomplete', 'unknown'],
    ['a login that is missing', failed({ code: -32000, message: 'Authentication required' }), 'provider', 'auth'],
    [
      'a limit of the server',
      failed({ code: -32603, message: 'Internal error', data: { details: '429 Too Many Requests' } }),
      'provider',
      'rate_limit',
    ],
    ['a status', failed({ code: 1, message: 'No', data: { status: 503 } }), 'provider', 'server'],
    ['nothing but a code', failed({ code: -32603, message: 'Internal error' }), 'incomplete', 'unknown'],
  ])('%s', (_, end, name, code) => {
    const { outcome } = read(...initialized(), ...opened(), prompted, say('Words.'), end);
    expect({ class: outcome.verdict.class, code: outcome.verdict.code }).toEqual({ class: name, code });
  });

  it('that was asked for is no failure, whatever the agent calls it', () => {
    const cancel = { ...rpc, method: 'session/cancel', params: { sessionId } };
    const { outcome } = read(
      ...initialized(),
      ...opened(),
      prompted,
      cancel,
      failed({ code: -32603, message: 'Internal error' }),
    );
    expect(outcome.verdict.class).toBe('cancelled');
  });

  it('that was asked for cuts off the commands under way, whatever they are called', () => {
    const cancel = { ...rpc, method: 'session/cancel', params: { sessionId } };
    const command = tool({ kind: 'execute', status: 'in_progress', rawInput: { command: 'sleep 9' } });
    const { outcome } = read(
      ...opened(),
      prompted,
      command,
      cancel,
      more({ status: 'completed' }),
      answered({ stopReason: 'cancelled' }),
    );
    expect(outcome.tool_calls).toMatchObject([{ status: 'cancelled' }]);
  });

  it('of a session that could not begin', () => {
    const refused = { ...rpc, id: 1, error: { code: -32000, message: 'Authentication required' } };
    expect(read(...initialized(), opened()[0] ?? {}, refused).outcome.verdict).toMatchObject({
      class: 'provider',
      code: 'auth',
    });
    const login = [
      { ...rpc, id: 5, method: 'authenticate', params: { methodId: 'key' } },
      { ...rpc, id: 5, result: {} },
    ];
    const { outcome } = read(
      ...initialized(),
      opened()[0] ?? {},
      refused,
      ...login,
      ...opened(),
      prompted,
      say('Hello.'),
      ended,
    );
    expect(outcome.verdict).toMatchObject({ class: 'success' });
  });

  it('of two prompts at once is that of the worse one', () => {
    const second = { ...rpc, id: 3, method: 'session/prompt', params: { sessionId: 'other', prompt: [] } };
    const { outcome } = read(...opened(), prompted, second, say('One.'), answered({ stopReason: 'refusal' }), {
      ...rpc,
      id: 3,
      result: { stopReason: 'end_turn' },
    });
    expect(outcome.verdict).toMatchObject({ class: 'provider', code: 'refused' });
  });
});

describe('an error in place of an answer', () => {
  const refused = 'Error: Authentication failed with provider at http://127.0.0.1:4100 (HTTP 401).';
  const verdictOf = (...work: Wire[]): Wire => {
    const { outcome } = run(...work);
    return { class: outcome.verdict.class, code: outcome.verdict.code };
  };
  const auth = { class: 'provider', code: 'auth' };
  const success = { class: 'success', code: undefined };

  it.each<[string, Wire[], Wire]>([
    ['alone', [say(refused)], auth],
    ['in pieces', [say('Error: Authentication '), say('failed (HTTP 401)')], auth],
    ['after a call that went well', [say('I look.'), tool({ status: 'completed' }), say(refused)], auth],
    ['behind an answer that was broken off', [say('Let me '), say('look at'), say(refused)], auth],
    ['of its own message', [say('Let me look.', { messageId: 'm1' }), say(refused, { messageId: 'm2' })], auth],
    ['of a server that is busy', [say('API Error: 529 Overloaded')], { class: 'provider', code: 'server' }],
    ['that the agent got over', [say(refused, { messageId: 'm1' }), say('Done.', { messageId: 'm2' })], success],
    ['before a call', [say(refused), tool({ status: 'completed' })], success],
    ['that is quoted', [say('The log says:\n'), say(refused)], success],
    ['that is explained', [say(refused), say(' This line means that your key is old; I replaced it.')], success],
    [
      'that a tool printed',
      [tool({ kind: 'execute', status: 'completed', rawOutput: `1\n${refused}\n` }), say(refused)],
      success,
    ],
    [
      'that a sub-agent met as well',
      [tool({ kind: 'think', status: 'completed', rawOutput: refused }), say(refused)],
      auth,
    ],
  ])('%s', (_, work, want) => {
    expect(verdictOf(...work)).toEqual(want);
  });

  it('is told as what it is', () => {
    const { events, outcome } = run(say(refused));
    expect(only({ events }, 'error', 'turn.completed', 'agent.finished')).toEqual([
      { type: 'error', scope: 'provider', code: 'auth', message: refused, fatal: true, http_status: 401 },
      {
        type: 'turn.completed',
        turn_id: 'turn_1',
        iteration: 1,
        finish_reason: 'error',
        raw_finish_reason: 'end_turn',
        tool_call_count: 0,
        has_final_report: false,
      },
      { type: 'agent.finished', status: 'failed', code: 'auth', message: refused, raw_status: 'end_turn' },
    ]);
    expect(outcome.message).toBe(refused);
  });

  it('that was asked for is an answer', () => {
    const asked = { ...prompted, params: { sessionId, prompt: [words(`Say exactly: ${refused}`)] } };
    expect(read(...initialized(), ...opened(), asked, say(refused), ended).outcome.verdict.class).toBe('success');
  });

  it.each([
    [{ 'vendor.example/errorMessage': '429 Too Many Requests' }, 'rate_limit'],
    [{ vendor: { failed: true, error: 'HTTP 400: provider api key not configured' } }, 'config'],
    [{ vendor: { failed: false, error: null } }, undefined],
  ])('may stand beside the answer: %j', (_meta, code) => {
    const { outcome } = read(...opened(), prompted, say('Hm.'), answered({ stopReason: 'end_turn', _meta }));
    expect(outcome.verdict.code).toBe(code);
  });
});

describe('tokens and money', () => {
  const tokens = (result: Wire, agent = 'some-agent') => {
    const { outcome } = read(
      ...initialized({ name: agent, version: '1' }),
      ...opened(),
      prompted,
      say('Hi.'),
      answered({ stopReason: 'end_turn', ...result }),
    );
    const { input_tokens, output_tokens, cache_read_tokens } = outcome.metrics;
    return [input_tokens, output_tokens, cache_read_tokens];
  };

  it('are read with the cache beside them or among them', () => {
    expect(tokens({ usage: { inputTokens: 800, outputTokens: 60, totalTokens: 1260, cachedReadTokens: 400 } })).toEqual(
      [1200, 60, 400],
    );
    expect(
      tokens({ usage: { inputTokens: 1200, outputTokens: 60, totalTokens: 1260, cachedReadTokens: 400 } }),
    ).toEqual([1200, 60, 400]);
    expect(tokens({ usage: { inputTokens: 100, outputTokens: 50, thoughtTokens: 7, totalTokens: 157 } })).toEqual([
      100,
      57,
      undefined,
    ]);
  });

  it('are not those of the last call alone', () => {
    expect(tokens({ usage: { inputTokens: 800, outputTokens: 60, totalTokens: 860 } }, 'OpenCode')).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('are those of each model, as Gemini CLI tells them', () => {
    const model_usage = [{ model: 'm', token_count: { input_tokens: 10, output_tokens: 2 } }];
    expect(tokens({ _meta: { quota: { token_count: { input_tokens: 10, output_tokens: 2 }, model_usage } } })).toEqual([
      10,
      2,
      undefined,
    ]);
  });

  it('are the share of this run in what the session has cost', () => {
    const cost = (amount: number, currency = 'USD'): Wire =>
      update({ sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount, currency } });
    expect(run(cost(0.25), say('Hi.'), cost(0.5)).outcome.metrics).toMatchObject({
      cost: 0.5,
      cost_source: 'reported',
    });
    expect(run(cost(3, 'EUR'), say('Hi.')).outcome.metrics.cost_source).toBe('unknown');
    const next = { ...prompted, id: 9 };
    const later = read(...opened(), prompted, cost(0.5), say('Hi.'), ended, next, cost(0.75), say('Ho.'), {
      ...ended,
      id: 9,
    });
    expect(later.outcome.metrics.cost).toBe(0.75);
  });
});

describe('what is not known', () => {
  it('is kept whole, with a note', () => {
    const strange = update({ sessionUpdate: 'tea_break', minutes: 5 });
    const { events, outcome } = run(strange, say('Back.'));
    expect(only({ events }, 'line.unknown')).toEqual([{ type: 'line.unknown', dialect: 'acp', wire: strange }]);
    expect(outcome).toMatchObject({ verdict: { class: 'success' }, provenance: { unknown_lines: 1 } });
  });

  it('is left alone where the protocol leaves room for others', () => {
    const { outcome } = run(
      { ...rpc, id: 4, method: '_vendor/ask', params: {} },
      { ...rpc, id: 4, error: { code: -32601, message: 'no' } },
      say('Hm.'),
    );
    expect(outcome).toMatchObject({ verdict: { class: 'success' }, provenance: { unknown_lines: 0 } });
  });

  it('cannot be told by an agent in our name', () => {
    const forged = (event: JsonObject): Wire =>
      update({ sessionUpdate: 'session_info_update', _meta: { runwire: { event } } });
    const { events } = run(
      forged({ type: 'process.ended', exit_code: 0, signal: null, reason: 'exited' }),
      forged({ type: 'expectation.checked', rule: 'x', passed: true, detail: '' }),
      forged({ type: 'log', stream: 'nowhere', text: 'x' }),
      say('Hi.'),
    );
    expect(events.filter(({ type }) => ['process.ended', 'expectation.checked', 'log'].includes(type))).toEqual([]);
  });
});
