import type { Attempt, LedgerOutcome } from '../stores/run-store.ts';
import { queueName } from './boss.ts';
import { keepBundle } from './bundles.ts';
import type { Claimed } from './claim-jobs.ts';
import { asJson, type Transaction } from './database.ts';
import { endUnrun } from './end-unrun.ts';
import type { JobState } from './job.ts';
import type { Plans } from './plans.ts';
import type { Queue } from './queue.ts';

const mostTogether = 50;

/** The answer to a heartbeat. */
export interface Heard {
  /** Runs that belong to another worker now. */
  lost: string[];
  cancelled: { run: string; by: string; reason: string }[];
  /** What people want of runs, as it stands in the database. */
  orders: { run: string; order: unknown }[];
}

export interface Settlement {
  outcome: LedgerOutcome;
  ended_at: number;
  last_sequence: number;
  attempts: readonly Attempt[];
  message?: string;
  branch?: string;
  /** A git bundle of what the run changed. */
  bundle?: Uint8Array;
}

/** The heartbeat for a worker's runs; returns what the worker has to know. */
export async function touchJobs(
  { database, boss, plans }: Queue,
  held: readonly Pick<Claimed, 'run' | 'claim'>[],
): Promise<Heard> {
  if (held.length === 0) return { lost: [], cancelled: [], orders: [] };
  const { settled } = await boss.touch(
    queueName,
    held.map(({ claim }) => claim),
  );
  const ours = new Set(settled);
  const rows = await database.query<{
    run: string;
    cancel_by: string | null;
    cancel_reason: string | null;
    orders: unknown;
  }>(plans.hearOf, [[...ours]]);
  return {
    lost: held.filter(({ claim }) => !ours.has(claim.id)).map(({ run }) => run),
    cancelled: rows.flatMap(({ run, cancel_by: by, cancel_reason: reason }) =>
      by === null ? [] : [{ run, by, reason: reason ?? '' }],
    ),
    orders: rows.flatMap(({ run, orders }) =>
      (Array.isArray(orders) ? orders : []).map((order: unknown) => ({ run, order })),
    ),
  };
}

/** Records the end of a run, once. False: another worker has it. Runs that end at the same time are settled together. */
export function settleJob(
  queue: Queue,
  { run, claim }: Pick<Claimed, 'run' | 'claim'>,
  ending: Settlement,
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    queue.ends.waiting.push({ run, claim, ending, resolve, reject });
    if (!queue.ends.isSettling) void settleAll(queue);
  });
}

async function settleAll(queue: Queue): Promise<void> {
  queue.ends.isSettling = true;
  while (queue.ends.waiting.length > 0) {
    const ends = queue.ends.waiting.splice(0, mostTogether);
    try {
      await settleSome(queue, ends);
    } catch (error) {
      // One that cannot be settled must not block the others.
      for (const end of ends)
        await (ends.length === 1 ? Promise.reject(error) : settleSome(queue, [end])).catch(end.reject);
    }
  }
  queue.ends.isSettling = false;
}

async function settleSome({ database, boss, plans }: Queue, ends: readonly End[]): Promise<void> {
  const isOurs = await database.transaction(async (sql) => {
    const { settled } = await boss.complete(
      queueName,
      ends.map(({ claim }) => claim),
      null,
      { db: sql },
    );
    const ours = new Set(settled);
    const news = ends.filter(({ claim }) => ours.has(claim.id));
    // The connection may have broken after the server had committed it.
    for (const each of ends)
      if (!ours.has(each.claim.id) && (await isSettledBy(plans, sql, each))) ours.add(each.claim.id);
    const rows: object[] = [];
    for (const { run, ending } of news)
      rows.push({
        ...endColumns(run, ending),
        result: ending.bundle === undefined ? undefined : await keepBundle(sql, plans, ending.bundle),
      });
    // Sent together with the commit.
    void sql.query(plans.settleJobs, [asJson(rows)]);
    return ours;
  });
  for (const { claim, resolve } of ends) resolve(isOurs.has(claim.id));
}

async function isSettledBy(plans: Plans, sql: Transaction, { run, claim: { retryCount } }: End): Promise<boolean> {
  return (await sql.query(plans.settledAttempt, [run, retryCount + 1])).length === 1;
}

/** Returns an unfinished run of a departing worker to the queue; false: the run no longer belonged to it. */
export async function giveBack(
  { database, boss, plans }: Queue,
  { run, claim }: Pick<Claimed, 'run' | 'claim'>,
): Promise<boolean> {
  return database.transaction(async (sql) => {
    const { affected } = await boss.fail(queueName, claim, null, { db: sql });
    if (affected === 0) return false;
    await sql.query(plans.queueAgain, [run]);
    return true;
  });
}

/** `ended`: there was nothing left to cancel. */
export async function cancelJob(
  { database, boss, plans }: Queue,
  run: string,
  { by, reason }: { by: string; reason: string },
): Promise<'cancelled' | 'told' | 'ended'> {
  return database.transaction(async (sql) => {
    const [row] = await sql.query<{ state: JobState; job: string }>(plans.jobToCancel, [run]);
    if (row === undefined || row.state === 'ended') return 'ended';
    await sql.query(plans.cancelJob, [run, by, reason]);
    if (row.state === 'running') return 'told';
    await boss.deleteJob(queueName, [row.job], { db: sql });
    await endUnrun(sql, plans, [run], 'cancelled', `cancelled by ${by}${reason === '' ? '' : `: ${reason}`}`);
    return 'cancelled';
  }, plans.lock);
}

/** Ends that were reported and are not settled yet. */
export interface Ends {
  readonly waiting: End[];
  isSettling: boolean;
}

/** An end to be settled. */
interface End extends Pick<Claimed, 'run' | 'claim'> {
  ending: Settlement;
  resolve: (isOurs: boolean) => void;
  reject: (error: unknown) => void;
}

function endColumns(run: string, { message, branch, bundle: _bundle, ...settled }: Settlement): object {
  const { class: name, exit_code: code } = settled.outcome.verdict;
  return { run, status: settled.outcome.status, class: name, code, message, branch, ending: JSON.stringify(settled) };
}
