import type { AgentEvent, EventType } from './event.ts';
import { shapes } from './shapes.ts';

type Fields = Record<string, unknown>;

/** The event in a line of a tape, without its envelope; undefined when the line is not one of our events. */
export function eventIn(wire: Fields): AgentEvent | undefined {
  const type = wire.type;
  if (typeof type !== 'string' || !Object.hasOwn(shapes, type)) return undefined;
  const shape = shapes[type as EventType];
  const event: Fields = { type };
  for (const field in shape) {
    const kind = shape[field] as string;
    const optional = kind.startsWith('~');
    const value = wire[field];
    if (value === undefined) {
      if (optional) continue;
      return undefined;
    }
    if (!fits(value, optional ? kind.slice(1) : kind)) return undefined;
    event[field] = value;
  }
  return event as AgentEvent;
}

function fits(value: unknown, kind: string): boolean {
  switch (kind) {
    case 'json':
      return true;
    case 'string':
      return typeof value === 'string';
    case 'id':
      return typeof value === 'string' && value !== '';
    case 'boolean':
      return typeof value === 'boolean';
    case 'count':
      return Number.isSafeInteger(value) && (value as number) >= 0;
    case 'integer':
      return Number.isSafeInteger(value);
    case 'amount':
      return Number.isFinite(value) && (value as number) >= 0;
    case 'number':
      return Number.isFinite(value);
    default:
      if (kind.endsWith('?')) return value === null || fits(value, kind.slice(0, -1));
      return typeof value === 'string' && kind.split('|').includes(value);
  }
}
