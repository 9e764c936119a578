import type { JsonObject } from '../dialect.ts';
import { isObject } from '../read.ts';

/** The events of all instances (`/global/event`) come wrapped. A loop: a line may be nested deeper than the stack is. */
export function unwrap(wire: JsonObject): JsonObject {
  let inner = wire;
  while (inner.type === undefined && isObject(inner.payload)) inner = inner.payload;
  return inner;
}
