import { exitCodes } from '../failure.ts';
import type { Transaction } from './database.ts';
import type { Plans } from './plans.ts';

/** Ends runs that no worker will start, or start again. The ledger is not updated: it has the attempts of those that began. */
export async function endUnrun(
  sql: Transaction,
  plans: Plans,
  runs: readonly string[],
  status: 'cancelled' | 'incomplete',
  message: string,
): Promise<void> {
  await sql.query(plans.endUnrun, [runs, status, exitCodes[status], message]);
}
