import type { Tape, TapeEnd } from '../tapes/tape.ts';

/** Long work of many requests, a piece of it per turn of the event loop: in between, everybody else is answered. */
export class Turns {
  #waiting: (() => void)[] = [];
  #isDue = false;

  /** Resolves when it is the caller's turn; those who came first go first. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    // What is scheduled here runs after the requests and answers that have arrived by then.
    setImmediate(() => {
      this.#isDue = false;
      this.#waiting.shift()?.();
      if (this.#waiting.length > 0) this.#schedule();
    });
  }
}

/** A tape of which every part waits for its turn, since its reader parses it at once. */
export function inTurns(tape: Tape, turns: Turns): Tape {
  async function* each(parts: AsyncGenerator<Uint8Array, TapeEnd>): AsyncGenerator<Uint8Array, TapeEnd> {
    try {
      for (let next = await parts.next(); ; next = await parts.next()) {
        if (next.done === true) return next.value;
        await turns.next();
        yield next.value;
      }
    } finally {
      await parts.return({ kind: 'cut' });
    }
  }
  return { ...tape, read: (after) => each(tape.read(after)), follow: (more, after) => each(tape.follow(more, after)) };
}
