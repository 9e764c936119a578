import type { EventOf } from '../events/event.ts';
import { present } from '../present.ts';
import type { Artifact } from './outcome.ts';

/** The files that a run changed, each once: the first half of the limit for good, the second half a window on the latest. */
export class Artifacts {
  readonly #limit: number;
  readonly #first = new Map<string, Artifact>();
  readonly #latest = new Map<string, Artifact>();
  #omitted = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  edited({ path, operation, size, file_type: type = 'file' }: EventOf<'file.edited'>): void {
    const half = this.#limit / 2;
    const files = this.#first.has(path) || (this.#first.size < half && !this.#latest.has(path)) ? this.#first : this.#latest;
    const known = files.get(path);
    if (known === undefined && files === this.#latest && files.size >= half) {
      const [oldest] = files.keys();
      if (oldest !== undefined) files.delete(oldest);
      this.#omitted += 1;
    }
    // What the run made itself stays its own, however often it is changed.
    const isStillNew = known?.operation === 'created' && operation === 'modified';
    files.set(path, { path, operation: isStillNew ? 'created' : operation, ...present({ size }), type });
  }

  get omitted(): number {
    return this.#omitted;
  }

  toArray(): Artifact[] {
    return [...this.#first.values(), ...this.#latest.values()];
  }
}
