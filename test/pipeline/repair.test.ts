import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AgentEvent, type Draft } from '../../src/events/event.ts';
import { Repair } from '../../src/pipeline/repair.ts';
import { fuzzRuns, fuzzSeed } from '../support/fuzz.ts';

const seed = fuzzSeed;
const numRuns = fuzzRuns(12) * 50;

interface Repaired {
  event: AgentEvent;
  synthetic: boolean;
}

function repair(drafts: readonly Draft[]): Repaired[] {
  const out: Repaired[] = [];
  const machine = new Repair((event, synthetic) => void out.push({ event, synthetic }));
  for (const draft of drafts) machine.push(draft);
  machine.end();
  return out;
}

/** One word for each event: what it is, whose it is, and `+` where repair added it. */
function story(drafts: readonly Draft[]): string[] {
  return repair(drafts).map(({ event, synthetic }) => `${synthetic ? '+' : ''}${event.type}${nameOf(event)}`);
}

function nameOf(event: AgentEvent): string {
  switch (event.type) {
    case 'turn.started':
    case 'turn.completed':
      return ` ${event.turn_id}`;
    case 'text.delta':
    case 'text.completed':
    case 'reasoning.delta':
    case 'reasoning.completed':
      return ` ${event.block_id} ${JSON.stringify(event.text)}`;
    case 'item.started':
    case 'item.output':
      return ` ${event.item_id}`;
    case 'item.completed':
      return ` ${event.item_id} ${event.status}`;
    case 'permission.requested':
    case 'permission.resolved':
      return ` ${event.permission_id}`;
    default:
      return '';
  }
}

const item = (id: string): Draft => ({ type: 'item.started', item_id: id, kind: 'command', name: 'sh', args: {} });
const done = (id: string): Draft => ({ type: 'item.completed', item_id: id, status: 'success' });
const delta = (text: string, fields: { block_id?: string; parent_item_id?: string } = {}): Draft => ({
  type: 'text.delta',
  text,
  ...fields,
});
const whole = (text: string, fields: { block_id?: string; parent_item_id?: string } = {}): Draft => ({
  type: 'text.completed',
  text,
  ...fields,
});
const log: Draft = { type: 'log', stream: 'stdout', cause: 'noise', text: 'banner' };

describe('repair', () => {
  it('puts any number of deltas together', () => {
    const words = Array.from({ length: 3001 }, (_, index) => `${index} `);
    const last = repair(words.map((word) => delta(word))).findLast(({ event }) => event.type === 'text.completed');
    expect(last?.event).toMatchObject({ text: words.join('') });
  });

  it.each<[string, Draft[], string[]]>([
    ['starts a thread for nothing at all', [], ['+thread.started']],
    ['starts a thread once', [{ type: 'thread.started', agent: 'a' }, { type: 'thread.started' }], ['thread.started']],
    [
      'lets noise wait for the thread that follows',
      [log, { type: 'thread.started', agent: 'a' }],
      ['thread.started', 'log'],
    ],
    ['keeps noise without a thread', [log], ['+thread.started', 'log']],
    [
      'keeps noise before the first words',
      [log, whole('')],
      ['+thread.started', 'log', '+turn.started turn_1', 'text.completed block_1 ""', '+turn.completed turn_1'],
    ],
    [
      'opens a turn for a text and gives it its delta',
      [whole('Hi.')],
      [
        '+thread.started',
        '+turn.started turn_1',
        '+text.delta block_1 "Hi."',
        'text.completed block_1 "Hi."',
        '+turn.completed turn_1',
      ],
    ],
    [
      'ends a text that only streamed',
      [delta('Hi'), delta('.')],
      [
        '+thread.started',
        '+turn.started turn_1',
        'text.delta block_1 "Hi"',
        'text.delta block_1 "."',
        '+text.completed block_1 "Hi."',
        '+turn.completed turn_1',
      ],
    ],
    [
      'adds the rest that never streamed',
      [delta('Hi'), whole('Hi.')],
      [
        '+thread.started',
        '+turn.started turn_1',
        'text.delta block_1 "Hi"',
        '+text.delta block_1 "."',
        'text.completed block_1 "Hi."',
        '+turn.completed turn_1',
      ],
    ],
    [
      'keeps what streamed apart from what was said in the end',
      [delta('He'), whole('Ho.')],
      [
        '+thread.started',
        '+turn.started turn_1',
        'text.delta block_1 "He"',
        '+text.completed block_1 "He"',
        '+text.delta block_1_final "Ho."',
        'text.completed block_1_final "Ho."',
        '+turn.completed turn_1',
      ],
    ],
    [
      'never mixes that with a block of the same name',
      [delta('A', { block_id: 'x_final' }), delta('B', { block_id: 'x' }), whole('C', { block_id: 'x' })],
      [
        '+thread.started',
        '+turn.started turn_1',
        'text.delta x_final "A"',
        'text.delta x "B"',
        '+text.completed x "B"',
        '+text.delta x_final_final "C"',
        'text.completed x_final_final "C"',
        '+text.completed x_final "A"',
        '+turn.completed turn_1',
      ],
    ],
    [
      'tells a block with a space in its name from the block of a sub-agent',
      [delta('A', { block_id: 'x', parent_item_id: 'y' }), delta('B', { block_id: 'x y' })],
      [
        '+thread.started',
        '+turn.started turn_1',
        'text.delta x "A"',
        'text.delta x y "B"',
        '+text.completed x "A"',
        '+text.completed x y "B"',
        '+turn.completed turn_1',
      ],
    ],
    [
      'adds words without a name to the block that was opened last and is still open',
      [
        delta('A', { block_id: 'a' }),
        delta('B', { block_id: 'b' }),
        delta('C', { block_id: 'c' }),
        whole('B', { block_id: 'b' }),
        delta('+', {}),
        whole('C+', { block_id: 'c' }),
        delta('+', {}),
      ],
      [
        '+thread.started',
        '+turn.started turn_1',
        'text.delta a "A"',
        'text.delta b "B"',
        'text.delta c "C"',
        'text.completed b "B"',
        'text.delta c "+"',
        'text.completed c "C+"',
        'text.delta a "+"',
        '+text.completed a "A+"',
        '+turn.completed turn_1',
      ],
    ],
    [
      'abandons an item that never ended',
      [item('i')],
      [
        '+thread.started',
        '+turn.started turn_1',
        'item.started i',
        '+item.completed i abandoned',
        '+turn.completed turn_1',
      ],
    ],
    [
      'starts an item that only ended',
      [done('i')],
      [
        '+thread.started',
        '+turn.started turn_1',
        '+item.started i',
        'item.completed i success',
        '+turn.completed turn_1',
      ],
    ],
    [
      'abandons an item that starts again',
      [item('i'), item('i'), done('i')],
      [
        '+thread.started',
        '+turn.started turn_1',
        'item.started i',
        '+item.completed i abandoned',
        'item.started i',
        'item.completed i success',
        '+turn.completed turn_1',
      ],
    ],
    [
      'ends a turn when the next one starts',
      [{ type: 'turn.started' }, delta('A'), { type: 'turn.started' }],
      [
        '+thread.started',
        'turn.started turn_1',
        'text.delta block_1 "A"',
        '+text.completed block_1 "A"',
        '+turn.completed turn_1',
        'turn.started turn_2',
        '+turn.completed turn_2',
      ],
    ],
    [
      'starts a turn that only ended',
      [{ type: 'turn.completed' }],
      ['+thread.started', '+turn.started turn_1', 'turn.completed turn_1'],
    ],
    [
      'pairs the end of another turn with a start of its own',
      [
        { type: 'turn.started', turn_id: 'a' },
        { type: 'turn.completed', turn_id: 'b' },
      ],
      ['+thread.started', 'turn.started a', '+turn.completed a', '+turn.started b', 'turn.completed b'],
    ],
    [
      'asks for what was only decided',
      [{ type: 'permission.resolved', permission_id: 'p', decision: 'denied' }],
      ['+thread.started', '+permission.requested p', 'permission.resolved p'],
    ],
  ])('%s', (_, drafts, want) => {
    expect(story(drafts)).toEqual(want);
  });

  it('counts the items of a turn, and the turns of a thread', () => {
    const turns = repair([
      { type: 'turn.started' },
      item('a'),
      item('b'),
      { type: 'turn.completed', finish_reason: 'stop' },
      done('a'),
      { type: 'turn.started', iteration: 7 },
    ]);
    expect(turns.flatMap(({ event }) => (event.type === 'turn.completed' ? [event] : []))).toEqual([
      {
        type: 'turn.completed',
        turn_id: 'turn_1',
        iteration: 1,
        tool_call_count: 2,
        has_final_report: false,
        finish_reason: 'stop',
      },
      { type: 'turn.completed', turn_id: 'turn_7', iteration: 7, tool_call_count: 0, has_final_report: false },
    ]);
  });

  it('does not hold noise back for ever', () => {
    const out: string[] = [];
    const machine = new Repair((event) => void out.push(event.type));
    for (let count = 0; count < 1000; count += 1) machine.push(log);
    expect(out.length).toBeGreaterThan(900);
  });

  it('leaves the end of the thread to the fold', () => {
    const verdict = { class: 'success', exit_code: 0, evidence: [] };
    const end: Draft = { type: 'thread.completed', status: 'success', summary: '', verdict, final_report: {} };
    expect(story([end])).toEqual(['+thread.started']);
  });
});

const id = fc.constantFrom('a', 'b', 'a b', 'b_final', 'a_final', 'turn_1', 'block_1');
const text = fc.constantFrom('', 'x', 'xy', 'xyz', ' ', 'other');
const maybe = <T>(key: string, value: fc.Arbitrary<T>): fc.Arbitrary<object> =>
  fc.option(value, { nil: undefined }).map((known) => (known === undefined ? {} : { [key]: known }));
const merged = (...parts: fc.Arbitrary<object>[]): fc.Arbitrary<Draft> =>
  fc.tuple(...parts).map((all) => Object.assign({}, ...all) as Draft);
const of = (type: AgentEvent['type'], fields: object = {}): fc.Arbitrary<object> => fc.constant({ type, ...fields });

const said = (type: 'text.delta' | 'text.completed' | 'reasoning.delta' | 'reasoning.completed'): fc.Arbitrary<Draft> =>
  merged(
    of(type),
    text.map((words) => ({ text: words })),
    maybe('block_id', id),
    maybe('message_id', id),
    maybe('parent_item_id', id),
    maybe('turn_id', id),
  );
const named = (type: AgentEvent['type'], key: string, fields: object = {}): fc.Arbitrary<Draft> =>
  merged(
    of(type, fields),
    id.map((value) => ({ [key]: value })),
  );

const draft: fc.Arbitrary<Draft> = fc.oneof(
  said('text.delta'),
  said('text.completed'),
  said('reasoning.delta'),
  said('reasoning.completed'),
  merged(of('thread.started'), maybe('session_id', id)),
  merged(of('turn.started'), maybe('turn_id', id), maybe('iteration', fc.nat(3))),
  merged(of('turn.completed'), maybe('turn_id', id), maybe('iteration', fc.nat(3))),
  named('item.started', 'item_id', { kind: 'command', name: 'sh', args: null }),
  named('item.output', 'item_id', { chunk: 'x' }),
  named('item.completed', 'item_id', { status: 'success' }),
  named('permission.requested', 'permission_id', { what: 'x' }),
  named('permission.resolved', 'permission_id', { decision: 'denied' }),
  fc.constantFrom<Draft>(
    log,
    { type: 'agent.finished', status: 'ok' },
    { type: 'error', scope: 'x', code: 'unknown', message: 'm', fatal: false },
    { type: 'usage.reported', scope: 'step', input_tokens: 1 },
    { type: 'line.unknown', dialect: 'd', wire: {} },
    { type: 'prompt.submitted', text: 'p' },
    { type: 'file.edited', path: 'p', operation: 'created' },
    { type: 'process.ended', exit_code: 0, signal: null, reason: 'exited' },
  ),
);

/** What is open at the end of the events; throws a sentence when one of them is out of place. */
function leftOpen(events: readonly AgentEvent[]): string[] {
  const open = new Map<string, string>();
  const start = (key: string): void => {
    if (open.has(key)) throw new Error(`${key} starts twice`);
    open.set(key, '');
  };
  const end = (key: string, words?: string): void => {
    if (!open.has(key)) throw new Error(`${key} ends without a start`);
    if (words !== undefined && open.get(key) !== words)
      throw new Error(`${key} says ${words}, but streamed ${open.get(key)}`);
    open.delete(key);
  };
  for (const event of events) {
    switch (event.type) {
      case 'turn.started':
        if ([...open.keys()].some((key) => key.startsWith('turn '))) throw new Error('two turns at once');
        start(`turn ${event.turn_id}`);
        break;
      case 'turn.completed':
        end(`turn ${event.turn_id}`);
        break;
      case 'item.started':
        start(`item ${event.item_id}`);
        break;
      case 'item.output':
        if (!open.has(`item ${event.item_id}`)) throw new Error(`output of ${event.item_id}, which is not open`);
        break;
      case 'item.completed':
        end(`item ${event.item_id}`);
        break;
      case 'text.delta':
      case 'reasoning.delta': {
        const key = JSON.stringify([event.type.split('.')[0], event.block_id, event.parent_item_id]);
        open.set(key, (open.get(key) ?? '') + event.text);
        break;
      }
      case 'text.completed':
      case 'reasoning.completed': {
        const key = JSON.stringify([event.type.split('.')[0], event.block_id, event.parent_item_id]);
        if (event.text === '' && !open.has(key)) break;
        end(key, event.text);
        break;
      }
    }
  }
  return [...open.keys()];
}

describe('whatever the drafts', () => {
  const drafts = fc.array(draft, { maxLength: 30 });

  it('the thread starts first and once, and every start has exactly one end', () => {
    fc.assert(
      fc.property(drafts, (some) => {
        const events = repair(some).map(({ event }) => event);
        expect(events.findIndex((event) => event.type === 'thread.started')).toBe(0);
        expect(events.filter((event) => event.type === 'thread.started')).toHaveLength(1);
        expect(leftOpen(events)).toEqual([]);
      }),
      { numRuns, seed },
    );
  });

  it('every event is whole', () => {
    fc.assert(
      fc.property(drafts, (some) => {
        for (const { event } of repair(some)) expect(AgentEvent.safeParse(event).error).toBeUndefined();
      }),
      { numRuns: numRuns / 10, seed },
    );
  });

  it('what was said is kept, unchanged and in order', () => {
    fc.assert(
      fc.property(drafts, (some) => {
        const kept = repair(some).flatMap(({ event, synthetic }) =>
          synthetic || event.type === 'thread.started' || event.type === 'log' || event.type === 'line.unknown'
            ? []
            : [event],
        );
        const told = some.filter(({ type }) => type !== 'thread.started' && type !== 'log' && type !== 'line.unknown');
        expect(kept.map(({ type }) => type)).toEqual(told.map(({ type }) => type));
        for (const [index, event] of kept.entries()) {
          const {
            block_id: _,
            message_id: __,
            turn_id: ___,
            ...words
          } = told[index] as Draft & Record<string, unknown>;
          expect(event).toMatchObject(words);
        }
      }),
      { numRuns, seed },
    );
  });
});

describe('calls without end', () => {
  const many = Array.from({ length: 10_001 }, (_, index) => item(`i${index}`));

  it('are left, the oldest first, before there are too many to remember', () => {
    const told = story(many);
    const [next, firstLeft, lastLeft] = [
      'item.started i10000',
      '+item.completed i0 abandoned',
      '+item.completed i4999 abandoned',
    ];
    expect([told.indexOf(firstLeft), told.indexOf(lastLeft)]).toEqual([
      told.indexOf(next) - 5000,
      told.indexOf(next) - 1,
    ]);
    expect(told.filter((each) => each.endsWith('abandoned'))).toHaveLength(many.length);
  });

  it('are left once, also when the repaired stream is repaired again', () => {
    const once = repair(many).map(({ event }) => event);
    expect(repair(once).map(({ event }) => event)).toEqual(once);
  });
});
