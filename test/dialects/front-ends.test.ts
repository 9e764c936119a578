import { expect, it } from 'vitest';
import type { AgentEvent } from '../../src/events/event.ts';
import { findWriter } from '../../src/dialects/registry.ts';
import { OutcomeFold } from '../../src/outcome/fold.ts';
import { Writer } from '../../src/pipeline/writer.ts';
import { readAgent, readChat, wiresOf } from '../support/front-ends.ts';
import { numbered } from '../support/records.ts';

const text = { turn_id: 't', message_id: 'm' };
const call = (item_id: string, more: object = {}): AgentEvent =>
  ({ type: 'item.started', item_id, turn_id: 't', kind: 'command', name: 'shell', args: {}, ...more }) as AgentEvent;
const done = (item_id: string, more: object = {}): AgentEvent =>
  ({ type: 'item.completed', item_id, status: 'success', output: 'a', ...more }) as AgentEvent;
const say = (words: string, more: object = {}): AgentEvent =>
  ({ type: 'text.completed', ...text, block_id: words, text: words, ...more }) as AgentEvent;
const ask = (permission_id: string, item_id?: string): AgentEvent => ({
  type: 'permission.requested',
  permission_id,
  what: 'shell: rm',
  ...(item_id === undefined ? {} : { item_id }),
});
const answer = (permission_id: string, decision: 'allowed' | 'denied'): AgentEvent => ({
  type: 'permission.resolved',
  permission_id,
  decision,
});
const opened: AgentEvent = { type: 'thread.started', session_id: 's', task: 'Go.', agent: 'codex' };
const turn: AgentEvent = { type: 'turn.started', turn_id: 't', iteration: 1 };
const ok: AgentEvent = { type: 'agent.finished', status: 'ok' };

/** The same events in a format, with the outcome that they come to. */
function write(to: string, ...events: AgentEvent[]): string {
  const { dialect, variant } = findWriter(to);
  const writer = new Writer(dialect, variant);
  const record = numbered();
  const fold = new OutcomeFold();
  for (const event of events) {
    fold.apply(event, undefined, false);
    writer.record(record(event));
  }
  writer.end(fold.outcome('codex', []));
  return writer.take();
}

const nested = [
  opened,
  turn,
  call('a', { kind: 'subagent', name: 'Task' }),
  call('b', { parent_item_id: 'a', kind: 'subagent', name: 'Inner' }),
  say('Deep.', { parent_item_id: 'b' }),
  done('b', { status: 'error', error: 'lost' }),
  say('Late.', { parent_item_id: 'b' }),
  say('Below.', { parent_item_id: 'a' }),
  done('a'),
  say('Done.'),
  ok,
];

it('ag-ui: sub-agents have a life of their own, and their words are theirs', async () => {
  const { events, refused } = await readAgent(write('ag-ui', ...nested));
  expect(refused).toEqual([]);
  const told = events.filter(({ type }) => String(type).startsWith('SUBAGENT'));
  expect(told).toMatchObject([
    { type: 'SUBAGENT_STARTED', name: 'Task', subagentRunId: 's:subagent_3', parentToolCallId: 's:call_1' },
    { type: 'SUBAGENT_STARTED', name: 'Inner', parentSubagentRunId: 's:subagent_3' },
    { type: 'SUBAGENT_ERROR', message: 'lost' },
    { type: 'SUBAGENT_STARTED', name: 'unknown' },
    { type: 'SUBAGENT_FINISHED', subagentRunId: 's:subagent_3' },
    { type: 'SUBAGENT_ERROR', message: 'abandoned' },
  ]);
  const own = events.filter(
    ({ type, subagentRunId }) => type === 'TEXT_MESSAGE_CONTENT' && subagentRunId === undefined,
  );
  expect(own).toMatchObject([{ delta: 'Done.' }]);
});

it('ai-sdk-ui: what sub-agents say is beside the answer', async () => {
  const { message, refused, errors } = await readChat(write('ai-sdk-ui', ...nested));
  expect([refused, errors]).toEqual([[], []]);
  expect(message?.parts.filter(({ type }) => type === 'text')).toMatchObject([{ text: 'Done.' }]);
  expect(message?.parts.filter(({ type }) => type === 'data-subagent-text')).toHaveLength(3);
  expect(message?.parts.filter(({ type }) => type === 'dynamic-tool')).toMatchObject([
    { toolName: 'Task', state: 'output-available' },
    {
      toolName: 'Inner',
      state: 'output-error',
      errorText: 'lost\na',
      toolMetadata: { parentToolCallId: 'a', status: 'error' },
    },
  ]);
});

const permissions = [
  opened,
  turn,
  call('a'),
  ask('p1', 'a'),
  ask('p2', 'a'),
  answer('p1', 'allowed'),
  answer('p2', 'allowed'),
  answer('p2', 'allowed'),
  done('a'),
  ask('p3', 'gone'),
  ask('p4'),
  answer('p3', 'allowed'),
  call('b'),
  ask('p5', 'b'),
  answer('p5', 'denied'),
  done('b', { status: 'denied', output: undefined }),
];

it('ai-sdk-ui: permissions that are asked twice, late or of nobody', async () => {
  const { message, refused } = await readChat(write('ai-sdk-ui', ...permissions, say('No.'), ok));
  expect(refused).toEqual([]);
  expect(message?.parts.filter(({ type }) => type === 'dynamic-tool')).toMatchObject([
    { state: 'output-available', approval: { id: 'p2', approved: true } },
    { state: 'output-denied', approval: { id: 'p5', approved: false } },
  ]);
});

it('ag-ui: a run that waits for a permission is interrupted, others that were denied something failed', async () => {
  const waiting = await readAgent(write('ag-ui', ...permissions));
  expect(waiting.refused).toEqual([]);
  expect(waiting.events.at(-1)).toMatchObject({
    type: 'RUN_FINISHED',
    outcome: { type: 'interrupt', interrupts: [{ id: 'p4', reason: 'tool_approval', message: 'shell: rm' }] },
  });
  const denied = await readAgent(write('ag-ui', ...permissions, answer('p4', 'denied')));
  expect(denied.events.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'permission' });
});

it.each(['ai-sdk-ui', 'ag-ui'])('%s: ends without their starts, and starts without their ends', async (to) => {
  const odd = [
    opened,
    done('zz'),
    say('Hi.'),
    call('a'),
    turn,
    call('a'),
    turn,
    { type: 'text.delta', ...text, block_id: 'x', text: 'Half' } as const,
  ];
  const written = write(to, ...odd);
  const { refused } = to === 'ag-ui' ? await readAgent(written) : await readChat(written);
  expect(refused).toEqual([]);
  expect(wiresOf(written).at(-1)).toMatchObject(
    to === 'ag-ui' ? { type: 'RUN_ERROR' } : { type: 'finish', finishReason: 'error' },
  );
});

it('ag-ui: several runs in one stream are several runs, whose ids differ', async () => {
  const first = [opened, turn, call('a'), done('a'), say('One.'), ok];
  const second = [{ ...opened, session_id: 's2' } as AgentEvent, turn, call('a'), done('a'), say('Two.')];
  const { events, refused } = await readAgent(write('ag-ui', ...first, ...second));
  expect(refused).toEqual([]);
  expect(events.filter(({ type }) => String(type).startsWith('RUN_'))).toMatchObject([
    { type: 'RUN_STARTED', runId: 's' },
    { type: 'RUN_FINISHED', outcome: { type: 'success' } },
    { type: 'RUN_STARTED', runId: 's2' },
    { type: 'RUN_ERROR' },
  ]);
  const ids = events.flatMap(({ type, toolCallId }) => (type === 'TOOL_CALL_START' ? [toolCallId] : []));
  expect(new Set(ids).size).toBe(2);
});

it.each([
  [
    'cancelled',
    { type: 'agent.finished', status: 'cancelled', message: 'by you' },
    { type: 'abort' },
    { type: 'RUN_FINISHED', outcome: { type: 'cancelled' } },
  ],
  [
    'failed',
    { type: 'agent.finished', status: 'failed', code: 'auth', message: 'bad key' },
    { type: 'finish', finishReason: 'error' },
    { type: 'RUN_ERROR', message: 'bad key', code: 'auth' },
  ],
  [
    'ok',
    ok,
    { type: 'finish', finishReason: 'stop' },
    { type: 'RUN_FINISHED', result: 'Hi.', outcome: { type: 'success' } },
  ],
] as const)('how it ended: %s', (_name, claim, chat, run) => {
  const events = [opened, turn, say('Hi.'), claim] as AgentEvent[];
  expect(wiresOf(write('ai-sdk-ui', ...events)).at(-1)).toMatchObject(chat);
  expect(wiresOf(write('ag-ui', ...events)).at(-1)).toMatchObject(run);
  expect(wiresOf(write('ag-ui:lines', ...events)).at(-1)).toMatchObject(run);
});
