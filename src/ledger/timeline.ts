import type { EventRecord, ItemStatus } from '../events/event.ts';
import { subject } from '../events/subject.ts';
import { BoundedList } from '../outcome/bounded.ts';
import { present } from '../present.ts';
import type { Tape } from '../stores/tape.ts';
import { tapeReader } from './run-tape.ts';

/** A tool call and its time. */
export interface TimelineEntry {
  name: string;
  /** Absent: it has not ended. */
  status?: ItemStatus;
  /** Milliseconds after the first event; absent: the time is unknown. */
  start_ms?: number;
  duration_ms?: number;
  /** The beginning of the most telling argument. */
  about?: string;
}

export interface Timeline {
  entries: TimelineEntry[];
  /** From the first event to the last. */
  length_ms?: number;
  omitted: number;
}

const entriesKept = 1000;
const aboutLength = 1000;

/** The tool calls on a tape, in the order in which they began. */
export async function readTimeline(tape: Tape): Promise<Timeline> {
  const entries = new BoundedList<TimelineEntry>(entriesKept);
  const open = new Map<string, { entry: TimelineEntry; at: number | undefined }>();
  // The agent's clock may differ from ours, so the earliest time is the beginning.
  let first: number | undefined;
  let last: number | undefined;

  function onRecord(event: EventRecord): void {
    const at = event.timestamp === null ? undefined : Date.parse(event.timestamp);
    if (at !== undefined) {
      first = Math.min(first ?? at, at);
      last = Math.max(last ?? at, at);
    }
    if (event.type === 'item.started') {
      const about = subject(event.args).slice(0, aboutLength);
      const entry: TimelineEntry = {
        name: event.name,
        ...present({
          start_ms: at,
          about: about === '' ? undefined : about,
        }),
      };
      entries.push(entry);
      open.set(event.item_id, { entry, at });
    } else if (event.type === 'item.completed') {
      const known = open.get(event.item_id);
      if (known === undefined) return;
      open.delete(event.item_id);
      known.entry.status = event.status;
      const duration = event.duration_ms ?? (at === undefined || known.at === undefined ? undefined : at - known.at);
      if (duration !== undefined) known.entry.duration_ms = Math.max(0, duration);
    }
  }

  const reader = tapeReader({ onRecord });
  for await (const lines of tape.read()) reader.stdout(lines);
  return {
    entries: entries
      .toArray()
      .map((entry) => (entry.start_ms === undefined ? entry : { ...entry, start_ms: entry.start_ms - (first ?? entry.start_ms) })),
    ...present({ length_ms: first === undefined || last === undefined ? undefined : last - first }),
    omitted: entries.omitted,
  };
}
