import { Failure } from '../failure.ts';
import { whyUnusable } from '../stores/postgres.ts';
import { readAddress } from '../stores/postgres-address.ts';
import { Adding } from './adding.ts';
import { Asking, type ListAsk } from './asking.ts';
import { openBoss } from './boss.ts';
import { readBundle } from './bundles.ts';
import { type Claimed, type ClaimAsk, Claiming } from './claiming.ts';
import { QueueDatabase } from './database.ts';
import type { Job, JobState, NewJob } from './job.ts';
import { Operating } from './operating.ts';
import { locksOf, type QueueParts } from './parts.ts';
import { setUp } from './set-up.ts';
import { Watching } from './watching.ts';
import { type Heard, type Settlement, Settling } from './settling.ts';

/** The queue of a team: pg-boss records which worker has a run, our own rows record what it is. Every change to both is one transaction. */
export class Queue {
  readonly #parts: QueueParts;
  readonly #closeBoss: () => Promise<void>;
  readonly #adding: Adding;
  readonly #claiming: Claiming;
  readonly #settling: Settling;
  readonly #asking: Asking;
  /** What the people who run a fleet do. */
  readonly operating: Operating;
  readonly watching: Watching;

  private constructor(parts: QueueParts, closeBoss: () => Promise<void>) {
    this.#parts = parts;
    this.#closeBoss = closeBoss;
    this.#adding = new Adding(parts);
    this.#claiming = new Claiming(parts);
    this.#settling = new Settling(parts);
    this.#asking = new Asking(parts);
    this.operating = new Operating(parts);
    this.watching = new Watching(parts);
  }

  static async open(url: string): Promise<Queue> {
    const address = readAddress(url);
    let database: QueueDatabase | undefined;
    try {
      database = await QueueDatabase.open(url, address);
      await setUp(database);
      const { schema } = database;
      const { boss, close } = await openBoss(database, schema);
      return new Queue({ database, boss, p: `${schema}.`, ...locksOf(schema) }, close);
    } catch (error) {
      await database?.close();
      throw error instanceof Failure
        ? error
        : new Failure('config', `cannot use the queue at ${address.name}: ${whyUnusable(error)}`, { cause: error });
    }
  }

  get name(): string {
    return this.#parts.database.name;
  }

  async close(): Promise<void> {
    await this.#closeBoss().catch(() => {});
    await this.#parts.database.close();
  }

  /** Adds all of them or none; a job whose id is already there stays as it is. Returns each with its state, in the same order. */
  add(jobs: readonly NewJob[]): Promise<{ run: string; state: JobState; isNew: boolean }[]> {
    return this.#adding.add(jobs);
  }

  /** Takes runs that may start now, the most urgent first. */
  claim(ask: ClaimAsk): Promise<Claimed[]> {
    return this.#claiming.claim(ask);
  }

  /** The heartbeat for a worker's runs; returns what the worker has to know. */
  touch(held: readonly Pick<Claimed, 'run' | 'claim'>[]): Promise<Heard> {
    return this.#settling.touch(held);
  }

  /** Records the end of a run, once. False: another worker has it. */
  settle(claimed: Pick<Claimed, 'run' | 'claim'>, ending: Settlement): Promise<boolean> {
    return this.#settling.settle(claimed, ending);
  }

  /** Returns an unfinished run of a departing worker to the queue; false: the run no longer belonged to it. */
  giveBack(claimed: Pick<Claimed, 'run' | 'claim'>): Promise<boolean> {
    return this.#settling.giveBack(claimed);
  }

  /** `ended`: there was nothing left to cancel. */
  cancel(run: string, who: { by: string; reason: string }): Promise<'cancelled' | 'told' | 'ended'> {
    return this.#settling.cancel(run, who);
  }

  /** The newest jobs, sorted by priority, then oldest first. */
  list(which: ListAsk): Promise<Job[]> {
    return this.#asking.list(which);
  }

  get(run: string): Promise<Job | undefined> {
    return this.#asking.get(run);
  }

  /** Runs that a user may mean. */
  find(word: string): Promise<string[]> {
    return this.#asking.find(word);
  }

  limits(): Promise<{ key: string; most: number; running: number }[]> {
    return this.#asking.limits();
  }

  /** Undefined: no limit. */
  setLimit(key: string, most: number | undefined): Promise<void> {
    return this.#asking.setLimit(key, most);
  }

  /** The commit that a run began with, or what it changed. */
  bundle(run: string, kind: 'source' | 'result'): Promise<Uint8Array | undefined> {
    return readBundle(this.#parts, run, kind);
  }

  /** Ends that a worker settled and may not have recorded in the ledger, as JSON. */
  unrecorded(which: { run: string } | { olderThanMs: number }): Promise<{ run: string; ending: string }[]> {
    return this.#asking.unrecorded(which);
  }

  markRecorded(run: string): Promise<void> {
    return this.#asking.markRecorded(run);
  }

  /** Removes jobs that ended before; returns how many. */
  prune(olderThanMs: number): Promise<number> {
    return this.#asking.prune(olderThanMs);
  }
}
