/** How many entries of a list an outcome shows: the first and the last half of this. */
export const listLimit = 1000;

/** A list that keeps its head and its tail, so that memory does not grow with the stream. */
export class BoundedList<T> {
  readonly #limit: number;
  readonly #head: T[] = [];
  readonly #tail: T[] = [];
  #next = 0;
  #length = 0;

  constructor(limit: number = listLimit) {
    this.#limit = limit;
  }

  push(item: T): void {
    this.#length += 1;
    if (this.#head.length < Math.ceil(this.#limit / 2)) {
      this.#head.push(item);
      return;
    }
    const room = Math.floor(this.#limit / 2);
    if (this.#tail.length < room) this.#tail.push(item);
    else {
      this.#tail[this.#next] = item;
      this.#next = (this.#next + 1) % room;
    }
  }

  /** Puts the item in the place of the one that was pushed last. */
  replaceLast(item: T): void {
    const [kept, last] = this.#tail.length === 0 ? [this.#head, this.#head.length - 1] : [this.#tail, this.#next - 1];
    if (this.#length > 0) kept[last < 0 ? kept.length - 1 : last] = item;
  }

  /** An empty list with the same limit. */
  emptied(): BoundedList<T> {
    return new BoundedList(this.#limit);
  }

  get length(): number {
    return this.#length;
  }

  get omitted(): number {
    return this.#length - this.#head.length - this.#tail.length;
  }

  toArray(): T[] {
    return [...this.#head, ...this.#tail.slice(this.#next), ...this.#tail.slice(0, this.#next)];
  }
}

/** Entries by name, each once: the first half of the limit is kept for good, the second half is a window on the latest. */
export class BoundedMap<T> {
  readonly #half: number;
  readonly #first = new Map<string, T>();
  readonly #latest = new Map<string, T>();
  #omitted = 0;

  constructor(limit: number = listLimit) {
    this.#half = limit / 2;
  }

  get(name: string): T | undefined {
    return this.#first.get(name) ?? this.#latest.get(name);
  }

  set(name: string, entry: T): void {
    const isEarly = this.#first.has(name) || (this.#first.size < this.#half && !this.#latest.has(name));
    const entries = isEarly ? this.#first : this.#latest;
    if (!isEarly && !entries.has(name) && entries.size >= this.#half) {
      const [oldest] = entries.keys();
      if (oldest !== undefined) entries.delete(oldest);
      this.#omitted += 1;
    }
    entries.set(name, entry);
  }

  get omitted(): number {
    return this.#omitted;
  }

  toArray(): T[] {
    return [...this.#first.values(), ...this.#latest.values()];
  }
}

/** How much of a long text an outcome shows: the first and the last half of this. */
export const textLimit = 4096;

export function cutText(text: string, limit: number = textLimit): string {
  if (text.length <= limit) return text;
  const half = limit / 2;
  return wellFormed(`${text.slice(0, half)}\n[… ${text.length - limit} characters …]\n${text.slice(-half)}`);
}

/**
 * A cut may fall inside a surrogate pair; half a character is not text. The check also makes V8 copy the text: a slice
 * keeps the whole original in memory.
 */
function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

const linesKept = 5;
const lineLimit = 200;

/** The last lines of a log, and its first line. */
export class LastLines {
  #lines: string[] = [];
  #first: string | undefined;

  push(line: string): void {
    const short = cutText(line.trimEnd(), lineLimit);
    if (short !== '') this.#first ??= short;
    this.#lines = [...this.#lines.slice(1 - linesKept), short];
  }

  /** A program that cannot work at all gives the reason here. */
  get first(): string | undefined {
    return this.#first;
  }

  /** As many as fit. */
  within(limit: number): string {
    let from = this.#lines.length;
    for (let length = 0; from > 0; from -= 1) {
      length += (this.#lines[from - 1]?.length ?? 0) + 1;
      if (length > limit) break;
    }
    return this.#lines.slice(from).join('\n');
  }
}
