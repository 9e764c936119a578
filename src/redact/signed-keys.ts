import { isBoundary } from './boundary.ts';

/** Keys of Azure begin with random letters and digits, and are recognised by a signature at a fixed place. */
const signatures = [
  { sign: 'AZDO', before: 76 },
  { sign: 'JQQJ9', before: 52 },
] as const;
const longest = 84;
/** Shorter words are never held back. */
const shortestHeld = 8;

function isLetterOrDigit(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

/** Where the key begins whose signature is at `tail`, or the part of it that was not emitted yet; -1: there is none. */
export function signedKeyBefore(text: string, tail: number, at: number, floor: number): number {
  for (const { sign, before } of signatures) {
    if (!text.startsWith(sign, tail)) continue;
    let start = tail;
    while (start > floor && tail - start < before && isLetterOrDigit(text.charCodeAt(start - 1))) start -= 1;
    if (tail - start === before && isBoundary(text, start, floor, 'name')) return Math.max(start, at);
  }
  return -1;
}

/** The start of a word at the end of a text that may be the beginning of such a key; -1: there is none. `before` precedes the text. */
export function unfinishedSignedKey(text: string, at: number, before = ''): number {
  let length = 0;
  let hasDigit = false;
  let hasLetter = false;
  const whole = before.length + text.length;
  while (length < whole && length <= longest) {
    const place = text.length - length - 1;
    const code = place >= 0 ? text.charCodeAt(place) : before.charCodeAt(before.length + place);
    if (!isLetterOrDigit(code)) break;
    if (code <= 57) hasDigit = true;
    else hasLetter = true;
    length += 1;
  }
  if (length < shortestHeld || length > longest || !hasDigit || !hasLetter) return -1;
  return Math.max(at, text.length - length);
}
