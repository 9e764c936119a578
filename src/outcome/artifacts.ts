import type { EventOf } from '../events/event.ts';
import { present } from '../json/present.ts';
import { BoundedMap } from './bounded.ts';
import type { Artifact } from './outcome.ts';

/** The files that a run changed, each once. */
export class Artifacts {
  readonly #files: BoundedMap<Artifact>;

  constructor(limit: number) {
    this.#files = new BoundedMap(limit);
  }

  edited({ path, operation, size, file_type: type = 'file' }: EventOf<'file.edited'>): void {
    // A file that the run created stays `created`, however often it is changed.
    const isStillNew = this.#files.get(path)?.operation === 'created' && operation === 'modified';
    this.#files.set(path, { path, operation: isStillNew ? 'created' : operation, ...present({ size }), type });
  }

  get omitted(): number {
    return this.#files.omitted;
  }

  toArray(): Artifact[] {
    return this.#files.toArray();
  }
}
