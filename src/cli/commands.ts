import type { Command, Entry } from './command.ts';

/** A test keeps these names and summaries equal to those of the commands. */
export const commands: readonly Entry[] = [
  {
    name: 'run',
    summary: 'Run an agent on a prompt and report what it really did',
    load: async () => (await import('./commands/run.ts')).run,
  },
  {
    name: 'race',
    summary: 'Give one task to several agents, verify what each did, and name a winner',
    load: async () => (await import('./commands/race.ts')).race,
  },
  {
    name: 'orchestrate',
    summary: 'Have a model hand out work to agents on branches, and publish what passes',
    load: async () => (await import('./commands/orchestrate.ts')).orchestrate,
  },
  {
    name: 'runs',
    summary: 'List, show, follow, compare, count, move and prune runs in the ledger',
    load: async () => (await import('./commands/runs.ts')).runs,
  },
  {
    name: 'usage',
    summary: 'Show what every agent on this machine used and cost',
    load: async () => (await import('./commands/usage.ts')).usage,
  },
  {
    name: 'budget',
    summary: 'Limit what runs may spend together, across agents, machines and days',
    load: async () => (await import('./commands/budget.ts')).budget,
  },
  {
    name: 'enqueue',
    summary: "Queue runs for a team's workers, in PostgreSQL",
    load: async () => (await import('./commands/enqueue.ts')).enqueueCommand,
  },
  {
    name: 'queue',
    summary: "List queued and running runs of a team's workers, limit, pause and retry them",
    load: async () => (await import('./commands/queue.ts')).queue,
  },
  {
    name: 'worker',
    summary: 'Take runs from the queue and execute them',
    load: async () => (await import('./commands/worker.ts')).worker,
  },
  {
    name: 'serve',
    summary: 'Serve the dashboard for a browser, and an API for your own panes',
    load: async () => (await import('./commands/serve.ts')).serve,
  },
  {
    name: 'acp',
    summary: 'Serve any agent to an editor, over the Agent Client Protocol (ACP)',
    load: async () => (await import('./commands/acp.ts')).acp,
  },
  {
    name: 'apply',
    summary: 'Apply the changes of a run in a private copy to your checkout',
    load: async () => (await import('./commands/apply.ts')).apply,
  },
  {
    name: 'drop',
    summary: 'Discard the changes of a run in a private copy: delete its branches',
    load: async () => (await import('./commands/drop.ts')).drop,
  },
  {
    name: 'agents',
    summary: 'List the agents that can be run, and which are installed here',
    load: async () => (await import('./commands/agents.ts')).agentsCommand,
  },
  {
    name: 'doctor',
    summary: 'Check whether agents can run here: program, version, key and flags',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  {
    name: 'outcome',
    summary: 'Print the outcome of a run: verdict, answer, tools, files, tokens, cost',
    load: async () => (await import('./commands/outcome.ts')).outcome,
  },
  {
    name: 'claims',
    summary: "Check an agent's answer against what happened, sentence by sentence",
    load: async () => (await import('./commands/claims.ts')).claims,
  },
  {
    name: 'check',
    summary: 'Check a run against expectations, or against another run',
    load: async () => (await import('./commands/check.ts')).check,
  },
  {
    name: 'convert',
    summary: 'Translate a recorded or live stream from one dialect to another',
    load: async () => (await import('./commands/convert.ts')).convert,
  },
  {
    name: 'validate',
    summary: "Check every line of a stream against its dialect's schema",
    load: async () => (await import('./commands/validate.ts')).validate,
  },
  {
    name: 'play',
    summary: 'Replay a tape to stdout, with its original timing',
    load: async () => (await import('./commands/play.ts')).play,
  },
  {
    name: 'replay',
    summary: 'Run a recorded run again, offline: the real agent, answered from the recording',
    load: async () => (await import('./commands/replay.ts')).replay,
  },
  {
    name: 'rehearse',
    summary: 'Run recorded runs through another version of an agent, and compare',
    load: async () => (await import('./commands/rehearse.ts')).rehearse,
  },
  {
    name: 'schema',
    summary: 'Print the JSON Schema of a format',
    load: async () => (await import('./commands/schema.ts')).schema,
  },
  {
    name: 'dialects',
    summary: 'List the dialects that can be read and written',
    load: async () => (await import('./commands/dialects.ts')).dialectsCommand,
  },
  {
    name: 'completion',
    summary: 'Print a completion script for bash, zsh or fish',
    load: async () => (await import('./commands/completion.ts')).completion,
  },
];

/** Every command, each followed by its subcommands: for completion and the man page. */
export async function loadCommands(entries: readonly Entry[] = commands): Promise<Command[]> {
  const loaded = await Promise.all(entries.map((entry) => entry.load()));
  const families = await Promise.all(
    loaded.map(async (each) => [each, ...(await loadCommands(each.subcommands ?? []))]),
  );
  return families.flat();
}
