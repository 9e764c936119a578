import type { Attempt } from './source.ts';

/**
 * Waits for work in this process, and once it is overdue no longer. Runs below it come first: each keeps its work within its own time,
 * and what became of it is still to be told.
 */
export async function inTime(working: Promise<void>, { stop, below }: Pick<Attempt, 'stop' | 'below'>): Promise<void> {
  await Promise.race([working, stop.overdue]);
  const busy = below();
  if (busy !== undefined) await Promise.race([working, busy.then(() => stop.grace())]);
}
