import type { Json, JsonObject } from '../../dialect.ts';
import { isObject } from '../../read.ts';

/** Our progress is text; the wire's is an object, and its own are passed through as the text of one. */
export function wireProgress(chunk: string): JsonObject {
  if (chunk.startsWith('{')) {
    try {
      const value: Json = JSON.parse(chunk);
      if (isObject(value) && typeof value.type === 'string') return value;
    } catch {
      // Text that only looks like JSON.
    }
  }
  return { type: 'mcp_tool_progress', progress: 0, message: chunk };
}
