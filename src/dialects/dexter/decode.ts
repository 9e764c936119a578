import type { Decoder, DecoderSink, Json, JsonObject } from '../dialect.ts';
import { asText, compact, count, filled, list, object, string } from '../read.ts';
import { weigh, type Witness } from './answer.ts';
import { isResponse } from './detect.ts';
import { readResponse, readTool, readUsage } from './response.ts';
import { scratchpadDecoder } from './scratchpad.ts';
import { editedFile, finished, kindOf } from './tools.ts';

export function decoder(sink: DecoderSink): Decoder {
  const scratchpad = scratchpadDecoder(sink);
  /** Calls that run, in the order they started: versions without call ids pair by name. */
  const open = new Map<string, { tool: string; args: Json }>();
  const witness: Witness = { requests: 0, streamed: 0, toolsCalled: false, denied: false, anyTool: false };
  let started = false;
  let finishedRun = false;
  let texts = 0;
  let calls = 0;
  let approvals = 0;

  function begin(): void {
    if (started) return;
    started = true;
    sink.emit({ type: 'thread.started', agent: 'dexter' });
  }

  function turn(): void {
    witness.toolsCalled = false;
    sink.emit({ type: 'turn.started' });
  }

  function say(text: string): void {
    texts += 1;
    sink.emit({ type: 'text.completed', text, message_id: `message_${texts}` });
  }

  function start(wire: JsonObject): string {
    const tool = asText(wire.tool);
    calls += 1;
    const id = filled(wire.toolCallId) ?? `call_${calls}`;
    const args = wire.args ?? {};
    open.set(id, { tool, args });
    sink.emit({ type: 'item.started', item_id: id, kind: kindOf(tool), name: tool, args });
    return id;
  }

  /** The running call that a line speaks of; one that never started is started now. */
  function callOf(wire: JsonObject): string {
    const named = filled(wire.toolCallId);
    if (named !== undefined) return open.has(named) ? named : start(wire);
    for (const [id, call] of open) if (call.tool === wire.tool) return id;
    return start(wire);
  }

  function end(wire: JsonObject): void {
    const id = callOf(wire);
    const call = open.get(id);
    open.delete(id);
    const tool = asText(wire.tool);
    const duration = compact({ duration_ms: count(wire.duration) });
    if (wire.type === 'tool_error')
      return sink.emit({ type: 'item.completed', item_id: id, status: 'error', error: asText(wire.error), ...duration });
    const result = finished(tool, wire.result);
    sink.emit({ type: 'item.completed', item_id: id, ...result, output: asText(wire.result), ...duration });
    if (result.status === 'success') editedFile(sink, tool, wire.args ?? call?.args, id);
  }

  function progress(wire: JsonObject): void {
    switch (wire.mode) {
      case 'requesting':
        witness.requests += 1;
        witness.streamed = 0;
        return turn();
      case 'responding':
        witness.streamed += count(wire.charDelta) ?? 0;
        return;
      case 'tool-use':
        witness.toolsCalled = true;
    }
  }

  function approval(wire: JsonObject): void {
    approvals += 1;
    const permission_id = `approval_${approvals}`;
    const decision = asText(wire.approved);
    sink.emit({ type: 'permission.requested', permission_id, what: asText(wire.tool) });
    sink.emit({
      type: 'permission.resolved',
      permission_id,
      decision: decision.startsWith('allow-') ? 'allowed' : 'denied',
      raw_decision: decision,
      by: 'user',
    });
  }

  function done(wire: JsonObject): void {
    const ending = weigh(wire, witness);
    if (ending === undefined || finishedRun) return sink.unknown(wire);
    finishedRun = true;
    const answer = asText(wire.answer);
    if (!witness.anyTool) for (const [index, call] of list(wire.toolCalls).entries()) readTool(object(call), `call_${index + 1}`, sink);
    if (ending.kind === 'said') say(answer);
    readUsage(object(wire.tokenUsage), sink);
    const claim = { type: 'agent.finished', raw_status: 'done', ...compact({ duration_ms: count(wire.totalTime) }) } as const;
    switch (ending.kind) {
      case 'said':
        return sink.emit({ ...claim, status: 'ok' });
      case 'limit':
        sink.emit({ type: 'limit.reached', limit: 'turns', maximum: ending.maximum, message: answer });
        return sink.emit({ ...claim, status: 'failed', code: 'turn_limit', message: answer });
      case 'failed':
        return sink.emit({ ...claim, status: 'failed', code: ending.code, message: ending.message });
    }
  }

  /** Versions without `stream_progress` show a new model call only by what follows the tools of the last one. */
  function newReply(): void {
    if (witness.requests === 0 && witness.toolsCalled) turn();
  }

  function line(wire: JsonObject): void {
    if (isResponse(wire)) {
      if (finishedRun) return sink.unknown(wire);
      finishedRun = true;
      return readResponse(wire, sink);
    }
    if (scratchpad.line(wire)) return;
    const type = string(wire.type);
    if (type !== undefined && known.has(type)) begin();
    switch (type) {
      case 'stream_progress':
        return progress(wire);
      case 'thinking':
        if (typeof wire.message !== 'string') return sink.unknown(wire);
        newReply();
        say(wire.message);
        // Such text always comes with tool calls.
        witness.toolsCalled = true;
        return;
      case 'tool_approval':
        return approval(wire);
      case 'tool_denied': {
        toolLine();
        witness.denied = true;
        const named = filled(wire.toolCallId);
        const id = named !== undefined && open.has(named) ? named : start(wire);
        open.delete(id);
        return sink.emit({ type: 'item.completed', item_id: id, status: 'denied' });
      }
      case 'tool_limit':
        if (filled(wire.warning) !== undefined) sink.emit({ type: 'log', stream: 'agent', level: 'warning', text: asText(wire.warning) });
        return;
      case 'tool_start':
        toolLine();
        return void start(wire);
      case 'tool_progress':
        toolLine();
        return sink.emit({ type: 'item.output', item_id: callOf(wire), stream: 'progress', chunk: asText(wire.message) });
      case 'tool_end':
      case 'tool_error':
        toolLine();
        return end(wire);
      case 'queue_drain':
        return sink.emit({ type: 'prompt.submitted', text: asText(wire.mergedText) });
      case 'answer_start':
        return turn();
      case 'done':
        return done(wire);
      case 'microcompact':
      case 'memory_flush':
      case 'memory_recalled':
      case 'compaction':
      case 'context_cleared':
        return;
      default:
        return sink.unknown(wire);
    }
  }

  function toolLine(): void {
    witness.toolsCalled = true;
    witness.anyTool = true;
  }

  return { line, end() {} };
}

const known = new Set([
  'stream_progress',
  'thinking',
  'tool_approval',
  'tool_denied',
  'tool_limit',
  'tool_start',
  'tool_progress',
  'tool_end',
  'tool_error',
  'queue_drain',
  'answer_start',
  'done',
]);
