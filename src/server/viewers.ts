import { Problem } from './problem.ts';

const mostViewers = 1000;
/** What may wait in memory for all viewers together. */
const mostBytes = 128 * 1024 * 1024;
/** When a viewer that found no room may try again. */
const retrySeconds = 5;

/** A stream that somebody reads, or does not. */
export interface Viewer {
  /** Disconnects it; what it has not read can be requested again. */
  drop(): void;
}

/** Everybody who reads a stream, and what waits for them: those who read nothing must not use up the memory. */
export class Viewers {
  /** What waits for those who have not taken it yet; who has waited longest is first. */
  readonly #waiting = new Map<Viewer, number>();
  readonly #mostBytes: number;
  #bytes = 0;
  #count = 0;

  constructor(most = mostBytes) {
    this.#mostBytes = most;
  }

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Throws `Problem` if there are too many. */
  refuseCrowd(): void {
    if (this.#count < mostViewers) return;
    const message = `there are ${mostViewers} viewers already; try again in ${retrySeconds} s`;
    throw new Problem('unavailable', message, {}, retrySeconds);
  }

  enter(): void {
    this.#count += 1;
  }

  leave(viewer: Viewer): void {
    this.#count -= 1;
    this.taken(viewer);
  }

  /** Something waits for this viewer; if it is too much for all of them, those who have waited longest are dropped. */
  waits(viewer: Viewer, bytes: number): void {
    this.taken(viewer);
    this.#waiting.set(viewer, bytes);
    this.#bytes += bytes;
    for (const other of this.#waiting.keys()) {
      if (this.#bytes <= this.#mostBytes || other === viewer) return;
      this.taken(other);
      other.drop();
    }
  }

  taken(viewer: Viewer): void {
    this.#bytes -= this.#waiting.get(viewer) ?? 0;
    this.#waiting.delete(viewer);
  }
}
