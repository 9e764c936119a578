/** When a run began and ended, as far as anybody said so, and how long it took. */
export class RunTimes {
  /** Of a live run we know its beginning ourselves, whatever the agent's times say. */
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

  /** One time alone is when the run began, not how long it took; parts may be told before their message. */
  see(at: number): void {
    if (this.#first === undefined) {
      this.#first = at;
      return;
    }
    this.#last = Math.max(this.#last ?? this.#first, at);
    if (!this.#isLive) this.#first = Math.min(this.#first, at);
  }

  /** How long the agent says that it took: one attempt. */
  claim(ms: number | undefined): void {
    if (ms !== undefined) this.#claimed = ms;
  }

  duration(attempts: number): number | undefined {
    if (this.#claimed !== undefined && attempts === 1) return this.#claimed;
    return this.#first === undefined || this.#last === undefined ? undefined : this.#last - this.#first;
  }
}
