import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safeArgs } from '../../src/dialects/dev-agent/write/args.ts';
import type { Json, JsonObject } from '../../src/json/json.ts';
import type { AgentEvent, ItemKind } from '../../src/events/event.ts';
import { soundsSecret } from '../../src/redact/secret-names.ts';
import { fuzzSeed } from '../support/fuzz.ts';
import { only, readLines, type Written, writeEvents } from '../support/wire.ts';

const started: AgentEvent = { type: 'thread.started', task: 'Fix foo' };
const turn: AgentEvent = { type: 'turn.started', turn_id: 'turn_1', iteration: 1 };
const ok: AgentEvent = { type: 'agent.finished', status: 'ok' };

function written(name: string, args: Json, kind: ItemKind = 'tool_call'): Written {
  const call: AgentEvent = { type: 'item.started', item_id: 'i', turn_id: 'turn_1', kind, name, args };
  return writeEvents(
    [started, turn, call, { type: 'item.completed', item_id: 'i', status: 'success' }, ok],
    'dev-agent',
  );
}

const itemOf = ({ lines }: Written): JsonObject => lines.find(({ type }) => type === 'item.started') ?? {};
const argsOf = (name: string, args: Json, kind?: ItemKind): Json | undefined => itemOf(written(name, args, kind)).args;

const long = 'p'.repeat(300);
const cut = 'p'.repeat(240);

describe("dev-agent's own tools show what is listed, and nothing else", () => {
  const more = { note: 'n', nested: { a: 1 }, list: ['x'] };
  it.each<[string, JsonObject, JsonObject]>([
    [
      'execute_agent',
      { agent: 'codex', parent_branch_id: 'b', phase: 'implement', model: 'm', project_name: 'acme', prompt: 'short' },
      {
        agent: 'codex',
        parent_branch_id: 'b',
        phase: 'implement',
        model: 'm',
        project_name: 'acme',
        prompt_preview: 'short',
      },
    ],
    ['execute_agent', { prompt: long }, { prompt_preview: cut, prompt_truncated: true }],
    ['execute_agent', { agent: { name: 'x' }, prompt: { text: 'x' } }, { prompt_truncated: true }],
    [
      'parallel_explore',
      { agents: ['codex', 'claude'], parent_branch_id: 'b', num_branches: 2, prompts: ['one', 'two'] },
      { agents: ['codex', 'claude'], parent_branch_id: 'b', num_branches: 2, prompt_previews: ['one', 'two'] },
    ],
    [
      'parallel_explore',
      { prompts: ['Token: rotate it', long] },
      { prompt_previews: ['Token: rotate it', cut], prompt_truncated: true },
    ],
    [
      'parallel_explore',
      { prompts: Array.from({ length: 50 }, () => 'x') },
      { prompt_previews: Array.from({ length: 20 }, () => 'x'), prompt_truncated: true },
    ],
    ['branch_output', { branch_id: 'b', full_output: true }, { branch_id: 'b', full_output: true }],
    ['branch_diff', { branch_id: 'b', path: 'src/a.ts' }, { branch_id: 'b', path: 'src/a.ts' }],
    ['read_artifact', { branch_id: 'b', path: 'a/b.md' }, { branch_id: 'b', path: 'a/b.md' }],
    ['verify', { branch_id: 'b', command: 'npm test' }, { branch_id: 'b', command: 'npm test' }],
    [
      'publish',
      { branch_id: 'b', message: long, remote: 'origin' },
      { branch_id: 'b', message: cut, remote: 'origin' },
    ],
  ])('%s %#', (name, args, want) => {
    expect(argsOf(name, { ...args, ...more })).toEqual(want);
    expect(written(name, { ...args, ...more }).losses).toContain('tool_args');
  });
});

describe('other tools', () => {
  it('keep numbers, booleans and what is nested; texts are cut', () => {
    const args = { n: 1, yes: true, none: null, deep: { list: [{ text: long }] }, path: 'a' };
    expect(argsOf('search', args)).toEqual({ n: 1, yes: true, none: null, deep: { list: [{ text: cut }] }, path: 'a' });
  });

  it('a sub-agent of any name has its prompt as a preview', () => {
    expect(argsOf('Task', { description: 'd', prompt: long }, 'subagent')).toEqual({
      description: 'd',
      prompt_preview: cut,
      prompt_truncated: true,
    });
  });

  it.each<[Json, JsonObject]>([
    [null, {}],
    ['ls', { value: 'ls' }],
    [['ls'], { value: ['ls'] }],
  ])('arguments that are no object: %j', (args, want) => {
    expect(argsOf('x', args)).toEqual(want);
  });
});

describe('secrets', () => {
  const names =
    'token TOKEN authToken auth_token auth-token x-auth-token accessToken GITHUB_TOKEN tokens password Password dbPassword db_password passwd ' +
    'passphrase secret clientSecret client-secret secrets env ENV environment envVars env_vars process.env authorization Authorization ' +
    'proxy-authorization auth oauth api_key apiKey API-KEY apikey x-api-key credential credentials creds cookie Cookie set-cookie sessionCookie ' +
    'private_key privateKey private-key ssh_key accessKeyId pwd userPwd bearer jwt PaSsWoRd pass_word GH_PAT dsn connectionString webhook_url';
  const harmless =
    'author author_id authors branch_id command path pattern keyword keywords environmental envelope description compass format query'.split(
      ' ',
    );

  const shownOf = (name: string, args: Json) =>
    safeArgs({ type: 'item.started', item_id: 'i', turn_id: 't', kind: 'tool_call', name, args });

  it.each(names.split(' '))('%s is never shown', (name) => {
    const value = 'hunter2-value';
    const shapes: Json[] = [
      { [name]: value },
      { [name]: { nested: value } },
      { [name]: [value] },
      { [name]: 12345 },
      { a: { b: [{ [name]: value }] } },
      { a: [{ name, value }] },
      { a: [[name, value]] },
      { a: [`${name}=${value}`, `${name}: ${value}`] },
      { a: [`--${name}`, value] },
      { a: JSON.stringify({ b: { [name]: value } }) },
      JSON.stringify({ [name]: value }),
      { headers: `Accept: x\n${name}: ${value}` },
      { command: `${name}=${value} npm test` },
      { command: `npm test --${name} ${value} --${name}='${value} x'` },
      { command: `curl -H "${name}: ${value}" https://example.com/?${name}=${value}` },
      { command: `cat <<E\n{"a": 1, "${name}": "${value}"` },
    ];
    for (const tool of ['search', 'execute_agent', 'verify'])
      for (const args of shapes) {
        const { args: shown, isCut } = shownOf(tool, args);
        expect(JSON.stringify(shown)).not.toMatch(/hunter2-value|12345/);
        expect(isCut).toBe(true);
      }
  });

  it.each(harmless)('%s is shown', (name) => {
    expect(soundsSecret(name)).toBe(false);
    expect(argsOf('search', { [name]: 'x' })).toEqual({ [name]: 'x' });
  });

  it('none at any depth, under any name that sounds like one', () => {
    const name = fc.constantFrom(...names.split(' '));
    const tree = fc.letrec<{ tree: Json }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 6 },
        fc.dictionary(name, fc.constant<Json>('hunter2-value'), { minKeys: 1, maxKeys: 2 }),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'value'), tie('tree'), { maxKeys: 2 }),
      ),
    })).tree;
    fc.assert(
      fc.property(tree, (args) => !JSON.stringify(shownOf('search', args)).includes('hunter2-value')),
      { seed: fuzzSeed, numRuns: 100 },
    );
  });

  it('a line that is unknown is repeated without them, and one that is damaged not at all', () => {
    const envelope = { sequence: 1, thread_id: 't', timestamp: '2026-03-01T10:00:01Z' };
    const wires: JsonObject[] = [
      { type: 'thread.started', ...envelope, task: 'x', project_name: '', parent_branch_id: '', headless: true },
      { type: 'log', ...envelope, text: 'x'.repeat(1000), headers: { token: 'hunter2-value' } },
      { type: 'item.started', ...envelope },
      { ...envelope, note: 'no type' },
    ];
    const { lines } = writeEvents(
      wires.slice(1).map((wire) => ({ type: 'line.unknown', dialect: 'dev-agent', wire })),
      'dev-agent',
    );
    expect(lines.slice(1, -1)).toEqual([
      { type: 'log', ...envelope, sequence: 2, thread_id: 'thread-1', text: 'x'.repeat(1000), headers: {} },
    ]);
  });
});

describe('kinds', () => {
  it.each<[ItemKind, string, string, ItemKind]>([
    ['command', 'bash', 'tool_call', 'command'],
    ['file_edit', 'write', 'tool_call', 'file_edit'],
    ['mcp', 'mcp__docs__search', 'tool_call', 'mcp'],
    ['subagent', 'execute_agent', 'tool_call', 'subagent'],
    ['tool_call', 'publish', 'publish', 'publish'],
    ['publish', 'push', 'publish', 'publish'],
    ['branch_poll', 'branch_output', 'branch_poll', 'branch_poll'],
    ['read', 'read_artifact', 'tool_call', 'read'],
    ['tool_call', 'anything', 'tool_call', 'tool_call'],
  ])('%s %s is written as %s and read as %s', (kind, name, wire, back) => {
    const { lines, losses } = written(name, {}, kind);
    expect(itemOf({ lines, losses, text: '' }).kind).toBe(wire);
    expect(only(readLines(lines), 'item.started')[0]?.kind).toBe(back);
    expect(losses).not.toContain('tool_kind');
  });

  it('what the name does not tell is lost, and said', () => {
    expect(written('frobnicate', {}, 'command').losses).toContain('tool_kind');
  });

  it('earlier streams with our kinds are read as they were meant', () => {
    const { lines } = written('frobnicate', {}, 'command');
    const old = lines.map((wire) => (wire.type === 'item.started' ? { ...wire, kind: 'command' } : wire));
    expect(only(readLines(old), 'item.started')[0]?.kind).toBe('command');
  });
});

describe('has_final_report', () => {
  const said = (turn_id: string, text: string): AgentEvent => ({
    type: 'text.completed',
    turn_id,
    message_id: text,
    block_id: text,
    text,
  });
  const begin = (iteration: number): AgentEvent => ({ type: 'turn.started', turn_id: `turn_${iteration}`, iteration });
  const end = (iteration: number, has_final_report = false): AgentEvent => ({
    type: 'turn.completed',
    turn_id: `turn_${iteration}`,
    iteration,
    tool_call_count: 0,
    has_final_report,
  });
  const call = (id: string, name = 'bash'): AgentEvent[] => [
    { type: 'item.started', item_id: id, turn_id: 'turn_1', kind: 'tool_call', name, args: {} },
    { type: 'item.completed', item_id: id, status: 'success' },
  ];
  const failed: AgentEvent = { type: 'agent.finished', status: 'failed', code: 'server', message: 'HTTP 500' };

  it.each<[string, AgentEvent[], boolean[]]>([
    [
      'the last answer',
      [begin(1), ...call('a'), end(1), begin(2), said('turn_2', 'Done.'), end(2, true), ok],
      [false, true],
    ],
    ['an agent that does not say so', [begin(1), said('turn_1', 'Done.'), end(1), ok], [true]],
    [
      'words after the calls of one turn',
      [begin(1), said('turn_1', 'One.'), ...call('a'), said('turn_1', 'Two.'), end(1), ok],
      [false, true],
    ],
    ['no answer', [begin(1), ...call('a'), end(1), begin(2), end(2, true), ok], [false, false]],
    ['a blank answer', [begin(1), said('turn_1', ' \n'), end(1, true), ok], [false]],
    ['a run that failed after its words', [begin(1), said('turn_1', 'Hm.'), end(1), failed], [false]],
    ['a run that just stopped', [begin(1), said('turn_1', 'Hm.'), end(1)], [false]],
    [
      'words before a call that is the last thing',
      [begin(1), said('turn_1', 'Look.'), ...call('a'), end(1), ok],
      [false],
    ],
    [
      'an answer that publishing follows',
      [begin(1), said('turn_1', 'Done.'), end(1, true), begin(2), ...call('p', 'publish'), end(2), ok],
      [true, false],
    ],
    [
      'words between turns',
      [begin(1), said('turn_1', 'One.'), end(1), begin(2), said('turn_2', 'Two.'), end(2), ok],
      [false, true],
    ],
    [
      'an answer that was not the last: the agent is started again',
      [
        begin(1),
        said('turn_1', 'One.'),
        end(1, true),
        failed,
        { type: 'retry.scheduled', scope: 'run', cause: 'x' },
        begin(2),
        said('turn_2', 'Two.'),
        end(2, true),
        ok,
      ],
      [false, true],
    ],
    [
      'an agent that says its answer is none',
      [begin(1), said('turn_1', 'Hm.'), end(1), { ...ok, has_answer: false } as AgentEvent],
      [false],
    ],
  ])('%s', (_, events, want) => {
    const { lines } = writeEvents([started, ...events], 'dev-agent');
    expect(lines.filter(({ type }) => type === 'turn.completed').map((wire) => wire.has_final_report)).toEqual(want);
    expect(lines.map(({ sequence }) => sequence)).toEqual(lines.map((_line, index) => index + 1));
    expect(lines.at(-1)?.type).toBe('thread.completed');
  });
});

describe('error', () => {
  const error = (fields: JsonObject): AgentEvent =>
    ({ type: 'error', scope: 'mcp', code: 'tool', message: 'gone', fatal: false, ...fields }) as AgentEvent;
  it.each<[string, JsonObject, JsonObject]>([
    ['its turn is known by its place', {}, { iteration: 1 }],
    [
      'or because the agent says so',
      { turn_id: 'turn_1', iteration: 1, item_id: 'i' },
      { turn_id: 'turn_1', iteration: 1, item_id: 'i' },
    ],
    ['of another turn', { turn_id: 'turn_7', iteration: 7 }, { turn_id: 'turn_7', iteration: 7 }],
  ])('%s', (_, fields, want) => {
    const { lines } = writeEvents([started, turn, error(fields), ok], 'dev-agent');
    const {
      type: _type,
      timestamp: _time,
      sequence: _sequence,
      thread_id: _thread,
      ...told
    } = lines.find(({ type }) => type === 'error') ?? {};
    expect(told).toEqual({ scope: 'mcp', message: 'gone', ...want, fatal: false });
  });

  it('of no turn', () => {
    const { lines } = writeEvents([started, error({}), ok], 'dev-agent');
    expect(lines.find(({ type }) => type === 'error')).not.toHaveProperty('iteration');
  });
});
