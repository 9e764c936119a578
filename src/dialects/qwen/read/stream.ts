import { isApiError } from '../words.ts';

/** A message on the main thread that arrives in deltas. */
export class Stream {
  /** Unset: the message is the turn's own. */
  messageId: string | undefined;
  /** The deltas of the open text block. */
  #text = '';
  /** A delta that looks like an API error, until what follows shows that it is one. */
  #held = '';
  /** The length of the text of earlier attempts, which the complete line repeats. */
  #given = 0;
  #attempt = 0;

  /** Returns what can be passed on. */
  add(piece: string): string {
    const before = this.#held;
    // An error comes in one piece, and last.
    this.#held = isApiError(piece) ? piece : '';
    const more = this.#held === '' ? before + piece : before;
    this.#text += more;
    return more;
  }

  get error(): string {
    return this.#held;
  }

  /** The part of the complete line that no earlier attempt delivered. */
  complete(whole: string): string {
    const rest = whole.slice(this.#given);
    this.#text = '';
    this.#held = '';
    this.#given = 0;
    return rest;
  }

  /** The answer starts over. Returns the text so far. */
  retry(turn: number, isKept: boolean): string {
    const text = this.#text;
    if (isKept) this.#given += text.length;
    this.#attempt += 1;
    this.#text = '';
    this.#held = '';
    this.messageId = `retry_${turn}_${this.#attempt}`;
    return text;
  }
}
