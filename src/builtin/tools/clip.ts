/** Text of any length in bounded memory: its head, its tail, and how much was cut between them. */
export class Clip {
  readonly #half: number;
  #head = '';
  #tail = '';
  #length = 0;

  constructor(limit: number) {
    this.#half = Math.floor(limit / 2);
  }

  add(text: string): void {
    this.#length += text.length;
    const room = this.#half - this.#head.length;
    this.#head += text.slice(0, Math.max(0, room));
    this.#tail += text.slice(Math.max(0, room));
    if (this.#tail.length > this.#half * 4) this.#tail = this.#tail.slice(-this.#half);
  }

  toString(): string {
    const tail = this.#tail.slice(-this.#half);
    const cut = this.#length - this.#head.length - tail.length;
    if (cut === 0) return this.#head + tail;
    const before = this.#head.slice(0, lastBreak(this.#head));
    const after = tail.slice(firstBreak(tail));
    return `${before}\n[${this.#length - before.length - after.length} characters cut here]\n${after}`;
  }
}

/** Half a key could not be recognised as a secret, so a word stays whole or is dropped; anything longer than this is not a word. */
const longestWord = 512;

/** Where to cut, without splitting a surrogate pair. */
function lastBreak(text: string): number {
  for (let at = text.length; at > Math.max(0, text.length - longestWord); at -= 1) if (isSpace(text, at - 1)) return at;
  return text.length - (/[\uD800-\uDBFF]$/.test(text) ? 1 : 0);
}

function firstBreak(text: string): number {
  for (let at = 0; at < Math.min(text.length, longestWord); at += 1) if (isSpace(text, at)) return at;
  return /^[\uDC00-\uDFFF]/.test(text) ? 1 : 0;
}

const isSpace = (text: string, at: number): boolean => /\s/.test(text.charAt(at));

export function clip(text: string, limit: number): string {
  const clipped = new Clip(limit);
  clipped.add(text);
  return clipped.toString();
}
