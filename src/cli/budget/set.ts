import { Failure } from '../../failure.ts';
import { present } from '../../json/present.ts';
import { periods } from '../../stores/budget-store.ts';
import { command } from '../command.ts';
import { amount, readCount, readWord } from '../../contract/flag-values.ts';
import { ledgerOption, useLedger } from '../runs/ledger.ts';
import { budgetName } from './name.ts';

export const set = command({
  name: 'budget set',
  summary: 'Create or change a budget',
  operands: 'NAME',
  description: `All runs with --budget NAME share it, in any process and on any machine that uses this ledger. What was spent in the current period
still counts when a budget is changed.`,
  options: {
    usd: { type: 'string', value: 'USD', help: 'Allow this many dollars' },
    tokens: { type: 'string', value: 'N', help: 'Allow this many tokens, input and output' },
    per: {
      type: 'string',
      value: periods.join('|'),
      choices: periods,
      help: 'Renew it every day, week or month (UTC), or never: total (default)',
    },
    ...ledgerOption,
  },
  examples: [
    ['runwire budget set team-a --usd 50 --per day', 'Fifty dollars a day'],
    [
      'runwire budget set nightly --tokens 20000000 --per week --ledger postgres://db/team',
      'In the ledger of a team, renewed weekly',
    ],
  ],
  async run(values, operands, context) {
    const name = budgetName(operands, 'budget set NAME --usd N --per day');
    const usd = readUsd(values.usd);
    const tokens = readCount('--tokens', values.tokens, 1_000_000);
    if (usd === undefined && tokens === undefined)
      throw new Failure('input', 'a budget needs --usd, --tokens or both; see --help');
    const per = readWord('--per', values.per, periods) ?? 'total';
    return useLedger(values, context, async ({ store }) => {
      await store.budgets.set({ name, per, ...present({ usd, tokens }) });
      return 0;
    });
  },
});

function readUsd(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const usd = amount(text);
  if (usd === undefined || usd === 0)
    throw new Failure('input', `--usd ${text}: expected an amount above 0, such as 50`);
  return usd;
}
