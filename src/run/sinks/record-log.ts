import type { EventRecord } from '../../events/event.ts';
import { Failure } from '../../failure.ts';
import type { Tape } from '../../tapes/tape.ts';
import type { Sink } from './sink.ts';

/** How many records a reader may lag behind before the agent's output has to wait for it. */
const longestLag = 1000;
/** What is kept for late readers: this many records, and about this many characters of text. */
const keptRecords = 10_000;
const keptCharacters = 32 * 1024 * 1024;

/** The records of one run for any number of readers, each with its own starting point. */
export class RecordLog implements Sink {
  #kept: EventRecord[] = [];
  /** How many records came before the first one that is kept. */
  #dropped = 0;
  #characters = 0;
  /** The position of each reader, counted like the records. */
  readonly #readers = new Set<{ next: number }>();
  #news = Promise.withResolvers<void>();
  #room: PromiseWithResolvers<void> | undefined;
  #isClosed = false;
  #failure: Failure | undefined;
  #keep = (): void => {};
  /** Where older records can be read again. */
  readonly #tape: () => Tape | undefined;

  constructor(tape: () => Tape | undefined = () => undefined) {
    this.#tape = tape;
  }

  record(record: EventRecord): void {
    this.#kept.push(record);
    this.#characters += charactersOf(record);
    this.#forget();
    this.#wake();
  }

  showAfter(keep: () => void): void {
    this.#keep = keep;
  }

  ready(): Promise<void> | undefined {
    if (this.#lag() <= longestLag) return undefined;
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake();
  }

  /** There is no run: its readers get the reason. */
  fail(failure: Failure): void {
    this.#failure = failure;
    this.#isClosed = true;
    this.#wake();
  }

  /** All records with a higher sequence, including those to come; ends with the run. */
  async *read(after = 0): AsyncGenerator<EventRecord, void> {
    let last = after;
    // More records may arrive and be dropped while the tape is read.
    while (this.#isForgotten(last)) last = yield* this.#fromTape(last);
    const reader = { next: this.#find(last) };
    this.#readers.add(reader);
    try {
      for (;;) {
        for (let record = this.#at(reader.next); record !== undefined; record = this.#at(reader.next)) {
          reader.next += 1;
          this.#makeRoom();
          if (record.sequence <= after) continue;
          this.#keep();
          yield record;
        }
        if (this.#isClosed) break;
        await this.#news.promise;
      }
      if (this.#failure !== undefined) throw this.#failure;
    } finally {
      // A reader that stops reading does not stop the run, and must not make it wait.
      this.#readers.delete(reader);
      this.#makeRoom();
    }
  }

  /** Whether the record after this one is no longer kept. */
  #isForgotten(after: number): boolean {
    return this.#dropped > 0 && (this.#kept[0]?.sequence ?? 0) > after + 1;
  }

  /** Returns the last sequence on the tape. */
  async *#fromTape(after: number): AsyncGenerator<EventRecord, number> {
    const decoder = new TextDecoder();
    let last = after;
    for await (const lines of this.#tape()?.read(after) ?? []) {
      for (const line of decoder.decode(lines).trimEnd().split('\n')) {
        const record = JSON.parse(line) as EventRecord;
        last = record.sequence;
        yield record;
      }
    }
    if (last === after)
      throw new Failure(
        'input',
        `the records after ${after} are no longer kept: read them from the start, or give the run a ledger, whose tape has them all`,
      );
    return last;
  }

  /** The position of the first record after a sequence; sequences increase, but may have gaps. */
  #find(after: number): number {
    let [low, high] = [0, this.#kept.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#kept[middle]?.sequence ?? 0) > after) high = middle;
      else low = middle + 1;
    }
    return this.#dropped + low;
  }

  #at(place: number): EventRecord | undefined {
    return this.#kept[place - this.#dropped];
  }

  #lag(): number {
    if (this.#readers.size === 0) return 0;
    const slowest = Math.min(...Array.from(this.#readers, ({ next }) => next));
    return this.#dropped + this.#kept.length - slowest;
  }

  /** Drops old records, but none that a reader still has to get. */
  #forget(): void {
    if (this.#kept.length <= keptRecords && this.#characters <= keptCharacters) return;
    const needed = Math.min(...Array.from(this.#readers, ({ next }) => next), this.#dropped + this.#kept.length);
    // Half at once, so that dropping costs next to nothing per record.
    const count = Math.min(Math.ceil(this.#kept.length / 2), needed - this.#dropped);
    if (count <= 0) return;
    for (const record of this.#kept.splice(0, count)) this.#characters -= charactersOf(record);
    this.#dropped += count;
  }

  #makeRoom(): void {
    if (this.#room === undefined || this.#lag() > longestLag) return;
    this.#room.resolve();
    this.#room = undefined;
  }

  #wake(): void {
    if (this.#readers.size === 0) return;
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }
}

/** The approximate size of a record: what is not counted is small. */
function charactersOf(record: EventRecord): number {
  if ('text' in record && typeof record.text === 'string') return record.text.length;
  if (record.type === 'item.output') return record.chunk.length;
  if (record.type === 'item.completed') return typeof record.output === 'string' ? record.output.length : 1000;
  return 500;
}
