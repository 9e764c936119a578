import { Failure } from '../../failure.ts';
import { namedRun } from '../../ledger/find.ts';
import type { Branch } from '../../outcome/outcome.ts';
import { shortRunId } from '../../ids/run-id.ts';
import type { RunRecord } from '../../stores/run-store.ts';
import { plural } from '../../terminal/figures.ts';
import { oneLine } from '../../terminal/plain.ts';
import { command } from '../command.ts';
import { branchesOf, keptOptions, repositoryOf, winnerOf } from '../kept-work.ts';
import { ledgerOption, noSuchLedger, runWords, useLedger } from '../runs/ledger.ts';

export const apply = command({
  name: 'apply',
  summary: 'Apply the changes of a run in a private copy to your checkout',
  operands: 'RUN',
  description: `RUN is a run that was started with --isolate: the beginning of its id, or "last"; or a race, whose winner's work is meant. Its changes become uncommitted changes
in the checkout; the index and the branches stay as they are. Nothing is changed if they do not apply cleanly, or if you have changed
the same files. The branch stays; "runwire drop" discards it.`,
  options: {
    'dry-run': { type: 'boolean', help: 'Print what would change, and whether it applies cleanly' },
    '3way': { type: 'boolean', help: 'Merge changes that do not apply cleanly; conflicts are marked in the files' },
    ...keptOptions,
    ...ledgerOption,
  },
  examples: [
    ['runwire apply last', 'Apply the changes of the last run'],
    ['runwire apply 7kq2 --dry-run', 'Look first'],
    ['runwire race "make it faster" --agents codex,claude && runwire apply last', 'Take the work of the winner'],
  ],
  async run(values, operands, context) {
    const [word = ''] = runWords(operands, 1, 'one run: an id, or last');
    return useLedger(
      values,
      context,
      async ({ store }) => {
        const run = await namedRun(store, word);
        const branch = chosen(run, values.branch);
        const repository = await repositoryOf(run, values.cwd, context);
        const [{ applyWork }, { commitOf }] = await Promise.all([
          import('../../workspace/apply.ts'),
          import('../../workspace/repository.ts'),
        ]);
        const { bringIfQueued } = await import('../fleet/bring.ts');
        await bringIfQueued({ run: run.id, commit: branch.commit, ledger: values.ledger }, repository, context);
        const to = await commitOf(repository, branch.commit ?? `refs/heads/${branch.branch_id}`);
        const from = await commitOf(repository, baseOf(run) ?? `${to}^`);
        const isDryRun = values['dry-run'] === true;
        const { changes, conflicts } = await applyWork(repository, {
          from,
          to,
          isThreeWay: values['3way'] === true,
          isDryRun,
        });
        await context.print(changes.map(({ operation, path }) => `${operation.padEnd(8)} ${oneLine(path, 4096)}\n`));
        if (changes.length === 0) context.warn('runwire: the run changed nothing');
        else if (isDryRun) context.warn(`runwire: ${plural(changes.length, 'file')} would change; nothing was changed`);
        if (conflicts.length === 0) return 0;
        context.warn(`runwire: conflicts are marked in ${conflicts.join(', ')}`);
        return 1;
      },
      noSuchLedger,
    );
  },
});

function chosen(run: RunRecord, wanted: string | undefined): Branch {
  const branches = branchesOf(run);
  const only = branches.length === 1 ? branches[0] : winnerOf(branches);
  if (wanted === undefined && only !== undefined) return only;
  const names = branches.map(({ branch_id }) => branch_id).join(', ');
  if (wanted === undefined)
    throw new Failure(
      'input',
      `the run ${shortRunId(run.id)} made several branches: ${names}; choose one with --branch`,
    );
  const found = branches.find(({ branch_id }) => branch_id === wanted);
  if (found === undefined)
    throw new Failure('input', `the run ${shortRunId(run.id)} made no branch "${wanted}"; it made ${names}`);
  return found;
}

function baseOf({ outcome }: RunRecord): string | undefined {
  const { start_branch_id: start, branches } = outcome?.lineage ?? { branches: [] };
  return branches.find(({ branch_id }) => branch_id === start)?.commit;
}
