import type { JsonObject } from '../dialect.ts';
import { isObject } from '../read.ts';
import { surest } from '../surest.ts';

export function detect(head: readonly JsonObject[]): number {
  return surest(head, sure);
}

function sure(wire: JsonObject): number {
  switch (wire.type) {
    case 'message':
      return isMessage(wire.message) ? 1 : 0;
    case 'notification':
      return typeof wire.extension_id === 'string' ? 0.95 : 0;
    case 'complete':
      return 'total_tokens' in wire ? 0.95 : 0;
    case 'error':
      // A `complete` line follows and decides.
      return typeof wire.error === 'string' && Object.keys(wire).length === 2 ? 0.3 : 0;
    case undefined:
      return isDocument(wire) ? 1 : 0;
    default:
      return 0;
  }
}

function isMessage(value: unknown): boolean {
  return isObject(value) && typeof value.role === 'string' && Array.isArray(value.content) && typeof value.created === 'number';
}

export function isDocument(wire: JsonObject): boolean {
  return Array.isArray(wire.messages) && isObject(wire.metadata) && 'total_tokens' in wire.metadata && 'status' in wire.metadata;
}
