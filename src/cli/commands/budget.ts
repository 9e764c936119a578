import { list } from '../budget/list.ts';
import { command, type Entry } from '../command.ts';

const subcommands: readonly Entry[] = [
  { name: 'list', summary: 'List budgets and what is left of them', load: async () => list },
  { name: 'set', summary: 'Create or change a budget', load: async () => (await import('../budget/set.ts')).set },
  {
    name: 'remove',
    summary: 'Remove a budget and its recorded spending',
    load: async () => (await import('../budget/remove.ts')).remove,
  },
];

/** Without a subcommand, it lists. */
export const budget = command({
  ...list,
  name: 'budget',
  summary: 'Limit what runs may spend together, across agents, machines and days',
  description: `A budget is kept in the ledger. A run with --budget NAME reserves part of it before its agent starts, and more before it spends
more; what it did not need is returned when it ends. When nothing is left, a run exits with 5 before its agent starts.
Without a command, lists the budgets.`,
  subcommands,
  examples: [
    ['runwire budget set team-a --usd 50 --per day', 'Fifty dollars a day'],
    ['runwire --budget team-a --agent claude "fix the tests"', 'A run that takes from it'],
    ['runwire budget', 'What is left'],
  ],
});
