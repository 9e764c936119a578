import type { JsonObject } from '../../../json/json.ts';
import { filled, list, object, string } from '../../../json/read.ts';

/** From here on, the last row of a message has its reason to stop; 2.1.17 left it out, and 2.1.79 is known to have it. */
const firstTelling = [2, 1, 50] as const;

/**
 * Whether a session file says why each message stopped. Every version writes a message row by row, one row for each block; until early 2026
 * no row had a reason. Where the last row has it, a row without one is always followed by more.
 */
export class StopReasons {
  #isTold = false;
  #isLeftOut = false;
  #version: string | undefined;
  /** The latest message, and whether it made a call. */
  #message: string | undefined;
  #called = false;

  /** A row of the main thread's. */
  see(wire: JsonObject): void {
    const message = object(wire.message);
    this.#version ??= filled(wire.version);
    if (typeof message.stop_reason === 'string') this.#isTold = true;
    const id = filled(message.id);
    // The next message begins, so the one before it had ended.
    if (id !== this.#message && this.#called) this.#isLeftOut = true;
    if (id !== this.#message) this.#called = false;
    this.#message = id;
    this.#called ||= list(message.content).some((block) => (string(object(block).type) ?? '').endsWith('tool_use'));
  }

  get areTold(): boolean {
    if (this.#isTold || this.#isLeftOut) return this.#isTold;
    return isSince(this.#version ?? '', firstTelling);
  }
}

function isSince(version: string, first: readonly number[]): boolean {
  const parts = version.split('.', 3).map(Number);
  for (const [index, wanted] of first.entries()) {
    const part = parts[index] ?? Number.NaN;
    if (part !== wanted) return part > wanted;
  }
  return true;
}
