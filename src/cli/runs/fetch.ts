import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Failure } from '../../failure.ts';
import { shortRunId } from '../../stores/run-id.ts';
import { openRepository } from '../../workspace/repository.ts';
import { command } from '../command.ts';
import { queuedRun, queueOption, useQueue } from '../fleet/queue.ts';
import { runWords } from './ledger.ts';

export const fetch = command({
  name: 'runs fetch',
  summary: 'Bring the branch of a queued run into your repository',
  operands: 'ID',
  description: `What a run on a worker changed is a branch that is kept with the queue. It becomes a branch of the repository here, whose name goes to
stdout; nothing is checked out. "runwire apply ID --cwd ." then takes the changes into the checkout.`,
  options: {
    cwd: { type: 'string', short: 'C', value: 'DIR', help: 'The repository (default: where you are)' },
    ...queueOption,
  },
  examples: [['git diff main...$(runwire runs fetch 7kq2)', 'See what a worker changed']],
  async run(values, operands, context) {
    const [word = ''] = runWords(operands, 1, 'one run: an id');
    return useQueue(values.ledger, context, async (queue) => {
      const run = await queuedRun(queue, word);
      const job = run === undefined ? undefined : await queue.get(run);
      if (run === undefined || job === undefined)
        throw new Failure('input', `no run "${word}" in the queue; "runwire queue list --all" shows them`);
      if (job.state !== 'ended') throw new Failure('input', `the run ${shortRunId(run)} has not ended: it is ${job.state}`);
      const bundle = await queue.bundle(run, 'result');
      if (bundle === undefined || job.branch === undefined)
        throw new Failure('input', `the run ${shortRunId(run)} changed nothing that is kept`);
      const { git } = await openRepository(resolve(context.cwd, values.cwd ?? '.'), context.env);
      const folder = mkdtempSync(join(tmpdir(), 'runwire-fetch-'));
      try {
        writeFileSync(join(folder, 'bundle'), bundle, { mode: 0o600 });
        await git.text([
          'fetch',
          '-q',
          '--no-tags',
          '--no-write-fetch-head',
          '--',
          join(folder, 'bundle'),
          `refs/heads/${job.branch}:refs/heads/${job.branch}`,
        ]);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
      await context.print(`${job.branch}\n`);
      return 0;
    });
  },
});
