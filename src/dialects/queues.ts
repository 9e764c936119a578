interface Place<T> {
  readonly name: string;
  readonly member: T;
  before: Place<T> | undefined;
  after: Place<T> | undefined;
}

/**
 * A queue for each name, which anyone may leave at any time. A wire without call ids pairs a result with the first open call of
 * its tool, and a run may have a hundred thousand open: every step takes constant time. (The first key of a Map does not: it is
 * searched among those that were deleted.)
 */
export class Queues<T> {
  readonly #queues = new Map<string, { first: Place<T>; last: Place<T> }>();

  join(name: string, member: T): Place<T> {
    const queue = this.#queues.get(name);
    const place: Place<T> = { name, member, before: queue?.last, after: undefined };
    if (queue === undefined) this.#queues.set(name, { first: place, last: place });
    else {
      queue.last.after = place;
      queue.last = place;
    }
    return place;
  }

  first(name: string): T | undefined {
    return this.#queues.get(name)?.first.member;
  }

  /** Once only. */
  leave({ name, before, after }: Place<T>): void {
    const queue = this.#queues.get(name);
    if (queue === undefined) return;
    if (before !== undefined) before.after = after;
    else if (after !== undefined) queue.first = after;
    if (after !== undefined) after.before = before;
    else if (before !== undefined) queue.last = before;
    if (before === undefined && after === undefined) this.#queues.delete(name);
  }
}

export type { Place };
