import { Failure } from '../failure.ts';
import { whyUnusable } from '../stores/postgres.ts';
import { readAddress } from '../stores/postgres-address.ts';
import { QueueDatabase } from './database.ts';
import { listJobs } from './find-jobs.ts';
import type { Job } from './job.ts';
import { getPause, type Pause } from './pauses.ts';
import { plansOf } from './plans.ts';
import type { QueueTables } from './queue.ts';
import type { WorkerRow } from './worker-row.ts';
import { listWorkers } from './workers.ts';

/** The figures of a queue for a monitor. */
export interface QueueFigures {
  jobs: Record<'waiting' | 'queued' | 'due' | 'running' | 'dead', number>;
  /** How long the oldest run that may start has waited. */
  oldest_wait_ms: number;
  workers: Record<WorkerRow['state'], number>;
  slots: number;
  paused: boolean;
}

/** A queue at a glance. */
export interface QueueOverview {
  figures: QueueFigures;
  workers: WorkerRow[];
  paused?: Pause;
  /** The newest that have not ended, most urgent first, and the newest dead ones. */
  jobs: Job[];
  dead: Job[];
}

/** A view of the queue beside a ledger, for a role that may only read; it creates nothing. Undefined: there is no queue yet. */
export interface QueueView {
  figures(): Promise<QueueFigures | undefined>;
  overview(): Promise<QueueOverview | undefined>;
  close(): Promise<void>;
}

const mostShown = 200;

export async function openQueueView(url: string): Promise<QueueView> {
  const address = readAddress(url);
  try {
    const database = await QueueDatabase.open(url, address);
    const tables = { database, plans: plansOf(database.schema) };
    const isThere = async (): Promise<boolean> =>
      (await database.query(tables.plans.hasTable, [database.schema, 'pauses'])).length > 0;
    return {
      figures: async () => ((await isThere()) ? figuresOf(tables) : undefined),
      overview: async () => ((await isThere()) ? overviewOf(tables) : undefined),
      close: () => database.close(),
    };
  } catch (error) {
    throw new Failure('config', `cannot look at the queue at ${address.name}: ${whyUnusable(error)}`, { cause: error });
  }
}

async function figuresOf({ database, plans }: QueueTables): Promise<QueueFigures> {
  const [row] = await database.query<{ figures: QueueFigures }>(plans.figures);
  if (row === undefined) throw new Error('the queue gave no figures');
  return row.figures;
}

async function overviewOf(tables: QueueTables): Promise<QueueOverview> {
  const [figures, workers, paused, jobs, dead] = await Promise.all([
    figuresOf(tables),
    listWorkers(tables),
    getPause(tables),
    listJobs(tables, { states: ['waiting', 'queued', 'running'], limit: mostShown }),
    listJobs(tables, { states: ['ended'], dead: true, limit: mostShown }),
  ]);
  return { figures, workers, ...(paused === undefined ? {} : { paused }), jobs, dead };
}
