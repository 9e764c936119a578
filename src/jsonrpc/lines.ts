const lineFeed = 10;
/** The largest message from a peer: messages may carry files and pictures. */
const longestMessage = 64 * 1024 * 1024;

/** Bytes from a peer → lines without their line breaks. Memory is bounded: nothing is kept of a line that is too long. */
export class Lines {
  readonly #onLine: (line: Uint8Array) => void;
  readonly #onTooLong: () => void;
  readonly #limit: number;
  #pieces: Uint8Array[] = [];
  #length = 0;
  #isTooLong = false;

  constructor(onLine: (line: Uint8Array) => void, onTooLong: () => void, limit = longestMessage) {
    this.#onLine = onLine;
    this.#onTooLong = onTooLong;
    this.#limit = limit;
  }

  push(chunk: Uint8Array): void {
    let from = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, from)) {
      this.#keep(chunk.subarray(from, end));
      from = end + 1;
      this.#end();
    }
    // Callers may reuse their buffer, so bytes that outlive this call are copied; a Buffer's own slice() would not copy.
    if (from < chunk.length) this.#keep(new Uint8Array(chunk.subarray(from)));
  }

  get isBetweenLines(): boolean {
    return this.#length === 0 && !this.#isTooLong;
  }

  #keep(piece: Uint8Array): void {
    if (this.#isTooLong) return;
    this.#length += piece.length;
    this.#pieces.push(piece);
    if (this.#length <= this.#limit) return;
    this.#isTooLong = true;
    this.#pieces = [];
  }

  #end(): void {
    const [pieces, length, isTooLong] = [this.#pieces, this.#length, this.#isTooLong];
    this.#pieces = [];
    this.#length = 0;
    this.#isTooLong = false;
    if (isTooLong) return this.#onTooLong();
    if (length > 0) this.#onLine(joined(pieces, length));
  }
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined) return only;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
