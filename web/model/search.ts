import type { Row } from './run-model.ts';

export interface Found {
  /** Every match in the run, shown or not. */
  count: number;
  /** Rows with at least one, in order. */
  rows: readonly number[];
  /** Matches before each of these rows. */
  before: readonly number[];
}

/** What is searched in a row: all that it says, also what is cut or folded on the page. */
function textOf(row: Row): string {
  if (row.tool === undefined) return row.label === '' ? row.text : `${row.label}\n${row.text}`;
  const { name, args, error = '', files } = row.tool;
  return [name, typeof args === 'string' ? args : (JSON.stringify(args) ?? ''), row.text, error, ...files.map(({ path }) => path)].join(
    '\n',
  );
}

const patienceMs = 8;

/** Counts truly, without holding the page up; the signal ends it. */
export async function search(rows: readonly Row[], words: string, signal: AbortSignal): Promise<Found> {
  const wanted = words.toLowerCase();
  const found: number[] = [];
  const before: number[] = [];
  let count = 0;
  let since = performance.now();
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index];
    const inRow = row === undefined ? 0 : occurrences(textOf(row).toLowerCase(), wanted);
    if (inRow > 0) {
      found.push(index);
      before.push(count);
      count += inRow;
    }
    if (performance.now() - since < patienceMs) continue;
    await new Promise((resolve) => setTimeout(resolve, 0));
    if (signal.aborted) break;
    since = performance.now();
  }
  return { count, rows: found, before };
}

function occurrences(text: string, wanted: string): number {
  let count = 0;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) count += 1;
  return count;
}

/** Marks what is found in the part of the document that is there, without touching the document. */
export function highlight(inside: Element | null, words: string): void {
  if (!('highlights' in CSS)) return;
  CSS.highlights.delete('found');
  const wanted = words.toLowerCase();
  if (inside === null || wanted === '') return;
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(inside, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null && ranges.length < 2000; node = walker.nextNode()) {
    const text = (node.nodeValue ?? '').toLowerCase();
    for (let at = text.indexOf(wanted); at !== -1 && ranges.length < 2000; at = text.indexOf(wanted, at + wanted.length)) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      ranges.push(range);
    }
  }
  CSS.highlights.set('found', new Highlight(...ranges));
}
