import { resolve } from 'node:path';
import { Failure } from '../../failure.ts';
import { openRepository } from '../../workspace/repository.ts';
import { command } from '../command.ts';
import { bringBranch } from '../fleet/bring.ts';
import { queuedRun, queueOption, useQueue } from '../fleet/queue.ts';
import { runWords } from './ledger.ts';

export const fetch = command({
  name: 'runs fetch',
  summary: 'Fetch the branch of a queued run into your repository',
  operands: 'ID',
  description: `The changes of a run on a worker are kept with the queue, as a branch. It becomes a branch of your repository, and its name is printed on
stdout; nothing is checked out. "runwire apply ID --cwd ." fetches it too, and applies the changes to the checkout.`,
  options: {
    cwd: { type: 'string', short: 'C', value: 'DIR', help: 'The repository (default: the working directory)' },
    ...queueOption,
  },
  examples: [['git diff main...$(runwire runs fetch 7kq2)', 'See what a worker changed']],
  async run(values, operands, context) {
    const [word = ''] = runWords(operands, 1, 'one run: an id');
    return useQueue(values.ledger, context, async (queue) => {
      const run = await queuedRun(queue, word);
      if (run === undefined)
        throw new Failure('input', `no run "${word}" in the queue; "runwire queue list --all" shows them`);
      const repository = await openRepository(resolve(context.cwd, values.cwd ?? '.'), context.env);
      await context.print(`${await bringBranch(queue, run, repository)}\n`);
      return 0;
    });
  },
});
