import type { ProcessTree } from './process-tree.ts';

/** A file never makes a writer wait, so the tree is stopped at this much unread output, and goes on at this little. */
const full = 64 * 1024 * 1024;
const room = 8 * 1024 * 1024;

/** Holds a tree back that writes faster than it is read: it is stopped until most of that is read. */
export class Brake {
  readonly #tree: Pick<ProcessTree, 'freeze' | 'thaw'>;
  readonly #onFlood: () => void;
  /** How much was unread when it was stopped; undefined: it runs. */
  #held: number | undefined;
  #mostAfterRelease: number | undefined;

  /** `onFlood`: it may not be stopped any more, and does not end either. */
  constructor(tree: Pick<ProcessTree, 'freeze' | 'thaw'>, onFlood: () => void) {
    this.#tree = tree;
    this.#onFlood = onFlood;
  }

  unread(bytes: number): void {
    if (this.#mostAfterRelease !== undefined) {
      if (bytes > this.#mostAfterRelease) this.#onFlood();
    } else if (this.#held === undefined ? bytes > full : bytes > this.#held) {
      // More than before: it was just writing, or there is one more writer.
      this.#held = bytes;
      this.#tree.freeze();
    } else if (this.#held !== undefined && bytes < room) this.#thaw();
  }

  /** It is asked to end, for which it must run. */
  release(bytes: number): void {
    this.#mostAfterRelease ??= bytes + full;
    if (this.#held !== undefined) this.#thaw();
  }

  #thaw(): void {
    this.#held = undefined;
    this.#tree.thaw();
  }
}
