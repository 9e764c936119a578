import { wide } from './wide.ts';

// Where terminals disagree, the larger figure is used: a row that is too short does no harm, one that wraps does. So characters that may
// be drawn as one picture are counted individually, U+FE0F counts as the second column of the emoji it creates, and every pictograph is wide.
const pictograph = /[\u{1f000}-\u{1faff}]/u;
const mark = /[\u200c\u200d\p{Mn}\p{Me}]/u;
const ascii = /^[ -~]*$/;

function cellsOf(character: string): number {
  if (ascii.test(character)) return 1;
  if (wide.test(character) || pictograph.test(character)) return 2;
  return mark.test(character) && character !== '\ufe0f' ? 0 : 1;
}

/** The most columns that a text without control characters takes on a terminal. */
export function cells(text: string): number {
  if (ascii.test(text)) return text.length;
  let sum = 0;
  for (const character of text) sum += cellsOf(character);
  return sum;
}

/** The text in at most `columns` columns, truncated if necessary. */
export function fit(text: string, columns: number): string {
  if (cells(text) <= columns) return text;
  return columns < 1 ? '' : `${head(text, columns - 1)}…`;
}

/** The text in rows of at most `columns` columns, broken at spaces where there are any. */
export function wrap(text: string, columns: number): string[] {
  const rows: string[] = [];
  let rest = text;
  while (cells(rest) > columns) {
    const row = head(rest, columns) || (Array.from(rest)[0] ?? '');
    const blank = rest[row.length] === ' ' ? row.length : row.lastIndexOf(' ');
    // Spaces at the start are an indent, not a place to break.
    const end = blank === -1 || row.slice(0, blank).trim() === '' ? row.length : blank;
    rows.push(row.slice(0, end));
    rest = rest.slice(end === blank ? end + 1 : end);
  }
  return [...rows, rest];
}

/** The fewest rows that the text takes on a terminal of this width: erasing one row too many would lose a line that should stay. */
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
