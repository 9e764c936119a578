/** Where clocks show another time: a name of the IANA database, or a fixed number of minutes ahead of UTC. */
export type Zone = string | number;

export interface WallTime {
  year: number;
  /** 1 to 12. */
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function isZone(name: string): boolean {
  return formatOf(name) !== undefined;
}

function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  const name = zone.toLowerCase();
  const known = formats.get(name);
  if (known !== undefined) return known;
  try {
    const parts = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric' } as const;
    const format = new Intl.DateTimeFormat('en-US', {
      ...parts,
      minute: 'numeric',
      second: 'numeric',
      hourCycle: 'h23',
      timeZone: zone,
    });
    // A hostile text may name any number of zones, but there are only some hundred.
    formats.set(name, format);
    return format;
  } catch {
    return undefined;
  }
}

/** What a clock there shows. */
export function wallTime(ms: number, zone: Zone): WallTime {
  const shifted = new Date(ms + offset(ms, zone));
  return {
    year: shifted.getUTCFullYear(),
    month: shifted.getUTCMonth() + 1,
    day: shifted.getUTCDate(),
    hour: shifted.getUTCHours(),
    minute: shifted.getUTCMinutes(),
    second: shifted.getUTCSeconds(),
  };
}

function offset(ms: number, zone: Zone): number {
  if (typeof zone === 'number') return zone * 60_000;
  const format = formatOf(zone);
  if (format === undefined) return 0;
  const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts as Partial<WallTime>;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1000) * 1000;
}

const dayMs = 86_400_000;

/**
 * The moments at which a clock there shows this, earliest first: two where clocks are set back. An hour that is left out when they are
 * set forward is taken as the one after it.
 */
export function momentsOf({ year, month, day, hour, minute, second }: WallTime, zone: Zone): number[] {
  const utc = Date.UTC(year, month - 1, day, hour, minute, second);
  const before = offset(utc - dayMs, zone);
  const after = offset(utc + dayMs, zone);
  const moments = [utc - before, utc - after].filter((ms) => ms + offset(ms, zone) === utc);
  return moments.length === 0 ? [utc - before] : [...new Set(moments)].toSorted((one, other) => one - other);
}

const hour = 60;
/** Letters that mean one zone only; those with several meanings (CST, IST) are not known here. */
const abbreviations: Readonly<Record<string, Zone>> = {
  UTC: 0,
  GMT: 0,
  Z: 0,
  PT: 'America/Los_Angeles',
  PST: -8 * hour,
  PDT: -7 * hour,
  MST: -7 * hour,
  MDT: -6 * hour,
  CDT: -5 * hour,
  ET: 'America/New_York',
  EST: -5 * hour,
  EDT: -4 * hour,
  CET: 'Europe/Berlin',
  CEST: 2 * hour,
  WEST: hour,
  EET: 'Europe/Helsinki',
  EEST: 3 * hour,
  JST: 9 * hour,
  KST: 9 * hour,
  AEST: 10 * hour,
  AEDT: 11 * hour,
  NZST: 12 * hour,
  NZDT: 13 * hour,
};
const inWords: Readonly<Record<string, Zone>> = {
  pacific: 'America/Los_Angeles',
  mountain: 'America/Denver',
  central: 'America/Chicago',
  eastern: 'America/New_York',
};
const ambiguous = new Set(['CST', 'IST', 'BST', 'AST', 'SST', 'WET', 'ADT', 'PKT', 'HKT', 'SGT']);

const inBrackets = /[ ,]{0,3}\(([^()\n]{1,60})\)/y;
const numeric = /[ ,]{0,3}(?:UTC|GMT)? ?([+-])(\d{1,2})(?::?(\d{2}))?(?![\d\w])/y;
const named = /[ ,]{0,3}([A-Z][A-Za-z_]{1,30}(?:\/[A-Za-z0-9_+-]{1,30}){1,2})/y;
const letters = /[ ,]{0,3}([A-Z]{1,5})(?![\w])/y;
const words = /[ ,]{0,3}(pacific|mountain|central|eastern)(?: standard| daylight)? time/iy;
const local = /^(?:local(?: time)?|your time(?: zone)?)$/i;

/** The zone that stands at this place of a text; undefined: none does; `unknown`: one that could mean several, or that nobody knows. */
export function zoneAt(text: string, at: number): Zone | 'unknown' | undefined {
  const bracketed = matchAt(inBrackets, text, at)?.[1];
  if (bracketed !== undefined) return zoneIn(bracketed.trim());
  return plainZoneAt(text, at);
}

function zoneIn(text: string): Zone | 'unknown' | undefined {
  if (local.test(text)) return undefined;
  if (isZone(text) && text.includes('/')) return text;
  const zone = plainZoneAt(text, 0);
  if (zone !== undefined) return zone;
  // A remark is no zone.
  return /^[\w/+-]+$/.test(text) ? 'unknown' : undefined;
}

function plainZoneAt(text: string, at: number): Zone | 'unknown' | undefined {
  const [, sign, hours, minutes = '0'] = matchAt(numeric, text, at) ?? [];
  if (hours !== undefined) {
    const ahead = Number(hours) * hour + Number(minutes);
    return ahead <= 14 * hour ? (sign === '-' ? -ahead : ahead) : 'unknown';
  }
  const name = matchAt(named, text, at)?.[1];
  if (name !== undefined) return isZone(name) ? name : 'unknown';
  const word = matchAt(words, text, at)?.[1]?.toLowerCase();
  if (word !== undefined) return inWords[word];
  const short = matchAt(letters, text, at)?.[1];
  if (short === undefined) return undefined;
  return ambiguous.has(short) ? 'unknown' : abbreviations[short];
}

/** A match that begins right here. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** The time zone of whoever has these variables. */
export function timeZoneOf({ TZ: given }: { readonly [name: string]: string | undefined }): string {
  const name = given?.replace(/^:/, '');
  return name !== undefined && name !== '' && isZone(name) ? name : Intl.DateTimeFormat().resolvedOptions().timeZone;
}
