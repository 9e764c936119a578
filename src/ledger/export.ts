import type { RunRecord } from '../stores/run-store.ts';
import { csvLine, recordCells, recordHeader } from './csv.ts';

/** Everything that the ledger keeps about each run, newest first: JSON lines that can be imported again, or CSV. */
export async function* exportRuns(runs: AsyncIterable<RunRecord>, format: 'json' | 'csv'): AsyncGenerator<string> {
  if (format === 'csv') yield csvLine(recordHeader);
  for await (const run of runs) yield format === 'csv' ? csvLine(recordCells(run)) : `${JSON.stringify(run)}\n`;
}
