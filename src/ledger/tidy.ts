import type { RunStore } from '../stores/run-store.ts';
import type { Tapes } from '../tapes/tape.ts';
import { closeInterrupted } from './close-interrupted.ts';
import { pruneTapes } from './prune-tapes.ts';

const tapesKeptMs = 90 * 24 * 3600 * 1000;
const tapesKeptBytes = 4e9;
const steadyMs = 7 * 24 * 3600 * 1000;
const pruneEveryMs = 24 * 3600 * 1000;

/** Cleans up after others: closes runs whose process is gone, and removes old tapes once a day. */
export async function tidy(store: RunStore, tapes: Tapes, now: number): Promise<void> {
  await closeInterrupted(store, tapes, now);
  if (!(await tapes.isTidyingDue(now, pruneEveryMs))) return;
  const keep = new Set((await store.open()).flatMap(({ tape }) => tape ?? []));
  // A clock that has just jumped ahead makes every tape look old.
  const isSteady = now - (await tapes.steadySince()) >= steadyMs;
  const age = isSteady ? { olderThan: now - tapesKeptMs } : {};
  await pruneTapes(tapes, { ...age, maxTotalBytes: tapesKeptBytes, keep, places: ['files'] });
  // The team decides how large its database may be; a bucket has its own expiry rules.
  await pruneTapes(tapes, { ...age, keep, places: ['postgres'] });
}
