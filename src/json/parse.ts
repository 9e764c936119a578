import { Failure, messageOf } from '../failure.ts';
import type { Json, JsonObject } from './json.ts';
import { isObject, nothing } from './read.ts';

/** Undefined: it is not JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Undefined: it is not JSON, or JSON but not an object. */
export function parseObject(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}

/** The object that a text holds as JSON, or an empty object. */
export function objectIn(text: string): JsonObject {
  // Throwing an error takes far longer than looking at the first character.
  return (text.startsWith('{') ? parseObject(text) : undefined) ?? nothing;
}

/** The JSON in a text, or the text itself. */
export function jsonOrText(text: string): Json {
  const value = parseJson(text);
  return value === undefined ? text : value;
}

/** What a user hands us. `before`: the beginning of the message if it is not JSON. Throws `Failure`. */
export function parseInput(text: string, before = ''): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Failure('input', `${before}not JSON: ${messageOf(error)}`);
  }
}
