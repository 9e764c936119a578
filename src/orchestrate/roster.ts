import type { Draft } from '../events/event.ts';
import { present } from '../json/present.ts';
import type { Branch, Crew, Work } from './crew.ts';
import { Progress } from './progress.ts';
import { isGood, summaryOf } from './words.ts';

interface Job {
  branch: Branch;
  stop: AbortController;
  end: Promise<void>;
  hasEnded: boolean;
  /** Whether the brain has read how it ended. */
  isRead: boolean;
}

/** The agents that work while the brain goes on. Each is shown as an item of its own, from its start to its end. */
export class Roster {
  readonly #crew: Crew;
  readonly #emit: (draft: Draft) => void;
  readonly #signal: AbortSignal;
  readonly #jobs = new Map<string, Job>();

  constructor(crew: Crew, emit: (draft: Draft) => void, signal: AbortSignal) {
    this.#crew = crew;
    this.#emit = emit;
    this.#signal = signal;
  }

  /** Gives work to an agent, and waits only until its branch has a name. */
  async begin(work: Work): Promise<Branch> {
    const branch = await this.#crew.branchFor(work);
    branch.progress = new Progress();
    const stop = new AbortController();
    const job: Job = { branch, stop, end: Promise.resolve(), hasEnded: false, isRead: false };
    this.#jobs.set(branch.id, job);
    const { agent, model, phase, prompt } = work;
    const item_id = `status_of_${branch.id}`;
    this.#emit({
      type: 'item.started',
      item_id,
      kind: 'branch_poll',
      name: 'check_status',
      args: { branch_id: branch.id, parent_branch_id: branch.parentId, agent, ...present({ model, phase }), prompt },
      call_count: 0,
    });
    const signal = AbortSignal.any([this.#signal, stop.signal]);
    job.end = this.#crew.carryOut(branch, work, { itemId: item_id, signal, emit: this.#emit }).then(() => {
      job.hasEnded = true;
      const status = isGood(branch) ? 'success' : signal.aborted ? 'cancelled' : 'error';
      const summary = summaryOf(branch);
      this.#emit({ type: 'item.completed', item_id, status, output: summary, summary, branch_id: branch.id });
    });
    return branch;
  }

  isAtWork({ id }: Branch): boolean {
    return this.#jobs.get(id)?.hasEnded === false;
  }

  /** All that the brain has not yet read the end of, whether at work or not. */
  get unread(): Branch[] {
    return [...this.#jobs.values()].flatMap(({ branch, isRead }) => (isRead ? [] : [branch]));
  }

  /** Notes that the brain now knows how the work on this branch ended, if it has. */
  read({ id }: Branch): void {
    const job = this.#jobs.get(id);
    if (job?.hasEnded === true) job.isRead = true;
  }

  /** Settles when the work on all of these branches has ended, or on one of them, or when the signal aborts. */
  async ended(branches: readonly Branch[], until: 'all' | 'any', signal: AbortSignal): Promise<void> {
    const ends = branches.map(({ id }) => this.#jobs.get(id)?.end ?? Promise.resolve());
    const isOver = until === 'all' ? Promise.all(ends) : Promise.race(ends);
    if (ends.length > 0) await Promise.race([isOver, aborted(signal)]);
  }

  /** Stops the agent of a branch; what it has done so far is kept there. */
  async cancel({ id }: Branch): Promise<void> {
    const job = this.#jobs.get(id);
    job?.stop.abort();
    await job?.end;
  }

  /** Stops all that are still at work, and waits until their work is kept. */
  async close(): Promise<void> {
    await Promise.all([...this.#jobs.values()].map(({ branch }) => this.cancel(branch)));
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
