import { epochAt, lengthAt } from './lengths.ts';
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
  const day = dayAt(text, at);
  if (day !== undefined) return day === 'unclear' ? day : onDay(text, day, setting);
  const since = epochAt(text, at);
  if (since !== undefined) return { at: since };
  const ms = lengthAt(text, at, setting);
  if (ms !== undefined) return ms === 'unclear' ? ms : { at: Math.round(setting.now + ms) };
  return byClock(text, at, setting);
}

/** A day as it is named, and where its name ends. */
type Day = { end: number } & (
  | { year: number | undefined; month: number; day: number; weekday?: number }
  | { ahead: number; word: string }
  | { weekday: number; isNext: boolean }
);
type ReadDay = (text: string, at: number) => Day | 'unclear' | undefined;

const iso = /(\d{4})([-/]?)(\d{2}|(?<=[-/])\d)\2(\d{2}|(?<=[-/])\d)(?!\d)(?:T(?=\d))?/iy;

/** `2026-01-10T`, `2026/1/10`, `20260110T`. */
const written: ReadDay = (text, at) => {
  const match = matchAt(iso, text, at);
  if (match === null) return undefined;
  const [whole, year, mark, month, day] = match;
  // Eight digits may be any number.
  if (mark === '' && !/T$/i.test(whole)) return undefined;
  return { end: at + whole.length, year: Number(year), month: Number(month), day: Number(day) };
};

const months = 'january february march april may june july august september october november december'.split(' ');
const monthDay = /([A-Za-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?(?![\d:])(?:,? (\d{4})(?![\d:]))?/y;
/** With the year of two digits that an obsolete header has. */
const dayMonth =
  /(\d{1,2})(?:st|nd|rd|th)?(?: of)?[ -]([A-Za-z]{3,9})\.?(?:(?:,? |-)(\d{4})(?![\d:])|-(\d{2})(?= \d{1,2}:))?/y;

function monthOf(word: string | undefined): number {
  const name = (word ?? '').toLowerCase();
  return months.findIndex((month) => month === name || month.slice(0, 3) === name || month.slice(0, 4) === name) + 1;
}

/** `Oct 9`, `Jul 5th, 2026`, `14 Oct 2026`, `18-Nov-26`. */
const dated: ReadDay = (text, at) => {
  const [first, second] = [matchAt(monthDay, text, at), matchAt(dayMonth, text, at)];
  const match = first ?? second;
  if (match === null) return undefined;
  const [month, day] = first === null ? [match[2], match[1]] : [match[1], match[2]];
  if (monthOf(month) === 0) return undefined;
  const year = match[3] ?? (match[4] === undefined ? undefined : `20${match[4]}`);
  return {
    end: at + match[0].length,
    year: year === undefined ? undefined : Number(year),
    month: monthOf(month),
    day: Number(day),
  };
};

const numbers = /(\d{1,2})([/.])(\d{1,2})\2(\d{4})(?!\d)/y;

/** `1/20/2026, 3:12:45 PM`: the month comes first where the clock has twelve hours, or where it can be nothing else. `20.1.2026`: never. */
const numbered: ReadDay = (text, at) => {
  const match = matchAt(numbers, text, at);
  if (match === null) return undefined;
  const [whole, one, mark, two, year] = match;
  const end = at + whole.length;
  const isAmerican = mark === '/' && (timeAfter(text, end)?.half !== undefined || Number(two) > 12);
  if (mark === '/' && !isAmerican && Number(one) <= 12 && one !== two) return 'unclear';
  const [month, day] = isAmerican ? [one, two] : [two, one];
  return { end, year: Number(year), month: Number(month), day: Number(day) };
};

const dayNames = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const dayName = /(next )?(sun|mon|tue|wed|thu|fri|sat)(?:nday|day|s|sday|nesday|r|rs|rsday|urday)?\b\.?/iy;
const toDate = /,? (?:the )?/iy;

/** `Monday`, and `Thursday, Nov 19`, where the date says which. */
const named: ReadDay = (text, at) => {
  const match = matchAt(dayName, text, at);
  if (match === null) return undefined;
  const weekday = dayNames.findIndex((name) => name.startsWith(match[2]?.toLowerCase() ?? ''));
  const end = at + match[0].length;
  const date = dateAt(text, end + (matchAt(toDate, text, end)?.[0].length ?? 0));
  if (date === 'unclear') return date;
  return date !== undefined && 'month' in date
    ? { ...date, weekday }
    : { end, weekday, isNext: match[1] !== undefined };
};

const relative: ReadDay = (text, at) => {
  const [word] = matchAt(/(?:tomorrow|today|tonight|yesterday)\b/iy, text, at) ?? [];
  if (word === undefined) return undefined;
  const low = word.toLowerCase();
  return { end: at + word.length, ahead: low === 'tomorrow' ? 1 : low === 'yesterday' ? -1 : 0, word: low };
};

function firstOf(readers: readonly ReadDay[], text: string, at: number): ReturnType<ReadDay> {
  for (const read of readers) {
    const day = read(text, at);
    if (day !== undefined) return day;
  }
  return undefined;
}

const dateAt: ReadDay = (text, at) => firstOf([written, dated, numbered], text, at);
const dayAt: ReadDay = (text, at) => firstOf([dateAt, named, relative], text, at);

interface Time {
  hour: number;
  minute: number;
  second: number;
  half?: string | undefined;
  end: number;
}

const midnight = { hour: 0, minute: 0, second: 0 };
const clockTime = /(\d{1,2})(?:[:.](\d{2})(?::(\d{2})(?:\.\d{1,9})?)?)? ?([ap])\.?m\b\.?/iy;
const dayTime = /(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?!\d)(?: ?(?:h|hrs|uhr)\b)?/iy;
/** `090000Z`, behind its date alone. */
const plainTime = /(?<=\dT)(\d{2})(\d{2})(\d{2})?(?!\d)/iy;
const wordTime = /(?:12 )?(midnight|noon|midday)\b/iy;

function timeAt(text: string, at: number): Time | undefined {
  if (/\w/.test(text[at - 1] ?? '') && !/_|(?<=\d)T/i.test(text.slice(Math.max(0, at - 2), at))) return undefined;
  const match = matchAt(clockTime, text, at) ?? matchAt(dayTime, text, at) ?? matchAt(plainTime, text, at);
  if (match !== null) {
    const time = timeOf(match[1], match[2], match[3], match[4]);
    return time === undefined ? undefined : { ...time, end: at + match[0].length };
  }
  const [whole, word] = matchAt(wordTime, text, at) ?? [];
  if (whole === undefined) return undefined;
  return { ...midnight, hour: /midnight/i.test(word ?? '') ? 0 : 12, end: at + whole.length };
}

function timeOf(hour: string | undefined, minute = '0', second = '0', half?: string): Omit<Time, 'end'> | undefined {
  const time = { hour: Number(hour), minute: Number(minute), second: Number(second), half };
  if (time.minute > 59 || time.second > 60) return undefined;
  if (half === undefined) return time.hour > 24 ? undefined : time;
  if (time.hour < 1 || time.hour > 12) return undefined;
  const isAfternoon = half.trim().toLowerCase().startsWith('p');
  return { ...time, hour: (time.hour % 12) + (isAfternoon ? 12 : 0) };
}

const toTime = /,?(?: at| by)?,? {0,2}/iy;
const toDay = /,?(?: on)?(?: the)? {1,2}/iy;
const unixYear = / (\d{4})(?![\d:])/y;

/** Looks for a clock after a day. */
function timeAfter(text: string, at: number): Time | undefined {
  return timeAt(text, at + (matchAt(toTime, text, at)?.[0].length ?? 0));
}

/** `Oct 9, 5pm`, `tomorrow at 9am UTC`, `2026-01-10T12:43:57+01:00`, `Thu Nov 19 09:00:00 UTC 2026`. */
function onDay(text: string, day: Day, setting: Setting): Found | 'unclear' {
  const time = timeAfter(text, day.end);
  const zone = zoneAt(text, time?.end ?? day.end);
  if (zone === 'unknown') return 'unclear';
  const year = time === undefined ? undefined : matchAt(unixYear, text, zone?.end ?? time.end)?.[1];
  if (year === undefined || !('month' in day) || day.year !== undefined)
    return momentOn(day, time, zone?.zone ?? setting.timeZone, setting.now);
  // A date as C prints it means UTC in a header, and the time of the machine elsewhere.
  if (zone === undefined) return 'unclear';
  return momentOn({ ...day, year: Number(year) }, time, zone.zone, setting.now);
}

/** `3pm`, `15:40`, `midnight Pacific time`, `4pm (UTC) on Friday`: without a day it is the next time that a clock there shows it. */
function byClock(text: string, at: number, setting: Setting): Found | 'unclear' | undefined {
  const time = timeAt(text, at);
  if (time === undefined) return undefined;
  // `in 00:45` may be minutes or seconds.
  if (time.half === undefined && /\bin $/i.test(text.slice(Math.max(0, at - 4), at))) return 'unclear';
  const zone = zoneAt(text, time.end);
  if (zone === 'unknown') return 'unclear';
  const end = zone?.end ?? time.end;
  const to = matchAt(toDay, text, end)?.[0].length ?? 0;
  const day = to === 0 ? undefined : dayAt(text, end + to);
  if (day === 'unclear') return day;
  if (day !== undefined) {
    const later = zone ?? zoneAt(text, day.end);
    if (later === 'unknown') return 'unclear';
    return momentOn(day, time, later?.zone ?? setting.timeZone, setting.now);
  }
  const where = zone?.zone ?? setting.timeZone;
  // Within this very minute it is due now.
  const from = Math.floor(setting.now / 60_000) * 60_000;
  const next = [-1, 0, 1, 2].flatMap((days) => momentsAhead(setting.now, where, days, time)).find((ms) => ms >= from);
  return next === undefined ? undefined : { at: next };
}

function momentOn(day: Day, time: Time | undefined, where: Zone, now: number): Found | 'unclear' {
  if ('month' in day) return onDate(day, time, where, now);
  if ('ahead' in day) {
    if (time === undefined && day.ahead < 1) return 'unclear';
    // The night of a day goes on into the next one.
    const isNight = (day.word === 'tonight' && (time?.hour ?? 0) < 6) || (day.word === 'today' && time?.hour === 0);
    return firstAfter(now, momentsAhead(now, where, day.ahead + (isNight ? 1 : 0), time ?? midnight));
  }
  const today = weekdayOf(wallTime(now, where));
  const ahead = (day.weekday - today + 7) % 7;
  // On a Wednesday, the next Friday is in two days for some and in nine for others.
  if (day.isNext && ahead > 0 && (day.weekday + 6) % 7 > (today + 6) % 7) return 'unclear';
  const found = firstAfter(now, momentsAhead(now, where, ahead, time ?? midnight));
  return found.at > now ? found : firstAfter(now, momentsAhead(now, where, ahead + 7, time ?? midnight));
}

function onDate(
  date: Extract<Day, { month: number }>,
  time: Time | undefined,
  where: Zone,
  now: number,
): Found | 'unclear' {
  const today = wallTime(now, where);
  // On that very day, but nobody says when.
  const isToday = date.month === today.month && date.day === today.day;
  if (time === undefined && isToday && (date.year ?? today.year) === today.year) return 'unclear';
  const { hour, minute, second } = time ?? midnight;
  const { month, day, weekday } = date;
  const moments = (year: number): number[] => {
    if (!isDate(year, month, day)) return [];
    return [firstAfter(now, momentsOf({ year, month, day, hour, minute, second }, where)).at];
  };
  // Without a year it is the nearest one: a year is too long to wait in any case.
  const years = date.year === undefined ? [today.year - 1, today.year, today.year + 1] : [date.year];
  const [first, ...others] = years.flatMap(moments);
  if (first === undefined) return 'unclear';
  const at = others.reduce((one, other) => (Math.abs(other - now) < Math.abs(one - now) ? other : one), first);
  // `Friday, November 21`, which is a Saturday.
  return weekday === undefined || weekdayOf(wallTime(at, where)) === weekday ? { at } : 'unclear';
}

function isDate(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function weekdayOf({ year, month, day }: Pick<WallTime, 'year' | 'month' | 'day'>): number {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay();
}

/** When a clock there shows this time, so many days from today. */
function momentsAhead(now: number, zone: Zone, days: number, { hour, minute, second }: Omit<Time, 'end'>): number[] {
  const { year, month, day } = wallTime(now, zone);
  const date = new Date(Date.UTC(year, month - 1, day + days));
  return momentsOf(
    { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate(), hour, minute, second },
    zone,
  );
}

function firstAfter(now: number, moments: readonly number[]): Found {
  return { at: moments.find((ms) => ms > now) ?? moments[0] ?? now };
}
