/** Small strings cost more memory than their text; this many of them are joined into one. */
const joinedAt = 1000;

/**
 * A text that arrives in pieces. Concatenating strings keeps every piece in memory for as long as the result lives: a million
 * deltas of five characters would hold sixty megabytes.
 */
export class Pieces {
  #joined = '';
  #pieces: string[] = [];
  #length = 0;

  add(piece: string): void {
    if (piece === '') return;
    this.#length += piece.length;
    this.#pieces.push(piece);
    if (this.#pieces.length < joinedAt) return;
    this.#joined += this.#pieces.join('');
    this.#pieces = [];
  }

  get length(): number {
    return this.#length;
  }

  toString(): string {
    if (this.#pieces.length > 0) this.#joined += this.#pieces.join('');
    this.#pieces = [];
    return this.#joined;
  }
}
