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
  /** The first rows with a match, each with the words around it. */
  snippets: readonly Snippet[];
}

/** A match with the words before and after it. */
export interface Snippet {
  row: number;
  label: string;
  before: string;
  match: string;
  after: string;
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

const patienceMs = 12;
const progressMs = 200;
const snippetsKept = 200;
const around = 60;
/** How many characters of a text that came in pieces are put together. */
const textKept = 64 * 1024 * 1024;

/** Gives exact counts, from the records themselves and without keeping them, in one pass; new records are searched with the next call. */
export class RunSearch {
  readonly #id: string;
  readonly #wanted: string;
  readonly #counts = new Map<number, number>();
  readonly #snippets = new Map<number, Snippet>();
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
    if (this.#fold.lastSeq >= sequence) return this.#found();
    let since = performance.now();
    let reported = since;
    for await (const records of source.value.all(this.#id, this.#fold.lastSeq, signal)) {
      for (const record of records) {
        this.#fold.feed(record);
        if (performance.now() - since < patienceMs) continue;
        await breath();
        if (signal.aborted) return this.#found();
        since = performance.now();
        if (since - reported < progressMs) continue;
        onProgress(this.#found());
        reported = performance.now();
      }
    }
    return this.#found();
  }

  #count(row: Row): void {
    const text = textOf(row);
    const lower = text.toLowerCase();
    const count = occurrences(lower, this.#wanted);
    if (count === 0) {
      this.#counts.delete(row.index);
      this.#snippets.delete(row.index);
      return;
    }
    this.#counts.set(row.index, count);
    if (this.#snippets.size < snippetsKept || this.#snippets.has(row.index))
      // Some letters are longer in lower case, which would shift every position after them.
      this.#snippets.set(
        row.index,
        snippetOf(row, lower.length === text.length ? text : lower, lower.indexOf(this.#wanted), this.#wanted.length),
      );
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
    return { count, rows, before, snippets: [...this.#snippets.values()].toSorted((a, b) => a.row - b.row) };
  }
}

function snippetOf({ index, label }: Row, text: string, at: number, length: number): Snippet {
  const from = Math.max(0, at - around);
  return {
    row: index,
    label: own(label.slice(0, 60)),
    before: `${from > 0 ? '…' : ''}${own(text.slice(from, at))}`,
    match: own(text.slice(at, at + length)),
    after: own(text.slice(at + length, at + length + 2 * around)),
  };
}

/** A slice of a long text keeps all of it in memory; its copy does not. */
function own(text: string): string {
  return [...text].join('');
}

/** Lets the page draw and take input before the search goes on; a timer would wait for four milliseconds each time. */
function breath(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(0);
  });
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
