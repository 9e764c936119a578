import { closeInterrupted } from './close-interrupted.ts';
import type { Ledger } from './ledger.ts';
import { quoted } from '../redact/quoted.ts';
import { ownProcess } from '../processes/owner.ts';
import type { RunRecord, RunStore } from '../stores/run-store.ts';
import type { Labels } from '../contract/labels.ts';

const longestReason = 500;

/** The label for who stopped a run, and the one for why. */
const byLabel = 'stopped.by';
const reasonLabel = 'stopped.reason';

export function stopLabels(by: string, reason: string): Labels {
  const why = quoted(reason, longestReason);
  return { [byLabel]: by, ...(why === '' ? {} : { [reasonLabel]: why }) };
}

export type StopAnswer = { run_ids: string[] } | { refused: string };

/**
 * Interrupts the process of a run, as Ctrl-C would, so that it cleans up after itself. Only runs of this machine and this
 * user; all runs of that process end with it. Who and why are in the ledger before the signal is sent.
 */
export async function stopRun(
  store: RunStore,
  run: RunRecord,
  { by, reason }: { by: string; reason: string },
): Promise<StopAnswer> {
  const ends = await endsWith(store, run);
  if ('refused' in ends) return ends;
  for (const id of ends.run_ids) await store.addLabels(id, stopLabels(by, reason));
  try {
    process.kill(ends.pid, 'SIGINT');
  } catch {
    return { refused: 'its process is gone, or another user owns it' };
  }
  return { run_ids: ends.run_ids };
}

/** Ends a run that waits for a limit, and whose process is gone. */
export async function endLeft(
  { store, tapes }: Pick<Ledger, 'store' | 'tapes'>,
  { id, owner, heartbeat_at: at }: RunRecord,
  { by, reason }: { by: string; reason: string },
  now: number,
): Promise<void> {
  await store.addLabels(id, stopLabels(by, reason));
  await store.note(id, { at, waits_until: 0 }, owner);
  await closeInterrupted(store, tapes, now);
}

/** The runs that would end with this one, because they share its process; or why it cannot be stopped from here. */
export async function endsWith(
  store: RunStore,
  run: RunRecord,
): Promise<{ run_ids: string[]; pid: number } | { refused: string }> {
  if (run.status !== 'running') return { refused: 'it has ended already' };
  if (run.owner === undefined) return { refused: 'it is not known which process runs it' };
  const found = ownProcess(run.owner);
  if ('refused' in found) return found;
  const { pid, process_started: started } = run.owner;
  const together = (await store.open()).filter(
    ({ owner }) =>
      owner.pid === pid &&
      owner.process_started === started &&
      owner.host === run.owner?.host &&
      owner.boot === run.owner.boot,
  );
  return { run_ids: together.map(({ id }) => id), pid: found.pid };
}
