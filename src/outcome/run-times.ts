/** When a run began and ended, as far as is known, and how long it took. */
export class RunTimes {
  /** We know ourselves when a live run began, whatever the agent's timestamps say. */
  readonly #isLive: boolean;
  #first: number | undefined;
  #last: number | undefined;
  #claimed: number | undefined;

  constructor(startedAt: number | undefined) {
    this.#first = startedAt;
    this.#isLive = startedAt !== undefined;
  }

  get first(): number | undefined {
    return this.#first;
  }

  get last(): number | undefined {
    return this.#last;
  }

  /** A single timestamp says when the run began, not how long it took. Times may be out of order: parts may be reported before their message. */
  see(at: number): void {
    if (this.#first === undefined) {
      this.#first = at;
      return;
    }
    this.#last = Math.max(this.#last ?? this.#first, at);
    if (!this.#isLive) this.#first = Math.min(this.#first, at);
  }

  /** The duration that the agent reports, which covers one attempt. */
  claim(ms: number | undefined): void {
    if (ms !== undefined) this.#claimed = ms;
  }

  /** We started a live run, so that the start of its program is part of it; of any other run the agent knows more than its lines tell. */
  duration(attempts: number): number | undefined {
    if (!this.#isLive && this.#claimed !== undefined && attempts === 1) return this.#claimed;
    return this.#first === undefined || this.#last === undefined ? undefined : this.#last - this.#first;
  }
}
