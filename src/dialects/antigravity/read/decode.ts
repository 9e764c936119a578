import { present } from '../../../present.ts';
import { codeOfMessage } from '../../../faults.ts';
import type { Decoder, DecoderSink, JsonObject } from '../../dialect.ts';
import { asText, filled, object, string, whole } from '../../read.ts';
import { isResult } from '../detect.ts';
import { readDenials, readEnding } from './ending.ts';
import { Tools } from './tools.ts';
import { readUsage } from './usage.ts';

/** `agy --output-format stream-json`: steps that begin, grow and end, and one result for each prompt. */
export function decoder(sink: DecoderSink): Decoder {
  const tools = new Tools(sink);
  let session: string | undefined;
  let model: string | undefined;
  /** The text of the open answer. */
  let text = '';
  let lastText: string | undefined;
  let messages = 0;
  let turnOpen = false;
  let steps = 0;

  function line(wire: JsonObject): void {
    switch (wire.event) {
      case 'init':
        return introduce(filled(wire.conversation_id) ?? '', object(wire.init));
      case 'step_update':
        return step(object(wire.step_update));
      case 'result':
        return result(object(wire.result));
      default:
        return isResult(wire) ? result(wire) : sink.unknown(wire);
    }
  }

  function introduce(id: string, init: JsonObject): void {
    if (session !== undefined && session === id) return;
    session = id;
    model = filled(init.model) ?? model;
    sink.emit({ type: 'thread.started', agent: 'antigravity', ...present({ session_id: filled(id), model, cwd: filled(init.cwd) }) });
  }

  function step(wire: JsonObject): void {
    steps += 1;
    const id = whole(wire.step_index);
    switch (wire.step_type) {
      case 'user_input':
        if (filled(wire.text_delta) !== undefined) sink.emit({ type: 'prompt.submitted', text: asText(wire.text_delta) });
        return;
      case 'tool':
        closeText();
        turn();
        return tools.read(id === undefined ? undefined : `step_${id}`, wire);
      case 'error_message': {
        const message = filled(wire.error) ?? filled(wire.text_delta);
        if (message !== undefined) sink.emit({ type: 'error', scope: 'agent', code: codeOfMessage(message), message, fatal: false });
        return;
      }
      case 'agent_response':
        turn();
        return say(wire);
      case undefined:
        // The end of an answer may name its step alone.
        if (text !== '') say(wire);
    }
  }

  function turn(): void {
    if (turnOpen) return;
    turnOpen = true;
    sink.emit({ type: 'turn.started', ...present({ model }) });
  }

  function say(wire: JsonObject): void {
    const isDone = wire.state === 'DONE';
    const more = string(wire.text_delta) ?? '';
    // Some builds repeat the whole text at its end.
    const isRepeated = isDone && text !== '' && more === text;
    if (more !== '' && !isRepeated) {
      text += more;
      sink.emit({ type: 'text.delta', text: more, message_id: `message_${messages + 1}`, block_id: `message_${messages + 1}` });
    }
    if (isDone) closeText();
  }

  function closeText(): void {
    if (text === '') return;
    messages += 1;
    sink.emit({ type: 'text.completed', text, message_id: `message_${messages}`, block_id: `message_${messages}` });
    lastText = text;
    text = '';
  }

  function result(wire: JsonObject): void {
    if (session === undefined) introduce(filled(wire.conversation_id) ?? '', wire);
    closeText();
    readDenials(wire, sink);
    const response = filled(wire.response);
    const turns = steps === 0 ? whole(wire.num_turns) || undefined : undefined;
    if (response !== undefined && response.trim() !== lastText?.trim()) {
      turn();
      text = response;
      closeText();
    }
    readUsage(sink, wire.usage, model);
    if (turnOpen) sink.emit({ type: 'turn.completed', finish_reason: wire.status === 'SUCCESS' ? 'stop' : 'error' });
    turnOpen = false;
    lastText = undefined;
    readEnding(wire, turns, sink);
  }

  return { line, end: () => closeText() };
}
