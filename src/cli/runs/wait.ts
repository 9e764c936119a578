import { exitCodes, Failure } from '../../failure.ts';
import type { Queue } from '../../fleet/queue.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { ledgerPlace } from '../../stores/open-store.ts';
import { shortRunId } from '../../stores/run-id.ts';
import { command } from '../command.ts';
import type { Context } from '../context.ts';
import { readDuration } from '../flag-values.ts';
import { ledgerOption, namedRun, noSuchLedger, useLedger } from './ledger.ts';

const pollMs = 500;

export const wait = command({
  name: 'runs wait',
  summary: 'Wait until runs have ended, and exit with their verdict',
  operands: 'ID…',
  description: `Runs of the queue, and any other run of the ledger. The exit code is that of the first, in the order given, that did not succeed;
0 when all did; 124 when --timeout came first. stderr tells what happens; stdout gets a JSON line for each, with its id, class and exit code.`,
  options: {
    timeout: { type: 'string', value: 'DURATION', help: 'Wait no longer than 90s, 5m, 1h30m (exit 124); the runs go on' },
    quiet: { type: 'boolean', short: 'q', help: 'Say on stderr only what went wrong' },
    ...ledgerOption,
  },
  examples: [
    ['runwire runs wait 7kq2 9xw4 --timeout 1h', 'Until both have ended'],
    ["runwire enqueue -p 'fix it' | jq -r .id | xargs runwire runs wait", 'Queue, and wait for it'],
  ],
  async run(values, operands, context) {
    if (operands.length === 0) throw new Failure('input', 'expected at least one run: an id, or last; see --help');
    const timeoutMs = readDuration('--timeout', values.timeout);
    const hasQueue = ledgerPlace(values.ledger, context.env, context.cwd).kind === 'postgres';
    return useLedger(
      values,
      context,
      async (ledger) => {
        if (!hasQueue) return waitFor(operands, { ledger, queue: undefined, timeoutMs, quiet: values.quiet === true }, context);
        const { useQueue } = await import('../fleet/queue.ts');
        return useQueue(values.ledger, context, (queue) =>
          waitFor(operands, { ledger, queue, timeoutMs, quiet: values.quiet === true }, context),
        );
      },
      noSuchLedger,
    );
  },
});

interface State {
  run: string;
  /** What is told of it while it goes on. */
  state: string;
  end?: { class: string; exit_code: number; message?: string };
}

interface Means {
  ledger: Ledger;
  queue: Queue | undefined;
  timeoutMs: number | undefined;
  quiet: boolean;
}

async function waitFor(words: readonly string[], { ledger, queue, timeoutMs, quiet }: Means, context: Context): Promise<number> {
  const until = context.now() + (timeoutMs ?? Infinity);
  const looks = await Promise.all(words.map((word) => lookAt(word, ledger, queue)));
  const told = new Map<string, string>();
  for (;;) {
    const states = await Promise.all(looks.map((look) => look()));
    for (const { run, state } of states) {
      if (!quiet && told.get(run) !== state) context.warn(`runwire: ${shortRunId(run)}: ${state}`);
      told.set(run, state);
    }
    if (states.every(({ end }) => end !== undefined)) {
      for (const { run, end } of states) await context.print(`${JSON.stringify({ id: run, ...end })}\n`);
      return states.map(({ end }) => end?.exit_code ?? 0).find((code) => code !== 0) ?? 0;
    }
    if (context.now() >= until) {
      const open = states.filter(({ end }) => end === undefined).map(({ run, state }) => `${shortRunId(run)} (${state})`);
      context.warn(`runwire: not ended in time: ${open.join(', ')}`);
      return exitCodes.time_limit;
    }
    await context.sleep(Math.min(pollMs, Math.max(1, until - context.now())));
  }
}

async function lookAt(word: string, { store }: Ledger, queue: Queue | undefined): Promise<() => Promise<State>> {
  const { queuedRun } = await import('../fleet/queue.ts');
  const queued = queue === undefined || word === 'last' ? undefined : await queuedRun(queue, word);
  if (queue !== undefined && queued !== undefined) return () => queuedState(queue, queued);
  const { id } = await namedRun(store, word);
  return async () => {
    const run = await store.get(id);
    if (run === undefined) throw new Failure('input', `the run ${shortRunId(id)} is gone`);
    const { status, class: verdict = status, exit_code } = run;
    if (status === 'running') return { run: id, state: 'running' };
    return { run: id, state: verdict, end: { class: verdict, exit_code: exit_code ?? exitCodes.incomplete } };
  };
}

async function queuedState(queue: Queue, run: string): Promise<State> {
  const job = await queue.get(run);
  if (job === undefined) throw new Failure('input', `the run ${shortRunId(run)} is gone`);
  const { state, worker, attempt, class: verdict = 'incomplete', exit_code = exitCodes.incomplete, message, is_recorded } = job;
  // Who is told of the end may look for it in the ledger at once.
  if (state !== 'ended' || is_recorded !== true)
    return { run, state: worker === undefined ? state : `running on ${worker}${attempt > 1 ? `, attempt ${attempt}` : ''}` };
  return { run, state: verdict, end: { class: verdict, exit_code, ...(message === undefined ? {} : { message }) } };
}
