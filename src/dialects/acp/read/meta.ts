import { eventIn } from '../../../events/check.ts';
import type { AgentEvent, EventType } from '../../../events/event.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { filled, isObject, object } from '../../../json/read.ts';
import { ownMeta } from '../words.ts';

/** What Runwire itself wrote into a message; undefined: another program wrote it. */
export function ownMetaOf(wire: JsonObject): JsonObject | undefined {
  const own = object(wire._meta)[ownMeta];
  return isObject(own) ? own : undefined;
}

/** The error that an agent tells in a field of its own, beside a stop reason that says nothing of it. */
export function faultIn(meta: JsonObject): string | undefined {
  for (const key in meta) {
    const value = meta[key];
    if (/\berrorMessage$/.test(key) && filled(value) !== undefined) return filled(value);
    const { failed, error, errorMessage } = object(value);
    const message = filled(errorMessage) ?? filled(error) ?? filled(object(error).message);
    if (failed === true || filled(errorMessage) !== undefined) return message ?? 'the turn failed';
  }
  return undefined;
}

/** Events that ACP cannot express, and that an agent may report about itself. */
const carried: ReadonlySet<EventType> = new Set<EventType>([
  'prompt.submitted',
  'turn.started',
  'turn.completed',
  'file.edited',
  'permission.requested',
  'permission.resolved',
  'usage.reported',
  'retry.scheduled',
  'limit.reached',
  'rate_limit.reported',
  'log',
  'error',
]);

/** Whether an event goes into `_meta` as a whole. */
export function isCarried(type: EventType): boolean {
  return carried.has(type);
}

export function carriedEvent(value: Json | undefined): AgentEvent | undefined {
  const event = isObject(value) ? eventIn(value) : undefined;
  return event !== undefined && carried.has(event.type) ? event : undefined;
}
