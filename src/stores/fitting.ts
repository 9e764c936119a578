import { columnNames } from './rows.ts';

/** One column of a database that may be a ledger. */
export interface ColumnFact {
  table: string;
  column: string;
  /** Whether a new row must have a value for it. */
  isDemanded: boolean;
}

/** The columns that this version writes; a newer ledger that has all of them, and requires no others, can be used. */
const needed: Readonly<Record<string, string>> = {
  runs: `seq key heard_at presumed_at reporter ${columnNames('runs').join(' ')}`,
  documents: `seq prompt outcome attempts owner seal ${columnNames('documents').join(' ')}`,
  labels: 'key value run',
  requests: 'hash seq',
  usage: 'run model input_tokens output_tokens reasoning_tokens cache_read_tokens cache_write_tokens cost',
  usage_series: 'run parts',
  tools: 'run name calls failed duration_ms',
  files: 'name run path',
  budgets: 'name usd tokens per',
  spendings: 'budget run period at usd tokens settled_at',
  run_chunk: 'run attempt seq_from seq_to here place sha256 bytes ends at body',
};

/** Columns that every version had: they distinguish a ledger from other tables of the same names. */
const first: Readonly<Record<string, string>> = {
  ledger: 'version',
  runs: 'seq id key status started_at heartbeat_at last_sequence',
  documents: 'seq prompt outcome attempts owner',
  labels: 'key value run',
  usage: 'run model',
};

export function isLedger(found: readonly ColumnFact[]): boolean {
  const tables = columnsOf(found);
  return hasAll(tables, first) && tables.get('ledger')?.size === 1;
}

export function isUsable(found: readonly ColumnFact[]): boolean {
  return (
    hasAll(columnsOf(found), needed) &&
    found.every(({ table, column, isDemanded }) => !isDemanded || needed[table]?.split(' ').includes(column) !== false)
  );
}

function columnsOf(found: readonly ColumnFact[]): Map<string, Set<string>> {
  const tables = new Map<string, Set<string>>();
  for (const { table, column } of found) tables.set(table, (tables.get(table) ?? new Set()).add(column));
  return tables;
}

function hasAll(tables: ReadonlyMap<string, ReadonlySet<string>>, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([table, columns]) =>
    columns.split(' ').every((column) => tables.get(table)?.has(column) === true),
  );
}
