import type { Finder } from './finder.ts';
import { hexKeyBefore, unfinishedHexKey } from './hex-keys.ts';
import { signedKeyBefore, unfinishedSignedKey } from './signed-keys.ts';
import { advance } from './pattern.ts';
import { escape, pastEscapes } from './terminal-escape.ts';
import { fails, undecided } from './undecided.ts';
import { lookBehind, type SecretPattern, type Tail } from './secret-pattern.ts';

/** Shared empty list: most texts never need another. */
const none: never[] = [];

/**
 * Redacts one text that arrives in pieces. However it is split, the results add up to the same redacted text; a piece is
 * held back only from where a secret may begin, and only as long as that is undecided.
 */
export class Cleaner {
  readonly #finder: Finder;
  readonly #spans: [from: number, to: number][] | undefined;
  /** The undecided text, preceded by a little of the text before it. */
  #text = '';
  /** The first undecided character; everything before it has been emitted. */
  #at = 0;
  /** The end of the last secret. The text after it is treated as a new beginning, as it will be in the redacted text. */
  #edge = 0;
  /** Set while inside a secret whose marker has already been emitted. */
  #tail: Tail | undefined;
  /** Contexts that are not complete yet. */
  #open: { pattern: SecretPattern; at: number }[] = none;
  /** Places after a complete context, where a secret of that kind may begin. */
  #armed: { pattern: SecretPattern; at: number; context: string }[] = none;
  /** Where a key that is recognised by its end may begin. */
  #hexAt = -1;
  #count = 0;

  /** `spans`: is told where the secrets of a text are that is pushed as a whole. */
  constructor(finder: Finder, spans?: [from: number, to: number][]) {
    this.#finder = finder;
    this.#spans = spans;
  }

  /** How many secrets were found. */
  get count(): number {
    return this.#count;
  }

  /** How much is held back. */
  get held(): number {
    return this.#text.length - this.#at;
  }

  /** `first`: the first place in the piece where a secret may begin, if the caller knows it. */
  push(piece: string, final = false, first = this.#isIdle ? this.#finder.next(piece, 0, !final, 0) : 0): string {
    if (first < 0 && (final || (unfinishedHexKey(piece, 0, 0) < 0 && unfinishedSignedKey(piece, 0, this.#text) < 0)))
      return this.#pass(piece);
    const text = this.#text + piece;
    const start = this.#at;
    // Text that was already searched is not searched again, unless the text before it may change the result.
    const clear = start > 0 ? start : first < 0 ? text.length : first;
    this.#text = text;
    this.#retryContexts(final);
    let out = '';
    let kept = start;
    for (;;) {
      if (this.#tail !== undefined) {
        const { to, done } = this.#tail(text, this.#at, final);
        this.#at = kept = this.#edge = to;
        this.#spans?.splice(-1, 1, [this.#spans.at(-1)?.[0] ?? 0, to]);
        if (!done && !final) break;
        this.#tail = undefined;
      }
      const place = this.#nextPlace(text, clear, final);
      this.#at = place;
      if (place === text.length) break;
      const found = this.#find(text, place, final);
      if (found === undecided) break;
      if (found === undefined) {
        this.#startContexts(text, place, final);
        this.#at = place + 1;
        continue;
      }
      out += text.slice(kept, place) + found.pattern.marker;
      this.#count += 1;
      this.#spans?.push([place, found.end]);
      this.#at = kept = this.#edge = found.end;
      this.#tail = found.pattern.tail;
    }
    const end = this.#at;
    this.#forget();
    if (kept === start && out === '' && end - kept === piece.length && end === text.length) return piece;
    return out + text.slice(kept, end);
  }

  /** Nothing is undecided: the next piece can be searched by itself. */
  get #isIdle(): boolean {
    return (
      this.#at === this.#text.length && this.#tail === undefined && this.#open.length === 0 && this.#armed.length === 0
    );
  }

  /** A piece in which no secret begins. */
  #pass(piece: string): string {
    const length = this.#text.length + piece.length;
    this.#text = piece.length < lookBehind ? (this.#text + piece).slice(-lookBehind) : piece.slice(-lookBehind);
    this.#at = this.#text.length;
    this.#edge -= length - this.#at;
    return piece;
  }

  #nextPlace(text: string, clear: number, final: boolean): number {
    const trigger = this.#finder.next(text, Math.max(this.#at, clear), !final, this.#edge);
    this.#hexAt = this.#nextHex(text, trigger, final);
    let place = Math.min(trigger < 0 ? text.length : trigger, this.#hexAt);
    if (this.#armed.length === 0) return place;
    this.#armed = this.#armed.filter(({ at }) => at >= this.#at);
    for (const { at } of this.#armed) if (at < place) place = at;
    return place;
  }

  /** The end of such a key is one of the places the finder stops at, so no separate search is needed. */
  #nextHex(text: string, trigger: number, final: boolean): number {
    if (trigger >= 0) {
      const known = hexKeyBefore(text, trigger, this.#at, this.#edge);
      const found = known >= 0 ? known : signedKeyBefore(text, trigger, this.#at, this.#edge);
      if (found >= 0) return found;
    }
    if (final) return text.length;
    const [hex, signed] = [unfinishedHexKey(text, this.#at, this.#edge), unfinishedSignedKey(text, this.#at)];
    return Math.min(hex < 0 ? text.length : hex, signed < 0 ? text.length : signed);
  }

  #find(
    text: string,
    place: number,
    final: boolean,
  ): { pattern: SecretPattern; end: number } | typeof undecided | undefined {
    for (const pattern of this.#finder.at(text, place, place === this.#hexAt)) {
      if (pattern.context !== undefined || !pattern.mayBegin(text, place, this.#edge)) continue;
      const end = pattern.match(text, place, final, '');
      if (end === undecided) return undecided;
      if (end !== fails) return { pattern, end };
    }
    for (const { pattern, at, context } of this.#armed) {
      if (at !== place) continue;
      const end = pattern.match(text, place, final, context);
      if (end === undecided) return undecided;
      if (end !== fails) return { pattern, end };
    }
    return undefined;
  }

  #startContexts(text: string, place: number, final: boolean): void {
    for (const pattern of this.#finder.at(text, place, place === this.#hexAt)) {
      if (pattern.context !== undefined && pattern.mayBegin(text, place, this.#edge))
        this.#followContext(pattern, place, final);
    }
  }

  #retryContexts(final: boolean): void {
    if (this.#open.length === 0) return;
    const open = this.#open;
    this.#open = none;
    for (const { pattern, at } of open) this.#followContext(pattern, at, final);
  }

  #followContext(pattern: SecretPattern, at: number, final: boolean): void {
    const reached = advance(pattern.context ?? [], this.#text, at, final);
    const context =
      reached < 0 || pattern.contextEnd === undefined ? reached : pattern.contextEnd(this.#text, reached, final);
    const end = pastColours(this.#text, context, final);
    if (end === undecided) {
      if (this.#open.length === 0) this.#open = [];
      this.#open.push({ pattern, at });
    } else if (end !== fails) {
      if (this.#armed.length === 0) this.#armed = [];
      this.#armed.push({ pattern, at: end, context: this.#text.slice(at, end) });
      // Contexts may complete in a different order than they began; the longest is the most specific.
      if (this.#armed.length > 1) this.#armed.sort((a, b) => b.context.length - a.context.length);
    }
  }

  #forget(): void {
    let keep = this.#at - lookBehind;
    for (const { at } of this.#open) if (at < keep) keep = at;
    if (keep <= 0) return;
    this.#text = this.#text.slice(keep);
    this.#at -= keep;
    this.#edge -= keep;
    for (const each of this.#open) each.at -= keep;
    for (const each of this.#armed) each.at -= keep;
  }
}

/** A value may begin with its own colour codes, which are kept. */
function pastColours(text: string, at: number, final: boolean): number {
  if (at < 0 || text.charCodeAt(at) !== escape) return at;
  const end = pastEscapes(text, at, final);
  return end === fails ? at : end;
}
