import type { QueueTables } from './queue.ts';

export interface Pause {
  by: string;
  reason: string;
  at: string;
}

/** After this no run starts until the pause ends: it waits for the claims that are being made. */
export async function pauseQueue({ database, plans }: QueueTables, by: string, reason: string): Promise<void> {
  await database.transaction(async (sql) => {
    await sql.query(plans.pause, [by, reason]);
  }, plans.lock);
}

export async function resumeQueue({ database, plans }: QueueTables): Promise<void> {
  await database.query(plans.resume);
}

export async function getPause({ database, plans }: QueueTables): Promise<Pause | undefined> {
  const [row] = await database.query<Pause & { at: Date | string }>(plans.getPause);
  return row === undefined ? undefined : { ...row, at: new Date(row.at).toISOString() };
}
