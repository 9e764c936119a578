import { exitCodes, Failure } from '../failure.ts';
import type { RunState } from '../ledger/wait.ts';
import { present } from '../json/present.ts';
import { shortRunId } from '../ids/run-id.ts';
import { getJob } from './find-jobs.ts';
import type { QueueTables } from './queue.ts';

/** The state of a queued run. */
export async function queuedState(queue: QueueTables, run: string): Promise<RunState> {
  const job = await getJob(queue, run);
  if (job === undefined) throw new Failure('input', `the run ${shortRunId(run)} no longer exists`);
  const {
    state,
    worker,
    attempt,
    class: verdict = 'incomplete',
    exit_code = exitCodes.incomplete,
    message,
    is_recorded,
  } = job;
  // A caller that learns of the end may look for it in the ledger at once.
  if (state !== 'ended' || is_recorded !== true)
    return {
      run,
      state: worker === undefined ? state : `running on ${worker}${attempt > 1 ? `, attempt ${attempt}` : ''}`,
    };
  return { run, state: verdict, end: { class: verdict, exit_code, ...present({ message }) } };
}
