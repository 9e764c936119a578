import type { Decoder, DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { asText, count, filled, string } from '../../../json/read.ts';
import { isResponse } from '../detect.ts';
import { readEnding, type Witness } from './ending.ts';
import { readResponse } from './response.ts';
import { sessionDecoder } from './session.ts';
import { Tools } from './tools.ts';

/** One response, or the events of the Agent class, or the lines of a scratchpad: their objects cannot be confused. */
export function decoder(sink: DecoderSink): Decoder {
  const session = sessionDecoder(sink);
  const tools = new Tools(sink);
  let witness = nothingSeen();
  let started = false;
  let ended = false;
  let texts = 0;
  let approvals = 0;

  function line(wire: JsonObject): void {
    if (isResponse(wire)) {
      ended = true;
      return readResponse(wire, sink);
    }
    if (!session.line(wire)) event(wire);
  }

  function event(wire: JsonObject): void {
    const type = string(wire.type);
    if (type !== undefined && introducing.has(type)) begin(type);
    switch (type) {
      case 'stream_progress':
        return progress(wire);
      case 'thinking':
        return think(wire);
      case 'tool_approval':
        return approval(wire);
      case 'tool_denied':
        toolLine();
        witness.denied = true;
        return tools.deny(wire);
      case 'tool_limit':
        if (filled(wire.warning) !== undefined)
          sink.emit({ type: 'log', stream: 'agent', level: 'warning', text: asText(wire.warning) });
        return;
      case 'tool_start':
        toolLine();
        return void tools.start(wire);
      case 'tool_progress':
        toolLine(tools.isRunning(wire));
        return tools.progress(wire);
      case 'tool_end':
      case 'tool_error':
        toolLine(tools.isRunning(wire));
        return tools.end(wire);
      case 'queue_drain':
        return sink.emit({ type: 'prompt.submitted', text: asText(wire.mergedText) });
      case 'answer_start':
        return turn();
      case 'done':
        if (ended || !readEnding(wire, witness, sink, say)) return sink.unknown(wire);
        ended = true;
        return;
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

  function begin(type: string): void {
    if (ended && type !== 'done') {
      ended = false;
      witness = nothingSeen();
      started = false;
    }
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

  /** Text beside tool calls, not the model's reasoning. */
  function think(wire: JsonObject): void {
    if (typeof wire.message !== 'string') return sink.unknown(wire);
    // Versions without `stream_progress` show a new model call only by what follows the tools of the last one.
    if (witness.requests === 0 && witness.toolsCalled) turn();
    say(wire.message);
    witness.toolsCalled = true;
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
    const raw_decision = asText(wire.approved);
    const decision = raw_decision.startsWith('allow-') ? 'allowed' : 'denied';
    sink.emit({ type: 'permission.requested', permission_id, what: asText(wire.tool) });
    sink.emit({ type: 'permission.resolved', permission_id, decision, raw_decision, by: 'user' });
  }

  /** `isRunning`: an earlier reply may have made this call. */
  function toolLine(isRunning = false): void {
    witness.toolsCalled ||= !isRunning;
    witness.anyTool = true;
  }

  return { line, end() {} };
}

function nothingSeen(): Witness {
  return { requests: 0, streamed: 0, toolsCalled: false, denied: false, anyTool: false };
}

/** Housekeeping alone does not begin a run. */
const introducing = new Set([
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
