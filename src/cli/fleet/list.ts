import { Failure } from '../../failure.ts';
import { listJobs } from '../../fleet/find-jobs.ts';
import type { Job } from '../../fleet/job.ts';
import { shortRunId } from '../../ids/run-id.ts';
import { ago } from '../../terminal/figures.ts';
import { oneLine } from '../../terminal/plain.ts';
import { type Column, table } from '../../terminal/table.ts';
import { command } from '../command.ts';
import { screenOf } from '../screen.ts';
import { queueOption, useQueue } from './queue.ts';

const defaultLimit = 200;

export const queueList = command({
  name: 'queue list',
  summary: 'List what is waiting and running, most urgent first',
  description: `Prints a table on a terminal, else JSON lines. "waiting" means for another run, "queued" for a worker. Runs that have started are also
in "runwire runs", like any other run.`,
  options: {
    all: { type: 'boolean', help: 'Also list runs that have ended' },
    dead: {
      type: 'boolean',
      help: 'Only list runs that nobody tries any more, because their workers were lost five times; see "runwire queue retry"',
    },
    limit: { type: 'string', value: 'N', help: `List at most this many, the newest (default: ${defaultLimit})` },
    json: { type: 'boolean', help: 'Print JSON lines, even on a terminal' },
    ...queueOption,
  },
  examples: [["runwire queue list --all --json | jq -r 'select(.exit_code > 0) | .run'", 'Runs that did not succeed']],
  async run(values, operands, context) {
    if (operands.length > 0) throw new Failure('input', `unexpected "${operands.join(' ')}"; see --help`);
    const limit = values.limit ?? String(defaultLimit);
    if (!/^[1-9]\d{0,5}$/.test(limit)) throw new Failure('input', `--limit ${limit}: expected a number, such as 50`);
    return useQueue(values.ledger, context, async (queue) => {
      const dead = values.dead === true;
      const states = dead
        ? (['ended'] as const)
        : (['waiting', 'queued', 'running', ...(values.all === true ? (['ended'] as const) : [])] as const);
      const jobs = await listJobs(queue, { states, dead, limit: Number(limit) });
      if (jobs.length === 0) context.warn(dead ? 'runwire: there are no dead runs' : 'runwire: the queue is empty');
      else if (values.json === true || !context.stdoutIsTerminal)
        await context.print(jobs.map((job) => `${JSON.stringify(job)}\n`).join(''));
      else await context.show(table(columns(context.now()), jobs, screenOf(context)));
      return 0;
    });
  },
});

function columns(now: number): Column<Job>[] {
  return [
    { title: 'ID', cell: ({ run }) => shortRunId(run), colour: () => 'dim' },
    { title: 'STATE', cell: ({ state, class: end }) => end ?? state },
    { title: 'QUEUED', cell: ({ enqueued_at }) => ago(Date.parse(enqueued_at), now) },
    { title: 'PRIORITY', align: 'right', cell: ({ priority }) => String(priority), leaves: 2 },
    { title: 'AGENT', cell: ({ agent }) => oneLine(agent, 14), leaves: 3 },
    { title: 'KEYS', cell: ({ keys, needs }) => oneLine([...keys, ...needs].join(' '), 30), leaves: 4 },
    { title: 'WORKER', cell: ({ worker }) => oneLine(worker ?? '', 24), leaves: 1 },
    { title: 'PROMPT', fills: true, cell: ({ title, message }) => oneLine(message ?? title, 120) },
  ];
}
