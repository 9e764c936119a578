import { fails, undecided } from './undecided.ts';

export const escape = 27;
/** Colour codes and the like are short, and only a few occur in a row. */
const longest = 24;
const mostInARow = 4;

/** The end of the terminal escapes that begin at `at`; or `fails` if there is none; or `undecided`. */
export function pastEscapes(text: string, at: number, final: boolean): number {
  let to = at;
  for (let count = 0; count < mostInARow && text.charCodeAt(to) === escape; count += 1) {
    const end = endOf(text, to, final);
    if (end < 0) return end;
    to = end;
  }
  if (to === text.length && !final) return undecided;
  return to;
}

/** `ESC [ 1 ; 31 m`: parameters, then a letter. */
function endOf(text: string, at: number, final: boolean): number {
  if (at + 1 < text.length && text[at + 1] !== '[') return fails;
  for (let to = at + 2; to < text.length && to - at <= longest; to += 1) {
    const code = text.charCodeAt(to);
    if (code >= 64 && code <= 126) return to + 1;
    if (code < 48 || code > 63) return fails;
  }
  return text.length - at > longest || final ? fails : undecided;
}

// eslint-disable-next-line no-control-regex -- what terminals are told
const escapes = /\u001b\[[0-?]{0,24}[@-~]/g;

/** A text without its colours. */
export function withoutEscapes(text: string): string {
  return text.includes('\u001b') ? text.replaceAll(escapes, '') : text;
}

/** The end of a value that contains escapes, or `fails`, or `undecided`. */
export function escapedValue(value: string, text: string, at: number, final: boolean): number {
  let to = at;
  for (let i = 0; i < value.length; i += 1) {
    if (i > 0 && text.charCodeAt(to) === escape && value.charCodeAt(i) !== escape) {
      to = pastEscapes(text, to, final);
      if (to < 0) return to;
    }
    if (to === text.length) return final ? fails : undecided;
    if (text.charCodeAt(to) !== value.charCodeAt(i)) return fails;
    to += 1;
  }
  return to;
}

/** Whether a text continues with `head`, as far as the text goes, or up to an escape. */
export function goesOnLike(head: string, text: string, at: number): boolean {
  for (let i = 0; i < head.length && at + i < text.length; i += 1) {
    const code = text.charCodeAt(at + i);
    if (code !== head.charCodeAt(i)) return code === escape && i > 0;
  }
  return true;
}
