import type { Json } from '../../json/json.ts';
import { isObject } from '../../json/read.ts';

/** Takes secrets out of a text. */
export type Clean = (text: string) => string;

/** Fields that name a call, an item or a message. They tie a result to its call, and are no secrets, whatever they look like. */
const ids = /^(?:id|(?:call|item|message|response|tool_?call|tool_?use|previous_response)_?id)$/i;

/** The text of a field without secrets. */
export function cleanField(text: string, field: string, clean: Clean): string {
  return ids.test(field) ? text : clean(text);
}

/** A value without secrets. Requests that are recorded, and those that are compared with them later, go through this alike. */
export function cleanJson(value: Json, clean: Clean, field = ''): Json {
  if (typeof value === 'string') return cleanField(value, field, clean);
  if (Array.isArray(value)) return value.map((each) => cleanJson(each, clean, field));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cleanJson(each, clean, name)]));
}
