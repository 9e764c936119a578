import type { JsonObject } from '../../dialect.ts';
import { count, filled } from '../../read.ts';

/** How long it takes to copy the parent's lines into the file of a fork, in ms; a model answers later than that. */
const copying = 1000;

/** A fork begins with a copy of its parent's lines, and its totals go on from those of its parent, which counts them itself. */
export class ForkTotals {
  #id: string | undefined;
  #isFork = false;
  #startedAt: number | undefined;
  #parents: JsonObject = {};

  /** A `session_meta` line: its own, or one that was copied. */
  introduce(meta: JsonObject, at: number | undefined): void {
    const id = filled(meta.id) ?? filled(meta.session_id);
    if (this.#startedAt === undefined) {
      this.#id = id;
      this.#startedAt = at;
      this.#isFork = (filled(meta.forked_from_id) ?? filled(meta.parent_thread_id)) !== undefined;
    } else if (id !== this.#id) this.#isFork = true;
  }

  /** Running totals at this time. */
  see(totals: JsonObject, at: number | undefined): void {
    if (this.#startedAt !== undefined && at !== undefined && at - this.#startedAt <= copying) this.#parents = totals;
  }

  /** What the thread itself has used of these totals. */
  own(totals: JsonObject): JsonObject {
    if (!this.#isFork) return totals;
    const rest: JsonObject = {};
    for (const [name, value] of Object.entries(totals)) {
      const total = count(value);
      if (total !== undefined) rest[name] = Math.max(0, total - (count(this.#parents[name]) ?? 0));
    }
    return rest;
  }
}
