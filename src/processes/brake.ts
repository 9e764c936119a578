import type { ProcessTree } from './process-tree.ts';

/** A file never makes a writer wait, so the tree is stopped at `full` bytes of unread output, and continues at `room`. */
const full = 64 * 1024 * 1024;
const room = 8 * 1024 * 1024;

/** Holds back a tree that writes faster than we read: it is stopped until most of its output is read. */
export class Brake {
  readonly #tree: Pick<ProcessTree, 'freeze' | 'thaw'>;
  readonly #onFlood: () => void;
  /** How much was unread when it was stopped; undefined: it is running. */
  #held: number | undefined;
  #mostAfterRelease: number | undefined;

  /** `onFlood`: called when it must not be stopped any more but keeps writing. */
  constructor(tree: Pick<ProcessTree, 'freeze' | 'thaw'>, onFlood: () => void) {
    this.#tree = tree;
    this.#onFlood = onFlood;
  }

  unread(bytes: number): void {
    if (this.#mostAfterRelease !== undefined) {
      if (bytes > this.#mostAfterRelease) this.#onFlood();
    } else if (this.#held === undefined ? bytes > full : bytes > this.#held) {
      // More than before: a write was in progress, or there is another writer.
      this.#held = bytes;
      this.#tree.freeze();
    } else if (this.#held !== undefined && bytes < room) this.#thaw();
  }

  /** It has been asked to end, and must be running to do so. */
  release(bytes: number): void {
    this.#mostAfterRelease ??= bytes + full;
    if (this.#held !== undefined) this.#thaw();
  }

  #thaw(): void {
    this.#held = undefined;
    this.#tree.thaw();
  }
}
