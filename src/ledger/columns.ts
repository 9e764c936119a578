import { cellFields, type CellKind, type RowField } from '../contract/row.ts';
import type { RunRecord, RunSummary } from '../stores/run-store.ts';

/** A column of a table of runs, whatever the format of the file. */
export interface RunColumn<Run> {
  name: string;
  cell: CellKind;
  of(run: Run): unknown;
}

export const summaryColumns: readonly RunColumn<RunSummary>[] = Object.entries<RowField>(cellFields).map(
  ([name, { cell }]) => ({
    name,
    cell,
    of: (run) => run[name as keyof RunSummary],
  }),
);

export const recordColumns: readonly RunColumn<RunRecord>[] = [
  ...summaryColumns,
  { name: 'prompt', cell: 'text', of: ({ prompt }) => prompt },
  { name: 'answer', cell: 'text', of: ({ outcome }) => outcome?.message },
  { name: 'error', cell: 'text', of: ({ outcome }) => outcome?.error_details?.message },
];
