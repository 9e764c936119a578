import { isRecord } from '../events/check.ts';
import type { EventRecord } from '../events/event.ts';
import { keepJson } from '../events/record-json.ts';
import { Repair } from '../pipeline/repair.ts';

/** A record, and the line that holds it. */
export interface TapedRecord {
  readonly record: EventRecord;
  /** Its JSON as it stands on the tape; absent: it was repaired or added, and has yet to be written. */
  readonly json?: string;
}

/** The records one after the other: whoever writes one before taking the next writes its line as it stands. */
export function* recordsIn(taped: readonly TapedRecord[]): Generator<EventRecord> {
  for (const { record, json } of taped) {
    if (json !== undefined) keepJson(record, json);
    yield record;
  }
}

const LF = '\n';

/**
 * Whether a tape is what Runwire writes: every line a record, numbered upwards, the end last. If it is read from its beginning,
 * also whether every start has its end and every end its start, so that there is nothing to repair.
 */
export class TapeCheck {
  readonly #repair: Repair | undefined;
  #repaired = 0;
  #last = 0;
  #end: TapedRecord | undefined;

  constructor(isFromBeginning: boolean) {
    this.#repair = isFromBeginning ? new Repair(() => void (this.#repaired += 1)) : undefined;
  }

  /** The sequence up to which it was read. */
  get last(): number {
    return this.#last;
  }

  /** The last line, once it was read. It counts only if nothing follows it. */
  get end(): TapedRecord | undefined {
    return this.#end;
  }

  /** The records of some complete lines, except for the end of the run, and whether all of them are as they should be. */
  read(lines: Uint8Array): { records: TapedRecord[]; isIntact: boolean } {
    const text = Buffer.from(lines.buffer, lines.byteOffset, lines.length).toString();
    const records: TapedRecord[] = [];
    for (let start = 0; start < text.length;) {
      const end = text.indexOf(LF, start);
      // Only a line that is too long to be put together comes without its end.
      const taped = end === -1 ? undefined : this.#record(text.slice(start, end));
      if (taped === undefined) return { records, isIntact: false };
      if (taped !== this.#end) records.push(taped);
      start = end + 1;
    }
    return { records, isIntact: true };
  }

  #record(json: string): TapedRecord | undefined {
    const record = recordIn(json);
    if (record === undefined || record.sequence <= this.#last || this.#end !== undefined) return undefined;
    this.#last = record.sequence;
    const taped = { record, json };
    if (record.type === 'thread.completed') this.#end = taped;
    else if (!this.#isWhole(record)) return undefined;
    return taped;
  }

  #isWhole(record: EventRecord): boolean {
    const before = this.#repaired;
    this.#repair?.push(record, record.synthetic);
    return this.#repair === undefined || this.#repaired === before + 1;
  }
}

function recordIn(json: string): EventRecord | undefined {
  // Between two values a carriage return means nothing, but it would end a line of an event stream.
  if (!json.endsWith('}') || json.includes('\r')) return undefined;
  try {
    const wire: unknown = JSON.parse(json);
    return isRecord(wire) ? wire : undefined;
  } catch {
    return undefined;
  }
}
