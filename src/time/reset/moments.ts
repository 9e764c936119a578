import { matchAt, momentsOf, type WallTime, wallTime, type Zone, zoneAt } from './zone.ts';

export interface Found {
  at: number;
}

interface Setting {
  now: number;
  timeZone: string;
  /** What came before makes a bare number a length of time. */
  isLength: boolean;
  /** A unit that was named before its number. */
  unit: string | undefined;
}

/** The time that begins at this place of a text; `unclear`: there is one, but it could be several times. */
export function momentAt(text: string, at: number, setting: Setting): Found | 'unclear' | undefined {
  for (const read of [written, httpDate, epoch, length, dated, slashed, weekday, clock]) {
    const found = read(text, at, setting);
    if (found !== undefined) return found;
  }
  return undefined;
}

type Read = (text: string, at: number, setting: Setting) => Found | 'unclear' | undefined;

const iso =
  /(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:(?:T|,? {1,2}(?:at )?)(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?( ?[ap]\.?m\b\.?)?)?/iy;

/** `2026-01-10T12:43:57Z`, `2026-01-10 12:43`, `2026/01/10`. */
const written: Read = (text, at, setting) => {
  const match = matchAt(iso, text, at);
  if (match === null) return undefined;
  const [whole, year, month, day, hour, minute, second, half] = match;
  return momentIn(text, at + whole.length, setting, {
    date: { year: Number(year), month: Number(month), day: Number(day) },
    time: hour === undefined ? undefined : timeOf(hour, minute, second, half),
  });
};

const http =
  /(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? (\d{1,2})[ -]([A-Z][a-z]{2})[a-z]{0,6}[ -](\d{4}) (\d{1,2}):(\d{2}):(\d{2})/y;

/** `Wed, 21 Oct 2026 07:28:00 GMT`. */
const httpDate: Read = (text, at, setting) => {
  const match = matchAt(http, text, at);
  if (match === null) return undefined;
  const [whole, day, month, year, hour, minute, second] = match;
  return momentIn(text, at + whole.length, setting, {
    date: { year: Number(year), month: monthOf(month), day: Number(day) },
    time: timeOf(hour, minute, second),
  });
};

const seconds = /(\d{10})(\d{3})?(\.\d{1,9})?(?![\d\w])/y;

/** Seconds or milliseconds since the epoch. */
const epoch: Read = (text, at) => {
  const [, whole, thousandths, part = '0'] = matchAt(seconds, text, at) ?? [];
  if (whole === undefined) return undefined;
  return { at: Math.round((Number(whole) + Number(part)) * 1000) + Number(thousandths ?? 0) };
};

const unitMs: readonly (readonly [RegExp, number])[] = [
  [/^(?:ms|msecs?|milliseconds?|millis)$/, 1],
  [/^(?:s|secs?|seconds?)$/, 1000],
  [/^(?:m|mins?|minutes?)$/, 60_000],
  [/^(?:h|hrs?|hours?)$/, 3_600_000],
  [/^(?:d|days?)$/, 86_400_000],
  [/^(?:w|wks?|weeks?)$/, 7 * 86_400_000],
];
const amount = /(\d{1,9}(?:\.\d{1,9})?)[ -]?([a-z]{1,12})\b\.?/iy;
/** `an hour`; `and` is no day. */
const single = /(an?|one|half an)[ -]([a-z]{1,12})\b\.?/iy;
const compact = /(\d{1,9}(?:\.\d{1,9})?)(ms|[wdhms])(?=[\d\W]|$)/iy;
const between = /(?:,? and |, ?| )?/iy;
const hours = /(\d{1,3}):(\d{2}):(\d{2})(?!\d)(?! ?[ap]\.?m)/iy;
const bare = /(\d{1,9}(?:\.\d{1,9})?)(?![\w:/]|\.\d)(?! ?[ap]\.?m\b)(?! ?(?:to|or|-|–) ?\d)/iy;
/** A number that stands after its sign. */
const negative = /(?:^|[^\w.])[-−]$/;

/** `2h 13m`, `4 days 20 hours 9 minutes`, `6m0s`, `an hour`, `02:13:00`, and bare seconds where they can be nothing else. */
const length: Read = (text, at, { now, isLength, unit }) => {
  if (at > 0 && /[\w.]/.test(text[at - 1] ?? '') && text[at - 1] !== '_') return undefined;
  if (/\d/.test(text[at] ?? '') && negative.test(text.slice(Math.max(0, at - 2), at))) return 'unclear';
  const [, h, m, s] = (isLength ? matchAt(hours, text, at) : null) ?? [];
  if (h !== undefined) return { at: now + (Number(h) * 3600 + Number(m) * 60 + Number(s)) * 1000 };
  let total = 0;
  let place = at;
  for (let count = 0; count < 7; count += 1) {
    const match = matchAt(compact, text, place) ?? matchAt(amount, text, place) ?? matchAt(single, text, place);
    const ms = match === null ? undefined : unitMs.find(([name]) => name.test((match[2] ?? '').toLowerCase()))?.[1];
    if (match === null || ms === undefined) break;
    total += countOf(match[1] ?? '') * ms;
    place += match[0].length;
    place += matchAt(between, text, place)?.[0].length ?? 0;
    if (matchAt(/ago\b/iy, text, place) !== null) return { at: now - total };
  }
  // `15h30` is a time of day.
  if (place > at && /[a-z]\d/i.test(text.slice(place - 1, place + 1))) return 'unclear';
  if (place > at) return { at: Math.round(now + total) };
  const number = matchAt(bare, text, at)?.[1];
  if (number === undefined || (unit === undefined && !isLength)) return undefined;
  // A request id, or a count of something.
  if (Number(number) >= 1e8) return undefined;
  return { at: Math.round(now + Number(number) * (unitMs.find(([name]) => name.test(unit ?? 's'))?.[1] ?? 1000)) };
};

function countOf(word: string): number {
  const number = Number(word);
  return Number.isNaN(number) ? (/^half/i.test(word) ? 0.5 : 1) : number;
}

const months = 'january february march april may june july august september october november december'.split(' ');
const monthDay = /([A-Za-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?(?![\d:])(?:,? (\d{4})(?!:))?/y;
const dayMonth = /(\d{1,2})(?:st|nd|rd|th)? ([A-Za-z]{3,9})\.?(?:,? (\d{4})(?!:))?/y;
const toTime = /,?(?: at| by)?,? {0,2}/iy;

function monthOf(word: string | undefined): number {
  const name = (word ?? '').toLowerCase();
  return months.findIndex((month) => month === name || month.slice(0, 3) === name || month.slice(0, 4) === name) + 1;
}

/** `Oct 9, 5pm`, `Jul 5th, 2026 8:19 PM`, `14 Oct 2026 17:00`. */
const dated: Read = (text, at, setting) => {
  const [first, second] = [matchAt(monthDay, text, at), matchAt(dayMonth, text, at)];
  const match = first ?? second;
  if (match === null) return undefined;
  const [month, day] = first === null ? [match[2], match[1]] : [match[1], match[2]];
  if (monthOf(month) === 0) return undefined;
  return withTime(text, at + match[0].length, setting, {
    year: match[3] === undefined ? undefined : Number(match[3]),
    month: monthOf(month),
    day: Number(day),
  });
};

const slashes = /(\d{1,2})\/(\d{1,2})\/(\d{4})/y;

/** `1/20/2026, 3:12:45 PM`: the month comes first where the clock has twelve hours, or where it can be nothing else. */
const slashed: Read = (text, at, setting) => {
  const [whole, one, two, year] = matchAt(slashes, text, at) ?? [];
  if (whole === undefined) return undefined;
  const end = at + whole.length;
  const time = timeAt(text, end + (matchAt(toTime, text, end)?.[0].length ?? 0));
  const isAmerican = time?.half !== undefined || Number(two) > 12;
  if (!isAmerican && Number(one) <= 12 && one !== two) return 'unclear';
  const [month, day] = isAmerican ? [one, two] : [two, one];
  return withTime(text, end, setting, { year: Number(year), month: Number(month), day: Number(day) });
};

const dayNames = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const dayName = /(?:next )?(sun|mon|tue|wed|thu|fri|sat)(?:nday|day|sday|nesday|rsday|urday)?\b,?/iy;
const tomorrow = /(tomorrow|today|tonight)\b/iy;

/** `tomorrow at 9am`, `Monday 9:00 AM`. */
const weekday: Read = (text, at, setting) => {
  const relative = matchAt(tomorrow, text, at);
  const named = relative === null ? matchAt(dayName, text, at) : null;
  const match = relative ?? named;
  if (match === null) return undefined;
  const end = at + match[0].length;
  const time = timeAt(text, end + (matchAt(toTime, text, end)?.[0].length ?? 0));
  const zone = zoneAt(text, time?.end ?? end);
  if (zone === 'unknown') return 'unclear';
  const where = zone ?? setting.timeZone;
  const word = match[1]?.toLowerCase() ?? '';
  if (relative !== null) {
    if (time === undefined && word !== 'tomorrow') return 'unclear';
    return momentOn(setting.now, where, word === 'tomorrow' ? 1 : 0, time ?? midnight);
  }
  const today = new Date(Date.UTC(...dateOf(wallTime(setting.now, where)))).getUTCDay();
  const ahead = (dayNames.findIndex((name) => name.startsWith(word)) - today + 7) % 7;
  const found = momentOn(setting.now, where, ahead, time ?? midnight);
  return found.at > setting.now ? found : momentOn(setting.now, where, ahead + 7, time ?? midnight);
};

interface Time {
  hour: number;
  minute: number;
  second: number;
  half?: string | undefined;
}

const midnight: Time = { hour: 0, minute: 0, second: 0 };
const clockTime = /(\d{1,2})(?:[:.](\d{2})(?::(\d{2}))?)? ?([ap])\.?m\b\.?/iy;
const dayTime = /(\d{1,2}):(\d{2})(?::(\d{2}))?(?!\d)/y;
const wordTime = /(midnight|noon|midday)\b/iy;

function timeAt(text: string, at: number): (Time & { end: number }) | undefined {
  if (/\w/.test(text[at - 1] ?? '') && text[at - 1] !== '_') return undefined;
  const match = matchAt(clockTime, text, at) ?? matchAt(dayTime, text, at);
  if (match !== null) {
    const time = timeOf(match[1], match[2], match[3], match[4]);
    return time === undefined ? undefined : { ...time, end: at + match[0].length };
  }
  const word = matchAt(wordTime, text, at)?.[0];
  if (word === undefined) return undefined;
  return { ...midnight, hour: /midnight/i.test(word) ? 0 : 12, end: at + word.length };
}

function timeOf(hour: string | undefined, minute = '0', second = '0', half?: string): Time | undefined {
  const time = { hour: Number(hour), minute: Number(minute), second: Number(second), half };
  if (time.minute > 59 || time.second > 60) return undefined;
  if (half === undefined) return time.hour > 24 ? undefined : time;
  if (time.hour < 1 || time.hour > 12) return undefined;
  const isAfternoon = half.trim().toLowerCase().startsWith('p');
  return { ...time, hour: (time.hour % 12) + (isAfternoon ? 12 : 0) };
}

/** `3pm`, `15:40`, `midnight Pacific time`: the next time that a clock there shows it. */
const clock: Read = (text, at, setting) => {
  const time = timeAt(text, at);
  if (time === undefined) return undefined;
  const zone = zoneAt(text, time.end);
  if (zone === 'unknown') return 'unclear';
  const where = zone ?? setting.timeZone;
  // Within this very minute it is due now.
  const from = Math.floor(setting.now / 60_000) * 60_000;
  const next = [-1, 0, 1, 2]
    .flatMap((days) => momentsOf(wallOn(setting.now, where, days, time), where))
    .find((ms) => ms >= from);
  return next === undefined ? undefined : { at: next };
};

/** Looks for a clock after a date. */
function withTime(
  text: string,
  at: number,
  setting: Setting,
  date: { year: number | undefined; month: number; day: number },
): Found | 'unclear' {
  const time = timeAt(text, at + (matchAt(toTime, text, at)?.[0].length ?? 0));
  return momentIn(text, time?.end ?? at, setting, { date, time });
}

function momentIn(
  text: string,
  end: number,
  { now, timeZone }: Setting,
  { date, time }: { date: { year: number | undefined; month: number; day: number }; time: Time | undefined },
): Found | 'unclear' {
  const zone = zoneAt(text, end);
  if (zone === 'unknown' || !isDate(date)) return 'unclear';
  const where = zone ?? timeZone;
  const today = wallTime(now, where);
  // On that very day, but nobody says when.
  const isToday = date.month === today.month && date.day === today.day;
  if (time === undefined && isToday && (date.year ?? today.year) === today.year) return 'unclear';
  const { hour, minute, second } = time ?? midnight;
  const moments = (year: number): number[] => momentsOf({ ...date, year, hour, minute, second }, where);
  if (date.year !== undefined) return { at: moments(date.year)[0] ?? 0 };
  // Without a year it is the nearest one: a year is too long to wait in any case.
  const near = [today.year - 1, today.year, today.year + 1].flatMap(moments);
  return { at: near.reduce((one, other) => (Math.abs(other - now) < Math.abs(one - now) ? other : one)) };
}

function isDate({ year = 2000, month, day }: { year: number | undefined; month: number; day: number }): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function dateOf({ year, month, day }: WallTime): [number, number, number] {
  return [year, month - 1, day];
}

function wallOn(now: number, zone: Zone, days: number, { hour, minute, second }: Time): WallTime {
  const { year, month, day } = wallTime(now, zone);
  const date = new Date(Date.UTC(year, month - 1, day + days));
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour,
    minute,
    second,
  };
}

function momentOn(now: number, zone: Zone, days: number, time: Time): Found {
  const moments = momentsOf(wallOn(now, zone, days, time), zone);
  return { at: moments.find((ms) => ms > now) ?? moments[0] ?? now };
}
