import type { ProcessTree } from './process-tree.ts';

/** A process may start another just while it is stopped. */
const againMs = 50;

/** A tree that is stopped for several reasons goes on when the last of them is gone. */
export class Frost {
  readonly #tree: Pick<ProcessTree, 'freeze' | 'thaw'>;
  readonly #reasons = new Set<string>();
  #again: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(tree: Pick<ProcessTree, 'freeze' | 'thaw'>) {
    this.#tree = tree;
  }

  add(reason: string): void {
    if (this.#isOver) return;
    this.#reasons.add(reason);
    this.#tree.freeze();
    this.#again ??= setTimeout(() => {
      this.#again = undefined;
      if (this.#reasons.size > 0) this.#tree.freeze();
    }, againMs);
  }

  remove(reason: string): void {
    if (this.#reasons.delete(reason) && this.#reasons.size === 0) this.#tree.thaw();
  }

  /** It must be running to end, and is not stopped any more. */
  end(): void {
    this.#isOver = true;
    clearTimeout(this.#again);
    if (this.#reasons.size === 0) return;
    this.#reasons.clear();
    this.#tree.thaw();
  }
}
