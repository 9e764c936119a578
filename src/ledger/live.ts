import { messageOf } from '../failure.ts';
import type { RunSummary } from '../stores/run-store.ts';
import { closeInterrupted } from './close-interrupted.ts';
import type { Ledger } from './ledger.ts';
import { summaryOf } from './summary.ts';

/** How often the ledger is polled while anyone watches. */
const lookMs = 100;
/** After how many polls to check whether the processes of the open runs still exist. */
const looksPerCheck = 30;
const openRuns = 10_000;
const latestRuns = 50;

type Listener = (runs: readonly RunSummary[]) => void;

/** Polls the ledger for any number of watchers: runs of all processes, as they begin, change and end. It does not poll while nobody watches. */
export class LiveRuns {
  readonly #ledger: Ledger;
  readonly #now: () => number;
  readonly #listeners = new Set<Listener>();
  #open = new Map<string, { run: RunSummary; state: string }>();
  /** The newest runs that had ended at the last poll. */
  #latest: ReadonlySet<string> | undefined;
  #looks = 0;
  #watchers = 0;
  #timer: NodeJS.Timeout | undefined;
  #next = Promise.withResolvers<void>();
  #working: Promise<void> | undefined;
  #trouble: string | undefined;

  constructor(ledger: Ledger, now: () => number) {
    this.#ledger = ledger;
    this.#now = now;
  }

  /**
   * Calls the listener for every run that begins, changes or ends; at first for all running ones. Once it has begun, returns how to stop it:
   * after a successful poll, or when the caller no longer wants it.
   */
  async listen(listener: Listener, left?: AbortSignal): Promise<() => void> {
    const release = this.watch();
    do await this.look();
    while (this.#trouble !== undefined && left?.aborted !== true);
    listener([...this.#open.values()].map(({ run }) => run));
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      release();
    };
  }

  /** Keeps polling; returns how to stop it. */
  watch(): () => void {
    this.#watchers += 1;
    this.#schedule();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#watchers -= 1;
      if (this.#watchers === 0) {
        clearTimeout(this.#timer);
        this.#timer = undefined;
        this.#latest = undefined;
      }
    };
  }

  /** Resolves after a poll that began after this call; only for watchers. */
  async look(): Promise<void> {
    // The poll under way may have read the ledger before the change that the caller waits for.
    await this.#working;
    await this.#next.promise;
  }

  isOpen(id: string): boolean {
    return this.#open.has(id);
  }

  get openCount(): number {
    return this.#open.size;
  }

  /** Why the last poll failed. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#working !== undefined || this.#watchers === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#working = this.#lookAgain().finally(() => {
        this.#working = undefined;
        this.#next.resolve();
        this.#next = Promise.withResolvers();
        this.#schedule();
      });
    }, lookMs);
  }

  async #lookAgain(): Promise<void> {
    try {
      const changed = await this.#changes();
      if (changed.length > 0) for (const listener of this.#listeners) listener(changed);
      this.#trouble = undefined;
    } catch (error) {
      // A ledger that is locked or unreachable for a moment is polled again.
      this.#trouble = messageOf(error);
    }
  }

  async #changes(): Promise<RunSummary[]> {
    const { store, tapes } = this.#ledger;
    if (this.#looks % looksPerCheck === 0) await closeInterrupted(store, tapes, this.#now());
    this.#looks += 1;
    const { runs: open } = await store.list({ status: ['running'] }, { limit: openRuns });
    const { runs: latest } = await store.list({}, { limit: latestRuns });
    const before = this.#open;
    this.#open = new Map(open.map((run) => [run.id, { run, state: JSON.stringify(run) }]));
    const changed = open.filter(({ id }) => before.get(id)?.state !== this.#open.get(id)?.state);
    const gone = [...before.keys()].filter((id) => !this.#open.has(id));
    const ended = await Promise.all(gone.map((id) => store.get(id)));
    // Runs that began and ended between two polls; of runs that begin at the same time, the later id may appear first.
    const known = this.#latest;
    // A run that began after the open ones were read is left for the next poll.
    const over = latest.filter(({ status }) => status !== 'running');
    const short = over.filter(({ id }) => known !== undefined && !known.has(id) && !before.has(id));
    this.#latest = new Set(over.map(({ id }) => id));
    return [...ended.flatMap((run) => (run === undefined ? [] : [summaryOf(run)])), ...short, ...changed];
  }
}
