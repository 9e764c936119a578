import { eventIn } from '../../../events/check.ts';
import type { Decoder, DecoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { asText, filled, list, object } from '../../../json/read.ts';
import { foreignSubtype } from '../words.ts';
import { Conversation } from './conversation.ts';
import { Ending } from './ending.ts';
import { decodeOld } from './legacy.ts';
import { readNotice } from './notices.ts';
import { Permissions } from './permissions.ts';
import { isSession, SessionFile } from './session.ts';
import { stderrReader } from './stderr.ts';
import { Tools } from './tools.ts';

export function decoder(sink: DecoderSink): Decoder {
  const permissions = new Permissions(sink);
  const tools = new Tools(sink, permissions);
  const talk = new Conversation(sink, tools);
  const ending = new Ending(sink, talk, tools, permissions);
  const file = new SessionFile(sink, tools);
  let heard = false;

  function line(wire: JsonObject): void {
    if (file.isStarted || (!heard && isSession(wire))) return file.line(wire);
    heard = true;
    switch (wire.type) {
      case 'assistant':
        return talk.assistant(wire);
      case 'user':
        return user(wire);
      case 'stream_event':
        return talk.stream(wire);
      case 'result':
        return ending.read(wire);
      case 'system':
        return system(wire, object(wire.data));
      case 'control_request':
      case 'control_response':
      case 'control_cancel_request':
        return permissions.control(wire);
      default:
        if (wire.type !== undefined || !decodeOld(wire, sink)) sink.unknown(wire);
    }
  }

  function user(wire: JsonObject): void {
    const isMain = filled(wire.parent_tool_use_id) === undefined;
    const message = object(wire.message);
    const { content } = message;
    const unknown: Json[] = [];
    for (const each of typeof content === 'string' ? [{ type: 'text', text: content }] : list(content)) {
      const block = object(each);
      if (block.type === 'text') userText(asText(block.text), isMain);
      else if (block.type !== 'tool_result' || !tools.end(block)) unknown.push(each);
    }
    if (unknown.length > 0) sink.unknown({ ...wire, message: { ...message, content: unknown } });
    if (isMain) talk.endAnswer();
  }

  /** The prompt is not echoed; later text under the user's name is a notice by the program itself. */
  function userText(text: string, isMain: boolean): void {
    if (!isMain || text === '') return;
    if (!talk.isInTurn && !ending.hasResult) sink.emit({ type: 'prompt.submitted', text });
    else sink.emit({ type: 'log', stream: 'agent', level: 'info', text });
  }

  function system(wire: JsonObject, data: JsonObject): void {
    if (wire.subtype === 'retry') return talk.retry(data);
    if (wire.subtype === foreignSubtype) return foreign(data, wire);
    if (wire.subtype === 'init') talk.endTurn();
    if (!readNotice(wire, data, sink)) sink.unknown(wire);
  }

  /** An event of another agent that Runwire wrote in this dialect. */
  function foreign(data: JsonObject, wire: JsonObject): void {
    const event = eventIn(data);
    if (event?.type === 'limit.reached') ending.reach(event);
    else if (
      event?.type === 'log' ||
      event?.type === 'rate_limit.reported' ||
      (event?.type === 'error' && !event.fatal)
    )
      sink.emit(event);
    else sink.unknown(wire);
  }

  function end(): void {
    if (file.isStarted) return file.end();
    talk.end();
    ending.end();
  }

  return { line, stderr: stderrReader(sink, ending, () => heard), end };
}
