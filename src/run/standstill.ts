type Listener = { stopped(): void; goesOn(): void };

/**
 * Whether a run stands still. While it does, its processes are stopped, no model is asked, and its clocks do not go on: a person has
 * paused it, or it waits for a limit to reset.
 */
export class Standstill {
  readonly #reasons = new Set<string>();
  readonly #listeners = new Set<Listener>();
  readonly #began = performance.now();
  #since = 0;
  #stoodMs = 0;
  #free: PromiseWithResolvers<void> | undefined;

  get isOn(): boolean {
    return this.#reasons.size > 0;
  }

  /** How long the run was going on, without the times when it stood still. */
  get activeMs(): number {
    const now = performance.now();
    return now - this.#began - this.#stoodMs - (this.isOn ? now - this.#since : 0);
  }

  begin(reason: string): void {
    const wasOn = this.isOn;
    this.#reasons.add(reason);
    if (wasOn) return;
    this.#since = performance.now();
    this.#free = Promise.withResolvers();
    for (const listener of this.#listeners) listener.stopped();
  }

  end(reason: string): void {
    if (!this.#reasons.delete(reason) || this.isOn) return;
    this.#stoodMs += performance.now() - this.#since;
    for (const listener of this.#listeners) listener.goesOn();
    this.#free?.resolve();
    this.#free = undefined;
  }

  /** Nothing stands still any more: the run is to end. */
  endAll(): void {
    for (const reason of this.#reasons) this.end(reason);
  }

  /** Settles when the run goes on, which may be now. */
  async over(): Promise<void> {
    while (this.#free !== undefined) await this.#free.promise;
  }

  /** Returns a function that ends the listening; a listener that comes during a standstill is told of it. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    if (this.isOn) listener.stopped();
    return () => void this.#listeners.delete(listener);
  }
}

/** A timer whose time stands still while its run does. */
export class RunTimer {
  readonly #standstill: Standstill;
  readonly #ms: number;
  readonly #then: () => void;
  readonly #forget: () => void;
  #timer: NodeJS.Timeout | undefined;
  #since: number;
  #left: number;

  constructor(standstill: Standstill, ms: number, then: () => void) {
    this.#standstill = standstill;
    this.#ms = ms;
    this.#left = ms;
    this.#then = then;
    this.#since = performance.now();
    this.#timer = this.#start(ms);
    this.#forget = standstill.listen({
      stopped: () => {
        this.#left = Math.max(0, this.#left - (performance.now() - this.#since));
        clearTimeout(this.#timer);
        this.#timer = undefined;
      },
      goesOn: () => {
        this.#since = performance.now();
        this.#timer = this.#start(this.#left);
      },
    });
  }

  /** From the beginning; called for every event of an agent. */
  refresh(): void {
    if (this.#timer === undefined) {
      this.#left = this.#ms;
      return;
    }
    this.#since = performance.now();
    // One that was shortened by a standstill has to be made anew.
    if (this.#left === this.#ms) return void this.#timer.refresh();
    clearTimeout(this.#timer);
    this.#left = this.#ms;
    this.#timer = this.#start(this.#ms);
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#forget();
  }

  #start(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      if (this.#standstill.isOn) return;
      this.#forget();
      this.#then();
    }, ms);
  }
}
