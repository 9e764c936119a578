import { Failure } from '../../failure.ts';
import { csvLine } from '../../ledger/csv.ts';
import { groupingOf, groupings, type Stats, statsBy } from '../../ledger/stats.ts';
import type { StatsRow } from '../../stores/run-store.ts';
import { command } from '../command.ts';
import { oneLine } from '../../terminal/plain.ts';
import { bar, compactCount, compactDuration, dollars, percent } from '../../terminal/figures.ts';
import { filterOptions, readFilter, withWholeIds } from './filters.ts';
import { formatOptions, readFormat } from './format.ts';
import { ledgerOption, noRunsYet, useLedger } from './ledger.ts';
import { type Column, table } from '../../terminal/table.ts';
import { screenOf } from '../screen.ts';

const charts = ['runs', 'cost', 'tokens', 'time'] as const;
type Chart = (typeof charts)[number];

export const stats = command({
  name: 'runs stats',
  summary: 'Success rate, cost, tokens and time by agent, model, day or label',
  description: `A run of several models counts for each of them, with what that model used. Days are UTC. Costs are sums of what is known:
cost_known says of how many runs. A table with bars on a terminal, else JSON lines (see "runwire schema run-stats").`,
  options: {
    by: { type: 'string', short: 'b', value: 'WHAT', choices: groupings, help: `${groupings.join(', ')}, or label:KEY (default: agent)` },
    chart: { type: 'string', value: charts.join('|'), choices: charts, help: 'What the bars show (default: runs)' },
    ...filterOptions,
    ...formatOptions,
    ...ledgerOption,
  },
  examples: [
    ['runwire runs stats --by day --since 14d --chart cost', 'Two weeks of spending'],
    ['runwire runs stats --by label:git.branch --agent claude', 'How branches fare'],
    ['runwire runs stats --by all --since 1d --json | jq .success_rate', 'One number for an alert'],
  ],
  async run(values, operands, context) {
    if (operands.length > 0) throw new Failure('input', `unexpected "${operands.join(' ')}"; see --help`);
    const filter = readFilter(values, context);
    const format = readFormat(values, context);
    const by = values.by ?? 'agent';
    const grouping = groupingOf('--by', by);
    const chart = readChart(values.chart);
    return useLedger(
      values,
      context,
      async ({ store }) => {
        const wanted = await withWholeIds(store, filter);
        const rows = await statsBy(store, grouping, wanted);
        if (rows.length === 0) context.warn('runwire: no such runs');
        else if (format === 'table') {
          const all = grouping === 'all' ? [] : await statsBy(store, 'all', wanted);
          const totals = all.map((row) => ({ ...row, group: 'all' }));
          await context.show(table(columns(by, chart, rows), [...rows, ...totals], screenOf(context)));
        } else if (format === 'csv') await context.print([csvLine(csvColumns), ...rows.map((row) => csvLine(csvCells(row)))].join(''));
        else await context.print(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
        return 0;
      },
      (name) => noRunsYet(context, name),
    );
  },
});

function readChart(text: string | undefined): Chart {
  const known = charts.find((each) => each === (text ?? 'runs'));
  if (known === undefined) throw new Failure('input', `--chart ${text}: expected ${charts.join(', ')}`);
  return known;
}

const rateWidth = 8;
const chartWidth = 20;

const measures: Record<Chart, (row: StatsRow) => number> = {
  runs: ({ runs }) => runs,
  cost: ({ cost }) => cost ?? 0,
  tokens: ({ input_tokens: input, output_tokens: output }) => (input ?? 0) + (output ?? 0),
  time: ({ duration_ms: ms }) => ms ?? 0,
};

function columns(by: string, chart: Chart, rows: readonly Stats[]): Column<Stats>[] {
  const measure = measures[chart];
  const most = Math.max(...rows.map(measure));
  const isTotal = (row: Stats): boolean => !rows.includes(row);
  const rate = ({ success_rate: share }: Stats): string => (share === undefined ? '' : percent(share));
  return [
    {
      title: by.toUpperCase(),
      fills: true,
      cell: ({ group }) => oneLine(group ?? '(none)', 60),
      colour: (row) => (isTotal(row) ? 'bold' : undefined),
    },
    { title: 'RUNS', align: 'right', cell: ({ runs }) => String(runs) },
    { title: 'SUCCESS', align: 'right', cell: rate },
    {
      title: ''.padEnd(rateWidth),
      cell: ({ success_rate: share }) => (share === undefined ? '' : bar(share, rateWidth).padEnd(rateWidth, '·')),
      colour: ({ success_rate: share = 0 }) => (share >= 0.9 ? 'green' : share >= 0.5 ? 'yellow' : 'red'),
      leaves: 4,
    },
    { title: 'COST', align: 'right', cell: ({ cost }) => (cost === undefined ? '' : dollars(cost)), leaves: 1 },
    { title: 'TOKENS', align: 'right', cell: (row) => (measures.tokens(row) === 0 ? '' : compactCount(measures.tokens(row))), leaves: 2 },
    { title: 'MEAN', align: 'right', cell: ({ mean_duration_ms: ms }) => (ms === undefined ? '' : compactDuration(ms)), leaves: 3 },
    { title: 'LONGEST', align: 'right', cell: ({ longest_ms: ms }) => (ms === undefined ? '' : compactDuration(ms)), leaves: 6 },
    {
      title: chart === 'runs' ? '' : chart.toUpperCase(),
      cell: (row) => (isTotal(row) || most === 0 ? '' : bar(measure(row) / most, chartWidth)),
      leaves: 5,
    },
  ];
}

const csvColumns = [
  'by',
  'group',
  'runs',
  'running',
  'succeeded',
  'success_rate',
  'cost',
  'cost_known',
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'duration_ms',
  'duration_known',
  'mean_duration_ms',
  'longest_ms',
  'tool_calls',
] as const satisfies readonly (keyof Stats)[];

function csvCells(row: Stats): (string | number | undefined)[] {
  return csvColumns.map((name) => row[name]);
}
