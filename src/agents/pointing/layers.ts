import type { Json, JsonObject } from '../../json/json.ts';
import { isObject } from '../../json/read.ts';

/** Settings over which others are laid: objects become one, everything else is replaced. */
export function layered(below: JsonObject, above: JsonObject): JsonObject {
  const added = Object.entries(above).map(([name, value]): [string, Json] => {
    const former = Object.hasOwn(below, name) ? below[name] : undefined;
    return [name, isObject(former) && isObject(value) ? layered(former, value) : value];
  });
  return Object.fromEntries([...Object.entries(below), ...added]);
}

/** One setting by its path, such as `model_providers.corp.base_url`. */
export function setting(path: string, value: Json): JsonObject {
  return path.split('.').reduceRight<Json>((inner, name) => Object.fromEntries([[name, inner]]), value) as JsonObject;
}
