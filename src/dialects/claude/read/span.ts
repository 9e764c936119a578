/** How long a run took: a result tells the time of its own turn only. */
export class Span {
  #first: number | undefined;
  #last: number | undefined;
  #results = 0;
  #sum = 0;

  /** A time that a line tells. */
  see(at: number): void {
    this.#first = Math.min(this.#first ?? at, at);
    this.#last = Math.max(this.#last ?? at, at);
  }

  /** A turn is over: how long all turns took, with the time between them if it is known. */
  add(turn: number | undefined): number | undefined {
    this.#results += 1;
    this.#sum += turn ?? 0;
    const passed = this.#first === undefined || this.#last === undefined ? 0 : this.#last - this.#first;
    return (this.#results === 1 ? this.#sum : Math.max(this.#sum, passed)) || undefined;
  }
}
