import type { EventOf } from '../../../events/event.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { filled, list, object } from '../../../json/read.ts';

const statuses: Readonly<Record<string, string>> = {
  in_progress: 'in_progress',
  completed: 'completed',
  done: 'completed',
};
const priorities = new Set<unknown>(['high', 'medium', 'low']);

/** An agent's plan, as an editor shows it; undefined: the call has none. */
export function planOf({ kind, args }: EventOf<'item.started'>): JsonObject[] | undefined {
  if (kind !== 'plan') return undefined;
  const { entries, todos, items, plan } = object(args);
  const given = [entries, todos, items, plan].find((each) => Array.isArray(each));
  const all = list(given).flatMap((each) => entryOf(object(each)));
  return all.length === 0 ? undefined : all;
}

function entryOf(step: JsonObject): JsonObject[] {
  const content =
    filled(step.content) ?? filled(step.text) ?? filled(step.step) ?? filled(step.description) ?? filled(step.title);
  if (content === undefined) return [];
  const priority: Json = priorities.has(step.priority) ? (step.priority ?? 'medium') : 'medium';
  const status =
    step.completed === true
      ? 'completed'
      : typeof step.status === 'string'
        ? (statuses[step.status] ?? 'pending')
        : 'pending';
  return [{ content, priority, status }];
}
