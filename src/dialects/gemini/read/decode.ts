import { present } from '../../../json/present.ts';
import type { Decoder, DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { asText, count, filled, isObject, object, string, time } from '../../../json/read.ts';
import { readDocument } from './document.ts';
import { codeOf, readEnding } from './ending.ts';
import { isSession, isSessionLine, SessionFile } from './session.ts';
import { Stderr } from './stderr.ts';
import { Tools } from './tools.ts';
import { readUsage } from './usage.ts';

export function decoder(sink: DecoderSink): Decoder {
  const tools = new Tools(sink);
  const stderr = new Stderr(sink);
  const session = new SessionFile(sink, tools);
  /** The running assistant text: this wire does not mark its end. */
  let text = '';
  let turnOpen = false;
  let answered = false;
  let lastError: string | undefined;

  /** One model response is text and calls, then the results of all calls: whatever follows a result is the next response. */
  function response(): void {
    if (turnOpen && !answered) return;
    if (turnOpen) sink.emit({ type: 'turn.completed', finish_reason: 'tool_calls' });
    sink.emit({ type: 'turn.started' });
    turnOpen = true;
    answered = false;
  }

  function closeText(): void {
    if (text === '') return;
    sink.emit({ type: 'text.completed', text });
    text = '';
  }

  function readMessage(wire: JsonObject): void {
    const content = string(wire.content);
    if (content === undefined) return sink.unknown(wire);
    if (wire.role === 'user') return sink.emit({ type: 'prompt.submitted', text: content });
    if (wire.role !== 'assistant') return sink.unknown(wire);
    if (wire.delta !== true) closeText();
    if (content === '') return;
    response();
    sink.emit({ type: 'text.delta', text: content });
    text += content;
    if (wire.delta !== true) closeText();
  }

  function readToolUse(wire: JsonObject): void {
    const id = filled(wire.tool_id);
    if (id === undefined) return sink.unknown(wire);
    closeText();
    response();
    tools.start(id, wire);
  }

  function readToolResult(wire: JsonObject): void {
    const id = filled(wire.tool_id);
    if (id === undefined) return sink.unknown(wire);
    closeText();
    answered = true;
    tools.end(id, wire);
  }

  function readError(wire: JsonObject): void {
    const message = asText(wire.message);
    if (wire.severity === 'warning')
      return sink.emit({ type: 'log', stream: 'agent', level: 'warning', text: message });
    lastError = message;
    sink.emit({ type: 'error', scope: 'agent', code: codeOf(message), message, fatal: true });
  }

  function readResult(wire: JsonObject): void {
    // Damage can make the name of another line; that line ends nothing.
    if (typeof wire.status !== 'string' && !isObject(wire.stats)) return sink.unknown(wire);
    closeText();
    const stats = object(wire.stats);
    readUsage(sink, stats);
    const ok = wire.status === 'success' && wire.error === undefined && lastError === undefined;
    if (turnOpen) sink.emit({ type: 'turn.completed', finish_reason: ok ? 'stop' : 'error' });
    turnOpen = false;
    const error = object(wire.error);
    // An empty or blocked answer is reported by an earlier `error` line; the result then has no message.
    const message = string(error.message) ?? lastError;
    readEnding(sink, { ok, message, type: string(error.type), duration: count(stats.duration_ms) || undefined });
  }

  /** Anything still open belongs to an earlier run. */
  function introduce(wire: JsonObject): void {
    text = '';
    turnOpen = false;
    answered = false;
    lastError = undefined;
    sink.emit({
      type: 'thread.started',
      agent: 'gemini',
      ...present({ session_id: filled(wire.session_id), model: filled(wire.model) }),
    });
    stderr.introduced();
  }

  function line(wire: JsonObject): void {
    if (isSession(wire)) return session.start(wire);
    if (session.isStarted && isSessionLine(wire)) return session.message(wire);
    const ms = time(wire.timestamp);
    if (ms !== undefined) sink.at(ms);
    switch (wire.type) {
      case 'init':
        return introduce(wire);
      case 'message':
        return readMessage(wire);
      case 'tool_use':
        return readToolUse(wire);
      case 'tool_result':
        return readToolResult(wire);
      case 'error':
        return readError(wire);
      case 'result':
        return readResult(wire);
      default:
        if (wire.type !== undefined || !readDocument(sink, wire, () => stderr.introduced())) sink.unknown(wire);
    }
  }

  function end(): void {
    session.end();
    stderr.end();
  }

  return { line, stderr: (printed, wire) => stderr.line(printed, wire), end };
}
