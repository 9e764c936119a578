import type { RowKind } from './row.ts';
import type { Rows } from './rows.ts';

/** An item of the list: a row, a fold of several calls to the same tool, or a member of an open fold. */
type ItemKind = 'row' | 'fold' | 'member';
const kinds: readonly ItemKind[] = ['row', 'fold', 'member'];

export interface Shown {
  hidden: ReadonlySet<RowKind>;
  /** Open folds, by their first row. */
  opened: ReadonlySet<number>;
}

const foldFrom = 3;

/** Maps rows to items, only for new rows: items before the last possible fold never change. */
export class Display {
  length = 0;
  #firsts = new Uint32Array(256);
  #kinds = new Uint8Array(256);
  readonly #rows: Rows;
  readonly #shown: Shown;
  /** Rows and items before these no longer change. */
  #settledRows = 0;
  #settledItems = 0;

  constructor(rows: Rows, shown: Shown) {
    this.#rows = rows;
    this.#shown = shown;
  }

  /** The row of an item; for a fold, its first row. */
  first(item: number): number {
    return this.#firsts[item] ?? 0;
  }

  kind(item: number): ItemKind {
    return kinds[this.#kinds[item] ?? 0] ?? 'row';
  }

  /** Adds items for new rows. */
  update(): void {
    const rows = this.#rows;
    this.length = this.#settledItems;
    let index = this.#settledRows;
    while (index < rows.length) {
      const start = index;
      const { members, end, isOver } = this.#sameTool(start);
      if (members >= foldFrom) {
        this.#push(start, 1);
        if (this.#shown.opened.has(start)) for (const member of this.members(start)) this.#push(member, 2);
      } else
        for (let each = start; each < end; each += 1) if (!this.#shown.hidden.has(rows.kind(each))) this.#push(each, 0);
      index = end;
      // A fold at the end may still grow.
      if (isOver && this.#settledRows === start) {
        this.#settledRows = index;
        this.#settledItems = this.length;
      }
    }
  }

  #push(first: number, kind: number): void {
    if (this.length === this.#firsts.length) {
      const [firsts, more] = [new Uint32Array(this.length * 2), new Uint8Array(this.length * 2)];
      firsts.set(this.#firsts);
      more.set(this.#kinds);
      [this.#firsts, this.#kinds] = [firsts, more];
    }
    this.#firsts[this.length] = first;
    this.#kinds[this.length] = kind;
    this.length += 1;
  }

  /** The calls to one tool from here on, with only turns and hidden rows between them. */
  #sameTool(from: number): { members: number; end: number; isOver: boolean } {
    const rows = this.#rows;
    if (rows.kind(from) !== 'tool' || rows.isCommand(from) || this.#shown.hidden.has('tool'))
      return { members: 0, end: from + 1, isOver: true };
    let members = 0;
    let end = from;
    for (let index = from; index < rows.length; index += 1)
      if (index === from || rows.isSameTool(from, index)) {
        members += 1;
        end = index + 1;
      } else if (!this.#isPassed(index)) return { members, end, isOver: true };
    return { members, end, isOver: false };
  }

  #isPassed(index: number): boolean {
    const kind = this.#rows.kind(index);
    return kind === 'turn' || this.#shown.hidden.has(kind);
  }

  /** The rows of a fold. */
  members(first: number): number[] {
    const found = [first];
    for (let index = first + 1; index < this.#rows.length; index += 1)
      if (this.#rows.isSameTool(first, index)) found.push(index);
      else if (!this.#isPassed(index)) break;
    return found;
  }

  /** How many items at the beginning are the same as in another display. */
  sameAs(other: Display): number {
    const most = Math.min(this.length, other.length);
    let count = 0;
    while (count < most && this.first(count) === other.first(count) && this.kind(count) === other.kind(count))
      count += 1;
    return count;
  }

  /** The item that shows a row; for a row in a closed fold, the fold. */
  itemOf(row: number): number {
    let low = 0;
    let high = this.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.first(middle) <= row) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  }
}
