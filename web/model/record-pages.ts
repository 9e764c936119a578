import { source } from '../parts/source.ts';
import type { SentRecord } from './row.ts';

const pageLength = 100;
const pagesKept = 24;
const charactersKept = 8_000_000;

/** A cache of a few pages of records; the rest is fetched again when needed. */
export class RecordPages {
  readonly #id: string;
  readonly #kept = new Map<number, Promise<SentRecord[]>>();
  readonly #sizes = new Map<number, number>();

  constructor(id: string) {
    this.#id = id;
  }

  async record(sequence: number): Promise<SentRecord | undefined> {
    const number = Math.floor((sequence - 1) / pageLength);
    const find = async (): Promise<SentRecord | undefined> =>
      (await this.#page(number)).find((record) => record.sequence === sequence);
    const found = await find();
    if (found !== undefined) return found;
    // The page was requested while the run was still writing it.
    this.#drop(number);
    return find();
  }

  #page(number: number): Promise<SentRecord[]> {
    const known = this.#kept.get(number);
    this.#kept.delete(number);
    const page = known ?? source.value.records(this.#id, number * pageLength, pageLength);
    this.#kept.set(number, page);
    if (known === undefined)
      page.then(
        (records) => {
          if (this.#kept.get(number) === page)
            this.#sizes.set(
              number,
              records.reduce((sum, record) => sum + sizeOf(record), 0),
            );
          this.#forget(number);
        },
        () => this.#drop(number),
      );
    return page;
  }

  #forget(newest: number): void {
    let characters = this.#sizes.values().reduce((sum, size) => sum + size, 0);
    for (const number of this.#kept.keys()) {
      if ((this.#kept.size <= pagesKept && characters <= charactersKept) || number === newest) return;
      characters -= this.#sizes.get(number) ?? 0;
      this.#drop(number);
    }
  }

  #drop(number: number): void {
    this.#kept.delete(number);
    this.#sizes.delete(number);
  }

  /** Passes the records of a range to `take`, in order, as far as they fit; `take` returns whether it wants more. */
  async each(from: number, to: number, take: (record: SentRecord) => boolean): Promise<void> {
    for (let number = Math.floor((from - 1) / pageLength); number * pageLength < to; number += 1)
      for (const record of await this.#page(number))
        if (record.sequence >= from && record.sequence <= to && !take(record)) return;
  }
}

function sizeOf(record: SentRecord): number {
  let sum = 200;
  for (const value of Object.values(record))
    sum += typeof value === 'string' ? value.length : (JSON.stringify(value)?.length ?? 0);
  return sum;
}
