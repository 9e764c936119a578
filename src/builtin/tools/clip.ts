import { aroundCut, safeEnd, safeStart } from '../../redact/safe-cut.ts';

/** Text of any length in bounded memory: its head, its tail, and how much was cut between them. Neither holds a part of a secret. */
export class Clip {
  readonly #half: number;
  #head = '';
  /** Everything after the head, as long as it is short; then its end. */
  #tail = '';
  /** What follows the head: it shows whether a secret is cut in two there. */
  #beyond = '';
  #length = 0;

  constructor(limit: number) {
    this.#half = Math.floor(limit / 2);
  }

  add(text: string): void {
    this.#length += text.length;
    const room = Math.max(0, this.#half - this.#head.length);
    this.#head += text.slice(0, room);
    const rest = text.slice(room);
    if (this.#beyond.length < aroundCut) this.#beyond += rest.slice(0, aroundCut);
    this.#tail += rest;
    const kept = this.#half + aroundCut;
    if (this.#tail.length > kept * 2) this.#tail = this.#tail.slice(-kept);
  }

  toString(): string {
    if (this.#length <= 2 * this.#half) return this.#head + this.#tail;
    const end = safeEnd(this.#head + this.#beyond, this.#head.length);
    const before = this.#head.slice(0, lastBreak(this.#head.slice(0, end)));
    const start = this.#tail.length - this.#half;
    const safe = safeStart(this.#tail, start);
    const after = this.#tail.slice(safe + (safe > start ? 0 : firstBreak(this.#tail.slice(start))));
    return `${before}\n[${this.#length - before.length - after.length} characters cut here]\n${after}`;
  }
}

/** A word stays whole or is dropped; anything longer than this is not a word. */
const longestWord = 512;

/** Where to cut, without splitting a surrogate pair. */
export function lastBreak(text: string): number {
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
