import { resolve } from 'node:path';
import { exitCodes, Failure } from '../../failure.ts';
import { exportRuns as exportLines } from '../../ledger/export.ts';
import { namedRun, withWholeIds } from '../../ledger/find.ts';
import { oneLine } from '../../terminal/plain.ts';
import { command } from '../command.ts';
import type { Context } from '../context.ts';
import { filterOptions, readFilter } from './filters.ts';
import { type LedgerFlags, ledgerOption, noRunsYet, noSuchLedger, runWords, useLedger } from './ledger.ts';

const formats = ['json', 'csv', 'parquet', 'har'] as const;

export const exportRuns = command({
  name: 'runs export',
  operands: '[ID]',
  summary: 'Export whole runs as JSON lines, CSV or Parquet',
  description: `Writes everything that the ledger keeps about each run to stdout, newest first, with one page in memory at a time.
JSON lines (see "runwire schema run") can be read back with "runwire runs import". Tapes are separate files: copy their folder.
With --format har, writes what one run asked its models and what they answered, as an HTTP Archive.`,
  options: {
    ...filterOptions,
    format: {
      type: 'string',
      value: formats.join('|'),
      choices: formats,
      help: 'json: JSON lines (default); csv: without tools and files; parquet: typed columns, with --output; har: the requests of one run with --wire record',
    },
    output: { type: 'string', short: 'o', value: 'FILE', help: 'Write Parquet to this file' },
    ...ledgerOption,
  },
  examples: [
    ['runwire runs export > runs.jsonl', 'A backup, or a copy for another ledger'],
    ['runwire runs export --since 30d --format csv > runs.csv', 'A month for a spreadsheet'],
    ['runwire runs export --format parquet -o runs.parquet', 'Years of runs for DuckDB, Polars or pandas'],
    [
      'runwire runs export last --format har > run.har',
      'What its models were asked, for tools that read HTTP Archives',
    ],
    ['runwire runs export | runwire runs import --ledger postgres://db/runs -', 'From the file to PostgreSQL'],
  ],
  async run(values, operands, context) {
    if (values.format === 'har') return exportHar(values, operands, context);
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

async function exportHar(flags: LedgerFlags, operands: readonly string[], context: Context): Promise<number> {
  const [word = ''] = runWords(operands, 1, 'one run: an id, or last');
  return useLedger(
    flags,
    context,
    async ({ store, tapes }) => {
      const [{ recordingOf }, { harOf }] = await Promise.all([
        import('../../ledger/recording.ts'),
        import('../../wire/recording/har.ts'),
      ]);
      const { exchanges, startedAt } = await recordingOf(tapes, await namedRun(store, word));
      await context.print(`${JSON.stringify(harOf(exchanges, startedAt))}\n`);
      return 0;
    },
    noSuchLedger,
  );
}
