import { exitCodes, Failure } from '../../failure.ts';
import { namedRun } from '../../ledger/find.ts';
import type { Queue } from '../../fleet/queue.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type Look, lookAt, waitFor } from '../../ledger/wait.ts';
import { ledgerPlace } from '../../stores/open-store.ts';
import { shortRunId } from '../../ids/run-id.ts';
import { command } from '../command.ts';
import type { Context } from '../context.ts';
import { readDuration } from '../../contract/flag-values.ts';
import { ledgerOption, noSuchLedger, useLedger } from './ledger.ts';

export const wait = command({
  name: 'runs wait',
  summary: 'Wait for runs to end, and exit with their verdict',
  operands: 'ID…',
  description: `Waits for queued runs and for any other run in the ledger. The exit code is that of the first run, in the order given, that did not
succeed; 0 when all did; 124 when --timeout expired first. stderr shows progress; stdout gets a JSON line for each run, with its id,
class and exit code.`,
  options: {
    timeout: {
      type: 'string',
      value: 'DURATION',
      help: 'Wait at most this long: 90s, 5m, 1h30m (exit 124); the runs continue',
    },
    quiet: { type: 'boolean', short: 'q', help: 'Print only problems on stderr' },
    ...ledgerOption,
  },
  examples: [
    ['runwire runs wait 7kq2 9xw4 --timeout 1h', 'Until both have ended'],
    ["runwire enqueue -p 'fix it' | jq -r .id | xargs runwire runs wait", 'Queue a run and wait for it'],
  ],
  async run(values, operands, context) {
    if (operands.length === 0) throw new Failure('input', 'expected at least one run: an id, or last; see --help');
    const options = { timeoutMs: readDuration('--timeout', values.timeout), quiet: values.quiet === true };
    const hasQueue = ledgerPlace(values.ledger, context.env, context.cwd).kind === 'postgres';
    return useLedger(
      values,
      context,
      async (ledger) => {
        const waitWith = async (queue?: Queue): Promise<number> =>
          tellUntil(await Promise.all(operands.map((word) => lookOf(word, ledger, queue, context))), options, context);
        if (!hasQueue) return waitWith();
        const { useQueue } = await import('../fleet/queue.ts');
        return useQueue(values.ledger, context, waitWith);
      },
      noSuchLedger,
    );
  },
});

interface WaitOptions {
  timeoutMs: number | undefined;
  quiet: boolean;
}

async function tellUntil(looks: readonly Look[], { timeoutMs, quiet }: WaitOptions, context: Context): Promise<number> {
  const changes = waitFor(looks, { now: context.now, sleep: context.sleep, timeoutMs });
  let next = await changes.next();
  for (; next.done !== true; next = await changes.next())
    if (!quiet) context.warn(`runwire: ${shortRunId(next.value.run)}: ${next.value.state}`);
  const states = next.value;
  const open = states.filter(({ end }) => end === undefined);
  if (open.length > 0) {
    context.warn(
      `runwire: did not end in time: ${open.map(({ run, state }) => `${shortRunId(run)} (${state})`).join(', ')}`,
    );
    return exitCodes.time_limit;
  }
  for (const { run, end } of states) await context.print(`${JSON.stringify({ id: run, ...end })}\n`);
  return states.map(({ end }) => end?.exit_code ?? 0).find((code) => code !== 0) ?? 0;
}

/** A queued run is looked up in the queue: while it waits for a worker, the ledger does not know it yet. */
async function lookOf(word: string, ledger: Ledger, queue: Queue | undefined, context: Context): Promise<Look> {
  const { queuedRun } = await import('../fleet/queue.ts');
  const queued = queue === undefined || word === 'last' ? undefined : await queuedRun(queue, word);
  if (queue !== undefined && queued !== undefined) {
    const { queuedState } = await import('../../fleet/queued-state.ts');
    return () => queuedState(queue, queued);
  }
  return lookAt(ledger, (await namedRun(ledger.store, word)).id, context);
}
