import { has, type Pattern } from './pattern.ts';
import { fails, undecided } from './undecided.ts';
import { hasDigit } from './randomness.ts';

/** A key is recognised by its prefix; when its end is cut off, this many further characters are worth hiding. */
const shortestRest = 8;
/** After a prefix with fewer letters than this, more characters must follow. */
const tellingPrefix = 4;
const dots = '...';

/** Whether a text was cut here: at its end, or at an ellipsis. */
function isCutAt(text: string, at: number, final: boolean): boolean | typeof undecided {
  if (at === text.length) return final ? true : undecided;
  const code = text.charCodeAt(at);
  if (code === 0x2026) return true;
  if (code !== 46) return false;
  if (text.startsWith(dots, at)) return true;
  return !final && dots.startsWith(text.slice(at, at + dots.length)) ? undecided : false;
}

/** The end of a key that was cut before it was long enough to be recognised; or `fails`, or `undecided`. */
export function clippedEnd(places: Pattern, text: string, at: number, final: boolean): number {
  let to = at;
  for (const place of places) {
    const most = Math.min(to + place.max, text.length);
    const start = to;
    while (to < most && has(place, text.charCodeAt(to))) to += 1;
    if (to - start < place.min) break;
  }
  // Most places that look like the beginning of a key are not cut, so the cheap check comes first.
  const cut = isCutAt(text, to, final);
  if (cut === false) return fails;
  const prefix = prefixOf(places);
  const rest = text.slice(at + prefix, to);
  if (
    rest.length < (prefix < tellingPrefix ? 2 * shortestRest : shortestRest) ||
    !hasDigit(rest) ||
    !/[A-Za-z]/.test(rest)
  )
    return fails;
  return cut === undecided ? undecided : to;
}

const prefixes = new WeakMap<Pattern, number>();

/** The length of the fixed prefix of a pattern. */
function prefixOf(places: Pattern): number {
  let length = prefixes.get(places);
  if (length === undefined) {
    const first = places.findIndex(
      ({ ascii, min, max }) => max !== 1 || min !== 1 || ascii.reduce((sum, each) => sum + each, 0) > 8,
    );
    length = first === -1 ? places.length : first;
    prefixes.set(places, length);
  }
  return length;
}

/** The same for a value that is known in full. */
export function clippedValue(value: string, text: string, at: number, final: boolean): number {
  let to = at;
  while (to < text.length && to - at < value.length && text.charCodeAt(to) === value.charCodeAt(to - at)) to += 1;
  if (to - at < telling(value)) return fails;
  const cut = isCutAt(text, to, final);
  return cut === undecided ? undecided : cut ? to : fails;
}

/** How many characters identify a value; the scheme of an address does not count. */
function telling(value: string): number {
  return (
    Math.max(shortestRest, Math.ceil(value.length / 4)) + (/^[a-z][a-z0-9+.-]{0,20}:\/\//i.exec(value)?.[0].length ?? 0)
  );
}
