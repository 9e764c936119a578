import { expect, it } from 'vitest';
import type { Draft, EventRecord } from '../../src/events/event.ts';
import { Thread } from '../../src/pipeline/thread.ts';
import type { Span } from '../../src/telemetry/span.ts';
import { SpanQueue } from '../../src/telemetry/span-queue.ts';
import { attribute, jsonOf, spansOf, startedAt } from './spans-of.ts';

/** What happens, a second apart. */
function told(
  drafts: readonly Draft[],
  introduction: { run_id: string; agent?: string; traceparent?: string },
): EventRecord[] {
  const records: EventRecord[] = [];
  let seconds = 0;
  const thread = new Thread({
    introduction,
    clock: () => startedAt + 1000 * seconds,
    onRecord: (record) => void records.push(record),
  });
  for (const draft of drafts) {
    thread.emit(draft);
    seconds += 1;
  }
  thread.end('runwire');
  return records;
}

const started: Draft = { type: 'thread.started', session_id: 's-1', model: 'anthropic/claude-sonnet-4-5' };
const ok: Draft = { type: 'agent.finished', status: 'ok' };
const step: Draft = { type: 'usage.reported', scope: 'step', input_tokens: 10, output_tokens: 1 };

it('tells an agent inside of a call, and what that one did', () => {
  const records = told(
    [
      started,
      { type: 'turn.started' },
      {
        type: 'item.started',
        item_id: 'task',
        kind: 'subagent',
        name: 'task',
        native_name: 'Task',
        args: { subagent_type: 'reviewer' },
      },
      { type: 'item.started', item_id: 'look', parent_item_id: 'task', kind: 'mcp', name: 'search', args: {} },
      { type: 'item.completed', item_id: 'look', status: 'denied' },
      { type: 'text.completed', parent_item_id: 'task', text: 'Looks good to me.' },
      { type: 'item.completed', item_id: 'task', status: 'success', output: 'fine' },
      step,
      { type: 'turn.completed', finish_reason: 'tool_calls' },
      ok,
    ],
    { run_id: 'r1', agent: 'claude' },
  );
  const spans = jsonOf(spansOf(records));
  const [look, agent, call, chat, root] = spans;
  expect(spans.map(({ name }) => name)).toEqual([
    'execute_tool search',
    'invoke_agent reviewer',
    'execute_tool Task',
    'chat claude-sonnet-4-5',
    'invoke_agent claude',
  ]);
  expect([look?.parentSpanId, agent?.parentSpanId, call?.parentSpanId, chat?.parentSpanId]).toEqual([
    agent?.spanId,
    call?.spanId,
    root?.spanId,
    root?.spanId,
  ]);
  expect(look && [attribute(look, 'error.type'), attribute(look, 'mcp.method.name'), look.status]).toEqual([
    'permission_denied',
    'tools/call',
    { code: 2, message: 'denied' },
  ]);
  // The model had spoken when it asked for the call, four seconds before the turn ended.
  expect(
    chat && [chat.startTimeUnixNano, chat.endTimeUnixNano].map((time) => Number(BigInt(time) / 1_000_000n) - startedAt),
  ).toEqual([0, 2000]);
  expect(root && attribute(root, 'gen_ai.provider.name')).toBe('anthropic');
  expect(
    spansOf(records, { capturesContent: true }).find(({ name }) => name === 'invoke_agent reviewer')?.attributes,
  ).toMatchObject({
    'gen_ai.output.messages':
      '[{"role":"assistant","parts":[{"type":"text","content":"Looks good to me."}],"finish_reason":"stop"}]',
  });
});

it('tells who only directs others as a workflow; their runs tell themselves', () => {
  const records = told(
    [
      { type: 'thread.started' },
      { type: 'turn.started' },
      { type: 'item.started', item_id: 'attempt_1', kind: 'subagent', name: 'execute_agent', args: { agent: 'codex' } },
      { type: 'branch.updated', branch_id: 'b', item_id: 'attempt_1', run_id: 'r2', agent: 'codex', status: 'success' },
      { type: 'item.completed', item_id: 'attempt_1', status: 'success' },
      { type: 'turn.completed' },
      ok,
    ],
    { run_id: 'r1', agent: 'runwire' },
  );
  const spans = jsonOf(spansOf(records));
  expect(spans.map(({ name }) => name)).toEqual(['execute_tool execute_agent', 'invoke_workflow runwire']);
  const traceparent = `00-${spans[0]?.traceId}-${spans[0]?.spanId}-01`;
  const [child] = jsonOf(spansOf(told([ok], { run_id: 'r2', agent: 'codex', traceparent })));
  expect([child?.traceId, child?.parentSpanId]).toEqual([spans[0]?.traceId, spans[0]?.spanId]);
});

it('tells errors, retries, limits and permissions as events, and no call of a model that is several', () => {
  const records = told(
    [
      started,
      { type: 'turn.started' },
      { type: 'item.started', item_id: 'a', kind: 'command', name: 'bash', args: { command: 'ls' } },
      { type: 'permission.requested', permission_id: 'p', item_id: 'a', what: 'ls' },
      { type: 'permission.resolved', permission_id: 'p', item_id: 'a', decision: 'allowed', by: 'rule' },
      { type: 'item.completed', item_id: 'a', status: 'error', output: 'no', exit_code: 2 },
      { type: 'text.completed', text: 'Once more.' },
      { type: 'retry.scheduled', attempt: 1, delay_ms: 2000.4, code: 'rate_limit', cause: 'slow down' },
      { type: 'limit.reached', limit: 'turns', maximum: 3 },
      { type: 'error', scope: 'model', code: 'rate_limit', message: 'HTTP 429', fatal: true },
    ],
    { run_id: 'r1', agent: 'codex' },
  );
  const spans = jsonOf(spansOf(records));
  const [bash, root] = spans;
  expect(spans.map(({ name }) => name)).toEqual(['execute_tool bash', 'invoke_agent codex']);
  expect(bash?.events.map(({ name }) => name)).toEqual(['runwire.permission.requested', 'runwire.permission.resolved']);
  expect(bash && [attribute(bash, 'process.exit.code'), attribute(bash, 'runwire.tool.permission')]).toEqual([
    '2',
    'allowed',
  ]);
  expect(bash?.status).toEqual({ code: 2, message: 'exit code 2' });
  expect(root?.events.map(({ name }) => name)).toEqual(['runwire.retry', 'runwire.limit', 'exception']);
  expect(root && attribute(root, 'error.type')).toBe('max_turns');
});

it('waits for a collector with so much and no more, and sends no request that is too large', () => {
  const queue = new SpanQueue({ most: 2000, batch: 512 });
  const [span] = spansOf(told([started, ok], { run_id: 'r1' }));
  if (span === undefined) throw new Error('there is no span');
  const big = { ...span, attributes: { text: 'x'.repeat(60_000) } };
  for (let count = 0; count < 3000; count += 1) queue.add(big);
  queue.add(span);
  expect(queue.length).toBeLessThan(600);
  expect(queue.length + queue.dropped).toBe(3001);
  const request = queue.take();
  expect(request.length * 60_000).toBeLessThan(2_100_000);
  queue.putBack(request);
  let last: Span | undefined;
  while (queue.length > 0) last = queue.take().at(-1);
  expect(last).toBe(span);
});

it('stays small, whatever an agent says', () => {
  const long = 'x'.repeat(100_000);
  const calls = Array.from({ length: 12_000 }, (_, index): Draft => {
    return { type: 'item.started', item_id: `i${index}`, kind: 'tool_call', name: long, args: {} };
  });
  const edits = Array.from({ length: 500 }, (): Draft => ({ type: 'file.edited', path: long, operation: 'modified' }));
  const spans = spansOf(told([started, ...calls, ...edits, ok], { run_id: 'r1' }));
  // The thread gives calls up before they are too many: each has its span.
  expect(spans).toHaveLength(12_002);
  const root = spans.at(-1);
  expect([root?.events.length, root?.droppedEvents]).toEqual([128, 372]);
  expect(Math.max(...spans.map(({ name }) => name.length))).toBeLessThan(250);
  expect(JSON.stringify(root).length).toBeLessThan(200_000);
});
