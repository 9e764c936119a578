import { matchAt } from './zone.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const unitMs: readonly (readonly [RegExp, number])[] = [
  [/^(?:ns|nanos(?:econds?)?)$/, 1e-6],
  [/^(?:[µμu]s|usecs?|micros(?:econds?)?)$/, 1e-3],
  [/^(?:ms|msecs?|milliseconds?|millis)$/, 1],
  [/^(?:s|secs?|seconds?)$/, 1000],
  [/^(?:m|mins?|minutes?)$/, minuteMs],
  [/^(?:h|hrs?|hours?)$/, hourMs],
  [/^(?:d|days?)$/, dayMs],
  [/^(?:w|wks?|weeks?)$/, 7 * dayMs],
];
const counts: Readonly<Record<string, number>> = {
  'half an': 0.5,
  'half a': 0.5,
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
};
/** `3,600` is a number; `1,5` could be two. */
const amount =
  /(\d{1,3}(?:,\d{3}){1,2}(?:\.\d{1,9})?(?![\d,])|\d{1,10}(?:\.\d{1,9})?)(?: more| additional)?[ -]?([a-zµμ]{1,12})\b\.?/iy;
/** `an hour`; `and` is no day. */
const single = new RegExp(`(${Object.keys(counts).join('|')})(?: more)?[ -]([a-z]{1,12})\\b\\.?`, 'iy');
const compact = /(\d{1,10}(?:\.\d{1,9})?)([mnµμu]s|[wdhms])(?=[\d\W]|$)/iy;
const between = /(?:,? and |, ?| )?/iy;
const half = /a half\b/iy;
const hours = /(\d{1,3}):(\d{2}):(\d{2})(?!\d)(?! ?[ap]\.?m)/iy;
const isoLength = /P(?=[\dT])(?:(\d{1,4})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,8})M)?(?:(\d{1,9}(?:\.\d{1,9})?)S)?)?(?!\w)/y;
const bare = /(\d{1,9}(?:\.\d{1,9})?)(?![\p{L}\p{N}_:/]|[.,]\d| ?%| \d{3}(?!\d))(?! ?(?:to|or|-|–) ?\d)/uy;
/** What a sentence goes on with behind a number of seconds; behind any other word it is a number of those. */
const goesOn = /(?! ?\p{L})| (?:before|for|until|then|please|when|while|if)\b/uy;
const isYear = /^(?:19|20)\d\d$/;
const assigned = /[:=]["'\\ ]{0,4}$/;
/** A number that stands after its sign. */
const negative = /(?:^|[^\w.])[-−]$/;

const msOf = (unit: string): number | undefined => unitMs.find(([name]) => name.test(unit.toLowerCase()))?.[1];

interface Hints {
  /** What came before makes a bare number a length of time. */
  isLength: boolean;
  /** A unit that was named before its number. */
  unit: string | undefined;
}

/**
 * `2h 13m`, `4 days 20 hours 9 minutes`, `6m0s`, `an hour`, `PT5H`, `02:13:00`, and bare seconds where they can be nothing else: in ms,
 * below zero for what is over. `unclear`: it could mean several.
 */
export function lengthAt(text: string, at: number, { isLength, unit }: Hints): number | 'unclear' | undefined {
  if (at > 0 && /[\w.]/.test(text[at - 1] ?? '') && text[at - 1] !== '_') return undefined;
  if (/\d/.test(text[at] ?? '') && negative.test(text.slice(Math.max(0, at - 2), at))) return 'unclear';
  const clock = isLength ? matchAt(hours, text, at) : null;
  if (clock !== null) return (Number(clock[1]) * 3600 + Number(clock[2]) * 60 + Number(clock[3])) * 1000;
  const standard = matchAt(isoLength, text, at);
  if (standard !== null) {
    const [d, h, m, s] = standard.slice(1).map((part: string | undefined) => Number(part ?? 0));
    return (d ?? 0) * dayMs + (h ?? 0) * hourMs + (m ?? 0) * minuteMs + (s ?? 0) * 1000;
  }
  return inWords(text, at) ?? inSeconds(text, at, { isLength, unit });
}

function inWords(text: string, at: number): number | 'unclear' | undefined {
  let total = 0;
  let place = at;
  for (let count = 0; count < 7; count += 1) {
    const match = matchAt(compact, text, place) ?? matchAt(amount, text, place) ?? matchAt(single, text, place);
    const ms = match === null ? undefined : msOf(match[2] ?? '');
    if (match === null || ms === undefined) break;
    const word = (match[1] ?? '').toLowerCase();
    total += (counts[word] ?? Number(word.replaceAll(',', ''))) * ms;
    place += match[0].length;
    place += matchAt(between, text, place)?.[0].length ?? 0;
    if (matchAt(half, text, place) !== null) return total + ms / 2;
    if (matchAt(/ago\b/iy, text, place) !== null) return -total;
  }
  if (place === at) return undefined;
  // `15h30` is a time of day.
  return /[a-z]\d/i.test(text.slice(place - 1, place + 1)) ? 'unclear' : total;
}

function inSeconds(text: string, at: number, { isLength, unit }: Hints): number | undefined {
  if (unit === undefined && !isLength) return undefined;
  const number = matchAt(bare, text, at)?.[1];
  // A request id, or a count of something.
  if (number === undefined || Number(number) >= 1e8) return undefined;
  const isAssigned = unit !== undefined || assigned.test(text.slice(Math.max(0, at - 6), at));
  if (!isAssigned && (isYear.test(number) || matchAt(goesOn, text, at + number.length) === null)) return undefined;
  return Number(number) * (msOf(unit ?? 's') ?? 1000);
}

const sinceEpoch = /(\d{10})((?:\d{3}){0,3})(\.\d{1,9})?(?![\d\w])/y;

/** Seconds since the epoch, or thousandths, millionths or billionths of them: as ms. */
export function epochAt(text: string, at: number): number | undefined {
  const [, whole, parts = '', part = '0'] = matchAt(sinceEpoch, text, at) ?? [];
  if (whole === undefined) return undefined;
  return Math.round(Number(whole) * 1000 + Number(`0.${parts}0`) * 1000 + (parts === '' ? Number(part) * 1000 : 0));
}
