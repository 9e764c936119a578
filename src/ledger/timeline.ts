import type { EventOf, EventRecord, ItemStatus } from '../events/event.ts';
import { subject } from '../events/subject.ts';
import { BoundedList } from '../outcome/bounded.ts';
import { present } from '../json/present.ts';
import { unlessTooLarge } from '../json/unless-too-large.ts';
import type { Tape } from '../tapes/tape.ts';
import { tapeReader } from './run-tape.ts';
import { TapeCheck } from './tape-check.ts';

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

/** No run has this many calls under way; of more, the oldest are taken for calls that do not end. */
const mostOpen = 10_000;

/** The tool calls on a tape, in the order in which they began. */
export async function readTimeline(tape: Tape): Promise<Timeline> {
  return new TimelineReader().read(tape);
}

/** The timeline of a tape that may grow: what was read once is not read again. */
export class TimelineReader {
  readonly #check = new TapeCheck(false);
  readonly #fold = new TimelineFold();
  #isIntact = true;

  /** Not to be called again before it has answered. */
  async read(tape: Tape): Promise<Timeline> {
    if (this.#isIntact)
      for await (const lines of tape.read(this.#check.last)) {
        const { records, isIntact } = this.#check.read(lines);
        for (const { record } of records) this.#fold.record(record);
        this.#isIntact = isIntact;
        if (!isIntact) break;
      }
    return this.#isIntact ? this.#fold.timeline : repairedTimeline(tape);
  }
}

async function repairedTimeline(tape: Tape): Promise<Timeline> {
  const fold = new TimelineFold();
  const reader = tapeReader({ onRecord: (record) => fold.record(record) });
  for await (const lines of tape.read()) reader.stdout(lines);
  return fold.timeline;
}

/** A copy, because a part of a text keeps all of it in memory. */
function beginning(text: string): string {
  return text.length <= aboutLength ? text : Buffer.from(text.slice(0, aboutLength), 'utf16le').toString('utf16le');
}

class TimelineFold {
  readonly #entries = new BoundedList<TimelineEntry>(entriesKept);
  readonly #open = new Map<string, { entry: TimelineEntry; at: number | undefined }>();
  // The agent's clock may differ from ours, so the earliest time is the beginning.
  #first: number | undefined;
  #last: number | undefined;

  record(event: EventRecord): void {
    const at = event.timestamp === null ? undefined : Date.parse(event.timestamp);
    if (at !== undefined) {
      this.#first = Math.min(this.#first ?? at, at);
      this.#last = Math.max(this.#last ?? at, at);
    }
    if (event.type === 'item.started') this.#begin(event, at);
    else if (event.type === 'item.completed') this.#end(event, at);
  }

  #begin({ name, item_id, args }: EventOf<'item.started'>, at: number | undefined): void {
    const about = beginning(unlessTooLarge(() => subject(args)) ?? '');
    const entry: TimelineEntry = { name, ...present({ start_ms: at, about: about === '' ? undefined : about }) };
    this.#entries.push(entry);
    this.#open.set(item_id, { entry, at });
    if (this.#open.size > mostOpen)
      for (const id of [...this.#open.keys()].slice(0, mostOpen / 2)) this.#open.delete(id);
  }

  #end({ item_id, status, duration_ms }: EventOf<'item.completed'>, at: number | undefined): void {
    const known = this.#open.get(item_id);
    if (known === undefined) return;
    this.#open.delete(item_id);
    known.entry.status = status;
    const duration = duration_ms ?? (at === undefined || known.at === undefined ? undefined : at - known.at);
    if (duration !== undefined) known.entry.duration_ms = Math.max(0, duration);
  }

  get timeline(): Timeline {
    const [first, last] = [this.#first, this.#last];
    return {
      entries: this.#entries
        .toArray()
        .map((entry) =>
          entry.start_ms === undefined
            ? { ...entry }
            : { ...entry, start_ms: entry.start_ms - (first ?? entry.start_ms) },
        ),
      ...present({ length_ms: first === undefined || last === undefined ? undefined : last - first }),
      omitted: this.#entries.omitted,
    };
  }
}
