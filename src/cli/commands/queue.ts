import { command, type Entry } from '../command.ts';
import { queueList } from '../fleet/list.ts';

const subcommands: readonly Entry[] = [
  { name: 'list', summary: 'List what is waiting and running, most urgent first', load: async () => queueList },
  { name: 'limit', summary: 'Limit how many runs of a key may run at once', load: async () => (await import('../fleet/limit.ts')).limit },
];

/** Without a subcommand, it lists. */
export const queue = command({
  ...queueList,
  name: 'queue',
  summary: "List queued and running runs of a team's workers, and limit runs by key",
  subcommands,
  examples: [
    ['runwire queue', 'What is waiting and what is running'],
    ['runwire queue limit repo=web 2', 'At most two runs of this key at once, across all workers'],
  ],
});
