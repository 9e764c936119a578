import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/json/json.ts';
import { acp } from '../../src/dialects/acp/index.ts';
import { amp } from '../../src/dialects/amp.ts';
import { cline } from '../../src/dialects/cline/index.ts';
import { continueCli } from '../../src/dialects/continue.ts';
import { copilot } from '../../src/dialects/copilot.ts';
import { cursor } from '../../src/dialects/cursor.ts';
import { droid } from '../../src/dialects/droid.ts';
import { goose } from '../../src/dialects/goose.ts';
import { kimi } from '../../src/dialects/kimi.ts';
import { openhands } from '../../src/dialects/openhands.ts';
import { dialects } from '../../src/dialects/registry.ts';
import { AgentEvent } from '../../src/events/event.ts';
import { exited, readLines, type Wire } from '../support/lines.ts';
import { fuzzRuns, fuzzSeed } from '../support/fuzz.ts';

const numRuns = fuzzRuns(12) * 10;
const seed = fuzzSeed;

const tags: Record<string, string> = {
  amp: 'system assistant user result text thinking tool_use tool_result init error_max_turns',
  cline:
    'say ask agent_event run_result content_start content_update content_end usage error notice tool api_req_started iteration_start command',
  acp: 'session/update session/prompt session/new session/request_permission initialize agent_message_chunk tool_call tool_call_update plan usage_update session_info_update completed failed pending execute edit diff content text cancelled refusal',
  continue: 'error info warning',
  copilot:
    'session.start assistant.message assistant.usage tool.execution_start tool.execution_complete permission.requested permission.completed session.error session.shutdown abort',
  cursor: 'system assistant thinking tool_call started completed delta text init',
  droid: 'system init message reasoning tool_call tool_result error',
  kimi: 'assistant tool user function text think',
  openhands:
    'MessageEvent ActionEvent ObservationEvent UserRejectObservation AgentErrorEvent ConversationErrorEvent SystemPromptEvent agent user text view create',
  goose:
    'message notification error assistant user text thinking toolRequest toolResponse actionRequired systemNotification',
};
const keys = [
  'type subtype role id message content text data event error status session_id ts timestamp',
  'usage input output say ask partial contentType toolCallId toolName toolId isError value iteration durationMs',
  'inputTokens outputTokens cost call_id tool_call shellToolCall args result path success exitCode toolCall toolResult name',
  'arguments tool_use_id update messageId deltaContent toolRequests requestId modelMetrics input_tokens permission_denials parent_tool_use_id created metadata messages',
  'tool_calls function tool_call_id think kind llm_message thought action observation tool_name llm_response_id exit_code is_error rejection_reason code detail',
  'jsonrpc method params sessionId update sessionUpdate toolCallId rawInput rawOutput locations kind title oldText newText options optionId outcome stopReason _meta runwire item',
].flatMap((some) => some.split(' '));

/** Objects of the right names with anything at all in the right and the wrong places. */
function lines(words: readonly string[]): fc.Arbitrary<Wire[]> {
  const { wire } = fc.letrec<{ wire: Wire; value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom<unknown>('', 'x', 'call', null, true, false, 0, -1, 1.5, 1e21),
      fc.constantFrom(...words),
      fc.array(tie('value'), { maxLength: 3 }),
      tie('wire'),
    ),
    wire: fc
      .tuple(fc.constantFrom(...words), fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 9 }))
      .map(([type, fields]) =>
        Object.assign({ type, jsonrpc: '2.0', method: type, sessionUpdate: type, toolCallId: 't' }, fields),
      ),
  }));
  return fc.array(wire, { maxLength: 12 });
}

it.each([acp, amp, cline, continueCli, copilot, cursor, droid, goose, kimi, openhands])(
  '$id: no lines break it or make bad events',
  (dialect) => {
    fc.assert(
      fc.property(lines((tags[dialect.id] ?? '').split(' ')), (wires) => {
        for (const event of readLines(wires, { dialect }).events)
          expect(AgentEvent.safeParse(event).error).toBeUndefined();
      }),
      { numRuns, seed },
    );
  },
);

// The words above hold none that any of these ends well with. Continue has no such words: whatever it prints is the answer.
it.each([acp, amp, cline, copilot, cursor, droid, goose])(
  '$id: without its good words nothing is a success',
  (dialect) => {
    fc.assert(
      fc.property(lines((tags[dialect.id] ?? '').split(' ')), (wires) => {
        expect(readLines(wires, { dialect, exit: exited(0) }).outcome.verdict.class).not.toBe('success');
      }),
      { numRuns, seed },
    );
  },
);

// JSON.parse reads any depth; what turns a value into text ends with the stack.
it.each(dialects)('$id: no depth of a value breaks its detection', (dialect) => {
  const deep: Json = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`);
  const own: JsonObject[] = [
    { ts: 'x', message: 'x', session_id: 'T-1' },
    { type: 'system', subtype: 'init' },
    { type: 'result', subtype: 'success', num_turns: 1 },
    { type: 'message', role: 'x', text: 'x' },
    { type: 'error', error: 'x' },
    { response: 'x', status: 'success' },
    { type: 'item.completed', item: { id: 'x', type: 'x' } },
    { type: 'session_meta', timestamp: 'x', payload: {} },
    { type: 'assistant', sessionId: 'x', uuid: 'x', parentUuid: null, message: { id: 'x', type: 'message' } },
    { type: 'message.updated', properties: { info: {} } },
    { type: 'session', version: 3, id: 'x', cwd: '/' },
  ];
  for (const wire of own) {
    for (const key of [
      'type',
      'ts',
      'status',
      'session_id',
      'message',
      'note',
      'data',
      'error',
      'subtype',
      'item',
      'payload',
      'properties',
      'id',
    ])
      for (const value of [deep, { type: deep, id: deep, role: deep }])
        expect(dialect.detect([{ ...wire, [key]: value }], [])).toBeLessThanOrEqual(1);
  }
});
