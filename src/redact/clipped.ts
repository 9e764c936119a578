import { has, type Pattern } from './pattern.ts';
import { fails, undecided } from './undecided.ts';
import { hasDigit } from './randomness.ts';

/** A key is known by its prefix; so much more of it is worth hiding when the rest is cut away. */
const shortestRest = 8;
/** Behind a prefix of fewer letters than this, more must follow. */
const tellingPrefix = 4;
const dots = '...';

/** Where a text was cut: at its end, or at an ellipsis. */
function isCutAt(text: string, at: number, final: boolean): boolean | typeof undecided {
  if (at === text.length) return final ? true : undecided;
  const code = text.charCodeAt(at);
  if (code === 0x2026) return true;
  if (code !== 46) return false;
  if (text.startsWith(dots, at)) return true;
  return !final && dots.startsWith(text.slice(at, at + dots.length)) ? undecided : false;
}

/** Where the beginning of a key ends that was cut before it was long enough to be one; or `fails`, or `undecided`. */
export function clippedEnd(places: Pattern, text: string, at: number, final: boolean): number {
  let to = at;
  for (const place of places) {
    const most = Math.min(to + place.max, text.length);
    const start = to;
    while (to < most && has(place, text.charCodeAt(to))) to += 1;
    if (to - start < place.min) break;
  }
  // Most places that begin like a key are not cut: the cheap question first.
  const cut = isCutAt(text, to, final);
  if (cut === false) return fails;
  const prefix = prefixOf(places);
  const rest = text.slice(at + prefix, to);
  if (rest.length < (prefix < tellingPrefix ? 2 * shortestRest : shortestRest) || !hasDigit(rest) || !/[A-Za-z]/.test(rest)) return fails;
  return cut === undecided ? undecided : to;
}

const prefixes = new WeakMap<Pattern, number>();

/** How many characters of a pattern are given. */
function prefixOf(places: Pattern): number {
  let length = prefixes.get(places);
  if (length === undefined) {
    const first = places.findIndex(({ ascii, min, max }) => max !== 1 || min !== 1 || ascii.reduce((sum, each) => sum + each, 0) > 8);
    length = first === -1 ? places.length : first;
    prefixes.set(places, length);
  }
  return length;
}

/** The same for a value that is known as a whole. */
export function clippedValue(value: string, text: string, at: number, final: boolean): number {
  let to = at;
  while (to < text.length && to - at < value.length && text.charCodeAt(to) === value.charCodeAt(to - at)) to += 1;
  if (to - at < telling(value)) return fails;
  const cut = isCutAt(text, to, final);
  return cut === undecided ? undecided : cut ? to : fails;
}

/** So much of a value tells it: the scheme of an address does not. */
function telling(value: string): number {
  return Math.max(shortestRest, Math.ceil(value.length / 4)) + (/^[a-z][a-z0-9+.-]{0,20}:\/\//i.exec(value)?.[0].length ?? 0);
}
