/** Text of any length in bounded memory: its head, its tail, and how much lies between. */
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
    // A pair of surrogates may stand where the knife fell.
    return `${this.#head.replace(/[\uD800-\uDBFF]$/, '')}\n[${cut} characters cut here]\n${tail.replace(/^[\uDC00-\uDFFF]/, '')}`;
  }
}

export function clip(text: string, limit: number): string {
  const clipped = new Clip(limit);
  clipped.add(text);
  return clipped.toString();
}
