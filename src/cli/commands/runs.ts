import { command, type Entry } from '../command.ts';
import { list } from '../runs/list.ts';

const subcommands: readonly Entry[] = [
  { name: 'list', summary: 'Runs, the newest first', load: async () => list },
  { name: 'show', summary: 'One run: verdict, answer, timeline, files', load: async () => (await import('../runs/show.ts')).show },
  { name: 'tail', summary: 'What a run does, live and from any process', load: async () => (await import('../runs/tail.ts')).tail },
  { name: 'diff', summary: 'What differs between two runs', load: async () => (await import('../runs/diff.ts')).diff },
  {
    name: 'stats',
    summary: 'Success rate, cost, tokens and time by agent, model, day or label',
    load: async () => (await import('../runs/stats.ts')).stats,
  },
  { name: 'export', summary: 'Whole runs as JSON lines, CSV or Parquet', load: async () => (await import('../runs/export.ts')).exportRuns },
  { name: 'otel', summary: 'The spans of runs, for OpenTelemetry', load: async () => (await import('../runs/otel.ts')).otel },
  {
    name: 'import',
    summary: 'Runs from tapes, stored streams, session stores and exports',
    load: async () => (await import('../runs/import.ts')).importRuns,
  },
  {
    name: 'cancel',
    summary: 'Stop runs: queued ones, on workers, and of this machine',
    load: async () => (await import('../runs/cancel.ts')).cancel,
  },
  {
    name: 'wait',
    summary: 'Wait until runs have ended, and exit with their verdict',
    load: async () => (await import('../runs/wait.ts')).wait,
  },
  {
    name: 'fetch',
    summary: 'Bring the branch of a queued run into your repository',
    load: async () => (await import('../runs/fetch.ts')).fetch,
  },
  { name: 'prune', summary: 'Forget old runs, or only their tapes', load: async () => (await import('../runs/prune.ts')).prune },
  { name: 'verify', summary: 'Check the ledger and every tape', load: async () => (await import('../runs/verify.ts')).verify },
];

/** Without a command under it, it is the list. */
export const runs = command({
  ...list,
  name: 'runs',
  summary: 'The ledger: list, show, follow, compare, count, move and prune runs',
  description: `Every run is remembered in the ledger: a file in the state folder, or PostgreSQL.
Without a command it lists them; a run is named by the beginning of its id, or "last".`,
  subcommands,
  examples: [
    ['runwire runs', 'The last runs'],
    ['runwire runs show last', 'What the last one did'],
    ['runwire runs stats --by model --since 7d', 'What models cost this week'],
    ['runwire runs import ~/.claude/projects ~/.codex/sessions', 'What other tools did before'],
  ],
});
