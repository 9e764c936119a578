import type { JsonObject } from '../dialects/dialect.ts';

/**
 * Logs are told at least once, and some tell every line twice. Words may well come twice in a row, but no stream begins so:
 * one whose first line comes again at once is read once, for as long as its lines come in pairs.
 */
export class Twice {
  #lines = 0;
  #last: string | undefined;
  #isOver = false;

  /** Whether this line is the second of a pair. */
  isAgain(wire: JsonObject): boolean {
    if (this.#isOver) return false;
    this.#lines += 1;
    const text = textOf(wire);
    if (this.#last === undefined) {
      this.#last = text;
      return false;
    }
    const isSame = text !== '' && this.#last === text;
    this.#last = undefined;
    if (!isSame) this.stop();
    return isSame;
  }

  /** From now on every line counts. */
  stop(): void {
    this.#isOver = true;
    this.#last = undefined;
  }

  /** Nothing but the first line came. */
  get isFirst(): boolean {
    return this.#lines === 1;
  }
}

/** Nothing where it nests so deeply that the stack ends before it does. */
function textOf(wire: JsonObject): string {
  try {
    return JSON.stringify(wire);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return '';
  }
}
