import type { JsonObject } from '../../dialect.ts';
import { filled } from '../../read.ts';

/** How long it takes to copy the parent's lines into the file of a fork, in ms; a model answers later than that. */
const copyingMs = 1000;

/** A fork begins with a copy of its parent's lines, and its totals go on from those of its parent, which counts them itself. */
export class Fork {
  #id: string | undefined;
  #isFork = false;
  #startedAt: number | undefined;

  /** A `session_meta` line: its own, or one that was copied. */
  introduce(meta: JsonObject, at: number | undefined): void {
    const id = filled(meta.id) ?? filled(meta.session_id);
    if (this.#startedAt === undefined) {
      this.#id = id;
      this.#startedAt = at;
      this.#isFork = (filled(meta.forked_from_id) ?? filled(meta.parent_thread_id)) !== undefined;
    } else if (id !== this.#id) this.#isFork = true;
  }

  /** Whether a line of this time is the parent's. */
  isCopying(at: number | undefined): boolean {
    return this.#isFork && this.#startedAt !== undefined && at !== undefined && at - this.#startedAt <= copyingMs;
  }
}
