import type { Job, JobState } from './job.ts';
import type { QueueTables } from './queue.ts';

export interface ListAsk {
  states: readonly JobState[];
  limit: number;
  /** Only those that nobody tries any more, because their workers were lost too often. */
  dead?: boolean;
}

/** The newest jobs, sorted by priority, then oldest first. */
export async function listJobs(
  { database, plans }: QueueTables,
  { states, limit, dead = false }: ListAsk,
): Promise<Job[]> {
  const rows = await database.query<JobRow>(dead ? plans.listDeadJobs : plans.listJobs, [states, limit]);
  return rows.map(jobOf);
}

export async function getJob({ database, plans }: QueueTables, run: string): Promise<Job | undefined> {
  const rows = await database.query<JobRow>(plans.getJob, [run]);
  return rows.map(jobOf)[0];
}

/** Runs that a user may mean: by a full id, the beginning of a short one, or the name that they gave it. */
export async function findRuns({ database, plans }: QueueTables, word: string): Promise<string[]> {
  // PostgreSQL text cannot contain it.
  if (word.includes('\0')) return [];
  const rows = await database.query<{ run: string }>(plans.findRuns, [word, word.trim().toLowerCase()]);
  return rows.map(({ run }) => run);
}

type JobRow = { [Field in keyof Job]: Job[Field] | null | Date };

/** Unknown values are absent; times are text. */
function jobOf(row: JobRow): Job {
  const known = Object.entries(row).flatMap(([name, value]) => {
    if (value === null) return [];
    return [[name, value instanceof Date ? value.toISOString() : value]];
  });
  return Object.fromEntries(known) as Job;
}
