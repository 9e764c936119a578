import { command, type Entry } from '../command.ts';
import { queueList } from '../fleet/list.ts';

const subcommands: readonly Entry[] = [
  { name: 'list', summary: 'What waits and what runs, the most urgent first', load: async () => queueList },
  { name: 'limit', summary: 'How many runs of a key may run at once', load: async () => (await import('../fleet/limit.ts')).limit },
];

/** Without a command under it, it is the list. */
export const queue = command({
  ...queueList,
  name: 'queue',
  summary: 'What waits and runs on the workers of a team, and the limits of keys',
  subcommands,
  examples: [
    ['runwire queue', 'What waits and what runs'],
    ['runwire queue limit repo=web 2', 'Two runs of this key at once, over all workers'],
  ],
});
