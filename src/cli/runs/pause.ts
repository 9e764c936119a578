import { Failure } from '../../failure.ts';
import { shortRunId } from '../../ids/run-id.ts';
import { goOnWith, leftRun } from '../run/left-run.ts';
import { namedRun } from '../../ledger/find.ts';
import type { Context } from '../context.ts';
import { command } from '../command.ts';
import { who } from '../who.ts';
import { ledgerOption, noSuchLedger, useLedger } from './ledger.ts';
import { giveOrders } from './order.ts';

export const pause = command({
  name: 'runs pause',
  summary: 'Stop a run where it is, and its clocks',
  operands: 'ID…',
  description: `All processes of the agent are stopped (SIGSTOP); the built-in agent stops before its next request to a model, and runs below this
one likewise; a command that verifies or judges goes on. No limit on time runs meanwhile. Exits with 1 if it did not come to that. For runs of yours on this machine, and for runs on workers, at their next heartbeat. Who paused it, and when, is on its tape.`,
  options: { ...ledgerOption },
  examples: [
    ['runwire runs pause 7kq2', 'Stop it where it is'],
    ['runwire runs resume 7kq2', 'Let it go on'],
  ],
  run: (values, operands, context) => giveOrders(operands, { do: 'pause', by: who() }, values, context),
});

export const resume = command({
  name: 'runs resume',
  summary: 'Let a run go on that is paused, or that waits for a limit',
  operands: 'ID…',
  description: `A run that was paused goes on where it was stopped. One that waits for a limit to reset goes on at once, whether or not it has
reset: on this machine in its own process, from a queue as soon as a worker takes it. One whose process was killed while it waited is taken
over by this command, which waits on in the foreground, as the same run with the same flags, and resumes its session.`,
  options: { ...ledgerOption },
  examples: [['runwire runs resume 7kq2', 'Let it go on']],
  async run(values, operands, context) {
    const ids = operands.includes('last') ? [...operands, await lastId(values, context)] : operands;
    const left = ids.map((id) => leftRun(id, context)).find((run) => run !== undefined);
    if (left === undefined) return giveOrders(operands, { do: 'resume', by: who() }, values, context);
    if (operands.length > 1)
      throw new Failure('input', `the process of ${shortRunId(left.run)} is gone; go on with one such run at a time`);
    return goOnWith(left, context);
  },
});

async function lastId(values: { ledger?: string }, context: Context): Promise<string> {
  const { id } = await useLedger(values, context, ({ store }) => namedRun(store, 'last'), noSuchLedger);
  return id;
}
