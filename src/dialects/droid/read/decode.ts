import { present } from '../../../present.ts';
import type { Decoder, DecoderSink, JsonObject } from '../../dialect.ts';
import { asText, count, filled, string, time } from '../../read.ts';
import { readInit } from '../../shared/init.ts';
import { Ending } from './ending.ts';
import { Tools } from './tools.ts';
import { readUsage } from './usage.ts';

export function decoder(sink: DecoderSink): Decoder {
  const tools = new Tools(sink);
  const ending = new Ending(sink);
  let turn: string | undefined;
  let thinking = false;
  let said = false;

  function line(wire: JsonObject): void {
    const at = time(wire.timestamp);
    if (at !== undefined) sink.at(at);
    switch (wire.type) {
      case 'system':
        return readInit(sink, 'droid', wire);
      case 'message':
        return readMessage(wire);
      case 'reasoning':
        return readReasoning(wire);
      case 'tool_call':
        openTurn(filled(wire.messageId));
        return tools.start(wire);
      case 'tool_result':
        return tools.end(wire);
      case 'error':
        return ending.fail(asText(wire.message));
      case 'completion':
        readUsage(sink, wire.usage);
        return finish(
          typeof wire.finalText === 'string' && (wire.isError === undefined || wire.isError === false),
          asText(wire.finalText),
          present({ duration_ms: count(wire.durationMs) }),
        );
      case 'result':
        readUsage(sink, wire.usage);
        return finish(
          wire.subtype === 'success' && wire.is_error === false,
          asText(wire.result),
          present({ raw_status: string(wire.subtype), duration_ms: count(wire.duration_ms) }),
        );
      default:
        if (!ending.readLog(wire)) sink.unknown(wire);
    }
  }

  function readMessage(wire: JsonObject): void {
    const text = asText(wire.text);
    const id = filled(wire.id);
    if (wire.role === 'user') return sink.emit({ type: 'prompt.submitted', text, ...present({ message_id: id }) });
    openTurn(id);
    if (text === '') return;
    said = true;
    sink.emit({ type: 'text.completed', text, ...present({ message_id: id, block_id: id }) });
  }

  /** Reasoning comes before the message to which it belongs, and does not name it. */
  function readReasoning(wire: JsonObject): void {
    if (!thinking) sink.emit({ type: 'turn.started' });
    thinking = true;
    sink.emit({ type: 'reasoning.completed', text: asText(wire.text) });
  }

  function openTurn(id: string | undefined): void {
    ending.recover();
    if (id === undefined || id === turn) return;
    if (!thinking) sink.emit({ type: 'turn.started' });
    thinking = false;
    turn = id;
  }

  function finish(good: boolean, text: string, fields: { raw_status?: string; duration_ms?: number }): void {
    if (good && !said && text !== '') sink.emit({ type: 'text.completed', text });
    ending.read(good, text, fields);
  }

  return { line, stderr: (text, wire) => ending.readStderr(text, wire), end() {} };
}
