import { Failure } from '../failure.ts';

/** How far local time is ahead of UTC, until a moment. */
export interface Offset {
  until: number;
  ms: number;
}

const step = 7 * 86_400_000;
const first = Date.UTC(2000, 0, 1);
const last = Date.UTC(2100, 0, 1);

/** The offsets of a time zone in a span of time, in order; the last one is valid from then on. Changes are weeks apart. */
export function offsetsOf(timeZone: string, from: number, to: number): Offset[] {
  const format = formatOf(timeZone);
  const offsetAt = (at: number): number => {
    const text = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign = '+', hours = '0', minutes = '0', seconds = '0'] =
      /GMT(?:([+-])(\d+):(\d+)(?::(\d+))?)?/.exec(text) ?? [];
    return (sign === '-' ? -1 : 1) * ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  };
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
