import { ledgerRequest } from '../../run/sinks/ledger-request.ts';
import type { SinkRequests } from '../../run/sinks/open.ts';
import type { Context } from '../context.ts';
import type { RunFlags } from './flags.ts';
import { readReport } from './report.ts';

/** Where the runs of a command are recorded, as flags and environment say. */
export function recordingOf(flags: RunFlags, { env, cwd }: Context): Required<Pick<SinkRequests, 'ledger' | 'report'>> {
  return { ledger: ledgerRequest(flags, env, cwd), report: readReport(flags.report, env) };
}
