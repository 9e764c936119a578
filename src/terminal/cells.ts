import { wide } from './wide.ts';

// Where terminals disagree the larger figure is taken: a row that is too short does no harm, one that wraps does. So characters that may
// be drawn as one picture count one by one, U+FE0F counts for the second column of what it makes an emoji, and every pictograph is wide.
const pictograph = /[\u{1f000}-\u{1faff}]/u;
const mark = /[\u200c\u200d\p{Mn}\p{Me}]/u;
const ascii = /^[ -~]*$/;

function cellsOf(character: string): number {
  if (ascii.test(character)) return 1;
  if (wide.test(character) || pictograph.test(character)) return 2;
  return mark.test(character) && character !== '\ufe0f' ? 0 : 1;
}

/** Columns that a text without control characters takes on a terminal, at most. */
export function cells(text: string): number {
  if (ascii.test(text)) return text.length;
  let sum = 0;
  for (const character of text) sum += cellsOf(character);
  return sum;
}

/** The text in so many columns, its end left off where it must be. */
export function fit(text: string, columns: number): string {
  if (cells(text) <= columns) return text;
  return columns < 1 ? '' : `${head(text, columns - 1)}…`;
}

/** The text in rows of so many columns, broken at blanks where there are any. */
export function wrap(text: string, columns: number): string[] {
  const rows: string[] = [];
  let rest = text;
  while (cells(rest) > columns) {
    const row = head(rest, columns) || (Array.from(rest)[0] ?? '');
    const blank = rest[row.length] === ' ' ? row.length : row.lastIndexOf(' ');
    // Blanks at the start are an indent, no place to break.
    const end = blank === -1 || row.slice(0, blank).trim() === '' ? row.length : blank;
    rows.push(row.slice(0, end));
    rest = rest.slice(end === blank ? end + 1 : end);
  }
  return [...rows, rest];
}

/** How many rows a terminal of so many columns breaks the text into, at least: who erases one too many loses a line that was to stay. */
export function rowsOf(text: string, columns: number): number {
  let rows = 1;
  let sum = 0;
  for (const character of text) {
    const width = wide.test(character) ? 2 : mark.test(character) ? 0 : 1;
    sum += width;
    if (sum <= columns) continue;
    rows += 1;
    sum = width;
  }
  return rows;
}

function head(text: string, columns: number): string {
  let sum = 0;
  let end = 0;
  for (const character of text) {
    sum += cellsOf(character);
    if (sum > columns) break;
    end += character.length;
  }
  return text.slice(0, end);
}
