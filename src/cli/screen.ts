import { wantsColours } from '../terminal/line.ts';
import type { Screen } from '../terminal/table.ts';
import type { Context } from './context.ts';

const defaultWidth = 100;

/** The screen that shows stdout. */
export function screenOf(context: Context): Screen {
  const columns = Number(context.env['COLUMNS']);
  const width = Number.isInteger(columns) && columns > 0 ? columns : (context.columns ?? defaultWidth);
  return { width, colours: wantsColours(context.env, context.stdoutIsTerminal) };
}
