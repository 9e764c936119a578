import type { JsonObject } from '../../src/json/json.ts';
import { findDialect } from '../../src/dialects/registry.ts';
import { steepnessOf } from './growth.ts';

/** How steep the cost of reading grows with the lines that a size comes to. */
export function steepnessOfReading(id: string, lines: (size: number) => Iterable<JsonObject>): number {
  return steepnessOf((size) => {
    const decoder = findDialect(id).decoder({
      emit() {},
      at() {},
      unknown() {},
      note() {},
      quote: (text: string) => text,
      quoteLine: (line: string) => line,
    });
    for (const line of lines(size)) decoder.line(line);
    decoder.end();
  });
}
