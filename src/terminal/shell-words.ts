import { cells } from './cells.ts';

/** The words of a command line as written, with their quotes. */
export function shellWords(line: string): string[] {
  const words: string[] = [];
  let word = '';
  let quote = '';
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] ?? '';
    if (character === ' ' && quote === '') {
      if (word !== '') words.push(word);
      word = '';
      continue;
    }
    word += character;
    if (character === '\\' && quote !== "'") word += line[(at += 1)] ?? '';
    else if (quote === '' && (character === "'" || character === '"')) quote = character;
    else if (character === quote) quote = '';
  }
  return word === '' ? words : [...words, word];
}

/** Words in rows of at most `columns` columns. A word is never broken: a longer one gets its own row. */
export function rowsOfWords(words: readonly string[], columns: number): string[] {
  const rows: string[] = [];
  let row = '';
  for (const word of words) {
    const longer = row === '' ? word : `${row} ${word}`;
    if (row === '' || cells(longer) <= columns) row = longer;
    else {
      rows.push(row);
      row = word;
    }
  }
  return row === '' ? rows : [...rows, row];
}

/** A command line in rows that a shell reads as one: each but the last ends with a backslash. */
export function commandRows(line: string, columns: number): string[] {
  const rows = rowsOfWords(shellWords(line), columns - 2);
  return rows.map((row, at) => (at === rows.length - 1 ? row : `${row} \\`));
}
