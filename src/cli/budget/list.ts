import { Failure } from '../../failure.ts';
import type { BudgetState } from '../../stores/budget-store.ts';
import { bar, compactCount, dollars } from '../../terminal/figures.ts';
import { oneLine } from '../../terminal/plain.ts';
import { type Column, table } from '../../terminal/table.ts';
import { command } from '../command.ts';
import type { Context } from '../context.ts';
import { formatOptions, readFormat } from '../runs/format.ts';
import { ledgerOption, noRunsYet, useLedger } from '../runs/ledger.ts';
import { screenOf } from '../screen.ts';
import { csvLine } from '../../ledger/csv.ts';

export const list = command({
  name: 'budget list',
  summary: 'List budgets and what is left of them',
  description: `Shows what runs have spent in the current period, and what is reserved for those that have not ended. Periods are days, weeks (from
Monday) and months in UTC, by the clock of the ledger. Prints a table on a terminal, else JSON lines (see "runwire schema budget").`,
  options: { ...formatOptions, ...ledgerOption },
  examples: [
    ['runwire budget', 'What is left'],
    [
      'runwire budget list --json | jq "select(.usd != null and .spent.usd > .usd * 0.8) | .name"',
      'Budgets that are nearly used up',
    ],
  ],
  async run(values, operands, context) {
    if (operands.length > 0) throw new Failure('input', `unexpected "${operands.join(' ')}"; see --help`);
    const format = readFormat(values, context);
    return useLedger(
      values,
      context,
      async ({ store }) => {
        const budgets = await store.budgets.list();
        if (budgets.length === 0)
          context.warn('runwire: no budgets; "runwire budget set NAME --usd N --per day" creates one');
        else if (format === 'table') await context.show(budgetTable(budgets, context));
        else if (format === 'csv') await context.print(csvOf(budgets));
        else await context.print(budgets.map((budget) => `${JSON.stringify(budget)}\n`).join(''));
        return 0;
      },
      (name) => noRunsYet(context, name),
    );
  },
});

export function budgetTable(budgets: readonly BudgetState[], context: Context): string {
  return table(columns, budgets, screenOf(context));
}

const barWidth = 10;

const columns: readonly Column<BudgetState>[] = [
  { title: 'BUDGET', fills: true, cell: ({ name }) => oneLine(name, 60) },
  { title: 'PER', cell: ({ per }) => per },
  { title: 'SPENT', align: 'right', cell: (budget) => amounts(budget, budget.spent) },
  { title: 'RESERVED', align: 'right', cell: (budget) => amounts(budget, budget.reserved), leaves: 2 },
  {
    title: 'LIMIT',
    align: 'right',
    cell: (budget) => amounts(budget, { usd: budget.usd ?? 0, tokens: budget.tokens ?? 0 }),
  },
  {
    title: ''.padEnd(barWidth),
    cell: (budget) => bar(Math.min(1, shareOf(budget)), barWidth).padEnd(barWidth, '·'),
    colour: (budget) => (shareOf(budget) >= 0.9 ? 'red' : shareOf(budget) >= 0.7 ? 'yellow' : 'green'),
    leaves: 1,
  },
  {
    title: 'RUNS',
    align: 'right',
    cell: ({ runs, unpriced }) => (unpriced === 0 ? String(runs) : `${runs} (${unpriced} unpriced)`),
    leaves: 3,
  },
];

/** The used share of whichever limit is nearest. */
function shareOf({ usd, tokens, spent, reserved }: BudgetState): number {
  const share = (kind: 'usd' | 'tokens', limit: number | undefined): number =>
    limit === undefined ? 0 : (spent[kind] + reserved[kind]) / limit;
  return Math.max(share('usd', usd), share('tokens', tokens));
}

/** The amounts of what is limited: dollars, tokens or both. */
function amounts({ usd, tokens }: BudgetState, amount: BudgetState['spent']): string {
  const shown = [
    usd === undefined ? [] : dollars(amount.usd),
    tokens === undefined ? [] : `${compactCount(amount.tokens)} tokens`,
  ];
  return shown.flat().join(', ');
}

function csvOf(budgets: readonly BudgetState[]): string {
  const head = [
    'name',
    'per',
    'usd',
    'tokens',
    'spent_usd',
    'spent_tokens',
    'reserved_usd',
    'reserved_tokens',
    'runs',
    'running',
    'unpriced',
  ];
  const rows = budgets.map(({ name, per, usd, tokens, spent, reserved, runs, running, unpriced }) =>
    csvLine([name, per, usd, tokens, spent.usd, spent.tokens, reserved.usd, reserved.tokens, runs, running, unpriced]),
  );
  return [csvLine(head), ...rows].join('');
}
