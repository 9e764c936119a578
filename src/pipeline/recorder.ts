import type { EventRecord } from '../events/event.ts';
import type { ReadEvent } from './thread.ts';

/** Puts events into their place in the run: one record each, numbered from 1. */
export class Recorder {
  readonly #newId: () => string;
  #threadId: string | undefined;
  #sequence = 0;
  #lastAt: number | undefined;
  #lastTimestamp: string | null = null;

  /** `newId` is asked only when the agent names no session. */
  constructor(newId: () => string) {
    this.#newId = newId;
  }

  record({ event, source, synthetic, at, threadId }: ReadEvent): EventRecord {
    this.#threadId ??= threadId ?? (event.type === 'thread.started' && event.session_id ? event.session_id : this.#newId());
    this.#sequence += 1;
    return {
      ...event,
      sequence: this.#sequence,
      timestamp: this.#timestamp(at),
      thread_id: this.#threadId,
      source,
      synthetic,
    };
  }

  /** Events come in bursts of one time, and writing a date costs as much as the rest of a record. */
  #timestamp(at: number | undefined): string | null {
    if (at !== this.#lastAt) {
      this.#lastAt = at;
      this.#lastTimestamp = at === undefined ? null : new Date(at).toISOString();
    }
    return this.#lastTimestamp;
  }
}
