import { eventIn } from '../../../events/check.ts';
import type { AgentEvent, EventType } from '../../../events/event.ts';
import type { Json, JsonObject } from '../../dialect.ts';
import { isObject, object } from '../../read.ts';
import { ownMeta } from '../words.ts';

/** What Runwire itself wrote into a message; undefined: another program wrote it. */
export function ownMetaOf(wire: JsonObject): JsonObject | undefined {
  const own = object(wire._meta)[ownMeta];
  return isObject(own) ? own : undefined;
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
