import { Failure } from '../../failure.ts';
import { csvLine, summaryCells, summaryHeader } from '../../ledger/csv.ts';
import { ChildSums } from '../../ledger/child-sums.ts';
import { type TreeRow, treePage } from '../../ledger/tree.ts';
import { withWholeIds } from '../../ledger/find.ts';
import { present } from '../../json/present.ts';
import { shortRunId } from '../../ids/run-id.ts';
import type { RunSummary } from '../../stores/run-store.ts';
import { command } from '../command.ts';
import type { Context } from '../context.ts';
import { oneLine } from '../../terminal/plain.ts';
import { ago, compactCount, compactDuration, costInWords } from '../../terminal/figures.ts';
import { filterOptions, readFilter } from './filters.ts';
import { type Format, formatOptions, readFormat } from './format.ts';
import { ledgerOption, noRunsYet, useLedger } from './ledger.ts';
import type { Colour } from '../../terminal/paint.ts';
import { type Column, table } from '../../terminal/table.ts';
import { screenOf } from '../screen.ts';

const defaultLimit = 50;

export const list = command({
  name: 'runs list',
  summary: 'List runs, newest first',
  description: `Prints a table on a terminal, else JSON lines (see "runwire schema run-summary"). All filters must match.
If there are more runs than --limit, stderr names the flag for the next page.`,
  options: {
    ...filterOptions,
    tree: {
      type: 'boolean',
      help: 'Show runs under the runs that started them; filters and --limit apply to top-level runs',
    },
    limit: {
      type: 'string',
      short: 'n',
      value: 'N',
      help: `List at most this many (default: ${defaultLimit}; 0: all)`,
    },
    after: { type: 'string', value: 'CURSOR', help: 'Start after the last run of the previous page' },
    ...formatOptions,
    ...ledgerOption,
  },
  examples: [
    ['runwire runs --since 1d --status error,incomplete', 'What went wrong since yesterday'],
    ["runwire runs list --label git.branch=main --min-cost 0.50 --json | jq -r '.title'", 'What was expensive on main'],
    ['runwire runs list --text "flaky test*" --csv > runs.csv', 'Full text search, for a spreadsheet'],
    ['runwire runs list --tree --since 1d', 'Which run started which'],
  ],
  async run(values, operands, context) {
    if (operands.length > 0)
      throw new Failure('input', `unexpected "${operands.join(' ')}"; search with --text, or see --help`);
    const filter = readFilter(values, context);
    const format = readFormat(values, context);
    const limit = readLimit(values.limit);
    return useLedger(
      values,
      context,
      async ({ store }) => {
        const wanted = await withWholeIds(store, filter);
        const childSums = new ChildSums(store);
        let after = values.after;
        let shown = 0;
        for (;;) {
          const request = { limit: limit === 0 ? pageLength : limit, ...present({ after }) };
          const page =
            values.tree === true ? await treePage(store, wanted, request) : await childSums.page(wanted, request);
          await print(page.runs, format, shown === 0, context);
          shown += page.runs.length;
          if (limit !== 0 || page.next === undefined) {
            if (shown === 0) context.warn('runwire: no matching runs');
            else if (page.next !== undefined) context.warn(`runwire: there are more: --after ${page.next}`);
            return 0;
          }
          after = page.next;
        }
      },
      (name) => noRunsYet(context, name),
    );
  },
});

const pageLength = 500;

function readLimit(text: string | undefined): number {
  if (text === undefined) return defaultLimit;
  if (!/^\d{1,6}$/.test(text)) throw new Failure('input', `--limit ${text}: expected a number, such as 20; 0 is all`);
  return Number(text);
}

type Row = RunSummary & Partial<Pick<TreeRow, 'depth'>>;

async function print(runs: readonly Row[], format: Format, isFirst: boolean, context: Context): Promise<void> {
  if (format === 'table') {
    if (runs.length > 0) await context.show(table(columns(context.now()), runs, screenOf(context)));
    return;
  }
  const head = format === 'csv' && isFirst ? csvLine(summaryHeader) : '';
  const lines = runs.map((run) => (format === 'csv' ? csvLine(summaryCells(run)) : `${JSON.stringify(run)}\n`));
  await context.print(head + lines.join(''));
}

export function statusColour({ status }: Pick<RunSummary, 'status'>): Colour {
  if (status === 'success') return 'green';
  return status === 'running' ? 'yellow' : 'red';
}

/** How a run ended, in one word: its class says more than its status. */
export function endOf({
  status,
  class: verdict,
  waits_until,
}: Pick<RunSummary, 'status' | 'class' | 'waits_until'>): string {
  if (status === 'running' && waits_until !== undefined) return 'waiting';
  return verdict === undefined || verdict === status || status === 'success' ? status : verdict;
}

const deepestIndent = 6;

/** Bounded, so that a long chain of runs does not fill the table. */
function indent(depth: number): string {
  return '  '.repeat(Math.min(depth, deepestIndent)) + (depth > deepestIndent ? `(${depth}) ` : '');
}

function columns(now: number): Column<Row>[] {
  return [
    { title: 'ID', cell: ({ id, depth = 0 }) => indent(depth) + shortRunId(id), colour: () => 'dim' },
    { title: 'STARTED', cell: ({ started_at }) => ago(started_at, now) },
    { title: 'END', cell: endOf, colour: statusColour },
    { title: 'AGENT', cell: ({ agent }) => oneLine(agent ?? '', 14), leaves: 2 },
    { title: 'MODEL', cell: ({ model }) => oneLine(model ?? '', 24), leaves: 4 },
    {
      title: 'TIME',
      align: 'right',
      cell: ({ duration_ms: ms }) => (ms === undefined ? '' : compactDuration(ms)),
      leaves: 1,
    },
    { title: 'TOKENS', align: 'right', cell: tokensOf, leaves: 5 },
    { title: 'COST', align: 'right', cell: (run) => costInWords(run) ?? '', leaves: 3 },
    { title: 'PROMPT', fills: true, cell: ({ title }) => oneLine(title, 120) },
  ];
}

function tokensOf({ input_tokens: input, output_tokens: output }: RunSummary): string {
  return input === undefined && output === undefined ? '' : compactCount((input ?? 0) + (output ?? 0));
}
