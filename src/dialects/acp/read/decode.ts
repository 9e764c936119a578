import type { Decoder, DecoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { isObject, object, string } from '../../../json/read.ts';
import { Recent } from '../../kit/recent.ts';
import { agentMethods, clientMethods, isExtension } from '../words.ts';
import { Conversation } from './conversation.ts';
import type { Question } from './permissions.ts';

/** How many requests are remembered until they are answered. */
const remembered = 10_000;

interface Request {
  method: string;
  params: JsonObject;
}

interface AgentRequest extends Request {
  question: Question | undefined;
}

/** Who wrote a line. */
export type Side = 'client' | 'agent';

/**
 * Messages of both sides in one stream, or those of the agent alone. Requests and notifications are recognised by their methods. Each
 * side numbers its own requests, so an answer is recognised by its content and by the requests that are open. Where the writer of a
 * line is known, neither side can speak for the other.
 */
export function decoder(sink: DecoderSink, writer: () => Side | undefined = () => undefined): Decoder {
  const conversation = new Conversation(sink);
  const byClient = new Recent<Request>(remembered);
  const byAgent = new Recent<AgentRequest>(remembered);

  function line(wire: JsonObject): void {
    const method = string(wire.method);
    if (method !== undefined) return 'id' in wire ? request(wire, method) : notification(wire, method);
    if (wire.jsonrpc === '2.0' && ('result' in wire || 'error' in wire)) return answer(wire);
    sink.unknown(wire);
  }

  function request(wire: JsonObject, method: string): void {
    const params = object(wire.params);
    const key = keyOf(wire.id);
    if (isForged(method)) {
      // It is refused, and the refusal is our answer.
      byAgent.set(key, { method, params, question: undefined });
      return sink.unknown(wire);
    }
    if (clientMethods.has(method)) {
      // A line that appears twice in a log.
      const before = byClient.get(key);
      if (before?.method === method && JSON.stringify(before.params) === JSON.stringify(params)) return;
      byClient.set(key, { method, params });
      return conversation.clientAsks(method, params);
    }
    if (!agentMethods.has(method) && !isExtension(method)) return sink.unknown(wire);
    byAgent.set(key, { method, params, question: conversation.agentAsks(method, params, wire.id) });
  }

  function isForged(method: string): boolean {
    return writer() === 'agent' && clientMethods.has(method);
  }

  function notification(wire: JsonObject, method: string): void {
    if (isForged(method)) return sink.unknown(wire);
    if (method === 'session/update') {
      if (!conversation.update(object(wire.params))) sink.unknown(wire);
    } else if (method === 'session/cancel') conversation.cancelled();
    else if (!clientMethods.has(method) && !agentMethods.has(method) && !isExtension(method)) sink.unknown(wire);
  }

  function answer(wire: JsonObject): void {
    const key = keyOf(wire.id);
    const side = writer();
    const [clientRequest, question] = [
      side === 'client' ? undefined : byClient.get(key),
      side === 'agent' ? undefined : byAgent.get(key),
    ];
    if (side !== undefined && clientRequest === undefined && question === undefined) {
      // An agent that fails after it has answered withdraws its answer; no other unsolicited answer counts.
      const isFault = side === 'agent' && !conversation.waits && wire.error !== undefined && wire.error !== null;
      if (isFault) conversation.agentAnswers('session/prompt', {}, wire);
      else if (methodOf(wire) !== '') sink.unknown(wire);
      return;
    }
    if (question !== undefined && (clientRequest === undefined || fits(wire))) {
      byAgent.delete(key);
      return conversation.clientAnswers(question.method, question.params, question.question, wire);
    }
    // An id that no request used answers nothing, least of all the prompt that is still open.
    if (clientRequest === undefined && conversation.waits && methodOf(wire) === 'session/prompt')
      return sink.unknown(wire);
    byClient.delete(key);
    conversation.agentAnswers(clientRequest?.method ?? methodOf(wire), clientRequest?.params ?? {}, wire);
  }

  return { line, end: () => conversation.end() };
}

/** Whether this can be the client's answer. An agent does not fail a prompt while it waits for our answer. */
function fits({ result }: JsonObject): boolean {
  if (!isObject(result)) return true;
  return !('stopReason' in result || 'sessionId' in result || 'protocolVersion' in result);
}

/** The method of a request that was not seen. */
function methodOf({ result, error }: JsonObject): string {
  if ((error !== undefined && error !== null) || (isObject(result) && 'stopReason' in result)) return 'session/prompt';
  if (isObject(result) && 'protocolVersion' in result) return 'initialize';
  return isObject(result) && 'sessionId' in result ? 'session/new' : '';
}

function keyOf(id: Json | undefined): string {
  return `${typeof id} ${typeof id === 'string' || typeof id === 'number' ? id : ''}`;
}
