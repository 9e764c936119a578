import { command, type Entry } from '../command.ts';
import { list } from '../runs/list.ts';

const subcommands: readonly Entry[] = [
  { name: 'list', summary: 'List runs, newest first', load: async () => list },
  {
    name: 'show',
    summary: 'Show one run: verdict, answer, timeline, files',
    load: async () => (await import('../runs/show.ts')).show,
  },
  {
    name: 'tail',
    summary: 'Show what a run does, live and from any process',
    load: async () => (await import('../runs/tail.ts')).tail,
  },
  {
    name: 'diff',
    summary: 'Show what differs between two runs',
    load: async () => (await import('../runs/diff.ts')).diff,
  },
  {
    name: 'stats',
    summary: 'Show success rate, cost, tokens and time by agent, model, day or label',
    load: async () => (await import('../runs/stats.ts')).stats,
  },
  {
    name: 'export',
    summary: 'Export whole runs as JSON lines, CSV or Parquet',
    load: async () => (await import('../runs/export.ts')).exportRuns,
  },
  {
    name: 'otel',
    summary: 'Export the spans of runs, for OpenTelemetry',
    load: async () => (await import('../runs/otel.ts')).otel,
  },
  {
    name: 'import',
    summary: 'Import runs from tapes, stored streams, session stores and exports',
    load: async () => (await import('../runs/import.ts')).importRuns,
  },
  {
    name: 'cancel',
    summary: 'Stop runs that are queued, on workers, or on this machine',
    load: async () => (await import('../runs/cancel.ts')).cancel,
  },
  {
    name: 'limit',
    summary: 'Change the limits of a run that is going on',
    load: async () => (await import('../runs/limit.ts')).limit,
  },
  {
    name: 'pause',
    summary: 'Stop a run where it is, and its clocks',
    load: async () => (await import('../runs/pause.ts')).pause,
  },
  {
    name: 'resume',
    summary: 'Let a run go on that is paused, or that waits for a limit',
    load: async () => (await import('../runs/pause.ts')).resume,
  },
  {
    name: 'wait',
    summary: 'Wait for runs to end, and exit with their verdict',
    load: async () => (await import('../runs/wait.ts')).wait,
  },
  {
    name: 'fetch',
    summary: 'Fetch the branch of a queued run into your repository',
    load: async () => (await import('../runs/fetch.ts')).fetch,
  },
  {
    name: 'prune',
    summary: 'Remove old runs, or only their tapes',
    load: async () => (await import('../runs/prune.ts')).prune,
  },
  {
    name: 'verify',
    summary: 'Check the ledger and every tape',
    load: async () => (await import('../runs/verify.ts')).verify,
  },
];

/** Without a subcommand, it lists. */
export const runs = command({
  ...list,
  name: 'runs',
  summary: 'List, show, follow, compare, count, move and prune runs in the ledger',
  description: `Every run is recorded in the ledger: a file in the state folder, or PostgreSQL.
Without a command, lists the runs. A run is named by the beginning of its id, or "last".`,
  subcommands,
  examples: [
    ['runwire runs', 'The last runs'],
    ['runwire runs show last', 'What the last one did'],
    ['runwire runs stats --by model --since 7d', 'What models cost this week'],
    ['runwire runs import ~/.claude/projects ~/.codex/sessions', 'Import earlier sessions of other tools'],
  ],
});
