import { isDeepStrictEqual } from 'node:util';
import { isGone, thisProcess } from '../processes/owner.ts';
import type { Outbox, OutboxEntry } from '../stores/outbox.ts';
import type { RunStore } from '../stores/run-store.ts';
import type { Tapes } from '../tapes/tape.ts';
import { endingOf } from './close-interrupted.ts';
import { absorbImports } from './one-run.ts';

/** Adds runs that could not be recorded in the ledger when they ran; returns their ids. */
export async function deliver(store: RunStore, outbox: Outbox, tapes: Tapes, now: number): Promise<string[]> {
  const self = thisProcess();
  const delivered: string[] = [];
  for await (const entry of outbox.entries()) {
    const { run, ending } = entry;
    // A run that is still running updates the ledger itself.
    if (ending === undefined && !isGone({ owner: run.owner, heartbeat_at: now }, now, self)) continue;
    if (await bring(store, entry, tapes)) delivered.push(run.id);
    outbox.remove(run);
  }
  return delivered;
}

/** False: it was there already, or another process has started it again since. */
async function bring(
  store: RunStore,
  { run, ending, stopped, labels = {} }: OutboxEntry,
  tapes: Tapes,
): Promise<boolean> {
  const known = await store.get(run.id);
  // A run that began and whose process is gone is closed like all others.
  if (known !== undefined && ending === undefined && stopped === undefined) return false;
  if (
    known?.owner !== undefined &&
    !isDeepStrictEqual(known.owner, run.owner) &&
    known.attempts.length >= (run.lost?.length ?? 0)
  )
    return false;
  const seen =
    ending ??
    (
      await endingOf(
        { ...run, heartbeat_at: run.started_at, silent_ms: 0, last_sequence: 0 },
        tapes,
        stopped ?? 'process',
      )
    ).ending;
  await store.begin(run);
  await store.finish(run.id, seen, known !== undefined && known.owner === undefined ? undefined : run.owner);
  await store.addLabels(run.id, labels);
  await absorbImports(store, run.id);
  return true;
}
