/**
 * What is open, by its id, oldest first. Nearly always that is one: agents make one call after the other, and a `Map` that
 * is filled and emptied again for each of them costs more than all other work on a call.
 */
export class OpenIds<Value> {
  /** The oldest, in a place of its own. */
  #id: string | undefined;
  #value: Value | undefined;
  readonly #others = new Map<string, Value>();

  get size(): number {
    return this.#others.size + (this.#id === undefined ? 0 : 1);
  }

  has(id: string): boolean {
    return this.#id === id || (this.#others.size > 0 && this.#others.has(id));
  }

  get(id: string): Value | undefined {
    if (this.#id === id) return this.#value;
    return this.#others.size > 0 ? this.#others.get(id) : undefined;
  }

  set(id: string, value: Value): void {
    if (this.#id === id || (this.#id === undefined && this.#others.size === 0)) {
      this.#id = id;
      this.#value = value;
    } else this.#others.set(id, value);
  }

  delete(id: string): void {
    if (this.#id === id) {
      this.#id = undefined;
      this.#value = undefined;
    } else if (this.#others.size > 0) this.#others.delete(id);
  }

  clear(): void {
    this.#id = undefined;
    this.#value = undefined;
    this.#others.clear();
  }

  *keys(): Generator<string> {
    if (this.#id !== undefined) yield this.#id;
    yield* this.#others.keys();
  }
}
