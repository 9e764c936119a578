import { cells, fit } from './cells.ts';
import { type Colour, paint } from './paint.ts';
import { plain } from './plain.ts';

export interface Column<Row> {
  title: string;
  /** Control characters in it are spelt out. */
  cell(row: Row): string;
  align?: 'right';
  colour?(row: Row): Colour | undefined;
  /** Takes the remaining width, and is cut to it. */
  fills?: boolean;
  /** When there is not enough width, the column with the highest number is dropped first; absent: it is never dropped. */
  leaves?: number;
}

export interface Screen {
  width: number;
  colours: boolean;
}

const gap = '  ';
const leastFill = 16;

/** Rows as a table that is no wider than the screen. */
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], screen: Screen): string {
  const texts = rows.map((row) => columns.map((column) => safeCell(column.cell(row))));
  const shown = fitting(columns, texts, screen.width);
  const line = (cellsOfRow: readonly string[], colourOf: (column: Column<Row>) => Colour | undefined): string =>
    joined(
      shown.map(({ column, index, width }) => {
        const text = fit(cellsOfRow[index] ?? '', width);
        const space = ' '.repeat(Math.max(0, width - cells(text)));
        const painted = paint(text, colourOf(column), screen);
        return column.align === 'right' ? space + painted : painted + space;
      }),
    );
  const head = line(
    columns.map(({ title }) => title),
    () => 'bold',
  );
  return head + rows.map((row, index) => line(texts[index] ?? [], (column) => column.colour?.(row))).join('');
}

/** Columns as wide as their widest cell, without a header. */
export function grid(given: readonly (readonly string[])[]): string {
  const rows = given.map((row) => row.map(safeCell));
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cells(cell));
  return rows
    .map((row) => joined(row.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - cells(cell)))))
    .join('');
}

function safeCell(text: string): string {
  return plain(text).replaceAll('\n', ' ');
}

function joined(padded: readonly string[]): string {
  return `${padded.join(gap).trimEnd()}\n`;
}

interface Shown<Row> {
  column: Column<Row>;
  index: number;
  width: number;
}

function fitting<Row>(
  columns: readonly Column<Row>[],
  texts: readonly (readonly string[])[],
  screenWidth: number,
): Shown<Row>[] {
  let shown = columns
    .map((column, index) => ({
      column,
      index,
      width: texts.reduce((widest, row) => Math.max(widest, cells(row[index] ?? '')), cells(column.title)),
    }))
    // A column that is empty in every row leaves its width to the others.
    .filter(({ column, index }) => column.leaves === undefined || texts.some((row) => row[index] !== ''));
  const gaps = (): number => gap.length * (shown.length - 1);
  const taken = (fillWidth: (width: number) => number): number =>
    shown.reduce((sum, { column, width }) => sum + (column.fills === true ? fillWidth(width) : width), gaps());
  while (taken((width) => Math.min(width, leastFill)) > screenWidth) {
    const weakest = Math.max(...shown.map(({ column }) => column.leaves ?? 0));
    if (weakest === 0) break;
    shown = shown.filter(({ column }) => column.leaves !== weakest);
  }
  const fillers = shown.filter(({ column }) => column.fills === true).length;
  const room = Math.max(1, Math.floor((screenWidth - taken(() => 0)) / Math.max(1, fillers)));
  return shown.map((each) => (each.column.fills === true ? { ...each, width: Math.min(each.width, room) } : each));
}
