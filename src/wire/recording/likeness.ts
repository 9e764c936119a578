import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '../../json/json.ts';
import { isObject } from '../../json/read.ts';

/** How an encoded body differs from an earlier one: a conversation is sent again with every request, with a little more at its end. */
export interface Difference {
  /** Fields that are new or other. A list that begins as the earlier one is `{"$first": how many, "more": the rest}`. */
  set: JsonObject;
  /** Fields that are no longer there. */
  without: string[];
}

/** Lists that share fewer elements are written whole. */
const fewestShared = 2;

export function differenceFrom(earlier: JsonObject, now: JsonObject): Difference {
  const set = Object.entries(now).flatMap(([name, value]) => {
    const before = Object.hasOwn(earlier, name) ? earlier[name] : undefined;
    if (before !== undefined && isDeepStrictEqual(before, value)) return [];
    return [[name, Array.isArray(value) && Array.isArray(before) ? continued(before, value) : value] as const];
  });
  return { set: Object.fromEntries(set), without: Object.keys(earlier).filter((name) => !Object.hasOwn(now, name)) };
}

export function applyDifference(earlier: JsonObject, { set, without }: Difference): JsonObject {
  const kept = Object.entries(earlier).filter(([name]) => !without.includes(name) && !Object.hasOwn(set, name));
  const changed = Object.entries(set).map(
    ([name, value]) => [name, isContinued(value) ? resumed(earlier[name], value) : value] as const,
  );
  return Object.fromEntries([...kept, ...changed]);
}

interface Continued {
  [name: string]: Json;
  $first: number;
  more: Json[];
}

function continued(before: readonly Json[], now: Json[]): Json {
  let shared = 0;
  while (shared < before.length && shared < now.length && isDeepStrictEqual(before[shared], now[shared])) shared += 1;
  return shared < fewestShared ? now : ({ $first: shared, more: now.slice(shared) } satisfies Continued);
}

/** An object of the agent's own with such a name is wrapped before bodies are compared. */
function isContinued(value: Json): value is Continued {
  return isObject(value) && typeof value['$first'] === 'number' && Array.isArray(value['more']);
}

function resumed(before: Json | undefined, { $first: count, more }: Continued): Json[] {
  if (!Array.isArray(before) || before.length < count)
    throw new RangeError('a list that a later request continues is missing');
  return [...before.slice(0, count), ...more];
}
