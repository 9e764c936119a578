import { source } from '../parts/source.ts';
import { withoutColours } from '../parts/terminal-commands.ts';
import { RowFold } from './row-fold.ts';
import type { Row } from './row.ts';

export interface Found {
  /** Every match in the run, shown or not. */
  count: number;
  /** Rows with at least one match, in order. */
  rows: readonly number[];
  /** Matches before each of these rows. */
  before: readonly number[];
}

/** The text of a row that is searched: all of it, including what is cut or folded on the page. */
function textOf(row: Row): string {
  if (row.tool === undefined) return withoutColours(row.label === '' ? row.text : `${row.label}\n${row.text}`);
  const { name, args, error = '', files } = row.tool;
  const parts = [name, ...wordsIn(args), row.text, error, ...files.map(({ path, diff = '' }) => `${path}\n${diff}`)];
  return withoutColours(parts.join('\n'));
}

/** Names and values as plain text, without JSON quotes and escapes. */
function wordsIn(args: unknown): string[] {
  const words: string[] = [];
  const waiting = [args];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) words.push(String(value ?? ''));
    else
      for (const [name, each] of Object.entries(value).toReversed()) {
        waiting.push(each);
        if (!Array.isArray(value)) waiting.push(name);
      }
  }
  return words;
}

const patienceMs = 8;
const pageLength = 500;
/** How many characters of a text that came in pieces are put together. */
const textKept = 64 * 1024 * 1024;

/** Gives exact counts, from the records themselves and without keeping them; new records are searched with the next call. */
export class RunSearch {
  readonly #id: string;
  readonly #wanted: string;
  readonly #counts = new Map<number, number>();
  readonly #fold: RowFold;

  constructor(id: string, words: string) {
    this.#id = id;
    this.#wanted = words.toLowerCase();
    // The files of a call are reported after its end.
    const onRow = (row: Row): void => {
      if (!row.isOpen && row.tool !== undefined && row.tool.files.length > 0) this.#count(row);
    };
    this.#fold = new RowFold({ onRow, onRowEnd: (row) => this.#count(row), onEdit: () => {} }, textKept);
  }

  /** Searches everything up to a sequence without blocking the page, and reports what was found so far. */
  async upTo(sequence: number, signal: AbortSignal, onProgress: (found: Found) => void): Promise<Found> {
    let since = performance.now();
    while (this.#fold.lastSeq < sequence && !signal.aborted) {
      const page = await source.value.records(this.#id, this.#fold.lastSeq, pageLength, { isWhole: true });
      if (page.length === 0) break;
      for (const record of page) {
        this.#fold.feed(record);
        if (performance.now() - since < patienceMs) continue;
        await new Promise((resolve) => setTimeout(resolve, 0));
        if (signal.aborted) break;
        since = performance.now();
      }
      onProgress(this.#found());
    }
    return this.#found();
  }

  #count(row: Row): void {
    const count = occurrences(textOf(row).toLowerCase(), this.#wanted);
    if (count > 0) this.#counts.set(row.index, count);
    else this.#counts.delete(row.index);
  }

  #found(): Found {
    for (const row of this.#fold.open) this.#count(row);
    const rows = [...this.#counts.keys()].toSorted((a, b) => a - b);
    let count = 0;
    const before = rows.map((row) => {
      const sum = count;
      count += this.#counts.get(row) ?? 0;
      return sum;
    });
    return { count, rows, before };
  }
}

function occurrences(text: string, wanted: string): number {
  let count = 0;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) count += 1;
  return count;
}

/** Highlights matches in the rows that are in the document, without changing the document. */
export function highlight(inside: Element | null, words: string): void {
  if (!('highlights' in CSS)) return;
  CSS.highlights.delete('found');
  const wanted = words.toLowerCase();
  if (inside === null || wanted === '') return;
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(inside, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null && ranges.length < 2000; node = walker.nextNode()) {
    const value = node.nodeValue ?? '';
    const lower = value.toLowerCase();
    // Some letters are longer in lower case, which would shift every position after them.
    const text = lower.length === value.length ? lower : value;
    for (
      let at = text.indexOf(wanted);
      at !== -1 && ranges.length < 2000;
      at = text.indexOf(wanted, at + wanted.length)
    ) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      ranges.push(range);
    }
  }
  CSS.highlights.set('found', new Highlight(...ranges));
}
