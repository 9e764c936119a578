import { Failure } from '../../failure.ts';
import { getPause } from '../../fleet/pauses.ts';
import type { WorkerRow } from '../../fleet/worker-row.ts';
import { drainWorkers, listWorkers } from '../../fleet/workers.ts';
import { ago } from '../../terminal/figures.ts';
import { oneLine } from '../../terminal/plain.ts';
import { type Column, table } from '../../terminal/table.ts';
import { command } from '../command.ts';
import { screenOf } from '../screen.ts';
import { who } from '../who.ts';
import { queueOption, useQueue } from './queue.ts';

export const workers = command({
  name: 'queue workers',
  summary: 'List the workers, and whether they are heard of',
  description: `Prints a table on a terminal, else JSON lines. "silent": no heartbeat for a whole lease; its runs go to others. "draining": it takes no more
runs. A worker that has left is not listed; one that was killed is listed as silent for a day.`,
  options: { json: { type: 'boolean', help: 'Print JSON lines, even on a terminal' }, ...queueOption },
  examples: [
    ['runwire queue workers --json | jq -r \'select(.state == "silent") | .name\'', 'Workers that nothing is heard of'],
  ],
  async run(values, operands, context) {
    if (operands.length > 0) throw new Failure('input', `unexpected "${operands.join(' ')}"; see --help`);
    return useQueue(values.ledger, context, async (queue) => {
      const [found, pause] = [await listWorkers(queue), await getPause(queue)];
      if (pause !== undefined)
        context.warn(
          `runwire: the queue is paused by ${oneLine(pause.by, 80)}${pause.reason === '' ? '' : `: ${oneLine(pause.reason, 200)}`}`,
        );
      if (found.length === 0) context.warn('runwire: there are no workers');
      else if (values.json === true || !context.stdoutIsTerminal)
        await context.print(found.map((worker) => `${JSON.stringify(worker)}\n`).join(''));
      else await context.show(table(columns(context.now()), found, screenOf(context)));
      return 0;
    });
  },
});

function columns(now: number): Column<WorkerRow>[] {
  return [
    { title: 'WORKER', cell: ({ name }) => oneLine(name, 60), fills: true },
    { title: 'STATE', cell: ({ state }) => state },
    { title: 'RUNS', align: 'right', cell: ({ running, slots }) => `${running}/${slots}` },
    { title: 'HEARD', cell: ({ heard_at }) => ago(Date.parse(heard_at), now) },
    { title: 'STARTED', cell: ({ started_at }) => ago(Date.parse(started_at), now), leaves: 1 },
    { title: 'LABELS', cell: ({ labels }) => oneLine(labels.join(' '), 30), leaves: 3 },
    { title: 'VERSION', cell: ({ version }) => oneLine(version, 20), leaves: 2 },
  ];
}

export const drain = command({
  name: 'queue drain',
  summary: 'Let workers end what they have, and leave',
  operands: 'WORKER…',
  description: `They take no more runs from their next heartbeat on, and leave when their runs have ended, however long that takes. Prints their names.`,
  options: { all: { type: 'boolean', help: 'All workers that are there now' }, ...queueOption },
  examples: [
    ['runwire queue drain build-7:4711', 'Before this machine is shut down; "runwire queue workers" has the names'],
    ['runwire queue drain --all', 'Before an upgrade of all of them'],
  ],
  async run(values, operands, context) {
    if ((operands.length === 0) === (values.all !== true))
      throw new Failure('input', 'name workers, or use --all; "runwire queue workers" lists them');
    return useQueue(values.ledger, context, async (queue) => {
      const names = await drainWorkers(queue, values.all === true ? undefined : operands, who());
      await context.print(names.map((name) => `${name}\n`).join(''));
      const unknown = operands.filter((name) => !names.includes(name));
      if (unknown.length > 0)
        throw new Failure(
          'input',
          `no worker ${unknown.map((name) => `"${oneLine(name, 60)}"`).join(', ')}; "runwire queue workers" lists them`,
        );
      return 0;
    });
  },
});
