import { Failure } from '../../failure.ts';
import { Outlet } from '../../run/sinks/outlet.ts';
import { command } from '../command.ts';
import { readCount, readDuration } from '../../contract/flag-values.ts';
import { queueOption, useQueue } from '../fleet/queue.ts';

const defaultLeaseMs = 30_000;
const leastLeaseMs = 1000;

export const worker = command({
  name: 'worker',
  summary: 'Take runs from the queue and execute them',
  description: `Takes the runs that it may take, most urgent first, and executes each in a separate folder. stdout gets a JSON line whenever a run
starts or ends. Anyone who can queue runs can run commands here: give access to the queue's database only to people to whom you would
give a shell on this machine. After the first SIGTERM or SIGINT it takes no more runs and lets its current ones end within --grace; those
that have not ended by then, or at a second signal, go back to the queue. A worker that sends no heartbeat for --lease loses its runs to
others; when it is back, it stops them and reports nothing about them. --once takes one run and exits with its exit code, or with 0 if
there is none to take.`,
  options: {
    slots: { type: 'string', value: 'N', help: 'How many runs at a time (default: 1)' },
    label: {
      type: 'string',
      multiple: true,
      value: 'WORD',
      help: 'Something that this worker has, such as gpu; may be repeated',
    },
    once: {
      type: 'boolean',
      help: 'Take one run, and exit with its exit code: for Kubernetes Jobs, Slurm arrays, Actions matrices',
    },
    'allow-env': {
      type: 'string',
      multiple: true,
      value: 'NAME',
      help: 'Let runs have this environment variable of the worker (or PREFIX_*), if they name it with --env or their agent uses it; may be repeated',
    },
    poll: { type: 'string', value: 'DURATION', help: 'How often to look for work (default: 1s)' },
    lease: {
      type: 'string',
      value: 'DURATION',
      help: 'Its runs go to others after this long without a heartbeat (default: 30s)',
    },
    grace: {
      type: 'string',
      value: 'DURATION',
      help: 'How long runs may take to end when the worker is told to stop (default: 25s)',
    },
    ...queueOption,
  },
  examples: [
    ['runwire worker --slots 4', 'Four at a time, until told to stop'],
    ['runwire worker --label gpu --allow-env "ANTHROPIC_*"', 'Also runs that need a GPU, with a key of its own'],
    ['runwire worker --once', 'One run, and its exit code'],
  ],
  async run(values, operands, context) {
    if (operands.length > 0) throw new Failure('input', `unexpected "${operands.join(' ')}"; see --help`);
    const slots = readCount('--slots', values.slots, 4) ?? 1;
    const once = values.once === true;
    if (once && slots > 1) throw new Failure('input', '--once takes one run: leave --slots out');
    const leaseMs = readDuration('--lease', values.lease) ?? defaultLeaseMs;
    if (leaseMs < leastLeaseMs) throw new Failure('input', `--lease ${values.lease ?? ''}: expected at least 1s`);
    const [{ Worker }, { everyRunGets }] = await Promise.all([
      import('../../fleet/worker.ts'),
      import('../../fleet/run-environment.ts'),
    ]);
    // Its runs are in the ledger, whether or not stdout takes these lines: it works on, and says so at once and with its exit code.
    const outlet = new Outlet(context.print, (problem) => problem && context.warn(`runwire: ${problem.message}`));
    const exitCode = await useQueue(values.ledger, context, async (queue, ledger) => {
      // Before anything is started that could read it.
      context.hideEnvironment(new Set(Object.keys(everyRunGets(context.env))));
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
        tell: (what) => outlet.write(`${JSON.stringify(what)}\n`),
        warn: (message) => context.warn(`runwire: ${message}`),
      });
      const release = context.onSignal(() => here.leave());
      try {
        return await here.run();
      } finally {
        release();
      }
    });
    await outlet.close();
    context.leaveSoon();
    return outlet.problem === undefined || exitCode !== 0 ? exitCode : outlet.problem.exitCode;
  },
});
