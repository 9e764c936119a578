import { Failure } from '../../failure.ts';
import { verifyLedger } from '../../ledger/verify.ts';
import { isDatabaseError } from '../../stores/database.ts';
import { command } from '../command.ts';
import { oneLine } from '../../terminal/plain.ts';
import { plural } from '../../terminal/figures.ts';
import { ledgerOption, noRunsYet, useLedger } from './ledger.ts';

export const verify = command({
  name: 'runs verify',
  summary: 'Check the ledger and every tape',
  description: `Runs the database's own check, and checks every run's outcome and every tape, from first byte to last, by its hash. Prints one finding
per line, and exits with 1 when there is a problem. A tape that is missing, or that has no run here, is a warning: tapes are pruned by age
and size, and ledgers may share a folder of tapes; --strict treats warnings as problems.`,
  options: {
    strict: { type: 'boolean', help: 'Exit with 1 for warnings too' },
    json: { type: 'boolean', help: 'Print findings as JSON lines; see "runwire schema run-finding"' },
    ...ledgerOption,
  },
  examples: [
    ['runwire runs verify && echo ok', 'After a crash, or before a backup'],
    ['runwire runs verify --json | jq -r \'select(.level == "problem") | .where\'', 'What to restore'],
  ],
  async run(values, operands, context) {
    if (operands.length > 0) throw new Failure('input', `unexpected "${operands.join(' ')}"; see --help`);
    return useLedger(
      values,
      context,
      async (ledger) => {
        const counts = { problem: 0, warning: 0 };
        const findings = verifyLedger(ledger);
        let next = await findings.next();
        for (; next.done !== true; next = await findings.next()) {
          const { level, where, what } = next.value;
          counts[level] += 1;
          await context.print(
            values.json === true
              ? `${JSON.stringify(next.value)}\n`
              : `${level}: ${oneLine(where, 400)}: ${oneLine(what, 400)}\n`,
          );
        }
        const { runs, tapes, unsealed } = next.value;
        context.warn(
          `runwire: ${plural(runs, 'run')}, ${plural(tapes, 'tape')}: ${plural(counts.problem, 'problem')}, ${plural(counts.warning, 'warning')}${
            unsealed === 0
              ? ''
              : `; ${plural(unsealed, 'run')} of an older version ${unsealed === 1 ? 'is' : 'are'} not sealed`
          }`,
        );
        return counts.problem > 0 || (values.strict === true && counts.warning > 0) ? 1 : 0;
      },
      (name) => noRunsYet(context, name),
    ).catch(async (error: unknown) => {
      if (!(error instanceof Failure) || !isDatabaseError(error.cause)) throw error;
      // The ledger cannot be opened at all: report that as the only finding.
      const finding = { level: 'problem', where: 'ledger', what: error.cause.message };
      await context.print(
        values.json === true ? `${JSON.stringify(finding)}\n` : `problem: ledger: ${oneLine(finding.what, 400)}\n`,
      );
      context.warn(`runwire: ${error.message}`);
      return 1;
    });
  },
});
