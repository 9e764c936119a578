import type { BasicType, ColumnSource } from 'hyparquet-writer';
import type { CellKind } from '../contract/row.ts';
import { Failure, messageOf } from '../failure.ts';
import type { RunRecord } from '../stores/run-store.ts';
import { recordColumns } from './columns.ts';

/** How many runs are in memory at a time, and how many a reader loads at once. */
const rowsPerGroup = 10_000;

/** What a kind of cell is in Parquet. */
const kinds: Readonly<Record<CellKind, { type: BasicType; of(value: unknown): unknown }>> = {
  text: { type: 'STRING', of: (value) => value },
  whole: { type: 'INT64', of: (value) => BigInt(Math.round(value as number)) },
  decimal: { type: 'DOUBLE', of: (value) => value },
  time: { type: 'TIMESTAMP', of: (value) => new Date(value as number) },
  labels: { type: 'JSON', of: (value) => value },
};

/** Writes a Parquet file, one row group at a time. The file appears only when it is complete. */
export async function writeParquet(path: string, runs: AsyncIterable<RunRecord>): Promise<void> {
  const { fileWriter, ParquetWriter, schemaFromColumnData } = await import('hyparquet-writer');
  const { rename, rm } = await import('node:fs/promises');
  const draft = `${path}.part`;
  try {
    const schema = schemaFromColumnData({ columnData: columnsOf([]) });
    const writer = new ParquetWriter({ writer: fileWriter(draft), schema });
    for await (const group of groupsOf(runs))
      await writer.write({ columnData: columnsOf(group), rowGroupSize: rowsPerGroup });
    await writer.finish();
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw new Failure('input', `cannot write ${path}: ${messageOf(error)}`, { cause: error });
  }
}

async function* groupsOf(runs: AsyncIterable<RunRecord>): AsyncGenerator<RunRecord[]> {
  let group: RunRecord[] = [];
  for await (const run of runs) {
    group.push(run);
    if (group.length < rowsPerGroup) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** The columns of the CSV with proper types, and the whole outcome as JSON. */
function columnsOf(runs: readonly RunRecord[]): ColumnSource[] {
  const columns = recordColumns.map(({ name, cell, of }): ColumnSource => {
    const kind = kinds[cell];
    const cellOf = (run: RunRecord): unknown => {
      const value = of(run);
      return value === undefined ? undefined : kind.of(value);
    };
    return { name, type: kind.type, nullable: true, data: runs.map(cellOf) };
  });
  return [...columns, { name: 'outcome', type: 'JSON', nullable: true, data: runs.map(({ outcome }) => outcome) }];
}
