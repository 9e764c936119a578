import type { QueueTables } from './queue.ts';

/** How many runs of a key may run at once, and how many do. */
export interface KeyLimit {
  key: string;
  most: number;
  running: number;
}

export async function listLimits({ database, plans }: QueueTables): Promise<KeyLimit[]> {
  return database.query(plans.listLimits);
}

/** Undefined: no limit. */
export async function setLimit({ database, plans }: QueueTables, key: string, most: number | undefined): Promise<void> {
  if (most === undefined) await database.query(plans.removeLimit, [key]);
  else await database.query(plans.setLimit, [key, most]);
}
