import type { JsonObject } from '../../json/json.ts';
import { isObject } from '../../json/read.ts';
import { surest } from '../kit/surest.ts';
import { agentMethods, clientMethods } from './words.ts';

export function detect(head: readonly JsonObject[]): number {
  return surest(head, sure);
}

function sure(wire: JsonObject): number {
  if (wire.jsonrpc !== '2.0') return 0;
  const { method, result } = wire;
  if (typeof method === 'string') return isOwn(wire, method) ? 1 : 0;
  if (!isObject(result)) return 0;
  // In MCP, which has a request of the same name, it is a string.
  if (typeof result.protocolVersion === 'number') return 1;
  if (typeof result.stopReason === 'string') return 0.95;
  return typeof result.sessionId === 'string' ? 0.9 : 0;
}

function isOwn({ params }: JsonObject, method: string): boolean {
  if (method === 'initialize') return isObject(params) && typeof params.protocolVersion === 'number';
  return agentMethods.has(method) || clientMethods.has(method);
}
