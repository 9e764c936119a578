import { resolve } from 'node:path';
import { exitCodes, Failure } from '../../failure.ts';
import { exportRuns as exportLines } from '../../ledger/export.ts';
import { withWholeIds } from '../../ledger/find.ts';
import { oneLine } from '../../terminal/plain.ts';
import { command } from '../command.ts';
import { filterOptions, readFilter } from './filters.ts';
import { ledgerOption, noRunsYet, useLedger } from './ledger.ts';

const formats = ['json', 'csv', 'parquet'] as const;

export const exportRuns = command({
  name: 'runs export',
  summary: 'Export whole runs as JSON lines, CSV or Parquet',
  description: `Writes everything that the ledger keeps about each run to stdout, newest first, with one page in memory at a time.
JSON lines (see "runwire schema run") can be read back with "runwire runs import". Tapes are separate files: copy their folder.`,
  options: {
    ...filterOptions,
    format: {
      type: 'string',
      value: formats.join('|'),
      choices: formats,
      help: 'json: JSON lines (default); csv: without tools and files; parquet: typed columns, with --output',
    },
    output: { type: 'string', short: 'o', value: 'FILE', help: 'Write Parquet to this file' },
    ...ledgerOption,
  },
  examples: [
    ['runwire runs export > runs.jsonl', 'A backup, or a copy for another ledger'],
    ['runwire runs export --since 30d --format csv > runs.csv', 'A month for a spreadsheet'],
    ['runwire runs export --format parquet -o runs.parquet', 'Years of runs for DuckDB, Polars or pandas'],
    ['runwire runs export | runwire runs import --ledger postgres://db/runs -', 'From the file to PostgreSQL'],
  ],
  async run(values, operands, context) {
    if (operands.length > 0)
      throw new Failure('input', `unexpected "${operands.join(' ')}": it writes to stdout; see --help`);
    const filter = readFilter(values, context);
    const format = formats.find((each) => each === (values.format ?? 'json'));
    if (format === undefined)
      throw new Failure('input', `unknown format: ${values.format} (expected ${formats.join(', ')})`);
    const { output } = values;
    if ((format === 'parquet') !== (output !== undefined))
      throw new Failure(
        'input',
        format === 'parquet'
          ? '--format parquet needs --output FILE: it is not text'
          : '--output is for --format parquet; send the others to a file with >',
      );
    return useLedger(
      values,
      context,
      async ({ store }) => {
        let damaged = 0;
        const found = store.export(await withWholeIds(store, filter), ({ message }) => {
          damaged += 1;
          context.warn(`runwire: left out: ${oneLine(message, 400)}`);
        });
        if (output !== undefined) {
          const { writeParquet } = await import('../../ledger/parquet.ts');
          await writeParquet(resolve(context.cwd, output), found);
        } else {
          for await (const line of exportLines(found, format === 'csv' ? 'csv' : 'json')) await context.print(line);
        }
        // What was written is whole, but not everything that was asked for.
        return damaged === 0 ? 0 : exitCodes.config;
      },
      (name) => noRunsYet(context, name),
    );
  },
});
