import type { EventOf } from '../../../events/event.ts';
import type { Json, JsonObject } from '../../dialect.ts';
import { filled, list, object } from '../../read.ts';

const statuses: Readonly<Record<string, string>> = { in_progress: 'in_progress', completed: 'completed', done: 'completed' };
const priorities = new Set<unknown>(['high', 'medium', 'low']);

/** An agent's plan, as an editor shows it; undefined: the call has none. */
export function planOf({ kind, args }: EventOf<'item.started'>): JsonObject[] | undefined {
  if (kind !== 'plan') return undefined;
  const { entries, todos, items, plan } = object(args);
  const told = [entries, todos, items, plan].find((each) => Array.isArray(each));
  const all = list(told).flatMap((each) => entryOf(object(each)));
  return all.length === 0 ? undefined : all;
}

function entryOf(told: JsonObject): JsonObject[] {
  const content = filled(told.content) ?? filled(told.text) ?? filled(told.step) ?? filled(told.description) ?? filled(told.title);
  if (content === undefined) return [];
  const priority: Json = priorities.has(told.priority) ? (told.priority ?? 'medium') : 'medium';
  const status = told.completed === true ? 'completed' : typeof told.status === 'string' ? (statuses[told.status] ?? 'pending') : 'pending';
  return [{ content, priority, status }];
}
