import { Failure } from '../../failure.ts';
import { csvLine } from '../../ledger/csv.ts';
import { groupings } from '../../contract/row-filters.ts';
import { groupingsOf, type Stats, statsBy } from '../../ledger/stats.ts';
import { withWholeIds } from '../../ledger/find.ts';
import { present } from '../../json/present.ts';
import type { StatsRow } from '../../stores/run-store.ts';
import { budgetTable } from '../budget/list.ts';
import { command } from '../command.ts';
import { oneLine } from '../../terminal/plain.ts';
import { bar, compactCount, compactDuration, costInWords, dollars, percent } from '../../terminal/figures.ts';
import { filterOptions, readFilter } from './filters.ts';
import { formatOptions, readFormat } from './format.ts';
import type { Context } from '../context.ts';
import { ledgerOption, noRunsYet, useLedger } from './ledger.ts';
import { type Column, table } from '../../terminal/table.ts';
import { screenOf } from '../screen.ts';

const charts = ['runs', 'cost', 'tokens', 'time'] as const;
type Chart = (typeof charts)[number];

export const stats = command({
  name: 'runs stats',
  summary: 'Show success rate, cost, tokens and time by agent, model, day or label',
  description: `A run with several models counts for each of them, with what that model used, and for every tool that it called. A run that never
started, because of a typo in a flag or in the name of an agent, is not counted. Days are in UTC, unless --time-zone says otherwise; by hour, day, week or month, a run
counts when it began, and its tokens and cost when it used them, if that is known (an older version did not keep it).
Costs are sums of the known costs: cost_known is the number of runs with a known cost, unpriced the number without one,
cost_at_least the number of those whose cost is a lower bound. contradicted_rate is the share of what answers claim that what happened
contradicts, with its 95 % interval ("runwire claims --help"). Prints a table
with bars on a terminal, else JSON lines (see "runwire schema run-stats").`,
  options: {
    by: {
      type: 'string',
      short: 'b',
      value: 'WHAT',
      choices: groupings,
      help: `${groupings.join(', ')}, or label:KEY; two: user,week (default: agent)`,
    },
    sort: {
      type: 'string',
      value: 'COLUMN',
      help: 'Sort by runs, cost, … (any figure of the JSON), largest first; group: by name',
    },
    columns: { type: 'string', value: 'NAMES', help: 'Show only these figures, such as runs,cost,duration_p90' },
    percentiles: { type: 'boolean', help: 'Show the 50th, 90th and 99th percentiles of time and cost' },
    'time-zone': {
      type: 'string',
      value: 'ZONE',
      help: 'Time zone in which hours, days, weeks and months begin: Europe/Zurich, local (default: UTC)',
    },
    quota: { type: 'boolean', help: 'Show instead what is left of the quotas of agents, as reported during runs' },
    chart: { type: 'string', value: charts.join('|'), choices: charts, help: 'What the bars show (default: runs)' },
    ...filterOptions,
    ...formatOptions,
    ...ledgerOption,
  },
  examples: [
    ['runwire runs stats --by day --since 14d --chart cost', 'Two weeks of spending'],
    ['runwire runs stats --by hour --since 24h --time-zone local', 'The last day, hour by hour'],
    ['runwire runs stats --by label:git.branch --agent claude', 'Compare branches'],
    ['runwire runs stats --by repo,month --sort cost --time-zone local', 'What each repository costs'],
    ['runwire runs stats --by user --columns runs,cost,duration_p90', 'Figures for a team'],
    ['runwire runs stats --by all --since 1d --json | jq .success_rate', 'One number for an alert'],
  ],
  async run(values, operands, context) {
    if (operands.length > 0) throw new Failure('input', `unexpected "${operands.join(' ')}"; see --help`);
    if (values.quota === true) return showQuota(values, context);
    const filter = readFilter(values, context);
    const format = readFormat(values, context);
    const by = values.by ?? 'agent';
    const grouping = groupingsOf('--by', by);
    const figures = values.columns?.split(',').map((name) => readFigure('--columns', name.trim()));
    const order = values.sort === undefined ? undefined : readSort(values.sort);
    const options = {
      ...present({ timeZone: values['time-zone'] }),
      percentiles:
        values.percentiles === true || [order, ...(figures ?? [])].some((name) => name?.includes('_p') === true),
    };
    const chart = readChart(values.chart);
    return useLedger(
      values,
      context,
      async ({ store }) => {
        const wanted = await withWholeIds(store, filter);
        const rows = sorted(await statsBy(store, grouping, wanted, options), order);
        if (rows.length === 0) context.warn('runwire: no matching runs');
        else if (format === 'table') {
          const all = by === 'all' ? [] : await statsBy(store, 'all', wanted, options);
          const totals = all.map((row) => ({ ...row, group: 'all' }));
          const groups = new Set(rows);
          const shown =
            figures === undefined
              ? columns(by, chart, groups, options.percentiles)
              : chosenColumns(by, figures, groups);
          const budgets = await store.budgets.list();
          const left = budgets.length === 0 ? '' : `\n${budgetTable(budgets, context)}`;
          await context.show(table(shown, [...rows, ...totals], screenOf(context)) + left);
        } else if (format === 'csv') await context.print(csvOf(rows, figures));
        else await context.print(rows.map((row) => `${JSON.stringify(onlyThese(row, figures))}\n`).join(''));
        return 0;
      },
      (name) => noRunsYet(context, name),
    );
  },
});

async function showQuota(values: Parameters<typeof readFormat>[0], context: Context): Promise<number> {
  const { quotaRows, quotaTable } = await import('../quota.ts');
  const format = readFormat(values, context);
  const rows = await quotaRows(context);
  if (format === 'table') await context.show(quotaTable(rows, context));
  else if (format === 'csv')
    await context.print(
      [
        csvLine(quotaColumns),
        ...rows.map((row) =>
          csvLine(quotaColumns.map((name) => (name === 'in_force' ? Number(row.in_force) : row[name]))),
        ),
      ].join(''),
    );
  else await context.print(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return 0;
}

const quotaColumns = [
  'agent',
  'provider',
  'window',
  'used',
  'left',
  'in_force',
  'resets_at_ms',
  'seen_at_ms',
  'age_ms',
  'from',
] as const;

type Figure = (typeof csvColumns)[number];

function readFigure(flag: string, text: string): Figure {
  const known = csvColumns.find((each) => each === text);
  if (known === undefined) throw new Failure('input', `${flag} ${text}: expected ${csvColumns.slice(3).join(', ')}`);
  return known;
}

function readSort(text: string): Figure {
  return text === 'name' ? 'group' : readFigure('--sort', text);
}

/** Figures in descending order, names in ascending order; rows without a value come last. */
function sorted(rows: readonly Stats[], by: Figure | undefined): Stats[] {
  if (by === undefined) return [...rows];
  return rows.toSorted((one, other) => {
    const [a, b] = [one[by], other[by]];
    if (a === undefined || b === undefined) return (a === undefined ? 1 : 0) - (b === undefined ? 1 : 0);
    return typeof a === 'string' || typeof b === 'string' ? (String(a) < String(b) ? -1 : 1) : Number(b) - Number(a);
  });
}

function onlyThese(row: Stats, figures: readonly Figure[] | undefined): Partial<Stats> {
  if (figures === undefined) return row;
  const names = new Set<string>(['by', 'group', 'subgroup', ...figures]);
  return Object.fromEntries(Object.entries(row).filter(([name]) => names.has(name)));
}

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

/** A sum that leaves out unpriced runs says so. */
function costOf({ cost, unpriced, cost_at_least: bounds }: Stats): string {
  const known = costInWords({ cost, cost_is: bounds > 0 ? 'at_least' : undefined });
  return [known, unpriced === 0 ? undefined : `${unpriced} unpriced`].filter((part) => part !== undefined).join(' + ');
}

/** How much of what was claimed is contradicted, and in what range the share is. */
function contradicted({
  contradicted_rate: share,
  contradicted_low: low = 0,
  contradicted_high: high = 1,
}: Stats): string {
  const whole = (part: number): string => (part * 100).toFixed(0);
  return share === undefined ? '' : `${percent(share)} (${whole(low)}–${whole(high)}%)`;
}

/** `groups`: the rows that are not totals; there may be as many as there are runs. */
function groupColumns(by: string, groups: ReadonlySet<Stats>): Column<Stats>[] {
  const [first = '', second] = by.split(',');
  const group: Column<Stats> = {
    title: first.toUpperCase(),
    fills: true,
    cell: (row) => oneLine(row.group ?? '(none)', 60),
    colour: (row) => (groups.has(row) ? undefined : 'bold'),
  };
  if (second === undefined) return [group];
  return [
    group,
    { title: second.toUpperCase(), cell: (row) => (groups.has(row) ? oneLine(row.subgroup ?? '(none)', 40) : '') },
  ];
}

function chosenColumns(by: string, figures: readonly Figure[], groups: ReadonlySet<Stats>): Column<Stats>[] {
  const shown = (row: Stats, name: Figure): string => {
    const value = row[name];
    if (name === 'cost') return costOf(row);
    if (typeof value !== 'number') return value === undefined ? '' : String(value);
    if (name.startsWith('cost_p')) return dollars(value);
    if (name === 'success_rate' || name.startsWith('contradicted_')) return percent(value);
    return /duration_(?:ms|p)|longest/.test(name) ? compactDuration(value) : compactCount(value);
  };
  return [
    ...groupColumns(by, groups),
    ...figures.map((name): Column<Stats> => ({
      title: name.toUpperCase(),
      align: 'right',
      cell: (row) => shown(row, name),
    })),
  ];
}

function columns(by: string, chart: Chart, groups: ReadonlySet<Stats>, hasPercentiles: boolean): Column<Stats>[] {
  const measure = measures[chart];
  let most = 0;
  for (const row of groups) most = Math.max(most, measure(row));
  const rate = ({ success_rate: share }: Stats): string => (share === undefined ? '' : percent(share));
  const spread = (title: string, value: (row: Stats) => number | undefined): Column<Stats> => ({
    title,
    align: 'right',
    cell: (row) => {
      const ms = value(row);
      return ms === undefined ? '' : compactDuration(ms);
    },
  });
  return [
    ...groupColumns(by, groups),
    { title: 'RUNS', align: 'right', cell: ({ runs }) => String(runs) },
    { title: 'SUCCESS', align: 'right', cell: rate },
    {
      title: ''.padEnd(rateWidth),
      cell: ({ success_rate: share }) => (share === undefined ? '' : bar(share, rateWidth).padEnd(rateWidth, '·')),
      colour: ({ success_rate: share = 0 }) => (share >= 0.9 ? 'green' : share >= 0.5 ? 'yellow' : 'red'),
      leaves: 5,
    },
    { title: 'COST', align: 'right', cell: costOf, leaves: 1 },
    {
      title: 'TOKENS',
      align: 'right',
      cell: (row) => (measures.tokens(row) === 0 ? '' : compactCount(measures.tokens(row))),
      leaves: 3,
    },
    {
      title: 'MEAN',
      align: 'right',
      cell: ({ mean_duration_ms: ms }) => (ms === undefined ? '' : compactDuration(ms)),
      leaves: 4,
    },
    { title: 'CONTRADICTED', align: 'right', cell: contradicted, leaves: 2 },
    ...(hasPercentiles
      ? [
          spread('P50', (row) => row.duration_p50),
          spread('P90', (row) => row.duration_p90),
          spread('P99', (row) => row.duration_p99),
        ]
      : []),
    {
      title: 'LONGEST',
      align: 'right',
      cell: ({ longest_ms: ms }) => (ms === undefined ? '' : compactDuration(ms)),
      leaves: 7,
    },
    {
      title: chart === 'runs' ? '' : chart.toUpperCase(),
      cell: (row) => (!groups.has(row) || most === 0 ? '' : bar(measure(row) / most, chartWidth)),
      leaves: 6,
    },
  ];
}

const csvColumns = [
  'by',
  'group',
  'subgroup',
  'runs',
  'running',
  'succeeded',
  'success_rate',
  'cost',
  'cost_known',
  'unpriced',
  'cost_at_least',
  'cost_p50',
  'cost_p90',
  'cost_p99',
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'duration_ms',
  'duration_known',
  'mean_duration_ms',
  'longest_ms',
  'duration_p50',
  'duration_p90',
  'duration_p99',
  'claims_known',
  'claims_checked',
  'claims_contradicted',
  'contradicted_rate',
  'contradicted_low',
  'contradicted_high',
  'tool_calls',
] as const satisfies readonly (keyof Stats)[];

function csvOf(rows: readonly Stats[], figures: readonly Figure[] = csvColumns.slice(3)): string {
  const names: Figure[] = [
    'by',
    'group',
    ...(rows.some(({ by }) => by.includes(',')) ? ['subgroup' as const] : []),
    ...figures,
  ];
  return [csvLine(names), ...rows.map((row) => csvLine(names.map((name) => row[name])))].join('');
}
