import type { Transaction } from './database.ts';

/** Ends runs that no worker will start, or start again. The ledger is not updated: it has the attempts of those that began. */
export async function endUnrun(
  sql: Transaction,
  p: string,
  runs: readonly string[],
  status: 'cancelled' | 'incomplete',
  exitCode: number,
  message: string,
): Promise<void> {
  await sql.query(
    `update ${p}jobs set state = 'ended', ended_at = clock_timestamp(), status = $2, class = $2, exit_code = $3, message = $4, is_recorded = true where run = any($1)`,
    [runs, status, exitCode, message],
  );
}
