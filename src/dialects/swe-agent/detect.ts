import type { JsonObject } from '../dialect.ts';
import { isObject } from '../read.ts';
import { surest } from '../surest.ts';

export function detect(head: readonly JsonObject[]): number {
  return surest(head, (wire) => (isTrajectory(wire) ? 1 : isMini(wire) ? 0.95 : 0));
}

/** The file of SWE-agent. */
export function isTrajectory(wire: JsonObject): boolean {
  if (!Array.isArray(wire.trajectory) || !isObject(wire.info)) return false;
  const [first] = wire.trajectory;
  return first === undefined
    ? 'history' in wire || 'exit_status' in wire.info
    : isObject(first) && 'action' in first && 'observation' in first;
}

/** The file of mini-SWE-agent. */
export function isMini(wire: JsonObject): boolean {
  if (!Array.isArray(wire.messages) || !isObject(wire.info)) return false;
  return (typeof wire.trajectory_format === 'string' && wire.trajectory_format.startsWith('mini-swe-agent')) || 'mini_version' in wire.info;
}
