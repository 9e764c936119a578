import type { Json, JsonObject } from '../../../json/json.ts';
import { filled, isObject, list, object } from '../../../json/read.ts';

/** The document of `opencode export`: a session, and its messages with their parts. */
export function isExport(wire: JsonObject): boolean {
  if (wire.type !== undefined || !isObject(wire.info) || !Array.isArray(wire.messages)) return false;
  return (
    typeof wire.info.id === 'string' &&
    wire.messages.every((each) => isObject(each) && isObject(each.info) && Array.isArray(each.parts))
  );
}

interface BusEvent {
  type: string;
  properties: JsonObject;
}

/** The same as the events in which its server would have told it. */
export function* eventsOf(wire: JsonObject): Generator<BusEvent> {
  const info = object(wire.info);
  const sessionID = filled(info.id) ?? '';
  yield { type: 'session.created', properties: { info } };
  const messages = list(wire.messages).map(object);
  let isAnswered = false;
  for (const message of messages) {
    if (isAnswered) yield { type: 'session.idle', properties: { sessionID } };
    const about: JsonObject = { sessionID, ...object(message.info) };
    // As it began; the message with its end comes after its parts.
    const { time, error: _error, finish: _finish, ...begun } = about;
    yield { type: 'message.updated', properties: { info: { ...begun, time: begunAt(time) } } };
    for (const part of list(message.parts))
      yield {
        type: 'message.part.updated',
        properties: { part: { sessionID, messageID: about.id ?? '', ...object(part) } },
      };
    // Versions that do not tell why a message ended end it well.
    const isWell = about.finish === undefined && about.error === undefined && isAnswer(about, message);
    yield { type: 'message.updated', properties: { info: isWell ? { ...about, finish: 'stop' } : about } };
    isAnswered = !isObject(about.error) && isAnswer(about, message);
  }
  const { error } = object(messages.at(-1)?.info);
  if (isObject(error)) yield { type: 'session.error', properties: { sessionID, error } };
  else if (isAnswered) yield { type: 'session.idle', properties: { sessionID } };
}

function begunAt(time: Json | undefined): JsonObject {
  const { created } = object(time);
  return created === undefined ? {} : { created };
}

/** The document does not say how the session ended: a message that ended without a call is its answer. */
function isAnswer(info: JsonObject, message: JsonObject | undefined): boolean {
  if (info.role !== 'assistant' || object(info.time).completed === undefined) return false;
  if (typeof info.finish === 'string') return info.finish !== 'tool-calls' && info.finish !== 'unknown';
  const parts = list(message?.parts).map(object);
  const ends = parts.findLast(({ type }) => type === 'step-finish');
  if (typeof ends?.reason === 'string') return ends.reason !== 'tool-calls';
  return parts.findLast(({ type }) => type === 'text' || type === 'tool')?.type === 'text';
}
