import { command, type Entry } from '../command.ts';
import { queueList } from '../fleet/list.ts';

const subcommands: readonly Entry[] = [
  { name: 'list', summary: 'List what is waiting and running, most urgent first', load: async () => queueList },
  {
    name: 'limit',
    summary: 'Limit how many runs of a key may run at once',
    load: async () => (await import('../fleet/limit.ts')).limit,
  },
  {
    name: 'workers',
    summary: 'List the workers, and whether they are heard of',
    load: async () => (await import('../fleet/workers.ts')).workers,
  },
  {
    name: 'drain',
    summary: 'Let workers end what they have, and leave',
    load: async () => (await import('../fleet/workers.ts')).drain,
  },
  {
    name: 'pause',
    summary: 'Start no more runs until "queue resume"',
    load: async () => (await import('../fleet/pause.ts')).pause,
  },
  {
    name: 'resume',
    summary: 'Start runs again after "queue pause"',
    load: async () => (await import('../fleet/pause.ts')).resume,
  },
  {
    name: 'retry',
    summary: 'Queue runs that did not succeed once more',
    load: async () => (await import('../fleet/retry.ts')).retry,
  },
];

/** Without a subcommand, it lists. */
export const queue = command({
  ...queueList,
  name: 'queue',
  summary: "List queued and running runs of a team's workers, limit, pause and retry them",
  subcommands,
  examples: [
    ['runwire queue', 'What is waiting and what is running'],
    ['runwire queue limit repo=web 2', 'At most two runs of this key at once, across all workers'],
  ],
});
