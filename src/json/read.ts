import type { Json, JsonObject } from './json.ts';

// Wire lines are hostile until read through these functions: each returns a typed value or a harmless default and never throws,
// so that the worst a mutated or future line can do is to be understood less well.

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What stands for an object that is not there. */
export const nothing: JsonObject = Object.freeze({});

export function object(value: Json | undefined): JsonObject {
  return isObject(value) ? value : nothing;
}

export function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

export function string(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A string with content: not empty, not only white space. */
export function filled(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

export function number(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Three hundred years in milliseconds, or more tokens than were ever sold: anything larger is a mistake. */
const mostCounted = 1e13;

/** A count: a finite number, never below zero. */
export function count(value: Json | undefined): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= mostCounted ? value : undefined;
}

export function integer(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}

/** RFC 3339 text or a number of milliseconds → milliseconds since the epoch. */
export function time(value: Json | undefined): number | undefined {
  if (typeof value === 'number') return value > 0 && value < lastMoment ? value : undefined;
  if (typeof value !== 'string') return undefined;
  const ms = Date.parse(value);
  if (Number.isNaN(ms)) return leapSecond(value);
  return ms >= firstMoment && ms < lastMoment ? ms : undefined;
}

/** Years have four digits, in every time zone: what is beyond is no date that anybody meant, and some such cannot be written. */
const firstMoment = Date.parse('0001-01-02T00:00:00Z');
const lastMoment = Date.UTC(9999, 11, 31);

/** JavaScript knows no second 60; it belongs to the minute, and the day, that it ends. */
function leapSecond(text: string): number | undefined {
  const ms = text.charAt(16) === ':' ? Date.parse(text.replace(/:60(?:\.\d+)?/, ':59.999')) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/** Any JSON as text: strings as they are, everything else serialised. */
export function asText(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** A whole number, never below zero. */
export function whole(value: Json | undefined): number | undefined {
  return typeof value === 'number' && value >= 0 && Number.isSafeInteger(value) ? value : undefined;
}

/** What a word on the wire means according to a table; names that every object inherits are not in any table. */
export function wordIn<Meaning>(table: Readonly<Record<string, Meaning>>, word: string): Meaning | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}
