/** A map that forgets entries not read for a long while, so that memory does not grow with the stream. */
export class Generations<Value> {
  readonly #size: number;
  #recent = new Map<string, Value>();
  #earlier = new Map<string, Value>();

  /** It holds between `size` and twice as many entries. */
  constructor(size: number) {
    this.#size = size;
  }

  get(key: string): Value | undefined {
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const earlier = this.#earlier.get(key);
    if (earlier !== undefined) this.set(key, earlier);
    return earlier;
  }

  set(key: string, value: Value): void {
    if (this.#recent.size >= this.#size) {
      this.#earlier = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, value);
  }

  delete(key: string): void {
    this.#recent.delete(key);
    this.#earlier.delete(key);
  }
}
