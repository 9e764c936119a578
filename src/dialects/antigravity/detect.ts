import type { JsonObject } from '../dialect.ts';
import { isObject } from '../read.ts';
import { surest } from '../surest.ts';

export function detect(head: readonly JsonObject[]): number {
  return surest(head, sure);
}

function sure(wire: JsonObject): number {
  switch (wire.event) {
    case 'init':
      return isObject(wire.init) && typeof wire.conversation_id === 'string' ? 1 : 0;
    case 'step_update':
      return isObject(wire.step_update) && 'state' in wire.step_update ? 1 : 0;
    case 'result':
      return isObject(wire.result) && typeof wire.result.status === 'string' ? 1 : 0;
    case undefined:
      return isResult(wire) && 'response' in wire && ('num_turns' in wire || 'duration_seconds' in wire) ? 0.95 : 0;
    default:
      return 0;
  }
}

/** The one object of `json`. */
export function isResult(wire: JsonObject): boolean {
  return typeof wire.conversation_id === 'string' && typeof wire.status === 'string' && !('type' in wire);
}
