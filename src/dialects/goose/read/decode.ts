import { present } from '../../../present.ts';
import type { Decoder, DecoderSink, JsonObject } from '../../dialect.ts';
import { asText, count, filled, isObject, list, number, object, string } from '../../read.ts';
import { isDocument } from '../detect.ts';
import { Ending } from './ending.ts';
import { Texts } from './texts.ts';
import { Tools } from './tools.ts';
import { readUsage } from './usage.ts';

export function decoder(sink: DecoderSink): Decoder {
  const ending = new Ending(sink);
  const texts = new Texts(sink, ending);
  const tools = new Tools(sink);
  let introduced = false;
  /** The message whose pieces are arriving. */
  let turn: string | undefined;
  let turns = 0;

  function line(wire: JsonObject): void {
    if (!introduced) sink.emit({ type: 'thread.started', agent: 'goose' });
    introduced = true;
    switch (wire.type) {
      case 'message':
        return readMessage(object(wire.message));
      case 'notification':
        return readProgress(wire);
      case 'error':
        texts.close(turn);
        return ending.fail(asText(wire.error));
      case 'complete':
        return finish(wire, 'complete');
      default:
        if (!isDocument(wire)) return sink.unknown(wire);
        for (const each of list(wire.messages)) readMessage(object(each));
        return finish(object(wire.metadata), asText(object(wire.metadata).status));
    }
  }

  function readMessage(wire: JsonObject): void {
    const created = number(wire.created);
    if (created !== undefined && created > 0 && created < 8.64e12) sink.at(created * 1000);
    const isAssistant = wire.role === 'assistant';
    if (isAssistant) openTurn(filled(wire.id));
    else texts.close(turn);
    for (const each of list(wire.content)) readContent(object(each), isAssistant);
    if (!isAssistant) turn = undefined;
  }

  function openTurn(id: string | undefined): void {
    if (turn !== undefined && (id === undefined || id === turn)) return;
    texts.close(turn);
    turns += 1;
    turn = id ?? `message_${turns}`;
    sink.emit({ type: 'turn.started' });
  }

  function readContent(part: JsonObject, isAssistant: boolean): void {
    switch (part.type) {
      case 'text':
        if (isAssistant) return texts.say('text', asText(part.text), turn);
        return sink.emit({ type: 'prompt.submitted', text: asText(part.text) });
      case 'thinking':
      case 'reasoning':
        return texts.say('reasoning', string(part.thinking) ?? asText(part.text), turn);
      case 'toolRequest':
      case 'frontendToolRequest':
        return readRequest(part);
      case 'toolResponse':
        return readResponse(part);
      case 'systemNotification':
        return readNotification(part);
      case 'toolConfirmationRequest':
        return readQuestion(part);
      case 'actionRequired':
        return readQuestion(object(part.data));
      case 'image':
      case 'redactedThinking':
        return;
      default:
        return sink.unknown(part);
    }
  }

  function readRequest(part: JsonObject): void {
    texts.close(turn);
    const id = filled(part.id);
    if (id === undefined) return sink.unknown(part);
    ending.lastWord = 'tool';
    ending.recover();
    tools.start(id, object(part.toolCall));
  }

  function readResponse(part: JsonObject): void {
    const id = filled(part.id);
    if (id === undefined) return sink.unknown(part);
    tools.end(id, object(part.toolResult));
  }

  function readNotification(part: JsonObject): void {
    const text = asText(part.msg);
    if (part.notificationType === 'creditsExhausted') return ending.fail(text, 'quota');
    sink.emit({ type: 'log', stream: 'agent', level: 'info', text });
  }

  function readQuestion(part: JsonObject): void {
    const id = filled(part.id);
    if (id === undefined) return;
    const what = filled(part.toolName) ?? filled(part.prompt) ?? filled(part.message) ?? 'unknown';
    sink.emit({ type: 'permission.requested', permission_id: id, what, ...present({ title: filled(part.prompt) }) });
  }

  function readProgress(wire: JsonObject): void {
    const detail = isObject(wire.log) ? wire.log : object(wire.progress);
    const text = asText(detail.message ?? wire.message);
    if (text !== '') sink.emit({ type: 'log', stream: 'agent', level: 'info', text });
  }

  function finish(totals: JsonObject, status: string): void {
    texts.close(turn);
    const total = count(totals.total_tokens);
    // Older versions have only one number for the whole session, not split by kind: that is not usage that can be added up.
    if (!readUsage(sink, totals) && total !== undefined)
      sink.emit({ type: 'log', stream: 'agent', level: 'info', text: `${total} tokens in this session` });
    if (turns > 0) sink.emit({ type: 'turn.completed' });
    ending.read(status, tools.areOpen);
  }

  return { line, end: () => texts.close(turn) };
}
