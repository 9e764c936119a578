import type { Origin } from '../dialects/dialect.ts';
import type { AgentEvent, EventRecord, EventSource } from '../events/event.ts';
import { beginJson, LineEnd } from '../events/record-json.ts';
import { newId } from '../ids/new-id.ts';

export interface NumberingOptions {
  /** Makes an id for the thread; called only when the agent names no session. Default: random. */
  newId?: () => string;
  /** The records will be written as JSON: parts that many of them share are then serialized only once. */
  isWritten?: boolean;
  /** Takes secrets out of a text. */
  clean(text: string): string;
}

/** Gives each event its place in the run, which makes it a record: number, time, thread and source. */
export class Numbering {
  readonly #options: NumberingOptions;
  #threadId: string | undefined;
  #sequence = 0;
  /** Where the current event stands on the tape that is being read. */
  #origin: Origin | undefined;
  #lastAt: number | undefined;
  #lastTimestamp: string | null = null;
  /** How the lines of its records end, by source. */
  readonly #ends: { [Source in EventSource]?: { own?: LineEnd; added?: LineEnd } } = {};

  constructor(options: NumberingOptions) {
    this.#options = options;
  }

  /** The next event is read from a tape, where it stands here. */
  isFrom(origin: Origin): void {
    this.#origin = origin;
  }

  record(event: AgentEvent, source: EventSource, synthetic: boolean, at: number | undefined): EventRecord {
    this.#threadId ??= this.#nameThread(event);
    this.#sequence = Math.max(this.#sequence + 1, this.#numberOnTape(synthetic));
    // In place, since the event was made for this and is delivered once: a copy would cost as much as all the other work on it.
    const record = event as EventRecord;
    record.sequence = this.#sequence;
    record.timestamp = this.#timestamp(at);
    if (this.#options.isWritten === true) beginJson(record, this.#lineEnd(this.#threadId, source, synthetic));
    record.thread_id = this.#threadId;
    record.source = source;
    record.synthetic = synthetic;
    return record;
  }

  #lineEnd(thread_id: string, source: EventSource, synthetic: boolean): LineEnd {
    const ends = (this.#ends[source] ??= {});
    return (ends[synthetic ? 'added' : 'own'] ??= new LineEnd({ thread_id, source, synthetic }));
  }

  /** Events from a tape keep their numbers, so that a reader who has read up to one can resume there; added events fill the gaps. */
  #numberOnTape(synthetic: boolean): number {
    const origin = this.#origin;
    if (origin === undefined || origin.synthetic !== synthetic) return 0;
    this.#origin = undefined;
    return origin.sequence;
  }

  #nameThread(event: AgentEvent): string {
    if (this.#origin !== undefined) return this.#options.clean(this.#origin.threadId);
    if (event.type === 'thread.started' && event.session_id) return event.session_id;
    return (this.#options.newId ?? newId)();
  }

  /** Events come in bursts with the same time, and formatting a date costs as much as the rest of a record. */
  #timestamp(at: number | undefined): string | null {
    if (at !== this.#lastAt) {
      this.#lastAt = at;
      this.#lastTimestamp = at === undefined ? null : new Date(at).toISOString();
    }
    return this.#lastTimestamp;
  }
}
