import type { JsonObject } from '../dialect.ts';
import { isObject } from '../read.ts';

export function detect(head: readonly JsonObject[]): number {
  return head.some(isEvent) ? 1 : head.some(isResult) ? 0.95 : 0;
}

function isEvent(wire: JsonObject): boolean {
  return (
    typeof wire.type === 'string' &&
    /^[a-z_]+(?:\.[a-z_]+)?$/.test(wire.type) &&
    isObject(wire.data) &&
    typeof wire.id === 'string' &&
    'parentId' in wire &&
    // What an extension of pi adds to a session.
    !('customType' in wire) &&
    typeof wire.timestamp === 'string'
  );
}

function isResult(wire: JsonObject): boolean {
  return wire.type === 'result' && typeof wire.exitCode === 'number' && typeof wire.sessionId === 'string';
}
