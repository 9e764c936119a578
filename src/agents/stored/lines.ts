import type { JsonObject } from '../../json/json.ts';
import { isObject } from '../../json/read.ts';
/** The lines of a stream, each with its end. Only LF ends one: JSON may hold every other separator. */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let parts: Uint8Array[] = [];
  for await (const chunk of bytes) {
    let from = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, at + 1)]);
      parts = [];
      from = at + 1;
    }
    // The reader may use its buffer again.
    if (from < chunk.length) parts.push(new Uint8Array(chunk.subarray(from)));
  }
  if (parts.length > 0) yield Buffer.concat(parts);
}

/** A line as an object; undefined: it is none, or longer than a text can be. */
export function objectInLine(line: Buffer): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line.toString());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
