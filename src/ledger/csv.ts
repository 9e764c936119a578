import type { RunRecord, RunSummary } from '../stores/run-store.ts';

type Cell = string | number | undefined;

const columns = [
  'id',
  'status',
  'class',
  'exit_code',
  'agent',
  'agent_version',
  'dialect',
  'model',
  'session_id',
  'cwd',
  'host',
  'user',
  'repo',
  'parent_run_id',
  'root_run_id',
  'started_at',
  'ended_at',
  'duration_ms',
  'input_tokens',
  'output_tokens',
  'reasoning_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'cost',
  'cost_source',
  'cost_is',
  'turns',
  'tool_calls',
  'artifacts',
  'warnings',
  'title',
] as const satisfies readonly (keyof RunSummary)[];

export const summaryHeader: readonly string[] = [...columns, 'labels'];
export const recordHeader: readonly string[] = [...summaryHeader, 'prompt', 'answer', 'error'];

/** Times in a form that spreadsheets recognise; labels as `k=v` in one cell. */
export function summaryCells(run: RunSummary): Cell[] {
  const labels = Object.entries(run.labels).map(([key, value]) => `${key}=${value}`);
  return [...columns.map((name) => cellOf(run, name)), labels.length === 0 ? undefined : labels.join(' ')];
}

export function recordCells(run: RunRecord): Cell[] {
  return [...summaryCells(run), run.prompt, run.outcome?.message, run.outcome?.error_details?.message];
}

function cellOf(run: RunSummary, name: (typeof columns)[number]): Cell {
  const value = run[name];
  const isTime = name === 'started_at' || name === 'ended_at';
  return isTime && value !== undefined ? new Date(value).toISOString() : value;
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
