import type { EventRecord } from '../events/event.ts';
import type { ReadEvent } from './reader.ts';

/** Puts events into their place in the run: one record each, numbered from 1. */
export class Recorder {
  readonly #newId: () => string;
  #threadId: string | undefined;
  #sequence = 0;

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
      timestamp: at === undefined ? null : new Date(at).toISOString(),
      thread_id: this.#threadId,
      source,
      synthetic,
    };
  }
}
