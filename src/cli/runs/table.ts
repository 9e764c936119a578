import { cells, fit } from '../../terminal/cells.ts';
import { wantsColours } from '../../terminal/line.ts';
import type { Context } from '../context.ts';

export type Colour = 'dim' | 'red' | 'green' | 'yellow' | 'bold';
const codes: Record<Colour, number> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 };

export interface Column<Row> {
  title: string;
  /** Already safe for a terminal, on one line. */
  cell(row: Row): string;
  align?: 'right';
  colour?(row: Row): Colour | undefined;
  /** Takes what room is left, and is cut to it. */
  fills?: boolean;
  /** When the room is short, the column of the highest number goes first; absent: it stays. */
  leaves?: number;
}

export interface Screen {
  width: number;
  colours: boolean;
}

const defaultWidth = 100;
const gap = '  ';
const leastFill = 16;

export function screenOf(context: Context): Screen {
  const told = Number(context.env['COLUMNS']);
  const width = Number.isInteger(told) && told > 0 ? told : (context.columns ?? defaultWidth);
  return { width, colours: wantsColours(context.env, context.stdoutIsTerminal) };
}

export function paint(text: string, colour: Colour | undefined, { colours }: Screen): string {
  return !colours || colour === undefined || text === '' ? text : `\u001b[${codes[colour]}m${text}\u001b[0m`;
}

/** Rows as a table that is no wider than the screen. */
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], screen: Screen): string {
  const shown = fitting(columns, rows, screen.width);
  const line = (texts: readonly string[], colours: readonly (Colour | undefined)[]): string =>
    shown
      .map(({ column, width }, index) => {
        const text = fit(texts[index] ?? '', width);
        const space = ' '.repeat(Math.max(0, width - cells(text)));
        const painted = paint(text, colours[index], screen);
        return column.align === 'right' ? space + painted : painted + space;
      })
      .join(gap)
      .trimEnd();
  const head = line(
    shown.map(({ column }) => column.title),
    shown.map(() => 'bold'),
  );
  const body = rows.map((row) =>
    line(
      shown.map(({ column }) => column.cell(row)),
      shown.map(({ column }) => column.colour?.(row)),
    ),
  );
  return `${[head, ...body].join('\n')}\n`;
}

function fitting<Row>(columns: readonly Column<Row>[], rows: readonly Row[], width: number): { column: Column<Row>; width: number }[] {
  let shown = columns
    .map((column) => ({ column, width: Math.max(cells(column.title), ...rows.map((row) => cells(column.cell(row)))) }))
    // A column that says nothing of any row is room for the others.
    .filter(({ column }) => column.leaves === undefined || rows.some((row) => column.cell(row) !== ''));
  const taken = (): number =>
    shown.reduce((sum, each) => sum + (each.column.fills === true ? Math.min(each.width, leastFill) : each.width), 0) +
    gap.length * (shown.length - 1);
  while (taken() > width) {
    const weakest = Math.max(...shown.map(({ column }) => column.leaves ?? 0));
    if (weakest === 0) break;
    shown = shown.filter(({ column }) => column.leaves !== weakest);
  }
  const fixed = shown.reduce((sum, each) => sum + (each.column.fills === true ? 0 : each.width), 0) + gap.length * (shown.length - 1);
  const fillers = shown.filter(({ column }) => column.fills === true).length;
  const room = Math.max(1, Math.floor((width - fixed) / Math.max(1, fillers)));
  return shown.map((each) => (each.column.fills === true ? { ...each, width: Math.min(each.width, room) } : each));
}
