import { cells } from '../terminal/cells.ts';
import { commandRows, rowsOfWords } from '../terminal/shell-words.ts';

/** Text in lines that are no wider than the screen, each behind its margin. Words are never broken: a longer one has a line of its own. */
export function paragraph(text: string, width: number, margin = ''): string {
  return rowsOfWords(
    text.split(/\s+/).filter((word) => word !== ''),
    width - margin.length,
  )
    .map((line) => `${margin}${line}\n`)
    .join('');
}

/** More than this share of the screen is not given to the names in front of a table. */
const widestNames = 0.5;
/** Where the screen is too narrow for two columns, what a name means stands below it. */
const below = 8;

/** Names and what they mean, side by side, or below each other where the screen is narrow. */
export function rows(pairs: readonly (readonly [name: string, meaning: string])[], width: number): string {
  const room = Math.floor(width * widestNames);
  const column = Math.max(0, ...pairs.map(([name]) => cells(name)).filter((size) => size <= room)) + 4;
  const isNarrow = width - column < 24;
  const indent = isNarrow ? below : column;
  return pairs
    .map(([name, meaning]) => {
      const lines = paragraph(meaning, width, ' '.repeat(indent));
      if (!isNarrow && cells(name) + 4 <= column) return `  ${name}`.padEnd(column) + lines.slice(column);
      return `${named(name, width)}${lines}`;
    })
    .join('');
}

/** A flag that is too wide together with its value has the value below it. */
function named(name: string, width: number): string {
  if (cells(name) + 2 <= width) return `  ${name}\n`;
  const last = name.lastIndexOf(' ');
  const hasValue = last >= 0 && !name.startsWith('-', last + 1);
  const [flag, value] = hasValue ? [name.slice(0, last), name.slice(last + 1)] : [name, ''];
  return `  ${flag}\n${' '.repeat(Math.max(0, Math.min(below, width - cells(value))))}${value}\n`;
}

/** A command line of a shell, which goes on after a backslash; inside quotes it goes on without one. */
export function commandLine(line: string, width: number): string {
  const room = width - 4;
  const lines = commandRows(line, room).flatMap((row) => (cells(row) <= room ? [row] : rowsOfWords(row.split(' '), room)));
  return lines.map((text, at) => `${' '.repeat(Math.max(0, Math.min(at === 0 ? 2 : 4, width - cells(text))))}${text}\n`).join('');
}
