import type { JsonObject } from '../../json/json.ts';
import { objectIn } from '../../json/parse.ts';
import { surest } from '../kit/surest.ts';

const lineTypes = new Set<unknown>([
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
  if (head.length === 0)
    return stderr.some((text) => text.startsWith('{"ts":"') && isStderrError(objectIn(text))) ? 0.9 : 0;
  return surest(head, sure);
}

function sure(wire: JsonObject): number {
  if (typeof wire.ts === 'string') return lineTypes.has(wire.type) || isStderrError(wire) ? 1 : 0;
  // 2.x: `type` is only `say` or `ask`; the kind is in the field of that name.
  if (typeof wire.ts !== 'number') return 0;
  return (wire.type === 'say' && typeof wire.say === 'string') || (wire.type === 'ask' && typeof wire.ask === 'string')
    ? 1
    : 0;
}

function isStderrError(wire: JsonObject): boolean {
  return wire.type === 'error' && typeof wire.message === 'string' && typeof wire.ts === 'string';
}
