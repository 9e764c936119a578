import type { JsonObject } from '../dialect.ts';

const lineTypes = new Set<unknown>(['system', 'assistant', 'user', 'result']);

/** Claude's line types with Amp's own thread ids. */
export function detect(head: readonly JsonObject[]): number {
  return head.some((wire) => typeof wire.session_id === 'string' && wire.session_id.startsWith('T-') && lineTypes.has(wire.type)) ? 1 : 0;
}
