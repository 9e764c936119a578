import type { QueueTables } from './queue.ts';
import type { WorkerRow } from './worker-row.ts';

/** A worker as it tells of itself with every heartbeat. */
export interface PresentWorker {
  name: string;
  host: string;
  slots: number;
  labels: readonly string[];
  version: string;
  leaseMs: number;
}

/** Records that a worker is there; returns whether it was told to take no more runs. */
export async function meetWorker(
  { database, plans }: QueueTables,
  { name, host, slots, labels, version, leaseMs }: PresentWorker,
): Promise<{ drains: boolean }> {
  const [row] = await database.query<{ drains: boolean }>(plans.meetWorker, [
    name,
    host,
    slots,
    labels,
    version,
    leaseMs,
  ]);
  return { drains: row?.drains === true };
}

/** Also forgets workers that nothing was heard of for a day. */
export async function partWorker({ database, plans }: QueueTables, name: string): Promise<void> {
  await database.query(plans.partWorker, [name]);
}

/** Tells workers to end what they have and leave; undefined: all of them. Returns their names. */
export async function drainWorkers(
  { database, plans }: QueueTables,
  names: readonly string[] | undefined,
  by: string,
): Promise<string[]> {
  const rows = await database.query<{ name: string }>(plans.drainWorkers, [by, names]);
  return rows.map(({ name }) => name).toSorted();
}

export async function listWorkers({ database, plans }: QueueTables): Promise<WorkerRow[]> {
  const rows = await database.query<WorkerRow & { started_at: Date | string; heard_at: Date | string }>(
    plans.listWorkers,
  );
  return rows.map((row) => ({
    ...row,
    started_at: new Date(row.started_at).toISOString(),
    heard_at: new Date(row.heard_at).toISOString(),
  }));
}
