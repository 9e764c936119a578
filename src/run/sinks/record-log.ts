import type { EventRecord } from '../../events/event.ts';
import { Failure } from '../../failure.ts';
import type { Tape } from '../../stores/tape.ts';
import type { Sink } from './sink.ts';

/** Records that a reader may be behind before the agent's output has to wait for it. */
const longestLag = 1000;
/** What is kept for readers that come late: so many records, and about so many characters of text. */
const keptRecords = 10_000;
const keptCharacters = 32 * 1024 * 1024;

/** The records of one run for any number of readers, each from where it wants. */
export class RecordLog implements Sink {
  #kept: EventRecord[] = [];
  /** How many records were there before the first one that is kept. */
  #dropped = 0;
  #characters = 0;
  /** Where each reader is, counted like the records. */
  readonly #readers = new Set<{ next: number }>();
  #news = Promise.withResolvers<void>();
  #room: PromiseWithResolvers<void> | undefined;
  #isClosed = false;
  #failure: Failure | undefined;
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

  ready(): Promise<void> | undefined {
    if (this.#lag() <= longestLag) return undefined;
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake();
  }

  /** There is no run: whoever reads hears why. */
  fail(failure: Failure): void {
    this.#failure = failure;
    this.#isClosed = true;
    this.#wake();
  }

  /** All records with a higher sequence, the ones to come included; ends with the run. */
  async *read(after = 0): AsyncGenerator<EventRecord, void> {
    let last = after;
    // More may be told and forgotten while the tape is read.
    while (this.#isForgotten(last)) last = yield* this.#fromTape(last);
    const reader = { next: this.#find(last) };
    this.#readers.add(reader);
    try {
      for (;;) {
        for (let record = this.#at(reader.next); record !== undefined; record = this.#at(reader.next)) {
          reader.next += 1;
          this.#makeRoom();
          if (record.sequence > after) yield record;
        }
        if (this.#isClosed) break;
        await this.#news.promise;
      }
      if (this.#failure !== undefined) throw this.#failure;
    } finally {
      // Whoever stops reading does not stop the run, and must not make it wait.
      this.#readers.delete(reader);
      this.#makeRoom();
    }
  }

  /** Whether the record after this one is no longer kept. */
  #isForgotten(after: number): boolean {
    return this.#dropped > 0 && (this.#kept[0]?.sequence ?? 0) > after + 1;
  }

  /** Answers the last sequence that the tape had. */
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

  /** The place of the first record after a sequence; sequences grow, but may leave gaps. */
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

  /** Nobody reads them, so nobody misses them; what a reader is still to get stays. */
  #forget(): void {
    if (this.#kept.length <= keptRecords && this.#characters <= keptCharacters) return;
    const needed = Math.min(...Array.from(this.#readers, ({ next }) => next), this.#dropped + this.#kept.length);
    // Half at once, so that forgetting costs nothing per record.
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

/** About how much a record holds: what it does not count is small. */
function charactersOf(record: EventRecord): number {
  if ('text' in record && typeof record.text === 'string') return record.text.length;
  if (record.type === 'item.output') return record.chunk.length;
  if (record.type === 'item.completed') return typeof record.output === 'string' ? record.output.length : 1000;
  return 500;
}
