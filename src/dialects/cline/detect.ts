import type { JsonObject } from '../dialect.ts';
import { isObject } from '../read.ts';

const lineTypes = new Set([
  'run_start',
  'agent_event',
  'team_event',
  'hook_event',
  'team_restored',
  'run_abort_requested',
  'run_aborted',
  'run_result',
]);

export function detect(head: readonly JsonObject[], stderr: readonly string[]): number {
  let best = 0;
  for (const wire of head) best = Math.max(best, sure(wire));
  if (head.length === 0 && stderr.some(isError)) best = 0.9;
  return best;
}

function sure(wire: JsonObject): number {
  if (typeof wire.ts === 'string') return lineTypes.has(String(wire.type)) || isStderrError(wire) ? 1 : 0;
  // 2.x: `type` says only whether Cline tells or asks; the kind is in the field of that name.
  if (typeof wire.ts !== 'number') return 0;
  return (wire.type === 'say' && typeof wire.say === 'string') || (wire.type === 'ask' && typeof wire.ask === 'string') ? 1 : 0;
}

function isStderrError(wire: JsonObject): boolean {
  return wire.type === 'error' && typeof wire.message === 'string' && typeof wire.ts === 'string';
}

function isError(text: string): boolean {
  if (!text.startsWith('{"ts":"')) return false;
  try {
    const wire: unknown = JSON.parse(text);
    return isObject(wire) && isStderrError(wire);
  } catch {
    return false;
  }
}
