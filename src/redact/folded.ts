import { fails, undecided } from './undecided.ts';
import { isBase64 } from './private-key.ts';

/** A line of folded base64 has at least this many characters, unless it is the last one. */
const longRun = 24;
const widestIndent = 32;

/** How far base64 that may be folded extends: across line breaks, escaped or not, and the indentation of the next line. */
export function foldedBase64(text: string, at: number): { to: number; done: boolean } {
  let to = at;
  for (;;) {
    while (to < text.length && isBase64(text.charCodeAt(to))) to += 1;
    const next = nextLine(text, to);
    if (next === undefined) return { to, done: false };
    let run = 0;
    while (run < longRun && isBase64(text.charCodeAt(next + run))) run += 1;
    if (run < longRun) return { to, done: next + run < text.length || next === to };
    to = next;
  }
}

/** Where the line after the one that ends at `at` begins; `at` itself where no line ends; undefined: not yet known. */
function nextLine(text: string, at: number): number | undefined {
  let to = at;
  while (to < text.length && to - at < widestIndent) {
    const code = text.charCodeAt(to);
    if (code === 10 || code === 13 || code === 32 || code === 9) to += 1;
    else if (code === 92 && to + 1 === text.length) return undefined;
    else if (code === 92 && (text[to + 1] === 'n' || text[to + 1] === 'r')) to += 2;
    else break;
  }
  if (to >= text.length) return undefined;
  return /[\n\r\\]/.test(text.slice(at, to)) ? to : at;
}

/** There are at least this many characters between two line breaks. */
const narrowest = 16;

/** Whether a value may be folded: base64 or hexadecimal. */
export function mayFold(value: string): boolean {
  return /^[A-Za-z0-9+/_=-]{24,}$/.test(value);
}

/** The end of a value that is written on several lines, or `fails`, or `undecided`. */
export function foldedValue(value: string, text: string, at: number, final: boolean): number {
  let to = at;
  // It may begin anywhere in its first line.
  let run = narrowest;
  for (let i = 0; i < value.length; i += 1) {
    if (i > 0 && run >= narrowest && to < text.length && text.charCodeAt(to) !== value.charCodeAt(i)) {
      const next = nextLine(text, to);
      if (next === undefined) return final ? fails : undecided;
      if (next === to) return fails;
      to = next;
      run = 0;
    }
    if (to === text.length) return final ? fails : undecided;
    if (text.charCodeAt(to) !== value.charCodeAt(i)) return fails;
    to += 1;
    run += 1;
  }
  return to;
}
