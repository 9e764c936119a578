import { Failure } from '../../failure.ts';
import type { Queue } from '../../fleet/queue.ts';
import { listJobs } from '../../fleet/find-jobs.ts';
import { recordLate } from '../../fleet/record-late.ts';
import { retryJob } from '../../fleet/retry-job.ts';
import { shortRunId } from '../../ids/run-id.ts';
import { oneLine } from '../../terminal/plain.ts';
import { command } from '../command.ts';
import { queuedRun, queueOption, useQueue } from './queue.ts';

const mostDead = 100_000;

export const retry = command({
  name: 'queue retry',
  summary: 'Queue runs that did not succeed once more',
  operands: 'RUN…',
  description: `The next attempt is the same run, with the same id; "runs show" has the one before as an attempt. --dead takes all runs that nobody tries
any more because their workers were lost five times ("runwire queue list --dead"). Prints the ids.`,
  options: { dead: { type: 'boolean', help: 'All runs whose workers were lost too often' }, ...queueOption },
  examples: [
    ['runwire queue retry flaky-1', 'By the name or the id that enqueue printed'],
    ['runwire queue retry --dead', 'When the machine that killed them is repaired'],
  ],
  async run(values, operands, context) {
    if ((operands.length === 0) === (values.dead !== true))
      throw new Failure('input', 'name runs, or use --dead; "runwire queue list --all" lists them');
    return useQueue(values.ledger, context, async (queue, place) => {
      const runs =
        values.dead === true ? await deadRuns(queue) : await Promise.all(operands.map((word) => meant(queue, word)));
      for (const run of runs) {
        // What its last worker could not report must be in the ledger before the run begins again.
        await recordLate(queue, place, { run });
        const what = await retryJob(queue, run);
        if (what === 'queued') await context.print(`${JSON.stringify({ id: run, state: 'queued' })}\n`);
        else throw new Failure('input', refusals[what](shortRunId(run)));
      }
      if (runs.length === 0) context.warn('runwire: there are no dead runs');
      return 0;
    });
  },
});

const refusals = {
  open: (run: string) => `${run} has not ended yet`,
  succeeded: (run: string) => `${run} has succeeded; queue it anew with "runwire enqueue"`,
  unknown: (run: string) => `${run} is no longer in the queue`,
} as const;

async function deadRuns(queue: Queue): Promise<string[]> {
  return (await listJobs(queue, { states: ['ended'], dead: true, limit: mostDead })).map(({ run }) => run);
}

async function meant(queue: Queue, word: string): Promise<string> {
  const run = await queuedRun(queue, word);
  if (run === undefined)
    throw new Failure('input', `no run "${oneLine(word, 60)}" in the queue; "runwire queue list --all" shows them`);
  return run;
}
