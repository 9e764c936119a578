import type { JsonObject } from '../json/json.ts';
import { unlessTooLarge } from '../json/unless-too-large.ts';

/**
 * Logs deliver at least once, and some deliver every line twice. A line may well be repeated later on, but no stream begins that way:
 * if the first line is repeated immediately, each pair of equal lines is read once, for as long as lines come in pairs.
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

  /** Only the first line has been read. */
  get isFirst(): boolean {
    return this.#lines === 1;
  }
}

/** Empty if the value is nested so deeply that the stack overflows. */
function textOf(wire: JsonObject): string {
  return unlessTooLarge(() => JSON.stringify(wire)) ?? '';
}
