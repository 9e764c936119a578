import { systemCode } from '../failure.ts';
import { sendJobs } from './add-jobs.ts';
import { type JobClaim, queueName } from './boss.ts';
import type { Transaction } from './database.ts';
import { endUnrun } from './end-unrun.ts';
import type { ParkedJob } from './parked-job.ts';
import type { Plans } from './plans.ts';
import type { Queue } from './queue.ts';

/** A run whose workers keep vanishing is probably the cause. */
const mostLosses = 5;
const mostTries = 3;

/** A run that a worker has taken. */
export interface Claimed {
  run: string;
  claim: JobClaim;
  /** From 1. */
  attempt: number;
  /** How many attempts there were when it was queued once more. */
  before: number;
  /** As it was queued, perhaps by another version. */
  spec: unknown;
  origin: unknown;
  publish: 'none' | 'branch';
  budget: string | undefined;
  /** The user who queued it. */
  by: string;
  hasBundle: boolean;
  signature: string;
  priority: number;
  /** What it did before it waited for a limit. */
  parked: ParkedJob | undefined;
  /** The work that it had then is kept with it. */
  hasResult: boolean;
}

export interface ClaimAsk {
  count: number;
  /** The labels of the worker. */
  labels: readonly string[];
  worker: string;
  /** After this long without a heartbeat the run is given to another worker. */
  leaseMs: number;
}

/** Takes runs that may start now, the most urgent first. Before that, runs whose lease has expired are freed. */
export async function claimJobs(queue: Queue, ask: ClaimAsk): Promise<Claimed[]> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const seen = await glance(queue);
    if (!seen.work) return [];
    try {
      return await (seen.plain ? claimAny(queue, ask) : claimFitting(queue, ask));
    } catch (error) {
      if (!isOutrun(error)) throw error;
    }
  }
  return [];
}

/** Without the lock: a worker with nothing to do must not keep others waiting. */
async function glance({ database, plans }: Queue): Promise<{ work: boolean; plain: boolean }> {
  const [row] = await database.query<{ due: boolean; stuck: boolean; limited: boolean; paused: boolean }>(plans.glance);
  const { due = false, stuck = false, limited = true, paused = false } = row ?? {};
  return { work: !paused && (due || stuck), plain: !stuck && !limited };
}

/** Without limits workers do not wait for each other: pg-boss gives each worker jobs that no other has. */
async function claimAny(queue: Queue, { count, labels, ...who }: ClaimAsk): Promise<Claimed[]> {
  const { database, boss, plans } = queue;
  // Wrapped in an object, the promise is not awaited before the commit.
  const { claimed } = await database.transaction(async (sql) => {
    const fetched = await boss.fetch(queueName, { db: sql, batchSize: count });
    if (fetched.length === 0) return { claimed: [] };
    const taken = take(queue, sql, fetched, who);
    taken.catch(() => {});
    void sql.query(plans.refuseLimited, [fetched.map(({ id }) => id), labels]);
    return { claimed: taken };
  }, plans.sharedLock);
  return claimed;
}

/** One worker at a time, so that limits are exact. */
async function claimFitting(queue: Queue, { count, labels, ...who }: ClaimAsk): Promise<Claimed[]> {
  const { database, boss, plans } = queue;
  return database.transaction(async (sql) => {
    let looked = await look(queue, sql, labels);
    if (looked.stale.length + looked.ready.length > 0) {
      await takeBack(queue, sql, looked.stale);
      await release(queue, sql, looked.ready);
      looked = await look(queue, sql, labels);
    }
    const claimed: Claimed[] = [];
    for (;;) {
      const fetched = await boss.fetch(queueName, {
        db: sql,
        // No more than would fit if all of them had the key with the least room: each batch is counted before the next.
        batchSize: Math.min(looked.room ?? Infinity, count - claimed.length),
        ...(looked.blocked.length === 0 ? {} : { ignoreGroups: looked.blocked }),
      });
      if (fetched.length === 0) return claimed;
      const isLast = claimed.length + fetched.length >= count || looked.room === null;
      const [taken, fits, next] = await Promise.all([
        take(queue, sql, fetched, who),
        doTakenFit(queue, sql, fetched, labels),
        isLast ? undefined : look(queue, sql, labels),
      ]);
      if (!fits) throw new Outrun();
      claimed.push(...taken);
      if (next === undefined) return claimed;
      looked = next;
    }
  }, plans.sweepingLock);
}

async function doTakenFit(
  { plans }: Queue,
  sql: Transaction,
  fetched: readonly JobClaim[],
  labels: readonly string[],
): Promise<boolean> {
  const [row] = await sql.query<{ fits: boolean }>(plans.doTakenFit, [fetched.map(({ id }) => id), labels]);
  return row?.fits === true;
}

async function take(
  { plans }: Queue,
  sql: Transaction,
  fetched: readonly JobClaim[],
  { worker, leaseMs }: Pick<ClaimAsk, 'worker' | 'leaseMs'>,
): Promise<Claimed[]> {
  const [ids, counts] = [fetched.map(({ id }) => id), fetched.map(({ retryCount }) => retryCount)];
  const rows = await sql.query<ClaimRow>(plans.takeJobs, [ids, worker, leaseMs, counts]);
  const byId = new Map(rows.map((row) => [row.job, row]));
  return fetched.flatMap(({ id, retryCount }) => {
    const row = byId.get(id);
    return row === undefined ? [] : [claimedOf(row, { id, retryCount })];
  });
}

async function look({ plans }: Queue, sql: Transaction, labels: readonly string[]): Promise<Looked> {
  const [row] = await sql.query<{ looked: Looked }>(plans.look, [labels]);
  return row?.looked ?? { stale: [], ready: [], blocked: [], room: null };
}

/** Runs of workers that have gone silent: they are queued again, unless that was tried too often. */
async function takeBack({ boss, plans }: Queue, sql: Transaction, rows: Looked['stale']): Promise<void> {
  for (const { run, job, attempt, losses, cancel_by } of rows) {
    const claim = { id: job, retryCount: attempt - 1 };
    const isOver = cancel_by !== null || losses + 1 >= mostLosses;
    const { affected } = await (isOver
      ? boss.complete(queueName, [claim], null, { db: sql })
      : boss.fail(queueName, claim, null, { db: sql }));
    if (affected === 0) continue;
    if (!isOver) await sql.query(plans.queueLost, [run]);
    else if (cancel_by === null) await bury(plans, sql, run, losses + 1);
    else await endUnrun(sql, plans, [run], 'cancelled', `cancelled by ${cancel_by}; its worker was lost`);
  }
}

async function bury(plans: Plans, sql: Transaction, run: string, losses: number): Promise<void> {
  await endUnrun(
    sql,
    plans,
    [run],
    'incomplete',
    `its worker was lost ${losses} times; "runwire queue retry" queues it again`,
  );
  await sql.query(plans.buryJob, [run]);
}

/** Runs whose predecessors have ended: they are queued if all succeeded, otherwise they never will be. */
async function release({ boss, plans }: Queue, sql: Transaction, rows: Looked['ready']): Promise<void> {
  const good = rows.filter(({ failed }) => failed === null);
  await sql.query(plans.queueReady, [good.map(({ run }) => run)]);
  await sendJobs(boss, sql, good);
  for (const { run, failed } of rows)
    if (failed !== null)
      await endUnrun(sql, plans, [run], 'cancelled', `${failed} did not succeed, and it was to come after it`);
}

/** Jobs that were queued meanwhile do not fit: everything is rolled back. */
class Outrun extends Error {}

function isOutrun(error: unknown): boolean {
  return error instanceof Outrun || systemCode(error) === divisionByZero;
}

const divisionByZero = '22012';

interface Looked {
  /** `attempt`: since it was last queued. */
  stale: { run: string; job: string; attempt: number; losses: number; cancel_by: string | null }[];
  ready: { run: string; job: string; signature: string; priority: number; at: string; failed: string | null }[];
  /** Signatures (keys and needs) of which nothing may be taken now. */
  blocked: string[];
  /** How many more runs with the scarcest key may start; null: no limit applies. */
  room: number | null;
}

interface ClaimRow {
  run: string;
  job: string;
  attempt: number;
  attempts_before: number;
  spec: unknown;
  origin: unknown;
  publish: 'none' | 'branch';
  budget: string | null;
  enqueued_by: string;
  has_bundle: boolean;
  has_result: boolean;
  signature: string;
  priority: number;
  parked: ParkedJob | null;
}

function claimedOf(
  {
    budget,
    enqueued_by: by,
    has_bundle: hasBundle,
    has_result: hasResult,
    attempts_before: before,
    parked,
    job: _job,
    ...row
  }: ClaimRow,
  claim: JobClaim,
): Claimed {
  return { ...row, before, claim, budget: budget ?? undefined, by, hasBundle, hasResult, parked: parked ?? undefined };
}
