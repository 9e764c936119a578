import { Failure } from '../../failure.ts';
import { command } from '../command.ts';
import { ledgerOption, noSuchLedger, useLedger } from '../runs/ledger.ts';
import { budgetName } from './name.ts';

export const remove = command({
  name: 'budget remove',
  summary: 'Remove a budget and its recorded spending',
  operands: 'NAME',
  description:
    'The runs stay in the ledger. Runs that are still running continue until they need more of the budget; then they are stopped.',
  options: { ...ledgerOption },
  examples: [['runwire budget remove team-a', 'Remove this budget']],
  async run(values, operands, context) {
    const name = budgetName(operands, 'budget remove NAME');
    return useLedger(
      values,
      context,
      async ({ store }) => {
        if (!(await store.budgets.remove(name)))
          throw new Failure('input', `no budget "${name}"; "runwire budget list" shows them`);
        return 0;
      },
      noSuchLedger,
    );
  },
});
