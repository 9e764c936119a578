const firstRetryMs = 1000;
const lastRetryMs = 15_000;

export interface WritePaceOptions {
  /** Never throws. */
  write: () => Promise<void>;
  /** How long to wait after a write, in milliseconds. */
  pauseMs: () => number;
}

/** When a run writes to its ledger: one write at a time, and after a failure later and later. What becomes known meanwhile goes into the next. */
export class WritePace {
  readonly #options: WritePaceOptions;
  #working: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #due = 0;
  #delayMs = 0;
  #notBefore = 0;
  #retryMs = firstRetryMs;
  #isClosed = false;

  constructor(options: WritePaceOptions) {
    this.#options = options;
  }

  /** A write after this time, unless an earlier one is due. */
  schedule(delayMs: number): void {
    if (this.#working !== undefined || this.#isClosed) return;
    // Already scheduled, and due earlier: no need to read the clock for every record.
    if (this.#timer !== undefined && this.#delayMs <= delayMs) return;
    const due = Math.max(performance.now() + delayMs, this.#notBefore);
    if (this.#timer !== undefined && this.#due <= due) return;
    clearTimeout(this.#timer);
    this.#due = due;
    this.#delayMs = delayMs;
    this.#timer = setTimeout(() => this.#write(), Math.max(0, due - performance.now()));
    this.#timer.unref();
  }

  #write(): void {
    this.#timer = undefined;
    this.#working = this.#options.write().finally(() => {
      this.#working = undefined;
      this.schedule(this.#options.pauseMs());
    });
  }

  succeeded(): void {
    this.#retryMs = firstRetryMs;
  }

  failed(): void {
    this.#notBefore = performance.now() + this.#retryMs;
    this.#retryMs = Math.min(this.#retryMs * 2, lastRetryMs);
  }

  /** Cancels what is scheduled; resolves when nothing is being written. */
  async settle(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#working;
  }

  /** The same, and nothing more is scheduled. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.settle();
  }
}
