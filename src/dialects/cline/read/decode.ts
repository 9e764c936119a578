import { present } from '../../../json/present.ts';
import type { Decoder, DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { codeOfMessage } from '../../../outcome/faults.ts';
import { asText, filled, object, string, whole } from '../../../json/read.ts';
import { tellTime } from '../../kit/time.ts';
import { Ending } from './ending.ts';
import { legacyDecoder } from './legacy.ts';
import { Tools } from './tools.ts';
import { readTotals, readUsage } from './usage.ts';

const libraryWarning = /^(?:\w*Warning: AI SDK Warning| +at )/;

export function decoder(sink: DecoderSink): Decoder {
  let tools = new Tools(sink);
  let ending = new Ending(sink);
  const legacy = legacyDecoder(sink);
  let introduced = false;
  let agent: string | undefined;

  function line(wire: JsonObject): void {
    tellTime(sink, wire.ts);
    if (legacy.line(wire)) return;
    if (isFirstLine(wire)) beginAgain(filled(wire.agentId) ?? filled(wire.sessionId));
    if (wire.type === 'run_start')
      return introduce(present({ session_id: filled(wire.sessionId), model: filled(wire.modelId) }));
    introduce();
    switch (wire.type) {
      case 'agent_event':
        return readEvent(wire);
      case 'run_result':
        readTotals(sink, wire);
        return ending.read(wire, tools.isRefused);
      case 'run_abort_requested':
        return ending.requestAbort(asText(wire.reason));
      case 'run_aborted':
        return ending.readAborted(wire);
      case 'error':
        return ending.fail(asText(wire.message));
      case 'hook_event':
      case 'team_event':
      case 'team_restored':
        return;
      default:
        return sink.unknown(wire);
    }
  }

  /** The first line of a run; if a run came before it, this is another one in the same stream. */
  function beginAgain(id: string | undefined): void {
    const isOther = ending.isOver || (agent !== undefined && id !== undefined && id !== agent);
    agent = id;
    if (!isOther) return;
    ending.cutOff();
    tools = new Tools(sink);
    ending = new Ending(sink);
    introduced = false;
  }

  function introduce(fields: { session_id?: string; model?: string } = {}): void {
    if (introduced) return;
    introduced = true;
    sink.emit({ type: 'thread.started', agent: 'cline', ...fields });
  }

  function readEvent(wire: JsonObject): void {
    const event = object(wire.event);
    switch (event.type) {
      case 'iteration_start':
        return sink.emit({ type: 'turn.started', ...present({ iteration: whole(event.iteration) }) });
      case 'iteration_end':
        return sink.emit({
          type: 'turn.completed',
          finish_reason: event.hadToolCalls === true ? 'tool_calls' : 'stop',
        });
      case 'content_start':
      case 'content_end':
        return readContent(wire, event);
      case 'content_update': {
        const id = filled(event.toolCallId);
        return id === undefined ? sink.unknown(wire) : tools.progress(id, event.update);
      }
      case 'usage':
        return readUsage(sink, event);
      case 'notice':
        return readNotice(event);
      case 'error':
        return ending.readError(event);
      case 'done':
        // `run_result` repeats it with the final status.
        return;
      default:
        return sink.unknown(wire);
    }
  }

  /** A text has a start line for each of its pieces, and one end line with the whole text. */
  function readContent(wire: JsonObject, event: JsonObject): void {
    const isStart = event.type === 'content_start';
    switch (event.contentType) {
      case 'text': {
        const text = string(event.text) ?? '';
        if (!isStart) return sink.emit({ type: 'text.completed', text });
        tools.isRefused = false;
        return text === '' ? undefined : sink.emit({ type: 'text.delta', text });
      }
      case 'reasoning': {
        const text = string(event.reasoning) ?? string(event.text) ?? '';
        if (!isStart) return sink.emit({ type: 'reasoning.completed', text });
        return text === '' ? undefined : sink.emit({ type: 'reasoning.delta', text });
      }
      case 'tool': {
        const id = filled(event.toolCallId);
        if (id === undefined) return sink.unknown(wire);
        return isStart ? tools.start(id, event) : tools.end(id, event);
      }
      default:
        return sink.unknown(wire);
    }
  }

  function readNotice(event: JsonObject): void {
    const text = asText(event.message);
    const detail = object(event.metadata);
    if (
      event.noticeType === 'recovery' ||
      (detail.kind === 'context_overflow_recovery' && detail.phase === 'started')
    ) {
      const cause = filled(detail.providerError) ?? text;
      return sink.emit({ type: 'retry.scheduled', code: codeOfMessage(cause), cause });
    }
    sink.emit({ type: 'log', stream: 'agent', level: event.noticeType === 'stop' ? 'warning' : 'info', text });
  }

  function stderr(text: string, wire?: JsonObject): boolean {
    if (wire?.type !== 'error' || typeof wire.message !== 'string') return libraryWarning.test(text);
    introduce();
    ending.fail(wire.message);
    return true;
  }

  function end(): void {
    legacy.end();
    ending.end();
  }

  return { line, stderr, end };
}

/** Whether this is the first line of the run itself; its sub-agents begin with similar lines. */
function isFirstLine(wire: JsonObject): boolean {
  return (
    wire.type === 'run_start' ||
    (wire.type === 'hook_event' && wire.hookEventName === 'agent_start' && wire.parentAgentId === null)
  );
}
