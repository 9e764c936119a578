import { describe, expect, it } from 'vitest';
import { Line } from '../../src/dialects/claude/wire.ts';
import { detected, only, type Read, readLines, tools, type Wire } from '../support/lines.ts';

let uuids = 0;
const line = (fields: Wire, uuid = `u${++uuids}`): Wire => ({
  parentUuid: null,
  isSidechain: false,
  cwd: '/w',
  sessionId: 's-1',
  version: '2.1.220',
  uuid,
  timestamp: '2026-03-01T10:00:00.000Z',
  ...fields,
});
const prompt = (content: unknown): Wire => line({ type: 'user', message: { role: 'user', content } });
const text = (words: string): Wire => ({ type: 'text', text: words });
const use = (id: string): Wire => ({ type: 'tool_use', id, name: 'Bash', input: { command: 'ls' } });
const said = (id: string, block: Wire, stop: string | null = null, more: Wire = {}): Wire =>
  line({
    type: 'assistant',
    message: {
      id,
      type: 'message',
      role: 'assistant',
      model: 'm-1',
      content: [block],
      stop_reason: stop,
      usage: { input_tokens: 10, output_tokens: 5 },
    },
    ...more,
  });
const result = (id: string): Wire => prompt([{ type: 'tool_result', tool_use_id: id, content: 'a', is_error: false }]);
const interrupt = prompt([text('[Request interrupted by user]')]);
const verdict = (lines: Wire[]): string => readLines(lines).outcome.verdict.class;
const whole = [
  prompt('List it.'),
  said('m1', use('t1'), 'tool_use'),
  result('t1'),
  said('m2', text('One file.'), 'end_turn'),
];

describe('the lines of a session file', () => {
  it('may name the session twice', () => {
    const lines = whole.map((each) => ({ ...each, session_id: 's-1' }));
    const { outcome } = readLines(lines);
    expect(detected(lines)).toBe('claude');
    expect(outcome).toMatchObject({
      message: 'One file.',
      session_id: 's-1',
      verdict: { class: 'success' },
      provenance: { unknown_lines: 0 },
    });
    for (const each of lines) expect(Line.safeParse(each).success).toBe(true);
  });

  it('stay those of a session when one of them lacks its place', () => {
    const { parentUuid: _, ...odd } = said('m3', text('More.'), 'end_turn');
    expect(readLines([...whole, odd]).outcome).toMatchObject({
      message: 'More.',
      metrics: { turns: 3 },
      verdict: { class: 'success' },
    });
  });
});

describe('the end of a session file', () => {
  it('is the last answer without a reason to stop, in versions that never tell one', () => {
    const old = (lines: Wire[]): Wire[] => lines.map((each) => ({ ...each, version: '2.1.17' }));
    const { outcome } = readLines(old([prompt('Hi.'), said('m1', text('Hello.'))]));
    expect(outcome.verdict.class).toBe('success');
    expect(outcome.provenance.notes).toMatchObject([{ kind: 'guessed' }]);
    expect(readLines(whole).outcome.provenance.notes).toEqual([]);
    const silent = [prompt('List it.'), said('m1', use('t1')), result('t1'), said('m2', text('One file.'))];
    expect([verdict(silent), verdict(old(silent))]).toEqual(['success', 'success']);
  });

  it.each<[string, Wire[]]>([
    ['the first text', [prompt('Hi.'), said('m1', text('Let me see:'))]],
    [
      'a text between two calls',
      [prompt('Hi.'), said('m1', use('t1'), 'tool_use'), result('t1'), said('m2', text('Let me see:'))],
    ],
    [
      'a text of an old version that tells reasons',
      [...whole, prompt('More.'), said('m3', text('Let me see:'))].map((each) => ({ ...each, version: '1.0.3' })),
    ],
  ])('is not %s: the rest of its message would follow', (_title, lines) => {
    expect(readLines(lines).outcome).toMatchObject({ message: 'Let me see:', verdict: { class: 'incomplete' } });
  });

  it('knows a call whose result stands before it', () => {
    const swapped = [
      prompt('List it.'),
      result('t1'),
      said('m1', use('t1'), 'tool_use'),
      said('m2', text('One file.'), 'end_turn'),
    ];
    const of = (lines: Wire[]) => {
      const { tool_calls, metrics, warnings, message } = readLines(lines).outcome;
      return { tool_calls, metrics, warnings, message };
    };
    expect(of(swapped)).toEqual(of(whole));
    const both = [prompt('Two.'), said('m1', use('t1')), result('t2'), said('m1', use('t2'), 'tool_use'), result('t1')];
    expect(readLines([...both, said('m2', text('Two files.'), 'end_turn')]).outcome).toMatchObject({
      metrics: { tool_calls_count: 2, turns: 2 },
      verdict: { class: 'success' },
      warnings: [],
    });
  });

  it('keeps a result whose call is not in the file', () => {
    const tail = [result('t1'), said('m2', text('One file.'), 'end_turn')];
    expect(readLines(tail).outcome).toMatchObject({
      message: 'One file.',
      metrics: { tool_calls_count: 1 },
      verdict: { class: 'success' },
    });
  });

  it.each<[string, Wire[]]>([
    ['a call', [prompt('Hi.'), said('m1', text('I look.')), said('m1', use('t1'))]],
    ['a result', [prompt('Hi.'), said('m1', use('t1')), result('t1')]],
    ['a prompt after an answer', [...whole, prompt('More.')]],
    ['a thought', [prompt('Hi.'), said('m1', { type: 'thinking', thinking: 'Hm.' })]],
    ['an answer that was cut', [prompt('Hi.'), said('m1', text('Hel'), 'max_tokens')]],
  ])('is none on %s', (_title, lines) => {
    expect(verdict(lines)).toBe('incomplete');
  });

  it('is an interruption only when nothing follows it', () => {
    expect(verdict([...whole, interrupt])).toBe('cancelled');
    expect(verdict([prompt('Hi.'), interrupt, prompt('Again.'), said('m9', text('Here.'), 'end_turn')])).toBe(
      'success',
    );
    expect(verdict([prompt('Hi.'), interrupt, said('m9', text('Here.'), 'end_turn')])).toBe('success');
  });
});

describe('what the program says in the place of the model', () => {
  const own = (words: string, more: Wire): Wire => {
    const each = said('x', text(words), 'stop_sequence', more);
    return { ...each, message: { ...(each.message as Wire), model: '<synthetic>' } };
  };

  it.each<[string, Wire, string]>([
    ['Credit balance is too low', {}, 'quota'],
    ['Please run /login · API Error: 401 expired', { apiErrorStatus: 401 }, 'auth'],
    ["You've hit your session limit", { error: 'rate_limit', apiErrorStatus: 429 }, 'rate_limit'],
  ])('is a failure, not an answer: %s', (words, more, code) => {
    const failed = own(words, { isApiErrorMessage: true, ...more });
    expect(readLines([prompt('Hi.'), failed]).outcome).toMatchObject({
      message: '',
      verdict: { class: 'provider', code },
    });
    expect(verdict([prompt('Hi.'), failed, prompt('Again.'), said('m9', text('Here.'), 'end_turn')])).toBe('success');
  });

  it('is no answer when a session was only resumed', () => {
    expect(readLines([...whole, own('No response requested.', {})]).outcome).toMatchObject({
      message: 'One file.',
      verdict: { class: 'success' },
    });
    expect(verdict([...whole, interrupt, own('No response requested.', {})])).toBe('cancelled');
  });
});

describe('what a session file tells like the stream', () => {
  const refused = (kind: string, content: string): Wire =>
    line({
      type: 'user',
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content, is_error: true }] },
      toolDenialKind: kind,
    });

  it.each<[string, string, string]>([
    ['permission-rule', 'blocked by a hook', 'permission'],
    ['user-rejected', 'no', 'permission'],
    ['hook', 'no', 'permission'],
    ['plan-mode', 'only plans here', 'permission'],
    ['automode-blocked', 'no', 'permission'],
    ['interrupted', 'stopped', 'success'],
  ])('a call with the denial %s', (kind, content, verdictClass) => {
    const lines = [
      prompt('Do.'),
      said('m1', use('t1'), 'tool_use'),
      refused(kind, content),
      said('m2', text('I could not.'), 'end_turn'),
    ];
    expect(tools(readLines(lines))).toEqual([kind === 'interrupted' ? 'Bash cancelled' : 'Bash error denied']);
    expect(verdict(lines)).toBe(verdictClass);
  });

  it('a request that was refused, and its tokens', () => {
    const apology = said('m1', text('API Error: unable to respond'), 'refusal', { isApiErrorMessage: true });
    const again = said('m2', text('Here.'), 'end_turn');
    expect(readLines([prompt('Do.'), apology]).outcome).toMatchObject({
      metrics: { input_tokens: 10 },
      verdict: { class: 'provider', code: 'refused' },
    });
    expect(readLines([prompt('Do.'), apology, again]).outcome).toMatchObject({
      message: 'Here.',
      metrics: { input_tokens: 20, turns: 2 },
      verdict: { class: 'success' },
    });
    expect(verdict([prompt('Do.'), said('m1', text('No.'), 'refusal')])).toBe('provider');
    expect(verdict([prompt('Do.'), said('m1', text('No.'), 'refusal'), again])).toBe('success');
  });

  it('the total of Claude Code itself, unless more came after it', () => {
    const usage = (inputTokens: number, costUSD: number): Wire => ({ inputTokens, outputTokens: 5, costUSD });
    const total = (more: Wire = {}): Wire => ({
      type: 'cost-state',
      sessionId: 's-1',
      totalCostUSD: 0.5,
      modelUsage: { 'm-1': usage(20, 0.4), helper: usage(7, 0.1) },
      ...more,
    });
    const bill = (lines: Wire[]): unknown[] => {
      const { metrics, provenance } = readLines(lines).outcome;
      return [metrics.input_tokens, metrics.cost, metrics.cost_source, provenance.unknown_lines];
    };
    expect(bill([...whole, total()])).toEqual([27, 0.5, 'reported', 0]);
    expect(bill([...whole, total(), prompt('More.'), said('m9', text('Yes.'), 'end_turn')])).toEqual([
      30,
      undefined,
      'unknown',
      0,
    ]);
    expect(bill([...whole, total({ hasUnknownModelCost: true })])).toEqual([27, undefined, 'unknown', 0]);
    expect(bill([...whole, total({ modelUsage: {} })])).toEqual([20, 0.5, 'reported', 0]);
    // Less than the messages: not of the whole session.
    expect(bill([...whole, total({ modelUsage: { 'm-1': usage(3, 0.4) } })])).toEqual([20, undefined, 'unknown', 0]);
    for (const each of [total()]) expect(Line.safeParse(each).success).toBe(true);
  });
});

describe('a message', () => {
  const counts = (read: Read): number[] => [read.outcome.metrics.input_tokens ?? 0, read.outcome.metrics.turns];

  it('counts once when its lines stand between those of another', () => {
    const lines = [
      prompt('Hi.'),
      said('m1', text('A.')),
      said('m2', text('B.')),
      said('m1', use('t1')),
      said('m2', use('t2')),
    ];
    const read = readLines([...lines, result('t1'), result('t2'), said('m3', text('Done.'), 'end_turn')]);
    expect(counts(read)).toEqual([30, 3]);
    expect(tools(read)).toEqual(['Bash completed', 'Bash completed']);
    expect(read.outcome.message).toBe('Done.');
  });

  it('counts once among sub-agents of the same file', () => {
    const side = { isSidechain: true };
    const lines = [
      said('a', text('A.'), null, side),
      said('b', text('B.'), null, side),
      said('a', text('C.'), null, side),
    ];
    expect(counts(readLines([...whole.slice(0, 2), ...lines, ...whole.slice(2)]))).toEqual([40, 2]);
  });

  it.each(['the same lines', 'new ids of lines'])('that a resumed session repeats counts once: %s', (how) => {
    const copies =
      how === 'the same lines'
        ? whole
        : whole.map((each, index) => ({ ...each, uuid: `copy-${index}`, sessionId: 's-2' }));
    const read = readLines([...whole, ...copies, prompt('More.'), said('m5', text('More.'), 'end_turn')]);
    expect(counts(read)).toEqual([30, 3]);
    expect(tools(read)).toEqual(['Bash completed']);
    expect(only(read, 'text.completed').map((each) => each.text)).toEqual(['One file.', 'More.']);
  });
});

it('knows the summary after a turn', () => {
  const summary = {
    type: 'system',
    subtype: 'post_turn_summary',
    session_id: 's-1',
    uuid: 'x',
    status_category: 'blocked',
  };
  const start = { type: 'system', subtype: 'init', session_id: 's-1', claude_code_version: '2.1.220', uuid: 'y' };
  expect(readLines([start, summary]).outcome).toMatchObject({ warnings: [], provenance: { unknown_lines: 0 } });
  expect(readLines([start, { ...summary, needs_action: 'Which database?' }]).outcome.warnings).toEqual([
    'the agent waits for somebody: Which database?',
  ]);
});

describe('a result without the lines before it', () => {
  const alone: Wire = {
    type: 'result',
    subtype: 'success',
    is_error: false,
    duration_ms: 9,
    num_turns: 14,
    total_cost_usd: 0.5,
  };
  const withheld = (more: Wire = {}): Wire => ({ ...alone, permission_denials_count: 0, ...more });
  const start: Wire = { type: 'system', subtype: 'init', message: 'Claude Code initialized', model: 'm-1' };
  const told = (lines: Wire[]) => {
    const { verdict: judged, message, metrics, denials, warnings } = readLines(lines).outcome;
    return {
      class: judged.class,
      message,
      turns: metrics.turns,
      calls: metrics.tool_calls_count,
      denied: denials?.count,
      warnings: warnings.length,
    };
  };

  it('counts the turns, and does not claim to know the calls', () => {
    expect(told([{ ...alone, result: 'Done.', session_id: 's-1' }])).toEqual({
      class: 'success',
      message: 'Done.',
      turns: 14,
      calls: undefined,
      denied: undefined,
      warnings: 0,
    });
  });

  it.each<[string, Wire[], object]>([
    ['a success', [start, withheld()], { class: 'success', denied: undefined, warnings: 0 }],
    ['without its first line', [withheld()], { class: 'success', denied: undefined, warnings: 0 }],
    ['with denials', [start, withheld({ permission_denials_count: 2 })], { class: 'success', denied: 2, warnings: 4 }],
    ['a failure', [start, withheld({ is_error: true })], { class: 'incomplete', denied: undefined, warnings: 0 }],
    [
      'a turn limit',
      [start, withheld({ subtype: 'error_max_turns' })],
      { class: 'turn_limit', denied: undefined, warnings: 0 },
    ],
  ])('is read where the log withholds what was said: %s', (_title, lines, want) => {
    expect(told(lines)).toEqual({ message: '', turns: 14, calls: undefined, ...want });
  });

  it('is not believed without its answer for any other reason', () => {
    expect(told([start, alone])).toMatchObject({ class: 'incomplete' });
    expect(told([start, withheld({ session_id: 's-1' })])).toMatchObject({ class: 'incomplete' });
  });
});
