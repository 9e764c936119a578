import type { Decoder, DecoderSink, JsonObject } from '../dialect.ts';
import { asText, compact, count, filled, object, string, time } from '../read.ts';
import { readDocument } from './document.ts';
import { codeOf } from './faults.ts';
import { stderrReader } from './stderr.ts';
import { editedFile, kindOf, resultStatus } from './tools.ts';
import { emitUsage, streamTokens } from './usage.ts';
import { emitFailure } from './failure.ts';

export function decoder(sink: DecoderSink): Decoder {
  const open = new Map<string, { name: string; args: JsonObject }>();
  const stderr = stderrReader(sink);
  /** The running assistant text: it has no end of its own on this wire. */
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
    const name = asText(wire.tool_name);
    open.set(id, { name, args: object(wire.parameters) });
    sink.emit({ type: 'item.started', item_id: id, kind: kindOf(name), name, args: wire.parameters ?? {} });
  }

  function readToolResult(wire: JsonObject): void {
    const id = filled(wire.tool_id);
    if (id === undefined) return sink.unknown(wire);
    closeText();
    const call = open.get(id);
    open.delete(id);
    answered = true;
    const status = resultStatus(call?.name ?? '', wire);
    const error = string(object(wire.error).message);
    sink.emit({
      type: 'item.completed',
      item_id: id,
      status,
      ...(wire.output === undefined ? {} : { output: wire.output }),
      ...(error === undefined ? {} : { error }),
    });
    const edited = status === 'success' && call !== undefined ? editedFile(call.name, call.args) : undefined;
    if (edited !== undefined) sink.emit({ type: 'file.edited', ...edited, item_id: id });
  }

  function readError(wire: JsonObject): void {
    const message = asText(wire.message);
    if (wire.severity === 'warning') return sink.emit({ type: 'log', stream: 'agent', level: 'warning', text: message });
    lastError = message;
    sink.emit({ type: 'error', scope: 'agent', code: codeOf(message), message, fatal: true });
  }

  function readResult(wire: JsonObject): void {
    closeText();
    const stats = object(wire.stats);
    emitUsage(sink, streamTokens(stats));
    const ok = wire.status === 'success' && wire.error === undefined && lastError === undefined;
    if (turnOpen) sink.emit({ type: 'turn.completed', finish_reason: ok ? 'stop' : 'error' });
    turnOpen = false;
    const duration = count(stats.duration_ms) || undefined;
    if (ok) return sink.emit({ type: 'agent.finished', status: 'ok', ...compact({ duration_ms: duration }) });
    const error = object(wire.error);
    // An empty or blocked answer is told by the `error` line before; the result then has no words of its own.
    emitFailure(sink, { message: string(error.message) ?? lastError, type: string(error.type), duration });
  }

  function line(wire: JsonObject): void {
    const ms = time(wire.timestamp);
    if (ms !== undefined) sink.at(ms);
    switch (wire.type) {
      case 'init':
        sink.emit({
          type: 'thread.started',
          agent: 'gemini',
          ...compact({ session_id: filled(wire.session_id), model: filled(wire.model) }),
        });
        return stderr.introduced();
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
        if (wire.type !== undefined || !readDocument(sink, wire, stderr.introduced)) sink.unknown(wire);
    }
  }

  return { line, stderr: stderr.line, end: stderr.end };
}
