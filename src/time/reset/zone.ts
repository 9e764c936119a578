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
  MT: 'America/Denver',
  MST: -7 * hour,
  MDT: -6 * hour,
  CT: 'America/Chicago',
  CDT: -5 * hour,
  ET: 'America/New_York',
  EST: -5 * hour,
  EDT: -4 * hour,
  AKST: -9 * hour,
  AKDT: -8 * hour,
  HST: -10 * hour,
  CET: 'Europe/Berlin',
  CEST: 2 * hour,
  WEST: hour,
  EET: 'Europe/Helsinki',
  EEST: 3 * hour,
  MSK: 3 * hour,
  SAST: 2 * hour,
  JST: 9 * hour,
  KST: 9 * hour,
  AWST: 8 * hour,
  ACST: 9.5 * hour,
  ACDT: 10.5 * hour,
  AEST: 10 * hour,
  AEDT: 11 * hour,
  NZST: 12 * hour,
  NZDT: 13 * hour,
};
/** Words in capitals that may follow a time; any others of three letters and more are taken for a zone. */
const plainWords = new Set(['AND', 'BUT', 'FOR', 'NOT', 'NOW', 'SEE', 'THE', 'TRY', 'USE', 'WITH', 'YOU', 'YOUR']);
const areas: Readonly<Record<string, Zone>> = {
  pacific: 'America/Los_Angeles',
  mountain: 'America/Denver',
  central: 'America/Chicago',
  eastern: 'America/New_York',
  'coordinated universal': 0,
  universal: 0,
  'greenwich mean': 0,
  'central european': 'Europe/Berlin',
  'british summer': 'Europe/London',
  'india standard': 'Asia/Kolkata',
  'indian standard': 'Asia/Kolkata',
  'japan standard': 'Asia/Tokyo',
  'china standard': 'Asia/Shanghai',
  beijing: 'Asia/Shanghai',
};

const inBrackets = /[ ,]{0,3}\(([^()\n]{1,60})\)/y;
const numeric = /[ ,]{0,3}(?:UTC|GMT)? ?([+-])(\d{1,2})(?::?(\d{2}))?(?![\d\w])/iy;
const named = /[ ,]{0,3}(?:in )?([A-Z][A-Za-z_]{1,30}(?:\/[A-Za-z0-9_+-]{1,30}){1,2})/y;
const short = /[ ,]{0,3}([A-Z]{1,5}|utc|gmt|Zulu)(?![\w])/y;
const american = /[ ,]{0,3}(?:US )?(pacific|mountain|central|eastern)(?! europ)(?: standard| daylight)?(?: time)?\b/iy;
/** `Berlin time`: whoever names a place does not mean the reader's. */
const placed = /[ ,]{0,3}((?:[A-Z][A-Za-z]{1,14} ){1,4})[Tt]ime\b/y;
const local = /[ ,]{0,3}(?:in )?(?:your )?(?:local(?: time(?: zone)?)?|(?<=your )time(?: ?zone)?)\b/iy;

/** A zone, and where its name ends. */
interface Named {
  /** Undefined: the reader's own. */
  zone: Zone | undefined;
  end: number;
}

/** The zone that stands at this place of a text; undefined: none does; `unknown`: one that could mean several, or that nobody knows. */
export function zoneAt(text: string, at: number): { zone: Zone; end: number } | 'unknown' | undefined {
  const bracketed = matchAt(inBrackets, text, at);
  const found = bracketed === null ? plainZoneAt(text, at) : zoneIn(bracketed[1]?.trim() ?? '');
  if (found === undefined || found === 'unknown' || found.zone === undefined)
    return found === 'unknown' ? found : undefined;
  return { zone: found.zone, end: bracketed === null ? found.end : at + bracketed[0].length };
}

function zoneIn(text: string): Named | 'unknown' | undefined {
  if (text.includes('/') && isZone(text)) return { zone: text, end: text.length };
  const found = plainZoneAt(text, 0);
  if (found !== undefined) return found;
  // A remark is no zone.
  return /^[\w/+-]+$|\btime$/i.test(text) ? 'unknown' : undefined;
}

function plainZoneAt(text: string, at: number): Named | 'unknown' | undefined {
  const number = matchAt(numeric, text, at);
  if (number !== null) {
    const [whole, sign, hours, minutes = '0'] = number;
    const ahead = Number(hours) * hour + Number(minutes);
    if (ahead > 14 * hour || Number(minutes) > 59) return 'unknown';
    return { zone: sign === '-' ? -ahead : ahead, end: at + whole.length };
  }
  const mine = matchAt(local, text, at);
  if (mine !== null) return { zone: undefined, end: at + mine[0].length };
  return wordZoneAt(text, at);
}

function wordZoneAt(text: string, at: number): Named | 'unknown' | undefined {
  const [full, name] = matchAt(named, text, at) ?? [];
  if (name !== undefined) return isZone(name) ? { zone: name, end: at + (full?.length ?? 0) } : 'unknown';
  const area = matchAt(american, text, at) ?? matchAt(placed, text, at);
  if (area !== null) {
    const words = (area[1] ?? '')
      .trim()
      .toLowerCase()
      .replace(/(?<=central european) (?:standard|summer)$/, '');
    const zone = areas[words];
    return zone === undefined ? 'unknown' : { zone, end: at + area[0].length };
  }
  const letters = matchAt(short, text, at);
  if (letters === null) return undefined;
  const [whole, word = ''] = letters;
  const zone = abbreviations[word === 'Zulu' ? 'Z' : word.toUpperCase()];
  if (zone !== undefined) return { zone, end: at + whole.length };
  return word.length < 3 || plainWords.has(word) ? undefined : 'unknown';
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
