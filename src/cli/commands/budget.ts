import { list } from '../budget/list.ts';
import { command, type Entry } from '../command.ts';

const subcommands: readonly Entry[] = [
  { name: 'list', summary: 'Budgets, and what is left of them', load: async () => list },
  { name: 'set', summary: 'Make or change a budget', load: async () => (await import('../budget/set.ts')).set },
  {
    name: 'remove',
    summary: 'Remove a budget, and what was counted for it',
    load: async () => (await import('../budget/remove.ts')).remove,
  },
];

/** Without a command under it, it is the list. */
export const budget = command({
  ...list,
  name: 'budget',
  summary: 'What runs may spend together, over agents, machines and days',
  description: `A budget is kept in the ledger. A run with --budget NAME reserves part of it before its agent starts, and more before it takes
more; what was not needed goes back when it ends. When nothing is left, a run ends with exit 5 before its agent starts.
Without a command it lists them.`,
  subcommands,
  examples: [
    ['runwire budget set team-a --usd 50 --per day', 'Fifty dollars a day'],
    ['runwire --budget team-a --agent claude "fix the tests"', 'A run that takes from it'],
    ['runwire budget', 'What is left'],
  ],
});
