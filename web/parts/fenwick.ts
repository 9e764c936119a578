/** Row heights: finds the offset of any row, and the row at any offset, in logarithmic time. */
export class Fenwick {
  #values: number[] = [];
  #tree: number[] = [0];

  get length(): number {
    return this.#values.length;
  }

  get(index: number): number {
    return this.#values[index] ?? 0;
  }

  push(value: number): void {
    this.#values.push(value);
    const at = this.#values.length;
    let sum = value;
    // A node holds the sum of the nodes right below it.
    for (let step = 1; step < (at & -at); step *= 2) sum += this.#tree[at - step] ?? 0;
    this.#tree.push(sum);
  }

  /** Keeps the first `length` rows. */
  cut(length: number): void {
    this.#values.length = Math.min(this.#values.length, length);
    this.#tree.length = this.#values.length + 1;
  }

  set(index: number, value: number): void {
    const delta = value - this.get(index);
    if (delta === 0 || index >= this.#values.length) return;
    this.#values[index] = value;
    for (let at = index + 1; at < this.#tree.length; at += at & -at) this.#tree[at] = (this.#tree[at] ?? 0) + delta;
  }

  /** The sum of all rows before `index`. */
  before(index: number): number {
    let sum = 0;
    for (let at = Math.min(index, this.#values.length); at > 0; at -= at & -at) sum += this.#tree[at] ?? 0;
    return sum;
  }

  get total(): number {
    return this.before(this.#values.length);
  }

  /** The row that `offset` falls in; the last one for any offset past the end. */
  at(offset: number): number {
    let index = 0;
    let rest = offset;
    for (let step = 2 ** Math.floor(Math.log2(Math.max(1, this.#values.length))); step >= 1; step /= 2) {
      const sum = this.#tree[index + step];
      if (sum !== undefined && sum <= rest) {
        index += step;
        rest -= sum;
      }
    }
    return Math.min(index, Math.max(0, this.#values.length - 1));
  }
}
