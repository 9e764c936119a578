/** So many lines in so long: nobody reads more, and a CI that cuts long logs must still show how the run ended. */
export const mostLines = 10_000;
export const paceMs = 10_000;

/** How much people are told of a run while it goes on. */
export class Pace {
  readonly #now: () => number;
  #since: number;
  #told = 0;

  constructor(now: () => number) {
    this.#now = now;
    this.#since = now();
  }

  /** How many lines may be told now. */
  get room(): number {
    return Math.max(0, mostLines - this.#told);
  }

  told(lines: number): void {
    this.#told += lines;
  }

  /** Time has passed. Only then is the clock asked: to ask for every line costs as much as the line. */
  tick(): void {
    const now = this.#now();
    if (now - this.#since < paceMs) return;
    this.#since = now;
    this.renew();
  }

  /** What comes now must be told, whatever came before. */
  renew(): void {
    this.#told = 0;
  }
}
