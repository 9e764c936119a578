import { Failure } from '../../failure.ts';
import { command } from '../command.ts';
import { readCount, readDuration } from '../flag-values.ts';
import { queueOption, useQueue } from '../fleet/queue.ts';

const defaultLeaseMs = 30_000;
const leastLeaseMs = 1000;

export const worker = command({
  name: 'worker',
  summary: 'Take runs from the queue and do them',
  description: `It takes runs that it may take, the most urgent first, and does each in a folder of its own. stdout gets a JSON line for each that
starts and ends. Who may queue may run commands here: give the queue's database to people whom you would give this machine's shell.
The first SIGTERM or SIGINT takes nothing more and lets runs end for --grace; what has not ended by then, or at a second signal, is
given back to the queue. A worker that is not heard of for --lease loses its runs to others; when it is back it stops them and says nothing of them.
--once takes one run and exits with its exit code; with 0 if there is none to take.`,
  options: {
    slots: { type: 'string', value: 'N', help: 'How many runs at a time (default: 1)' },
    label: { type: 'string', multiple: true, value: 'WORD', help: 'What this worker has, such as gpu; may be repeated' },
    once: { type: 'boolean', help: 'Take one run, and exit with its exit code: for Kubernetes Jobs, Slurm arrays, Actions matrices' },
    'allow-env': {
      type: 'string',
      multiple: true,
      value: 'NAME',
      help: "A variable of this worker's that runs may ask for with --env (or PREFIX_*); may be repeated",
    },
    poll: { type: 'string', value: 'DURATION', help: 'How often to look for work (default: 1s)' },
    lease: { type: 'string', value: 'DURATION', help: 'After this long without a sign of life, its runs go to others (default: 30s)' },
    grace: { type: 'string', value: 'DURATION', help: 'How long runs may take to end when it is told to leave (default: 25s)' },
    ...queueOption,
  },
  examples: [
    ['runwire worker --slots 4', 'Four at a time, until it is told to leave'],
    ['runwire worker --label gpu --allow-env "ANTHROPIC_*"', 'Also what needs a GPU, with a key of its own'],
    ['runwire worker --once', 'One run, and its exit code'],
  ],
  async run(values, operands, context) {
    if (operands.length > 0) throw new Failure('input', `unexpected "${operands.join(' ')}"; see --help`);
    const slots = readCount('--slots', values.slots, 4) ?? 1;
    const once = values.once === true;
    if (once && slots > 1) throw new Failure('input', '--once takes one run: leave --slots out');
    const leaseMs = readDuration('--lease', values.lease) ?? defaultLeaseMs;
    if (leaseMs < leastLeaseMs) throw new Failure('input', `--lease ${values.lease ?? ''}: expected at least 1s`);
    const [{ Worker }, { childEnvironment }] = await Promise.all([import('../../fleet/worker.ts'), import('../../agents/environment.ts')]);
    const exitCode = await useQueue(values.ledger, context, async (queue, ledger) => {
      // Before anything is started that could look.
      context.hideEnvironment(new Set(Object.keys(childEnvironment(context.env, { pass: [], set: {} }))));
      const here = new Worker(queue, {
        env: context.env,
        ledger,
        slots,
        once,
        leaseMs,
        labels: values.label ?? [],
        allowEnv: values['allow-env'] ?? [],
        pollMs: readDuration('--poll', values.poll) ?? 1000,
        graceMs: readDuration('--grace', values.grace) ?? 25_000,
        tell: (what) => void context.print(`${JSON.stringify(what)}\n`),
        warn: (message) => context.warn(`runwire: ${message}`),
      });
      const release = context.onSignal(() => here.leave());
      try {
        return await here.run();
      } finally {
        release();
      }
    });
    context.leaveSoon();
    return exitCode;
  },
});
