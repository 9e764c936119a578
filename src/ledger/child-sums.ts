import type { ChildTotals, Page, PageRequest, RunFilter, RunStore, RunSummary, RunUsage } from '../stores/run-store.ts';
import { arrange, grouped, totalsOf, treeOf } from './arrange.ts';

const runsKept = 100_000;

/** Adds to runs the totals of those below them. All pages of a list share one, so that a large tree is added up once. */
export class ChildSums {
  readonly #store: RunStore;
  readonly #trees = new Map<string, Map<string, ChildTotals>>();
  #kept = 0;

  constructor(store: RunStore) {
    this.#store = store;
  }

  async complete<Run extends RunSummary>(run: Run): Promise<Run> {
    await this.#addUp([run]);
    return this.#completed(run);
  }

  /** A page of the store's list. */
  async page(filter: RunFilter, request: PageRequest): Promise<Page<RunSummary>> {
    const page = await this.#store.list(filter, request);
    await this.#addUp(page.runs);
    return { ...page, runs: page.runs.map((run) => this.#completed(run)) };
  }

  #completed<Run extends RunSummary>(run: Run): Run {
    const children = this.#trees.get(treeOf(run))?.get(run.id);
    return children === undefined ? run : { ...run, children };
  }

  async #addUp(runs: readonly RunSummary[]): Promise<void> {
    if (this.#kept > runsKept) this.#forget();
    const trees = new Set(runs.map(treeOf).filter((tree) => !this.#trees.has(tree)));
    for (const [tree, members] of grouped(await this.#store.usageBelow([...trees]))) {
      // The top run itself may be missing; the totals are of the runs below it.
      const placed = arrange<RunUsage>({ id: tree, status: 'success' }, members);
      const found = new Map<string, ChildTotals>();
      for (const [index, total] of totalsOf(placed).entries())
        if (total !== undefined) found.set(placed[index]?.run.id ?? '', total);
      this.#trees.set(tree, found);
      this.#kept += members.length;
    }
  }

  #forget(): void {
    this.#trees.clear();
    this.#kept = 0;
  }
}
