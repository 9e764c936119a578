import { namedRun } from '../../ledger/find.ts';
import { oneLine } from '../../terminal/plain.ts';
import { command } from '../command.ts';
import { branchesOf, keptOptions, repositoryOf, winnerOf } from '../kept-work.ts';
import { ledgerOption, noSuchLedger, runWords, useLedger } from '../runs/ledger.ts';

export const drop = command({
  name: 'drop',
  summary: 'Discard the changes of a run in a private copy: delete its branches',
  operands: 'RUN',
  description: `RUN is a run that was started with --isolate: the beginning of its id, or "last". Deletes only the branches that Runwire made for
this run, and none to which somebody has added commits. Of a race the winner's branch stays, unless --branch names it. Prints the commit of each: "git branch NAME COMMIT" brings it back.`,
  options: { ...keptOptions, ...ledgerOption },
  examples: [['runwire drop last', 'Discard what the last run changed']],
  async run(values, operands, context) {
    const [word = ''] = runWords(operands, 1, 'one run: an id, or last');
    return useLedger(
      values,
      context,
      async ({ store }) => {
        const run = await namedRun(store, word);
        const made = branchesOf(run);
        const winner = values.branch === undefined ? winnerOf(made) : undefined;
        const branches = made.filter((each) =>
          values.branch === undefined ? each !== winner : each.branch_id === values.branch,
        );
        const repository = await repositoryOf(run, values.cwd, context);
        const { dropBranch } = await import('../../workspace/drop.ts');
        let stayed = branches.length === 0 ? 1 : 0;
        for (const { branch_id, commit } of branches)
          for (const result of await dropBranch(repository, branch_id, commit)) {
            if ('commit' in result)
              await context.print(`dropped ${oneLine(result.branch, 400)}, which was ${result.commit}\n`);
            else {
              stayed += 1;
              context.warn(`runwire: ${result.branch} was not dropped: ${result.why}`);
            }
          }
        if (winner !== undefined)
          context.warn(`runwire: ${winner.branch_id} is the winner's and stays; drop it with --branch`);
        return stayed === 0 ? 0 : 2;
      },
      noSuchLedger,
    );
  },
});
