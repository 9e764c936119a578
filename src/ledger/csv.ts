import type { Labels } from '../contract/labels.ts';
import type { CellKind } from '../contract/row.ts';
import type { RunRecord, RunSummary } from '../stores/run-store.ts';
import { recordColumns, type RunColumn, summaryColumns } from './columns.ts';

type Cell = string | number | undefined;

export const summaryHeader: readonly string[] = summaryColumns.map(({ name }) => name);
export const recordHeader: readonly string[] = recordColumns.map(({ name }) => name);

export const summaryCells = (run: RunSummary): Cell[] => cellsOf(summaryColumns, run);
export const recordCells = (run: RunRecord): Cell[] => cellsOf(recordColumns, run);

function cellsOf<Run>(columns: readonly RunColumn<Run>[], run: Run): Cell[] {
  return columns.map(({ cell, of }) => {
    const value = of(run);
    return value === undefined ? undefined : written(cell, value);
  });
}

/** Times in a form that spreadsheets recognise; labels as `k=v` in one cell. */
function written(cell: CellKind, value: unknown): Cell {
  if (cell === 'time') return new Date(value as number).toISOString();
  if (cell !== 'labels') return value as Cell;
  const labels = Object.entries(value as Labels).map(([key, each]) => `${key}=${each}`);
  return labels.length === 0 ? undefined : labels.join(' ');
}

/** A line of RFC 4180. A cell that a spreadsheet would take for a formula is prefixed with an apostrophe. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(value: Cell): string {
  if (value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const safe = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
