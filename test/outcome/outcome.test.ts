import { describe, expect, it } from 'vitest';
import { agents } from '../../src/agents/registry.ts';
import type { AgentEvent, ErrorCode, EventOf, ItemKind, ItemStatus } from '../../src/events/event.ts';
import { exitCodes } from '../../src/failure.ts';
import { allowingFlag } from '../../src/outcome/denials.ts';
import { type FoldOptions, OutcomeFold } from '../../src/outcome/fold.ts';
import { RunOutcome } from '../../src/outcome/outcome.ts';
import type { Price } from '../../src/outcome/price.ts';

function fold(events: readonly AgentEvent[], options: FoldOptions = {}, price?: Price): RunOutcome {
  const machine = new OutcomeFold(options);
  for (const event of events) machine.apply(event);
  const outcome = machine.outcome('test', [], price);
  // Every outcome of every test here is a document of the published shape.
  RunOutcome.parse(outcome);
  return outcome;
}

const started: AgentEvent = { type: 'thread.started', agent: 'a', session_id: 's-1', model: 'm-1' };
const said = (text: string, fields: Partial<EventOf<'text.completed'>> = {}): AgentEvent => ({
  type: 'text.completed',
  turn_id: 't',
  message_id: 'm',
  block_id: 'b',
  text,
  ...fields,
});
const tool = (
  status: ItemStatus,
  fields: Partial<EventOf<'item.completed'>> = {},
  args: EventOf<'item.started'>['args'] = {},
): AgentEvent[] => [
  { type: 'item.started', item_id: 'i', turn_id: 't', kind: 'command', name: 'sh', args },
  { type: 'item.completed', item_id: 'i', status, ...fields },
];
const ok: AgentEvent = { type: 'agent.finished', status: 'ok' };
const failed = (code?: ErrorCode, message = 'it failed'): AgentEvent => ({
  type: 'agent.finished',
  status: 'failed',
  message,
  ...(code === undefined ? {} : { code }),
});
const cancelled: AgentEvent = { type: 'agent.finished', status: 'cancelled' };
const error = (code: ErrorCode, fatal: boolean, fields: Partial<EventOf<'error'>> = {}): AgentEvent => ({
  type: 'error',
  scope: 'x',
  code,
  message: 'went wrong',
  fatal,
  ...fields,
});
const exit = (code: number): AgentEvent => ({ type: 'process.ended', exit_code: code, signal: null, reason: 'exited' });
const signal = (name: string, reason: 'signalled' | 'timeout' = 'signalled'): AgentEvent => ({
  type: 'process.ended',
  exit_code: null,
  signal: name,
  reason,
});
const limit = (name: EventOf<'limit.reached'>['limit']): AgentEvent => ({ type: 'limit.reached', limit: name });
const cut: AgentEvent = { type: 'log', stream: 'stdout', cause: 'cut', text: '{"type":"res' };
const denied: AgentEvent[] = [
  { type: 'permission.requested', permission_id: 'p', what: 'shell', pattern: 'rm *' },
  { type: 'permission.resolved', permission_id: 'p', decision: 'denied', by: 'rule' },
];
const hi = said('Hi.');
const broken: AgentEvent = { type: 'log', stream: 'stdout', cause: 'broken', text: '{"type"' };

describe('the verdict', () => {
  it.each<[string, AgentEvent[], string, number]>([
    ['claim, words, exit 0', [started, hi, ok, exit(0)], 'success', 0],
    ['claim and words of a stored run', [started, hi, ok], 'success', 0],
    ['claim and work without words', [started, ...tool('success'), ok, exit(0)], 'success', 0],
    ['claim, failed tool, then words', [started, ...tool('error'), hi, ok, exit(0)], 'success', 0],
    ['claim after a fatal error', [started, error('server', true), hi, ok, exit(0)], 'success', 0],
    ['claim, then ended from outside', [started, hi, ok, signal('SIGTERM')], 'success', 0],
    ['claim, then killed', [started, hi, ok, signal('SIGKILL')], 'success', 0],
    [
      'one denied, one done, then words',
      [started, ...tool('denied'), ...tool('success'), hi, ok, exit(0)],
      'success',
      0,
    ],
    [
      'one denied, one ran and failed, then words',
      [started, ...tool('denied'), ...tool('error', { exit_code: 1 }), hi, ok, exit(0)],
      'success',
      0,
    ],
    [
      'one denied, one that perhaps never ran, then words',
      [started, ...tool('denied'), ...tool('error'), hi, ok, exit(0)],
      'permission',
      7,
    ],
    [
      'damage, a call that never ended, then words',
      [started, broken, ...tool('abandoned'), hi, ok, exit(0)],
      'incomplete',
      8,
    ],
    [
      'damage, a call that perhaps never ran, then words',
      [started, broken, ...tool('error'), hi, ok, exit(0)],
      'incomplete',
      8,
    ],
    [
      'damage, one that was done, then words',
      [started, broken, ...tool('error'), ...tool('success'), hi, ok, exit(0)],
      'success',
      0,
    ],
    ['damage and words', [started, broken, hi, ok, exit(0)], 'success', 0],
    ['claim, then the code of SIGTERM', [started, hi, ok, exit(143)], 'success', 0],
    ['claim, then the code of SIGKILL', [started, hi, ok, exit(137)], 'success', 0],
    ['claim, then the code of SIGINT', [started, hi, ok, exit(130)], 'success', 0],
    ['claim, then the code of timeout(1)', [started, hi, ok, exit(124)], 'success', 0],
    ['claim, then the code of a crash', [started, hi, ok, exit(139)], 'incomplete', 8],

    ['config: a failed claim', [started, failed('config')], 'config', 1],
    ['config: no such model', [started, failed('model_not_found'), exit(1)], 'config', 1],
    ['input: nothing but an error', [error('input', true), exit(1)], 'input', 2],
    ['tool: claim on a failed tool', [started, hi, ...tool('error'), ok, exit(0)], 'tool', 3],
    ['tool: a failed claim', [started, failed('tool')], 'tool', 3],
    ['permission: claim on a refused tool', [started, ...tool('denied'), ok, exit(0)], 'permission', 7],
    [
      'permission: all denied, then words',
      [started, ...tool('denied'), ...tool('denied'), hi, ok, exit(0)],
      'permission',
      7,
    ],
    ['permission: a request denied, then words', [started, ...denied, hi, ok, exit(0)], 'permission', 7],
    ['permission: refused, then silence', [started, ...denied, exit(0)], 'permission', 7],
    ['permission: words, then refused, then claim', [started, hi, ...tool('denied'), ok, exit(0)], 'permission', 7],
    ['permission: a failed claim', [started, failed('permission'), exit(1)], 'permission', 7],
    ['cost limit: ours', [started, hi, limit('cost'), signal('SIGTERM')], 'cost_limit', 5],
    ['cost limit: tokens', [started, limit('tokens')], 'cost_limit', 5],
    ["cost limit: the agent's word", [started, failed('cost_limit')], 'cost_limit', 5],
    ['turn limit: ours', [started, hi, limit('turns'), signal('SIGTERM')], 'turn_limit', 6],
    ['turn limit: tool calls', [started, limit('tool_calls')], 'turn_limit', 6],
    ['turn limit, though the agent says ok', [started, hi, limit('turns'), ok, exit(0)], 'turn_limit', 6],
    ["turn limit: the agent's word", [started, failed('turn_limit')], 'turn_limit', 6],
    ['time limit: ours', [started, hi, limit('time'), signal('SIGTERM')], 'time_limit', 124],
    ['time limit: idle', [started, limit('idle'), signal('SIGKILL')], 'time_limit', 124],
    ['time limit: no first event', [limit('first_event'), signal('SIGKILL')], 'time_limit', 124],
    ['time limit: the process', [started, signal('SIGKILL', 'timeout')], 'time_limit', 124],
    ['time limit: exit 124', [started, hi, exit(124)], 'time_limit', 124],

    ['claim, then exit 1', [started, hi, ok, exit(1)], 'incomplete', 8],
    ['claim, then a crash', [started, hi, ok, signal('SIGSEGV')], 'incomplete', 8],
    ['claim, but a cut line', [started, hi, cut, ok, exit(0)], 'incomplete', 8],
    ['claim, but nothing said or done', [started, ok, exit(0)], 'incomplete', 8],
    ['claim, but only white space said', [started, said(' \n'), ok, exit(0)], 'incomplete', 8],
    ['claim, but only a sub-agent spoke', [started, said('x', { parent_item_id: 'i' }), ok, exit(0)], 'incomplete', 8],
    ['words, exit 0, no claim', [started, hi, exit(0)], 'incomplete', 8],
    ['words, no claim, a cut line', [started, hi, cut, exit(0)], 'incomplete', 8],
    ['refused, no claim, a cut line', [started, ...denied, cut, exit(0)], 'incomplete', 8],
    ['killed', [started, hi, signal('SIGKILL')], 'incomplete', 8],
    ['crashed', [started, hi, signal('SIGSEGV')], 'incomplete', 8],
    ['nothing at all', [], 'incomplete', 8],
    ['a failed claim in unknown words', [started, failed('unknown')], 'incomplete', 8],
    ['a failed claim without a code', [started, failed()], 'incomplete', 8],
    ['an answer that was cut short', [started, hi, failed('output_length')], 'incomplete', 8],
    ['an error that it got over, then silence', [started, error('server', false), exit(0)], 'incomplete', 8],

    ['cancelled: its own words', [started, hi, cancelled, exit(0)], 'cancelled', 130],
    ['cancelled: its own words, SIGTERM', [started, cancelled, signal('SIGTERM')], 'cancelled', 143],
    ['cancelled: SIGINT', [started, hi, signal('SIGINT')], 'cancelled', 130],
    ['cancelled: SIGTERM', [started, hi, signal('SIGTERM')], 'cancelled', 143],
    ['cancelled: exit 130', [started, hi, exit(130)], 'cancelled', 130],
    ['cancelled: exit 143', [exit(143)], 'cancelled', 143],
    ['cancelled: a fatal error that says so', [started, error('cancelled', true), exit(1)], 'cancelled', 130],
    ['a fatal error, then SIGINT', [started, error('auth', true), signal('SIGINT')], 'provider', 4],
  ])('%s', (_, events, want, code) => {
    const { verdict } = fold(events);
    expect({ class: verdict.class, exit_code: verdict.exit_code }).toEqual({ class: want, exit_code: code });
  });

  it.each<ErrorCode>(['auth', 'quota', 'rate_limit', 'server', 'network', 'context_overflow', 'refused'])(
    'provider: %s, claimed or fatal',
    (code) => {
      for (const events of [
        [started, failed(code), exit(1)],
        [started, hi, error(code, true), exit(1)],
        [started, hi, error(code, true), exit(0)],
        [started, error(code, true), failed('unknown'), exit(1)],
      ])
        expect(fold(events).verdict).toMatchObject({ class: 'provider', exit_code: 4, code });
    },
  );

  it('uses the exit table and nothing else', () => {
    expect(exitCodes).toEqual({
      success: 0,
      config: 1,
      input: 2,
      tool: 3,
      provider: 4,
      cost_limit: 5,
      turn_limit: 6,
      permission: 7,
      incomplete: 8,
      expectation: 9,
      output: 10,
      time_limit: 124,
      cancelled: 130,
    });
  });

  it.each<[string, AgentEvent[], string]>([
    ['success', [started, hi, ok], 'success'],
    ['incomplete', [started], 'incomplete'],
    ['cancelled', [started, cancelled], 'cancelled'],
    ['everything else', [started, failed('auth')], 'error'],
  ])('has a status of its own: %s', (_, events, want) => {
    expect(fold(events).status).toBe(want);
  });

  it('tells its evidence', () => {
    expect(
      fold([started, ...denied, error('auth', true), cut, failed('auth', 'no key'), exit(1)]).verdict.evidence,
    ).toEqual([
      { signal: 'verdict', detail: 'the agent says that it failed' },
      { signal: 'claim', detail: 'failed: no key' },
      { signal: 'process', detail: 'exit code 1' },
      { signal: 'error', detail: 'auth: went wrong' },
      { signal: 'denied', detail: 'permission denied by rule' },
      { signal: 'stream', detail: 'the last line is cut off' },
      { signal: 'answer', detail: 'none' },
    ]);
    expect(fold([signal('SIGKILL')]).verdict.evidence).toContainEqual({
      signal: 'process',
      detail: 'ended by SIGKILL',
    });
    expect(fold([started, failed('auth', 'x'.repeat(2000))]).verdict.evidence[1]?.detail).toHaveLength(501);
  });
});

describe('denials', () => {
  const call = (item_id: string, kind: ItemKind, status: ItemStatus, parent_item_id?: string): AgentEvent[] => [
    {
      type: 'item.started',
      item_id,
      turn_id: 't',
      kind,
      name: kind,
      args: {},
      ...(parent_item_id === undefined ? {} : { parent_item_id }),
    },
    { type: 'item.completed', item_id, status },
  ];
  const codex: AgentEvent = { ...started, agent: 'codex' };
  const end = [hi, ok, exit(0)];
  const flag = '--permission-mode full';

  it.each<[string, AgentEvent[], string, RunOutcome['denials']]>([
    ['none', [...call('1', 'command', 'success')], 'success', undefined],
    [
      'some',
      [...call('1', 'command', 'denied'), ...call('2', 'file_edit', 'success')],
      'success',
      { count: 1, every: false, flag },
    ],
    [
      'all',
      [...call('1', 'command', 'denied'), ...call('2', 'mcp', 'denied')],
      'permission',
      { count: 2, every: true, flag },
    ],
    [
      'all but reading',
      [...call('1', 'read', 'success'), ...call('2', 'command', 'denied')],
      'permission',
      { count: 1, every: true, flag },
    ],
    [
      'all but a plan',
      [...call('1', 'plan', 'success'), ...call('2', 'command', 'denied')],
      'permission',
      { count: 1, every: true, flag },
    ],
    [
      'all but what never ran',
      [...call('1', 'command', 'cancelled'), ...call('2', 'command', 'abandoned'), ...call('3', 'command', 'denied')],
      'permission',
      { count: 1, every: true, flag },
    ],
    [
      'one file of several',
      [...call('1', 'read', 'success'), ...call('2', 'read', 'denied')],
      'success',
      { count: 1, every: false, flag },
    ],
    [
      'all reading',
      [...call('1', 'read', 'denied'), ...call('2', 'search', 'denied')],
      'permission',
      { count: 2, every: true, flag },
    ],
    [
      'a request and its call are one',
      [...denied, ...call('1', 'command', 'denied')],
      'permission',
      { count: 1, every: true, flag },
    ],
    ['a request that names no call', [...denied], 'permission', { count: 1, every: true, flag }],
    [
      'a request beside work',
      [...denied, ...call('1', 'command', 'success')],
      'success',
      { count: 1, every: false, flag },
    ],
    [
      'an edit that no call tells',
      [...call('1', 'command', 'denied'), { type: 'file.edited', path: 'a', operation: 'created' }],
      'success',
      { count: 1, every: false, flag },
    ],
    [
      'a denied call that says it failed',
      [
        { type: 'item.started', item_id: '1', turn_id: 't', kind: 'command', name: 'sh', args: {} },
        { type: 'permission.resolved', permission_id: 'p', item_id: '1', decision: 'denied' },
        { type: 'item.completed', item_id: '1', status: 'error' },
      ],
      'permission',
      { count: 1, every: true, flag },
    ],
    [
      'all of a sub-agent',
      [
        { type: 'item.started', item_id: '1', turn_id: 't', kind: 'subagent', name: 'task', args: {} },
        ...call('2', 'command', 'denied', '1'),
        { type: 'item.completed', item_id: '1', status: 'success' },
      ],
      'permission',
      { count: 1, every: true, flag },
    ],
  ])('%s', (_, events, want, denials) => {
    const outcome = fold([codex, ...events, ...end]);
    expect({ class: outcome.verdict.class, denials: outcome.denials }).toEqual({ class: want, denials });
  });

  it.each(['denied', 'error'] as const)('are a warning where the model went on: %s', (status) => {
    const events = [codex, ...call('1', 'command', status), ...call('2', 'command', 'success'), ...end];
    expect(fold(events).verdict.class).toBe('success');
    expect(fold(events, { failOn: ['warning'] }).verdict.class).toBe('incomplete');
  });

  it('are no failure when --fail-on says none', () => {
    expect(fold([codex, ...call('1', 'command', 'denied'), ...end], { failOn: ['none'] }).verdict.class).toBe(
      'success',
    );
    expect(fold([codex, ...call('1', 'command', 'denied'), ...end], { failOn: ['none', 'denied'] }).verdict.class).toBe(
      'permission',
    );
  });

  it('are allowed by a flag that the agent has', () => {
    for (const { id, abilities } of agents)
      expect([id, allowingFlag(id)]).toEqual([id, abilities.permissionModes.includes('full') ? flag : undefined]);
    expect(allowingFlag('runwire')).toBe('--allow RULE');
    expect(allowingFlag('somebody')).toBeUndefined();
  });
});

describe('why it ended', () => {
  const stderr = (...lines: string[]): AgentEvent[] => lines.map((text) => ({ type: 'log', stream: 'stderr', text }));
  const asked = (requested_signal: string): AgentEvent => ({ ...signal('SIGINT'), requested_signal }) as AgentEvent;
  const missing = 'Error: claude native binary not installed.';
  const told = (message: string): AgentEvent => ({ type: 'agent.finished', status: 'cancelled', message });
  it.each<[string, AgentEvent[], string, string]>([
    ['Ctrl-C', [started, hi, cancelled, asked('SIGINT')], 'cancelled', 'cancelled by you (SIGINT)'],
    ['Ctrl-C without a word', [started, hi, asked('SIGINT')], 'cancelled', 'cancelled by you (SIGINT)'],
    [
      'Ctrl-C of the built-in agent',
      [started, told('SIGINT'), signal('SIGINT')],
      'cancelled',
      'cancelled by you (SIGINT)',
    ],
    ['SIGTERM', [started, hi, asked('SIGTERM')], 'cancelled', 'cancelled from outside (SIGTERM)'],
    [
      'no reader',
      [started, told('nobody reads stdout anymore'), asked('SIGINT')],
      'cancelled',
      'cancelled: nobody reads stdout anymore',
    ],
    ['its own doing', [started, hi, cancelled, exit(130)], 'cancelled', 'the agent says that it was cancelled'],
    ['a stored SIGINT', [started, hi, signal('SIGINT')], 'cancelled', 'the process was interrupted'],
    [
      'a missing program',
      [
        { type: 'error', scope: 'runwire', code: 'config', message: 'there is no program x', fatal: true },
        failed('config', 'there is no program x'),
      ],
      'config',
      'the agent could not be started',
    ],
    [
      'a broken install',
      [...stderr('', missing, 'a', 'b', 'c', 'd', 'e', 'f'), exit(1)],
      'config',
      `the program does not work as it is installed: ${missing}`,
    ],
    [
      'a command that a shell does not find',
      [...stderr('sh: 1: x: not found'), exit(127)],
      'config',
      'the program does not work as it is installed: sh: 1: x: not found',
    ],
    [
      'other words',
      [...stderr('it rains', 'Cannot find module'), exit(1)],
      'incomplete',
      'no output in a known format was received',
    ],
  ])('%s', (_, events, want, why) => {
    const { verdict } = fold(events);
    expect([verdict.class, verdict.evidence[0]]).toEqual([want, { signal: 'verdict', detail: why }]);
  });
});

describe('the last answer', () => {
  const warning = 'the last answer is empty: nothing was said after the last tool call';
  it.each<[string, AgentEvent[], string[], string | undefined]>([
    ['words after a tool', [...tool('success'), hi], [], undefined],
    ['nothing after a tool', [...tool('success')], [warning], 'none, but tools ran'],
    ['nothing after words and a tool', [hi, ...tool('success')], [warning], 'none after the last tool call'],
    [
      'blank words after a tool',
      [hi, ...tool('success'), said(' \n', { message_id: '2' })],
      [warning],
      'none after the last tool call',
    ],
    ['a sub-agent that goes on', [hi, { ...tool('success')[0], parent_item_id: 'x' } as AgentEvent], [], undefined],
  ])('%s', (_, events, warnings, answer) => {
    const all = [started, ...events, ok, exit(0)];
    const outcome = fold(all);
    expect({ class: outcome.verdict.class, warnings: outcome.warnings }).toEqual({ class: 'success', warnings });
    expect(outcome.verdict.evidence.find(({ signal: name }) => name === 'answer')?.detail).toBe(answer);
    expect(fold(all, { failOn: ['empty'] }).verdict.class).toBe(answer === undefined ? 'success' : 'incomplete');
    expect(fold(all, { failOn: ['warning'] }).verdict.class).toBe(answer === undefined ? 'success' : 'incomplete');
  });
});

describe('a limit that the last word tells', () => {
  const late: AgentEvent = {
    type: 'limit.reached',
    limit: 'cost',
    value: 2,
    maximum: 1,
    message: 'the cost limit of $1 was reached',
    late: true,
  };
  it('is in the outcome, and a failure when --fail-on says so', () => {
    const events = [started, hi, ok, late, exit(0)];
    const outcome = fold(events);
    expect(outcome.verdict).toMatchObject({ class: 'success', exit_code: 0 });
    expect(outcome.limits_hit).toMatchObject([{ limit: 'cost', value: 2, maximum: 1 }]);
    expect(outcome.warnings).toEqual(['the cost limit of $1 was reached, and the agent told it when it had finished']);
    expect(fold(events, { failOn: ['limit'] }).verdict).toMatchObject({ class: 'cost_limit', exit_code: 5 });
  });
});

describe('a price that the user gave', () => {
  const given: Price = Object.assign(() => 0.5, { isGiven: true });
  const used = (fields: object): AgentEvent => ({
    type: 'usage.reported',
    scope: 'thread',
    input_tokens: 10,
    output_tokens: 1,
    ...fields,
  });
  it.each<[string, AgentEvent[], Price, object]>([
    ['a model without a name', [{ type: 'thread.started' }, used({})], given, { cost: 0.5, cost_source: 'computed' }],
    ['a reported cost of 0', [started, used({ cost_usd: 0 })], given, { cost: 0.5, cost_source: 'computed' }],
    ['a reported cost', [started, used({ cost_usd: 0.1 })], given, { cost: 0.1, cost_source: 'reported' }],
    [
      'a reported cost of 0 and a table',
      [started, used({ cost_usd: 0 })],
      () => 0.5,
      { cost: 0, cost_source: 'reported' },
    ],
  ])('%s', (_, events, price, want) => {
    expect(fold([...events, hi, ok], {}, price).metrics).toMatchObject(want);
  });
});

describe('a hostile stream', () => {
  it('does not make the outcome grow', () => {
    const many = Array.from({ length: 5000 }, (_, index) => index);
    const outcome = fold([
      started,
      ...many.map((index) => said(`${index}`, { block_id: `${index}` })),
      ...many.map((index): AgentEvent => ({ type: 'limit.reached', limit: 'turns', value: index })),
      ...many.map((index): AgentEvent => ({ type: 'file.edited', path: `${index}`, operation: 'created' })),
    ]);
    expect(outcome.message.split('\n')).toEqual(many.filter((index) => index < 500 || index >= 4500).map(String));
    expect(outcome.limits_hit).toHaveLength(1000);
    expect(outcome.artifacts.map(({ path }) => Number(path))).toEqual([...many.slice(0, 500), ...many.slice(4500)]);
  });
});

describe('the message', () => {
  it.each<[string, AgentEvent[], string]>([
    ['is the last message alone', [said('One.', { message_id: '1' }), said('Two.', { message_id: '2' })], 'Two.'],
    [
      'joins the texts of one message',
      [said('One.', { block_id: '1' }), said('Two.', { block_id: '2' })],
      'One.\nTwo.',
    ],
    ['skips blank texts', [said('One.', { message_id: '1' }), said('  \n', { message_id: '2' })], 'One.'],
    ['leaves sub-agents out', [said('One.'), said('Sub.', { parent_item_id: 'i', message_id: 's' })], 'One.'],
    ['is empty where nothing was said', [started], ''],
  ])('%s', (_, events, want) => {
    expect(fold(events).message).toBe(want);
  });
});

describe('usage', () => {
  type Usage = Omit<EventOf<'usage.reported'>, 'type'>;
  const price: Price = (model, tokens) =>
    model === 'free' ? undefined : (tokens.input ?? 0) * 0.001 + (tokens.output ?? 0) * 0.01;

  it.each<[string, Usage[], object]>([
    ['nothing', [], {}],
    [
      'steps add up',
      [
        { scope: 'step', input_tokens: 1, output_tokens: 2 },
        { scope: 'step', input_tokens: 10, output_tokens: 20 },
      ],
      { input_tokens: 11, output_tokens: 22, tokens_used: 33 },
    ],
    [
      'a turn replaces its steps',
      [
        { scope: 'step', input_tokens: 1 },
        { scope: 'turn', input_tokens: 5 },
      ],
      { input_tokens: 5, tokens_used: 5 },
    ],
    [
      'turns and later steps add up',
      [
        { scope: 'turn', input_tokens: 5 },
        { scope: 'step', input_tokens: 1 },
        { scope: 'turn', input_tokens: 7 },
        { scope: 'step', input_tokens: 100 },
      ],
      { input_tokens: 112, tokens_used: 112 },
    ],
    [
      'a thread total replaces everything',
      [
        { scope: 'turn', input_tokens: 5 },
        { scope: 'thread', input_tokens: 3 },
      ],
      { input_tokens: 3, tokens_used: 3 },
    ],
    [
      'the last thread total counts',
      [
        { scope: 'thread', input_tokens: 3 },
        { scope: 'thread', input_tokens: 9 },
      ],
      { input_tokens: 9, tokens_used: 9 },
    ],
    [
      'what comes after a thread total is added to it, until the next',
      [
        { scope: 'step', input_tokens: 2 },
        { scope: 'thread', input_tokens: 3 },
        { scope: 'step', input_tokens: 9 },
      ],
      { input_tokens: 12, tokens_used: 12 },
    ],
    [
      'the next thread total includes what came after the one before',
      [
        { scope: 'thread', input_tokens: 3 },
        { scope: 'step', input_tokens: 9 },
        { scope: 'turn', input_tokens: 8 },
        { scope: 'thread', input_tokens: 11 },
      ],
      { input_tokens: 11, tokens_used: 11 },
    ],
    [
      'a thread total without a model is for all of them, and those of the models replace it',
      [
        { scope: 'thread', model: 'a', input_tokens: 3 },
        { scope: 'thread', model: 'b', input_tokens: 4 },
        { scope: 'thread', input_tokens: 9 },
        { scope: 'thread', model: 'a', input_tokens: 10 },
        { scope: 'thread', model: 'b', input_tokens: 5 },
      ],
      { input_tokens: 15, tokens_used: 15 },
    ],
    [
      'thread totals of two models add up',
      [
        { scope: 'thread', model: 'a', input_tokens: 3 },
        { scope: 'thread', model: 'b', input_tokens: 4 },
        { scope: 'thread', model: 'a', input_tokens: 5 },
      ],
      { input_tokens: 9, tokens_used: 9 },
    ],
    [
      'the splits are beside the sums',
      [
        {
          scope: 'step',
          input_tokens: 100,
          output_tokens: 10,
          reasoning_tokens: 4,
          cache_read_tokens: 60,
          cache_write_tokens: 20,
        },
      ],
      {
        input_tokens: 100,
        output_tokens: 10,
        tokens_used: 110,
        reasoning_tokens: 4,
        cache_read_tokens: 60,
        cache_write_tokens: 20,
      },
    ],
    ['unknown is absent', [{ scope: 'step', output_tokens: 7 }], { output_tokens: 7, tokens_used: 7 }],
  ])('%s', (_, reports, want) => {
    const { metrics } = fold([
      started,
      ...reports.map((report): AgentEvent => ({ type: 'usage.reported', ...report })),
    ]);
    const {
      cost_source: _source,
      model_name: _model,
      api_calls_count: _calls,
      tool_calls_count: _tools,
      turns: _turns,
      ...tokens
    } = metrics;
    expect(tokens).toEqual(want);
  });

  it.each<[string, Usage[], Price | undefined, object]>([
    [
      'reported',
      [{ scope: 'step', input_tokens: 1, output_tokens: 1, cost_usd: 0.5 }],
      price,
      { cost: 0.5, cost_source: 'reported' },
    ],
    [
      'computed',
      [{ scope: 'step', input_tokens: 1000, output_tokens: 100 }],
      price,
      { cost: 2, cost_source: 'computed' },
    ],
    [
      'computed for each model',
      [
        { scope: 'step', model: 'a', input_tokens: 1000, output_tokens: 0 },
        { scope: 'step', model: 'b', input_tokens: 0, output_tokens: 100 },
      ],
      price,
      { cost: 2, cost_source: 'computed' },
    ],
    [
      'reported for a part, and computed for the rest',
      [
        { scope: 'step', input_tokens: 1000, output_tokens: 100, cost_usd: 0.5 },
        { scope: 'step', input_tokens: 1000, output_tokens: 100 },
        { scope: 'step', input_tokens: 1000, output_tokens: 100 },
        { scope: 'step', input_tokens: 1000, output_tokens: 100, cost_usd: 0.25 },
      ],
      price,
      { cost: 4.75, cost_source: 'computed' },
    ],
    [
      'reported in a total, and computed for what came after it',
      [
        { scope: 'step', input_tokens: 1000, output_tokens: 100 },
        { scope: 'thread', input_tokens: 2000, output_tokens: 100, cost_usd: 0.5 },
        { scope: 'step', input_tokens: 1000, output_tokens: 100 },
      ],
      price,
      { cost: 2.5, cost_source: 'computed' },
    ],
    [
      'unknown without a table',
      [{ scope: 'step', input_tokens: 1, output_tokens: 1 }],
      undefined,
      { cost_source: 'unknown' },
    ],
    ['unknown without tokens', [], price, { cost_source: 'unknown' }],
    ['unknown with half the tokens', [{ scope: 'step', output_tokens: 1 }], price, { cost_source: 'unknown' }],
    [
      'unknown for a model without a price',
      [{ scope: 'step', model: 'free', input_tokens: 1, output_tokens: 1 }],
      price,
      { cost_source: 'unknown' },
    ],
    [
      'unknown when one model of two has no price',
      [
        { scope: 'step', model: 'a', input_tokens: 1, output_tokens: 1 },
        { scope: 'step', model: 'free', input_tokens: 1, output_tokens: 1 },
      ],
      price,
      { cost_source: 'unknown' },
    ],
  ])('cost: %s', (_, reports, table, want) => {
    const { metrics } = fold(
      [started, ...reports.map((report): AgentEvent => ({ type: 'usage.reported', ...report }))],
      {},
      table,
    );
    expect({ ...('cost' in metrics ? { cost: metrics.cost } : {}), cost_source: metrics.cost_source }).toEqual(want);
  });

  it('is at least what was reported where nothing tells the rest', () => {
    const step: AgentEvent = { type: 'usage.reported', scope: 'step', input_tokens: 1000, output_tokens: 0 };
    const { metrics } = fold([started, { ...step, cost_usd: 5 }, step]);
    expect(metrics).toMatchObject({ cost: 5, cost_source: 'reported', cost_is: 'at_least' });
  });

  it('takes a cost without tokens for the cost of all', () => {
    const reports: AgentEvent[] = [
      { type: 'usage.reported', scope: 'step', model: 'a', input_tokens: 1000, output_tokens: 0 },
      { type: 'usage.reported', scope: 'step', cost_usd: 5 },
    ];
    expect(fold([started, ...reports], {}, price).metrics).toMatchObject({ cost: 5, cost_source: 'reported' });
  });

  it('tells models apart where there are several', () => {
    const step = (model: string, input_tokens: number, cost_usd?: number): AgentEvent => ({
      type: 'usage.reported',
      scope: 'step',
      model,
      input_tokens,
      output_tokens: 10,
      ...(cost_usd === undefined ? {} : { cost_usd }),
    });
    expect(fold([started, step('a', 1000)], {}, price).usage_by_model).toBeUndefined();
    expect(
      fold([started, step('a', 1000), step('b', 500, 5), step('free', 1), step('a', 1000)], {}, price).usage_by_model,
    ).toEqual([
      { model_name: 'a', input_tokens: 2000, output_tokens: 20, cost: 2.2 },
      { model_name: 'b', input_tokens: 500, output_tokens: 10, cost: 5 },
      { model_name: 'free', input_tokens: 1, output_tokens: 10 },
    ]);
  });

  it('does not take the cost of one model for the cost of all', () => {
    const reports: AgentEvent[] = [
      { type: 'usage.reported', scope: 'step', model: 'a', input_tokens: 1000, output_tokens: 0, cost_usd: 5 },
      { type: 'usage.reported', scope: 'step', model: 'b', input_tokens: 1000, output_tokens: 0 },
    ];
    expect(fold([started, ...reports], {}, price).metrics).toMatchObject({ cost: 6, cost_source: 'computed' });
    expect(fold([started, ...reports]).metrics).not.toHaveProperty('cost');
  });
});

describe('lists stay short', () => {
  const many = (count: number): AgentEvent[] =>
    Array.from({ length: count }, (_, index): AgentEvent[] => [
      { type: 'item.started', item_id: `i${index}`, turn_id: 't', kind: 'command', name: `n${index}`, args: null },
      { type: 'item.completed', item_id: `i${index}`, status: 'success' },
      { type: 'file.edited', path: `p${index}`, operation: 'modified' },
      { type: 'retry.scheduled', cause: `w${index}` },
      { type: 'branch.updated', branch_id: `b${index}` },
    ]).flat();

  it('shows the first and the last half, and how many are missing', () => {
    const outcome = fold([started, ...many(1500)]);
    expect(outcome.omitted).toEqual({ tool_calls: 500, artifacts: 500, warnings: 500, branches: 500 });
    expect(outcome.metrics.tool_calls_count).toBe(1500);
    for (const names of [
      outcome.tool_calls.map(({ name }) => Number(name.slice(1))),
      outcome.artifacts.map(({ path }) => Number(path.slice(1))),
      outcome.warnings.map((warning) => Number(warning.slice('retry: w'.length))),
      outcome.lineage?.branches.map(({ branch_id }) => Number(branch_id.slice(1))) ?? [],
    ]) {
      expect(names).toHaveLength(1000);
      expect([names[0], names[499], names[500], names[999]]).toEqual([0, 499, 1000, 1499]);
      expect(names).toEqual(names.toSorted((a, b) => a - b));
    }
  });

  it('shows 1,000 whole', () => {
    const outcome = fold([started, ...many(1000)]);
    expect(outcome).not.toHaveProperty('omitted');
    expect([outcome.tool_calls.length, outcome.artifacts.length, outcome.warnings.length]).toEqual([1000, 1000, 1000]);
  });

  it('shows all when full', () => {
    const outcome = fold([started, ...many(1500)], { full: true });
    expect(outcome).not.toHaveProperty('omitted');
    expect([outcome.tool_calls.length, outcome.artifacts.length, outcome.warnings.length]).toEqual([1500, 1500, 1500]);
  });
});

describe('texts stay short', () => {
  const long = `${'a'.repeat(3000)}${'z'.repeat(3000)}`;
  const short = `${'a'.repeat(2048)}\n[… 1904 characters …]\n${'z'.repeat(2048)}`;

  it('cuts outputs and inputs to head and tail', () => {
    const call = {
      ...fold([started, ...tool('success', { output: long }, { command: long, nested: [{ deep: long }], other: 1 })])
        .tool_calls[0],
    };
    expect(call).toEqual({
      name: 'sh',
      inputs: { command: short, nested: [{ deep: short }], other: 1 },
      outputs: short,
      status: 'completed',
    });
  });

  it('leaves 4 KiB alone, and everything when full', () => {
    const fits = 'x'.repeat(4096);
    expect(fold([started, ...tool('success', { output: fits })]).tool_calls[0]?.outputs).toBe(fits);
    expect(
      fold([started, ...tool('success', { output: long }, { command: long })], { full: true }).tool_calls[0],
    ).toMatchObject({
      inputs: { command: long },
      outputs: long,
    });
  });

  it('never leaves half a character', () => {
    const faces = `x${'🦊'.repeat(3000)}`;
    expect(fold([started, ...tool('success', { output: faces })]).tool_calls[0]?.outputs?.isWellFormed()).toBe(true);
  });

  it('shows outputs that are not text as JSON, and the error where there is no output', () => {
    expect(fold([started, ...tool('success', { output: { a: [1] } })]).tool_calls[0]?.outputs).toBe('{"a":[1]}');
    expect(fold([started, ...tool('error', { error: 'no' })]).tool_calls[0]?.outputs).toBe('no');
    expect(fold([started, ...tool('success')]).tool_calls[0]).not.toHaveProperty('outputs');
  });
});

describe('tool calls', () => {
  it.each<[ItemStatus, object]>([
    ['success', { status: 'completed' }],
    ['error', { status: 'error' }],
    ['denied', { status: 'error', reason: 'denied' }],
    ['cancelled', { status: 'cancelled' }],
    ['abandoned', { status: 'cancelled', reason: 'abandoned' }],
  ])('%s', (status, want) => {
    expect(fold([started, ...tool(status)]).tool_calls).toEqual([{ name: 'sh', inputs: {}, ...want }]);
  });

  it('take their time from the agent, else from the clock', () => {
    const machine = new OutcomeFold();
    const [start, end] = tool('success');
    machine.apply(start as AgentEvent, 1000);
    machine.apply(end as AgentEvent, 1250);
    expect(machine.outcome('test', []).tool_calls[0]?.duration_ms).toBe(250);
    expect(fold([started, ...tool('success', { duration_ms: 7 })]).tool_calls[0]?.duration_ms).toBe(7);
  });
});

it('has one artifact for each file, created once', () => {
  const edited = (path: string, operation: EventOf<'file.edited'>['operation']): AgentEvent => ({
    type: 'file.edited',
    path,
    operation,
  });
  const events = [
    edited('a', 'created'),
    edited('a', 'modified'),
    edited('b', 'modified'),
    edited('c', 'created'),
    edited('c', 'deleted'),
    edited('b', 'deleted'),
  ];
  expect(fold([started, ...events]).artifacts).toEqual([
    { path: 'a', operation: 'created', type: 'file' },
    { path: 'b', operation: 'deleted', type: 'file' },
    { path: 'c', operation: 'deleted', type: 'file' },
  ]);
});

it('warns of what a reader should know, in order', () => {
  const events: AgentEvent[] = [
    ...denied,
    { type: 'permission.requested', permission_id: 'q', what: 'edit', title: 'Edit a file' },
    { type: 'permission.resolved', permission_id: 'q', decision: 'allowed' },
    ...tool('denied', { error: 'not here' }),
    { type: 'retry.scheduled', attempt: 2, cause: 'overloaded' },
    { type: 'log', stream: 'agent', level: 'warning', text: 'old model' },
    { type: 'log', stream: 'agent', level: 'info', text: 'fine' },
    { type: 'log', stream: 'stderr', text: 'noise' },
    error('server', false),
    error('network', true),
    hi,
    ok,
  ];
  expect(fold([started, ...events]).warnings).toEqual([
    'permission requested: shell (rm *)',
    'denied: permission denied by rule',
    'permission requested: Edit a file',
    'denied: sh: not here',
    'retry 2: overloaded',
    'old model',
    'x: went wrong',
    'x: went wrong (the agent went on)',
  ]);
});

describe('error details', () => {
  const stack = 'TypeError: no\n    at run (/app/src/main.js:12:34)\n    at next (/app/src/other.js:1:2)';
  it.each<[string, AgentEvent[], object | undefined]>([
    ['none in a good run', [started, error('server', false), hi, ok], undefined],
    ['none where nothing is known', [started, exit(1)], undefined],
    [
      'place and trace',
      [started, error('unknown', true, { name: 'TypeError', stack })],
      { type: 'TypeError', message: 'went wrong', stack_trace: stack, file_path: '/app/src/main.js', line_number: 12 },
    ],
    [
      'a place on Windows',
      [started, error('unknown', true, { stack: 'Error: x\n    at C:\\app\\main.js:7:1' })],
      {
        type: 'unknown',
        message: 'went wrong',
        stack_trace: 'Error: x\n    at C:\\app\\main.js:7:1',
        file_path: 'C:\\app\\main.js',
        line_number: 7,
      },
    ],
    [
      'a place in a URL',
      [started, error('unknown', true, { stack: 'Error: x\n    at file:///app/main.js:7:1' })],
      {
        type: 'unknown',
        message: 'went wrong',
        stack_trace: 'Error: x\n    at file:///app/main.js:7:1',
        file_path: 'file:///app/main.js',
        line_number: 7,
      },
    ],
    [
      'a trace without a place',
      [started, error('auth', true, { stack: 'at native' })],
      { type: 'auth', message: 'went wrong', stack_trace: 'at native' },
    ],
    ['the claim', [started, failed('quota', 'no money')], { type: 'quota', message: 'no money' }],
    [
      'the fatal error before the claim',
      [started, error('auth', true), failed('unknown')],
      { type: 'auth', message: 'went wrong' },
    ],
    [
      'the last error of a run that just stopped',
      [started, error('server', false), exit(0)],
      { type: 'server', message: 'went wrong' },
    ],
  ])('%s', (_, events, want) => {
    expect(fold(events).error_details).toEqual(want);
  });
});

it('keeps limits, prompt, metadata and provenance', () => {
  const outcome = fold(
    [
      started,
      { type: 'prompt.submitted', text: 'Do it.' },
      { type: 'prompt.submitted', text: 'And more.' },
      { type: 'limit.reached', limit: 'turns', value: 5, maximum: 5, message: 'enough' },
      { type: 'line.unknown', dialect: 'd', wire: {} },
    ],
    { metadata: { attempt_number: 2, retry_count: 1, phase_total_duration_ms: 9 } },
  );
  expect(outcome).toMatchObject({
    session_id: 's-1',
    limits_hit: [{ limit: 'turns', value: 5, maximum: 5, message: 'enough' }],
    metadata: {
      session_id: 's-1',
      initial_prompt: 'Do it.',
      attempt_number: 2,
      retry_count: 1,
      phase_total_duration_ms: 9,
    },
    provenance: { agent: 'a', dialect: 'test', unknown_lines: 1 },
    metrics: { model_name: 'm-1', turns: 0 },
  });
});

it('counts the start of a program that we started, whatever the agent says of its last turn', () => {
  const machine = new OutcomeFold({ startedAt: 1000 });
  machine.apply(started, 4000);
  machine.apply({ ...ok, duration_ms: 270 } as AgentEvent, 10_500);
  machine.apply({ type: 'process.ended', exit_code: 0, signal: null, reason: 'exited' }, 11_000);
  expect(machine.outcome('test', []).metrics).toMatchObject({
    start_time_ms: 1000,
    end_time_ms: 11_000,
    duration_ms: 10_000,
  });
});

it('takes times from the events and the duration from the claim', () => {
  const machine = new OutcomeFold();
  machine.apply(started, 1000);
  machine.apply(hi, 5000);
  machine.apply(hi, 3000);
  expect(machine.outcome('test', []).metrics).toMatchObject({
    start_time_ms: 1000,
    end_time_ms: 5000,
    duration_ms: 4000,
  });
  machine.apply({ ...ok, duration_ms: 3500 } as AgentEvent, 5000);
  expect(machine.outcome('test', []).metrics.duration_ms).toBe(3500);
  expect(fold([started]).metrics).not.toHaveProperty('duration_ms');
});

it('what the runs below took is a total of its own, and the last word on it counts', () => {
  const children = (runs: number): AgentEvent => ({
    type: 'children.reported',
    runs,
    input_tokens: 5,
    cost_usd: 0.25,
    cost_known: 1,
  });
  const outcome = fold([
    started,
    { type: 'usage.reported', scope: 'thread', input_tokens: 1 },
    children(1),
    children(3),
  ]);
  expect(outcome.children).toEqual({ runs: 3, input_tokens: 5, cost: 0.25, cost_known: 1 });
  expect(outcome.metrics.input_tokens).toBe(1);
  expect(fold([started, children(0)])).not.toHaveProperty('children');
});

describe('branches of the work', () => {
  const branch = (branch_id: string, fields: Partial<EventOf<'branch.updated'>> = {}): AgentEvent => ({
    type: 'branch.updated',
    branch_id,
    ...fields,
  });

  it.each<[string, AgentEvent[], RunOutcome['lineage']]>([
    ['none', [], undefined],
    ['the start alone', [branch('main', { is_start: true })], lineage('main', 'main', [{ branch_id: 'main' }])],
    [
      'no start',
      [branch('a'), branch('b'), branch('a')],
      { latest_branch_id: 'a', branches: [{ branch_id: 'a' }, { branch_id: 'b' }] },
    ],
    [
      'one whose end nobody told',
      [branch('main', { is_start: true }), branch('a', { status: 'running' })],
      lineage('main', 'a', [{ branch_id: 'main' }, { branch_id: 'a', status: 'incomplete' }]),
    ],
    [
      'later words add to earlier ones',
      [
        branch('main', { is_start: true, commit: '1' }),
        branch('a', { parent_branch_id: 'main', agent: 'codex', run_id: 'r-1', status: 'running', item_id: 'i' }),
        branch('a', { status: 'success', commit: '2', verified: 'flaky', files: 3, cost_usd: 0.5 }),
        branch('main', { verified: 'passed' }),
      ],
      lineage('main', 'a', [
        { branch_id: 'main', commit: '1', verified: 'passed' },
        {
          branch_id: 'a',
          parent_branch_id: 'main',
          agent: 'codex',
          run_id: 'r-1',
          status: 'success',
          commit: '2',
          verified: 'flaky',
          files: 3,
          cost: 0.5,
        },
      ]),
    ],
  ])('%s', (_, events, want) => {
    expect(fold([started, ...events]).lineage).toEqual(want);
  });

  it('the last attempt to publish counts', () => {
    const { publish } = fold([
      started,
      { type: 'branch.published', branch_id: 'a', status: 'error', message: 'rejected' },
      {
        type: 'branch.published',
        branch_id: 'a',
        status: 'success',
        remote: 'origin',
        ref: 'refs/heads/a',
        commit: '2',
        dry_run: true,
      },
    ]);
    expect(publish).toEqual({
      branch_id: 'a',
      status: 'success',
      remote: 'origin',
      ref: 'refs/heads/a',
      commit: '2',
      dry_run: true,
    });
    expect(fold([started])).not.toHaveProperty('publish');
  });
});

function lineage(
  start_branch_id: string,
  latest_branch_id: string,
  branches: NonNullable<RunOutcome['lineage']>['branches'],
) {
  return { start_branch_id, latest_branch_id, branches };
}
