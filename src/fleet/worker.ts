import { hostname } from 'node:os';
import { exitCodes, messageOf } from '../failure.ts';
import { pause } from '../time/pause.ts';
import { version } from '../version.ts';
import type { Environment } from '../words/vocabulary.ts';
import type { LedgerPlace } from '../stores/open-store.ts';
import { type Claimed, claimJobs } from './claim-jobs.ts';
import { pruneJobs } from './prune-jobs.ts';
import type { Queue } from './queue.ts';
import { recordLate } from './record-late.ts';
import { QueuedRun } from './queued-run.ts';
import { touchJobs } from './settle-job.ts';
import { meetWorker, partWorker } from './workers.ts';

export interface WorkerOptions {
  env: Environment;
  ledger: Extract<LedgerPlace, { kind: 'postgres' }>;
  slots: number;
  /** The labels of this worker: runs that need others are left to other workers. */
  labels: readonly string[];
  /** The worker's environment variables that runs may ask for: `NAME`, `PREFIX_*` or `*`. */
  allowEnv: readonly string[];
  /** How often it polls for work when there is none. */
  pollMs: number;
  /** After this long without a heartbeat its runs are given to others. */
  leaseMs: number;
  /** How long runs may take to end when the worker is told to leave. */
  graceMs: number;
  /** Take one run, then leave. */
  once: boolean;
  /** Receives each event, for a line of JSON. */
  tell: (what: WorkerEvent) => void;
  /** Receives messages for people. */
  warn: (message: string) => void;
}

type WorkerEvent = {
  event: 'started' | 'ended' | 'lost' | 'given_back' | 'parked';
  run: string;
  attempt: number;
  class?: string;
  exit_code?: number;
  message?: string;
};

const usualRetryMs = 500;
const longestRetryMs = 5000;
const beatsInALease = 5;
const recordLateMs = 20_000;
const tidyMs = 3_600_000;
const keptMs = 30 * 86_400_000;

/** Takes runs from the queue and executes them, up to `slots` at a time, until it is told to leave. */
export class Worker {
  readonly #queue: Queue;
  readonly #options: WorkerOptions;
  readonly #name = `${hostname()}:${process.pid}`;
  readonly #held = new Map<string, QueuedRun>();
  /** Ends a wait. */
  #wake = (): void => {};
  #isLeaving = false;
  /** Told by `queue drain`: it takes no more runs, and its own may take as long as they need. */
  #isDraining = false;
  #isBeating = false;
  #exitCode: number = exitCodes.success;
  #tidiedAt = -Infinity;

  constructor(queue: Queue, options: WorkerOptions) {
    this.#queue = queue;
    this.#options = options;
  }

  /** Resolves to the exit code once all its runs have ended or been given back. */
  async run(): Promise<number> {
    const { leaseMs, once, slots } = this.#options;
    await this.#meet();
    const beat = setInterval(() => void this.#beat(), leaseMs / beatsInALease);
    try {
      while (!this.#isLeaving && !this.#isDraining) {
        const free = (once ? 1 : slots) - this.#held.size;
        const claimed = free === 0 ? [] : await this.#claim(free);
        for (const each of claimed ?? []) this.#start(each);
        if (once && claimed !== undefined) break;
        await this.#tidy();
        if (claimed === undefined || claimed.length < free || free === 0)
          await this.#pause(claimed === undefined ? usualRetryMs : this.#options.pollMs);
      }
      while (this.#held.size > 0) await this.#pause(leaseMs);
      return this.#exitCode;
    } finally {
      clearInterval(beat);
      await partWorker(this.#queue, this.#name).catch(() => {});
    }
  }

  /** The first call stops it from taking more runs and gives its runs some time to end; after that, or on a second call, they are given back. */
  leave(): void {
    if (this.#isLeaving) return this.#giveBack();
    this.#isLeaving = true;
    this.#wake();
    const timer = setTimeout(() => this.#giveBack(), this.#options.graceMs);
    timer.unref();
  }

  #giveBack(): void {
    for (const each of this.#held.values()) each.giveBack();
  }

  /** Undefined: the server is unreachable. */
  async #claim(count: number): Promise<Claimed[] | undefined> {
    const { labels, leaseMs } = this.#options;
    try {
      return await claimJobs(this.#queue, { count, labels, worker: this.#name, leaseMs });
    } catch (error) {
      this.#options.warn(`the queue cannot be reached: ${messageOf(error)}`);
      return undefined;
    }
  }

  #start(claimed: Claimed): void {
    const { tell } = this.#options;
    const { run, attempt } = claimed;
    const queued = new QueuedRun(this.#queue, claimed, this.#options);
    this.#held.set(run, queued);
    tell({ event: 'started', run, attempt });
    void queued.end.then(({ event, exitCode, ...what }) => {
      this.#held.delete(run);
      this.#exitCode = this.#options.once ? exitCode : exitCodes.success;
      tell({ event, run, attempt, ...(event === 'ended' ? { exit_code: exitCode } : {}), ...what });
      this.#wake();
    });
  }

  async #beat(): Promise<void> {
    // A slow server must not get another request before it has answered.
    if (this.#isBeating) return;
    this.#isBeating = true;
    const held = [...this.#held.values()].filter(({ isSettled }) => !isSettled);
    await this.#meet();
    try {
      const { lost, cancelled, orders } = await touchJobs(
        this.#queue,
        held.map(({ claimed }) => claimed),
      );
      // A run that was settled meanwhile can no longer be lost.
      for (const run of lost) if (this.#held.get(run)?.isSettled === false) this.#held.get(run)?.lose();
      for (const { run, by, reason } of cancelled) this.#held.get(run)?.cancel(by, reason);
      for (const { run, order } of orders) await this.#held.get(run)?.order(order);
    } catch (error) {
      if (held.length > 0) this.#options.warn(`no heartbeat: ${messageOf(error)}`);
    } finally {
      this.#isBeating = false;
    }
  }

  /** A worker that cannot say that it is there works nevertheless: leases are what counts. */
  async #meet(): Promise<void> {
    const { slots, labels, leaseMs, once } = this.#options;
    const here = { name: this.#name, host: hostname(), slots: once ? 1 : slots, labels, version, leaseMs };
    const { drains } = await meetWorker(this.#queue, here).catch(() => ({ drains: false }));
    if (!drains || this.#isDraining) return;
    this.#isDraining = true;
    this.#wake();
  }

  /** Records ends that other workers settled but could not record in the ledger, and removes what is no longer needed. */
  async #tidy(): Promise<void> {
    const now = performance.now();
    try {
      await recordLate(this.#queue, this.#options.ledger, { olderThanMs: recordLateMs });
      if (now - this.#tidiedAt < tidyMs) return;
      this.#tidiedAt = now;
      await pruneJobs(this.#queue, keptMs);
      await (await import('./checkout.ts')).sweepPlaces(this.#options.env);
    } catch {
      // The next time will do it.
    }
  }

  async #pause(ms: number): Promise<void> {
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    await pause(Math.min(ms, Math.max(longestRetryMs, this.#options.pollMs)), woken.signal);
  }
}
