import { isBoundary } from './boundary.ts';

/** A key of Mailchimp is known by its end alone: so many digits of base 16, then `-us` and a number. */
const digits = 32;
const end = '-us';

function isDigit(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 97 && code <= 102);
}

/** How many digits there are before `at`, not counting those before `floor` and no more than needed. */
function digitsBefore(text: string, at: number, floor: number): number {
  let count = 0;
  while (count < digits && at - count > floor && isDigit(text.charCodeAt(at - count - 1))) count += 1;
  return count;
}

/** Where the next such key begins, from `at` on; -1: nowhere. With `open`, also one that the text ends in the midst of. */
export function nextHexKey(text: string, at: number, open: boolean, floor: number): number {
  for (let tail = text.indexOf(end, at); tail >= 0; tail = text.indexOf(end, tail + 1)) {
    const start = tail - digits;
    if (start >= at && digitsBefore(text, tail, at) === digits && isBoundary(text, start, floor, 'name')) return start;
  }
  return open ? unfinishedHexKey(text, at, floor) : -1;
}

/** Where one begins that the text ends in the midst of; -1: nowhere. */
export function unfinishedHexKey(text: string, at: number, floor: number): number {
  let tail = text.length;
  for (let length = end.length - 1; length > 0; length -= 1)
    if (text.endsWith(end.slice(0, length))) tail = Math.min(tail, text.length - length);
  const count = digitsBefore(text, tail, at);
  const start = tail - count;
  if (count === 0 || (tail < text.length && count < digits) || !isBoundary(text, start, floor, 'name')) return -1;
  return start;
}

/** Whether one begins at `at`, as far as the text goes. */
export function isHexKey(text: string, at: number, open: boolean): boolean {
  return nextHexKey(text.slice(at, at + digits + end.length), 0, open && text.length <= at + digits + end.length, 0) === 0;
}
