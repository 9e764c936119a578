import type { RunOrder } from '../../contract/orders.ts';
import { Failure } from '../../failure.ts';
import { shortRunId } from '../../ids/run-id.ts';
import { namedRun } from '../../ledger/find.ts';
import { ledgerPlace } from '../../stores/open-store.ts';
import type { Context } from '../context.ts';
import { noSuchLedger, useLedger } from './ledger.ts';

/** Gives an order to runs on workers and on this machine. Exits with 1 when one of them could not be told. */
export async function giveOrders(
  words: readonly string[],
  order: RunOrder,
  values: { ledger?: string },
  context: Context,
): Promise<number> {
  if (words.length === 0) throw new Failure('input', 'expected at least one run: an id, or last; see --help');
  let exitCode = 0;
  for (const word of words) {
    const refused =
      (await orderQueued(word, order, values.ledger, context)) ?? (await orderLocal(word, order, values, context));
    if (refused === '') continue;
    context.warn(`runwire: ${word}: ${refused}`);
    exitCode = 1;
  }
  return exitCode;
}

/** Why it could not be told, or an empty string; undefined: the run is not in the queue. */
async function orderQueued(
  word: string,
  order: RunOrder,
  ledger: string | undefined,
  context: Context,
): Promise<string | undefined> {
  if (ledgerPlace(ledger, context.env, context.cwd).kind !== 'postgres') return undefined;
  const [{ queuedRun, useQueue }, { orderJob }] = await Promise.all([
    import('../fleet/queue.ts'),
    import('../../fleet/order-job.ts'),
  ]);
  return useQueue(ledger, context, async (queue) => {
    const run = await queuedRun(queue, word);
    if (run === undefined) return undefined;
    const done = await orderJob(queue, run, order);
    if (typeof done !== 'string') return done.refused;
    context.warn(`runwire: ${shortRunId(run)}: ${done}`);
    return '';
  });
}

async function orderLocal(
  word: string,
  order: RunOrder,
  values: { ledger?: string },
  context: Context,
): Promise<string> {
  const { orderRun } = await import('../../ledger/order.ts');
  return useLedger(
    values,
    context,
    async ({ store }) => {
      const run = await namedRun(store, word);
      const refused = await orderRun(run, order, context);
      if (refused !== undefined) return refused;
      context.warn(`runwire: ${shortRunId(run.id)}: ${doneInWords(order, run.agent)}`);
      return '';
    },
    noSuchLedger,
  );
}

/** What is true now: a process can be stopped where it is, a request that is under way cannot. */
function doneInWords(order: RunOrder, agent: string | undefined): string {
  if (order.do === 'resume') return 'it goes on';
  if (order.do === 'limit') return 'its limits are changed';
  // Also the name of what directs several agents.
  return agent === 'runwire'
    ? 'paused: processes of agents are stopped, the built-in agent stops before its next request to a model, and its clocks stand still'
    : 'paused: the processes of its agent are stopped, and its clocks stand still';
}
