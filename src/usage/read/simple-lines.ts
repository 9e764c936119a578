import type { Json, JsonObject } from '../../json/json.ts';
import { object } from '../../json/read.ts';
import type { Call } from '../calls.ts';
import type { FileFacts, Found, LineFormat, LineReader, Session } from './format.ts';
import { Picker, type Wanted } from './pick.ts';

/** A file of lines in which each call stands alone. */
export interface SimpleLines {
  /** Bytes that a line must have, one of them, to matter. */
  readonly marks: readonly string[];
  readonly wanted: Wanted;
  /** What a line tells; `memory` is what earlier lines told, and may be added to. */
  calls(wire: JsonObject, memory: JsonObject): readonly Omit<Call, 'session'>[];
  session(memory: JsonObject, file: FileFacts): Session;
}

export function simpleLines({ marks, wanted, calls, session }: SimpleLines): LineFormat {
  const picker = new Picker(wanted);
  return {
    kind: 'lines',
    marks,
    reader(file: FileFacts, found: Found, state: Json | undefined): LineReader {
      const memory: JsonObject = { ...object(state) };
      return {
        wantsAll: false,
        line(bytes, from, to) {
          const wire = picker.pick(bytes, from, to);
          if (wire === undefined) return found.damaged();
          for (const call of calls(wire, memory))
            found.call({ session: found.session(session(memory, file)), ...call });
        },
        end: () => {},
        get state() {
          return { ...memory };
        },
      };
    },
  };
}
