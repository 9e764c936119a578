import type { BasicType, ColumnSource } from 'hyparquet-writer';
import { Failure, messageOf } from '../failure.ts';
import type { RunRecord } from '../stores/run-store.ts';

/** How many runs are in memory at a time, and how many a reader loads at once. */
const rowsPerGroup = 10_000;

type Cell = string | bigint | number | Date | object | undefined;

interface Column {
  name: string;
  type: BasicType;
  cell(run: RunRecord): Cell;
}

const text = (name: string, cell: (run: RunRecord) => string | undefined): Column => ({ name, type: 'STRING', cell });
const count = (name: string, cell: (run: RunRecord) => number | undefined): Column => ({
  name,
  type: 'INT64',
  cell(run) {
    const value = cell(run);
    return value === undefined ? undefined : BigInt(Math.round(value));
  },
});
const time = (name: string, cell: (run: RunRecord) => number | undefined): Column => ({
  name,
  type: 'TIMESTAMP',
  cell(run) {
    const value = cell(run);
    return value === undefined ? undefined : new Date(value);
  },
});

/** The columns of the CSV with proper types, and the whole outcome as JSON. */
const columns: readonly Column[] = [
  text('id', ({ id }) => id),
  text('status', ({ status }) => status),
  text('class', (run) => run.class),
  count('exit_code', (run) => run.exit_code),
  text('agent', ({ agent }) => agent),
  text('agent_version', (run) => run.agent_version),
  text('dialect', ({ dialect }) => dialect),
  text('model', ({ model }) => model),
  text('session_id', (run) => run.session_id),
  text('cwd', ({ cwd }) => cwd),
  text('host', ({ host }) => host),
  text('parent_run_id', (run) => run.parent_run_id),
  text('root_run_id', (run) => run.root_run_id),
  time('started_at', (run) => run.started_at),
  time('ended_at', (run) => run.ended_at),
  count('duration_ms', (run) => run.duration_ms),
  count('input_tokens', (run) => run.input_tokens),
  count('output_tokens', (run) => run.output_tokens),
  count('reasoning_tokens', (run) => run.reasoning_tokens),
  count('cache_read_tokens', (run) => run.cache_read_tokens),
  count('cache_write_tokens', (run) => run.cache_write_tokens),
  { name: 'cost', type: 'DOUBLE', cell: ({ cost }) => cost },
  text('cost_source', (run) => run.cost_source),
  text('cost_is', (run) => run.cost_is),
  count('turns', ({ turns }) => turns),
  count('tool_calls', (run) => run.tool_calls),
  count('artifacts', ({ artifacts }) => artifacts),
  count('warnings', ({ warnings }) => warnings),
  { name: 'labels', type: 'JSON', cell: ({ labels }) => labels },
  text('prompt', ({ prompt }) => prompt),
  text('answer', ({ outcome }) => outcome?.message),
  text('error', ({ outcome }) => outcome?.error_details?.message),
  { name: 'outcome', type: 'JSON', cell: ({ outcome }) => outcome },
];

/** Writes a Parquet file, one row group at a time. The file appears only when it is complete. */
export async function writeParquet(path: string, runs: AsyncIterable<RunRecord>): Promise<void> {
  const { fileWriter, ParquetWriter, schemaFromColumnData } = await import('hyparquet-writer');
  const { rename, rm } = await import('node:fs/promises');
  const draft = `${path}.part`;
  try {
    const schema = schemaFromColumnData({ columnData: columnsOf([]) });
    const writer = new ParquetWriter({ writer: fileWriter(draft), schema });
    for await (const group of groupsOf(runs)) await writer.write({ columnData: columnsOf(group), rowGroupSize: rowsPerGroup });
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

function columnsOf(runs: readonly RunRecord[]): ColumnSource[] {
  return columns.map(({ name, type, cell }) => ({ name, type, nullable: true, data: runs.map(cell) }));
}
