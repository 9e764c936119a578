import type { RunFilter, RunStore } from '../stores/run-store.ts';
import { csvLine, recordCells, recordHeader } from './csv.ts';

/** Everything that the ledger keeps about each run, newest first: JSON lines that can be imported again, or CSV. */
export async function* exportRuns(store: RunStore, filter: RunFilter, format: 'json' | 'csv'): AsyncGenerator<string> {
  if (format === 'csv') yield csvLine(recordHeader);
  for await (const run of store.export(filter)) yield format === 'csv' ? csvLine(recordCells(run)) : `${JSON.stringify(run)}\n`;
}
