import { Failure } from '../failure.ts';

/** How far local time is ahead of UTC, until a moment. */
export interface Offset {
  until: number;
  ms: number;
}

const dayMs = 86_400_000;
const step = 7 * dayMs;
const first = Date.UTC(2000, 0, 1);
const last = Date.UTC(2100, 0, 1);

/** The offsets of a time zone in a span of time, in order; the last one is valid from then on. Changes are weeks apart. */
export function offsetsOf(timeZone: string, from: number, to: number): Offset[] {
  return offsetsBetween(offsetAtIn(timeZone), from, to);
}

function offsetsBetween(offsetAt: (at: number) => number, from: number, to: number): Offset[] {
  const end = Math.min(Math.max(to, first), last);
  const offsets: Offset[] = [];
  let at = Math.min(Math.max(from, first), last);
  let ms = offsetAt(at);
  while (at < end) {
    const next = Math.min(at + step, end);
    const then = offsetAt(next);
    if (then !== ms) {
      offsets.push({ until: changeBetween(at, next, (moment) => offsetAt(moment) === ms), ms });
      ms = then;
    }
    at = next;
  }
  return [...offsets, { until: Infinity, ms }];
}

/** What the clocks of a time zone show. Local time is in ms, as if it were UTC. */
export interface Zone {
  readonly name: string;
  offsetAt(at: number): number;
  localAt(at: number): number;
}

/** A time zone by its name; `local` is that of this process. An offset is looked up once for many moments. */
export function zoneNamed(name: string): Zone {
  const timeZone = name === 'local' ? Intl.DateTimeFormat().resolvedOptions().timeZone : name;
  // Most servers have this one, and need nothing of what is loaded for the others.
  if (timeZone === 'UTC') return { name: timeZone, offsetAt: () => 0, localAt: (at) => at };
  const read = offsetAtIn(timeZone);
  const spans = new Map<number, Offset[]>();
  let [from, until, ms] = [Infinity, -Infinity, 0];
  const offsetAt = (at: number): number => {
    if (at >= from && at < until) return ms;
    const start = Math.floor(at / step) * step;
    let offsets = spans.get(start);
    if (offsets === undefined) spans.set(start, (offsets = offsetsBetween(read, start, start + step)));
    from = start;
    for (const each of offsets) {
      until = Math.min(each.until, start + step);
      ({ ms } = each);
      if (at < until) break;
      from = until;
    }
    return ms;
  };
  return { name: timeZone, offsetAt, localAt: (at) => at + offsetAt(at) };
}

export const periods = ['hour', 'day', 'week', 'month'] as const;
export type Period = (typeof periods)[number];

/** When the period of a local time began, also in local time. Weeks begin on Monday. */
export function periodStart(local: number, period: Period): number {
  if (period === 'hour') return local - modulo(local, dayMs / 24);
  const day = local - modulo(local, dayMs);
  if (period === 'day') return day;
  // The first of January 1970 was a Thursday.
  if (period === 'week') return day - modulo(day + 3 * dayMs, step);
  return day - (new Date(day).getUTCDate() - 1) * dayMs;
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}

/** The name of the period of a moment: `2026-03-29`, the first day of a week, `2026-03`, or, since an hour can come twice on a day, `2026-10-25T02:00+01:00`. */
export function periodOf(zone: Zone, at: number, period: Period): string {
  const offset = zone.offsetAt(at);
  const start = new Date(periodStart(at + offset, period)).toISOString();
  if (period === 'hour') return start.replace(':00.000Z', offsetName(offset));
  return start.slice(0, period === 'month' ? -17 : -14);
}

function offsetName(ms: number): string {
  const minutes = Math.floor(Math.abs(ms) / 60_000);
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${ms < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** The first moment at which the clocks of a zone show this local time or a later one. */
export function momentOf(zone: Zone, local: number): number {
  // No zone was ever more than 16 hours away from UTC.
  const away = 16 * 3_600_000;
  return changeBetween(local - away - 1, local + away, (at) => zone.localAt(at) < local);
}

function offsetAtIn(timeZone: string): (at: number) => number {
  const format = formatOf(timeZone);
  return (at) => {
    const text = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign = '+', hours = '0', minutes = '0', seconds = '0'] =
      /GMT(?:([+-])(\d+):(\d+)(?::(\d+))?)?/.exec(text) ?? [];
    return (sign === '-' ? -1 : 1) * ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  };
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  } catch (error) {
    throw new Failure('input', `unknown time zone: ${timeZone} (expected one such as Europe/Zurich or UTC)`, {
      cause: error,
    });
  }
}

/** The first moment at which the offset is no longer valid. */
function changeBetween(holds: number, ends: number, isBefore: (at: number) => boolean): number {
  let [low, high] = [holds, ends];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isBefore(middle)) low = middle;
    else high = middle;
  }
  return high;
}
