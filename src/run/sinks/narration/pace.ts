/** At most this many lines in this time: nobody reads more, and a CI that cuts long logs must still show how the run ended. */
export const mostLines = 10_000;
export const paceMs = 10_000;

/** Limits how many lines of a run are shown while it is in progress. */
export class Pace {
  readonly #now: () => number;
  #since: number;
  #shown = 0;

  constructor(now: () => number) {
    this.#now = now;
    this.#since = now();
  }

  /** How many more lines may be shown now. */
  get room(): number {
    return Math.max(0, mostLines - this.#shown);
  }

  shown(lines: number): void {
    this.#shown += lines;
  }

  /** Time has passed. The clock is read only here: reading it for every line would cost as much as the line. */
  tick(): void {
    const now = this.#now();
    if (now - this.#since < paceMs) return;
    this.#since = now;
    this.renew();
  }

  /** What comes now must be shown, whatever came before. */
  renew(): void {
    this.#shown = 0;
  }
}
