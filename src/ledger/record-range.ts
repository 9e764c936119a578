import type { JsonObject } from '../dialects/dialect.ts';
import { eventIn } from '../events/check.ts';
import type { AgentEvent, EventRecord } from '../events/event.ts';
import { sequenceOf, type Tape } from '../stores/tape.ts';

const LF = 10;

/**
 * Some records from the middle of a tape. Earlier parts are skipped without being parsed: a
 * tape counts upwards, so the last line of a part shows whether any of it is wanted. Returns whether that was all; otherwise
 * the tape ends before the run does, and the end of the run is not on it.
 */
export async function* recordRange(tape: Tape, after: number, limit: number): AsyncGenerator<readonly EventRecord[], boolean> {
  let room = limit;
  for await (const lines of tape.read()) {
    const end = lines.length - (lines.at(-1) === LF ? 1 : 0);
    if (sequenceOf(lines.subarray(lines.lastIndexOf(LF, end - 1) + 1, end)) <= after) continue;
    const found: EventRecord[] = [];
    let isOver = false;
    for (let start = 0; start < end && room > 0;) {
      const next = lines.indexOf(LF, start);
      const stop = next === -1 ? end : next;
      const record = recordIn(lines.subarray(start, stop));
      start = stop + 1;
      if (record === undefined || record.sequence <= after) continue;
      found.push(record);
      room -= 1;
      isOver ||= record.type === 'thread.completed';
    }
    if (found.length > 0) yield found;
    if (isOver || room <= 0) return true;
  }
  return false;
}

/** A reader can trust the tape's records: a line that is not one of our events becomes an unknown line. */
function recordIn(line: Uint8Array): EventRecord | undefined {
  try {
    const wire: unknown = JSON.parse(Buffer.from(line.buffer, line.byteOffset, line.length).toString());
    if (!isNumbered(wire)) return undefined;
    const event = eventIn(wire);
    return {
      ...(event === undefined || !hasVerdict(event) ? { type: 'line.unknown', dialect: 'runwire', wire } : event),
      sequence: wire.sequence,
      timestamp: typeof wire['timestamp'] === 'string' && !Number.isNaN(Date.parse(wire['timestamp'])) ? wire['timestamp'] : null,
      thread_id: typeof wire['thread_id'] === 'string' ? wire['thread_id'] : 'unknown',
      source: wire['source'] === 'runner' ? 'runner' : 'agent',
      synthetic: wire['synthetic'] === true,
    };
  } catch {
    return undefined;
  }
}

function isNumbered(wire: unknown): wire is JsonObject & { sequence: number } {
  return typeof wire === 'object' && wire !== null && 'sequence' in wire && typeof wire.sequence === 'number';
}

/** Whether an end has its verdict, the one part of it that is not a plain value. */
function hasVerdict(event: AgentEvent): boolean {
  return event.type !== 'thread.completed' || typeof (event.verdict as { class?: unknown } | null)?.class === 'string';
}
