import type { Row, RowKind } from './run-model.ts';

/** What the list shows: one row, or several calls of the same tool behind one line. */
export interface Item {
  /** Index of the first row. */
  first: number;
  /** Of a fold: the rows in it; absent for a single row. */
  members?: readonly number[];
  /** A row that is shown because its fold is open. */
  isMember?: boolean;
}

export interface Shown {
  hidden: ReadonlySet<RowKind>;
  /** Folds that are open, by their first row. */
  opened: ReadonlySet<number>;
}

const foldFrom = 3;

/** Rows to items, the new rows only: what is before the last possible fold never changes. */
export class Display {
  readonly items: Item[] = [];
  readonly #rows: readonly Row[];
  readonly #shown: Shown;
  /** Rows and items before these are settled. */
  #settledRows = 0;
  #settledItems = 0;

  constructor(rows: readonly Row[], shown: Shown) {
    this.#rows = rows;
    this.#shown = shown;
  }

  /** Takes in the rows that are new. */
  update(): void {
    this.items.length = this.#settledItems;
    let index = this.#settledRows;
    while (index < this.#rows.length) {
      const start = index;
      const members = this.#sameTool(start);
      const end = (members.at(-1) ?? start) + 1;
      // A fold at the end may still grow.
      const isSettled = members.length === 0 || this.#endsBefore(end);
      if (members.length >= foldFrom) this.#fold(members);
      else for (let each = start; each < end; each += 1) this.#single(each);
      index = end;
      if (isSettled && this.#settledRows === start) {
        this.#settledRows = index;
        this.#settledItems = this.items.length;
      }
    }
  }

  /** The calls of one tool from here on, with nothing between them but turns. */
  #sameTool(from: number): number[] {
    const first = this.#rows[from];
    if (first?.tool === undefined || first.tool.kind === 'command' || this.#shown.hidden.has('tool')) return [];
    const members: number[] = [];
    for (let index = from; index < this.#rows.length; index += 1) {
      const row = this.#rows[index];
      if (row?.tool?.name === first.tool.name && row.isNested === first.isNested) members.push(index);
      else if (row !== undefined && row.kind !== 'turn' && !this.#shown.hidden.has(row.kind)) break;
    }
    return members;
  }

  #endsBefore(end: number): boolean {
    for (let index = end; index < this.#rows.length; index += 1) {
      const row = this.#rows[index];
      if (row !== undefined && row.kind !== 'turn' && !this.#shown.hidden.has(row.kind)) return true;
    }
    return false;
  }

  #fold(members: readonly number[]): void {
    const first = members[0] ?? 0;
    this.items.push({ first, members });
    if (this.#shown.opened.has(first)) for (const member of members) this.items.push({ first: member, isMember: true });
  }

  #single(index: number): void {
    const row = this.#rows[index];
    if (row !== undefined && !this.#shown.hidden.has(row.kind)) this.items.push({ first: index });
  }
}

/** How many items at the beginning show the same in both. */
export function sameItems(a: readonly Item[], b: readonly Item[]): number {
  let count = 0;
  while (
    count < Math.min(a.length, b.length) &&
    a[count]?.first === b[count]?.first &&
    a[count]?.members?.length === b[count]?.members?.length
  )
    count += 1;
  return count;
}

/** The item that shows a row; where it is in a closed fold, the fold. */
export function itemOf(items: readonly Item[], row: number): number {
  let low = 0;
  let high = items.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((items[middle]?.first ?? 0) <= row) low = middle;
    else high = middle - 1;
  }
  return low;
}
