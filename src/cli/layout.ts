import { cells } from '../terminal/cells.ts';
import { commandRows, rowsOfWords } from '../terminal/shell-words.ts';

/** Text in lines that fit the screen, each after its margin. Words are never broken: one that is too long gets its own line. */
export function paragraph(text: string, width: number, margin = ''): string {
  return rowsOfWords(
    text.split(/\s+/).filter((word) => word !== ''),
    width - margin.length,
  )
    .map((line) => `${margin}${line}\n`)
    .join('');
}

/** The column of names takes at most this share of the screen, and this many cells with what stands around a name. */
const [widestShare, widestColumn] = [0.5, 34];
/** On a screen too narrow for two columns, the meaning stands below its name, indented by this much. */
const below = 8;

type Pairs = readonly (readonly [name: string, meaning: string])[];

/** Names and their meanings, side by side, or one below the other on a narrow screen; `beside`: all that share the columns. */
export function rows(pairs: Pairs, width: number, beside: Pairs = pairs): string {
  const room = Math.min(Math.floor(width * widestShare), widestColumn - 4);
  const column = Math.max(0, ...beside.map(([name]) => cells(name)).filter((size) => size <= room)) + 4;
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

/** If a flag and its value do not fit on one line, the value goes below. */
function named(name: string, width: number): string {
  if (cells(name) + 2 <= width) return `  ${name}\n`;
  const last = name.lastIndexOf(' ');
  const hasValue = last >= 0 && !name.startsWith('-', last + 1);
  const [flag, value] = hasValue ? [name.slice(0, last), name.slice(last + 1)] : [name, ''];
  return `  ${flag}\n${' '.repeat(Math.max(0, Math.min(below, width - cells(value))))}${value}\n`;
}

/** A shell command line, continued after a backslash, or without one inside quotes. */
export function commandLine(line: string, width: number): string {
  const room = width - 4;
  const lines = commandRows(line, room).flatMap((row) =>
    cells(row) <= room ? [row] : rowsOfWords(row.split(' '), room),
  );
  return lines
    .map((text, at) => `${' '.repeat(Math.max(0, Math.min(at === 0 ? 2 : 4, width - cells(text))))}${text}\n`)
    .join('');
}
