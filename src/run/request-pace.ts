import { type Pause, pause } from '../time/pause.ts';

const minuteMs = 60_000;

/** Lets at most so many requests go out within any minute: each of those beyond waits until it may. */
export class RequestPace {
  readonly #most: number;
  readonly #now: () => number;
  readonly #pause: Pause;
  /** When the last ones went out, or will. */
  readonly #times: number[] = [];
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    most: number,
    { now = () => performance.now(), wait = pause }: { now?: () => number; wait?: Pause } = {},
  ) {
    this.#most = most;
    this.#now = now;
    this.#pause = wait;
  }

  /** Resolves when the next request may go out, in the order of asking, or when nobody waits for it any more. Returns whether it had to wait. */
  async turn(signal: AbortSignal): Promise<boolean> {
    const turn = this.#last.then(() => this.#take(signal));
    this.#last = turn;
    return turn;
  }

  async #take(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return true;
    const first = this.#times.length < this.#most ? undefined : this.#times[0];
    const wait = first === undefined ? 0 : first + minuteMs - this.#now();
    if (wait > 0 && !(await this.#pause(wait, signal))) return true;
    this.#times.push(this.#now());
    if (this.#times.length > this.#most) this.#times.shift();
    return wait > 0;
  }
}
