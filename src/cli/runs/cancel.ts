import { Failure } from '../../failure.ts';
import { namedRun } from '../../ledger/find.ts';
import { ledgerPlace } from '../../stores/open-store.ts';
import { shortRunId } from '../../ids/run-id.ts';
import { dropWaiting } from '../../stores/waiting-file.ts';
import { command } from '../command.ts';
import type { Context } from '../context.ts';
import { who } from '../who.ts';
import { leftRun } from '../run/left-run.ts';
import { ledgerOption, noSuchLedger, useLedger } from './ledger.ts';

export const cancel = command({
  name: 'runs cancel',
  summary: 'Stop runs that are queued, on workers, or on this machine',
  operands: 'ID…',
  description: `A queued run is removed from the queue. A run on a worker is interrupted at the worker's next heartbeat, and a run of yours on this
machine at once, both as if by Ctrl-C: the run cleans up and is recorded as cancelled, with who cancelled it and why. Exits with 1 when a
run could not be cancelled.`,
  options: {
    reason: { type: 'string', value: 'TEXT', help: 'Why; recorded with the run' },
    ...ledgerOption,
  },
  examples: [
    ['runwire runs cancel 7kq2', 'Stop one'],
    ['runwire runs cancel 7kq2 --reason "wrong branch"', 'And say why'],
  ],
  async run(values, operands, context) {
    if (operands.length === 0) throw new Failure('input', 'expected at least one run: an id, or last; see --help');
    const cancellation = { by: who(), reason: values.reason ?? '' };
    let exitCode = 0;
    for (const word of operands) {
      const refused =
        (await cancelQueued(word, cancellation, values.ledger, context)) ??
        (await cancelLocal(word, cancellation, values, context));
      if (refused === '') continue;
      context.warn(`runwire: ${word}: ${refused}`);
      exitCode = 1;
    }
    return exitCode;
  },
});

interface Cancellation {
  by: string;
  reason: string;
}

/** Why it could not be cancelled, or an empty string; undefined: the run is not in the queue. */
async function cancelQueued(
  word: string,
  cancellation: Cancellation,
  ledger: string | undefined,
  context: Context,
): Promise<string | undefined> {
  if (ledgerPlace(ledger, context.env, context.cwd).kind !== 'postgres') return undefined;
  const [{ queuedRun, useQueue }, { cancelJob }] = await Promise.all([
    import('../fleet/queue.ts'),
    import('../../fleet/settle-job.ts'),
  ]);
  return useQueue(ledger, context, async (queue) => {
    const run = await queuedRun(queue, word);
    if (run === undefined) return undefined;
    const done = await cancelJob(queue, run, cancellation);
    if (done === 'ended') return 'it has ended already';
    context.warn(
      `runwire: ${shortRunId(run)}: ${done === 'cancelled' ? 'removed from the queue' : 'its worker was told to stop it'}`,
    );
    return '';
  });
}

async function cancelLocal(
  word: string,
  cancellation: Cancellation,
  values: { ledger?: string },
  context: Context,
): Promise<string> {
  const { endLeft, stopRun } = await import('../../ledger/stop.ts');
  return useLedger(
    values,
    context,
    async ({ store, tapes }) => {
      const run = await namedRun(store, word);
      if (leftRun(run.id, context) !== undefined) {
        dropWaiting(context.env, run.id);
        await endLeft({ store, tapes }, run, cancellation, context.now());
        context.warn(`runwire: ${shortRunId(run.id)}: waits no more`);
        return '';
      }
      const answer = await stopRun(store, run, cancellation);
      if ('refused' in answer) return answer.refused;
      context.warn(`runwire: ${answer.run_ids.map(shortRunId).join(', ')}: interrupted`);
      return '';
    },
    noSuchLedger,
  );
}
