import { isBoundary } from './boundary.ts';

/** A Mailchimp key is recognised only by its end: this many hexadecimal digits, then `-us` and a number. */
const digits = 32;
const end = '-us';

function isDigit(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 97 && code <= 102);
}

/** How many digits there are before `at`, counting none before `floor` and no more than needed. */
function digitsBefore(text: string, at: number, floor: number): number {
  let count = 0;
  while (count < digits && at - count > floor && isDigit(text.charCodeAt(at - count - 1))) count += 1;
  return count;
}

/** The start of the key whose end is at `tail`; -1: there is none, or it begins before `at`. */
export function hexKeyBefore(text: string, tail: number, at: number, floor: number): number {
  const start = tail - digits;
  const isKey = start >= at && text.startsWith(end, tail) && digitsBefore(text, tail, at) === digits;
  return isKey && isBoundary(text, start, floor, 'name') ? start : -1;
}

/** The start of a key that is still incomplete at the end of the text; -1: there is none. */
export function unfinishedHexKey(text: string, at: number, floor: number): number {
  let tail = text.length;
  for (let length = end.length - 1; length > 0; length -= 1)
    if (text.endsWith(end.slice(0, length))) tail = Math.min(tail, text.length - length);
  const count = digitsBefore(text, tail, at);
  const start = tail - count;
  if (count === 0 || (tail < text.length && count < digits) || !isBoundary(text, start, floor, 'name')) return -1;
  return start;
}
