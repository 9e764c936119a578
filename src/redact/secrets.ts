import type { Environment } from '../vocabulary.ts';
import { looksRandom } from './randomness.ts';
import { secrecyOf } from './secret-names.ts';

/** Shorter values are words and numbers as often as secrets. */
const shortest = 8;
/** What may be held back is bounded, so a longer value is looked for in pieces. */
const longest = 4096;

const harmlessValue =
  /^(?:true|false|enabled|disabled|required|optional|undefined|[\d.,:_-]{1,15}|[A-Za-z]:\\.*|[^\s@:/]+@[^\s@]+\.[a-z]+|\$\{?\w+\}?|<.*>|\*+|x+)$/i;
const path = /^(?:~|\.{1,2})?\//;
const url = /^[a-z][a-z0-9+.-]*:\/\//i;

/** The values of environment variables that look like secrets by their names, longest first. */
export function secretValues(env: Environment): string[] {
  return longestFirst(secretVariables(env).map(([, value]) => value));
}

/** The environment variables whose names and values both look like secrets. */
export function secretVariables(env: Environment): [name: string, value: string][] {
  const known = new Set([env.USER, env.LOGNAME, env.USERNAME, env.HOME, env.HOSTNAME, env.SHELL, env.PWD]);
  return Object.entries(env).flatMap(([name, value]): [string, string][] => {
    const secrecy = secrecyOf(name);
    if (value === undefined || secrecy === undefined) return [];
    const trimmed = value.trim();
    return trimmed.length < shortest || known.has(trimmed) || isHarmless(trimmed, secrecy === 'strong') ? [] : [[name, trimmed]];
  });
}

function isHarmless(value: string, strong: boolean): boolean {
  if (harmlessValue.test(value)) return true;
  // A base64 secret may begin with a slash as well.
  if (path.test(value)) return !looksRandom(value.replace(path, '')) || /^[\w./-]+\.\w{2,4}$/.test(value);
  if (url.test(value)) return !/^[^/]*\/\/[^/\s]+@/.test(value) && !looksRandom(value.replace(url, '').replaceAll(/\W+/g, ''), 24);
  return !strong && /^[a-z]+(?:[-_ ][a-z]+)*$/i.test(value);
}

/** A value as it may appear in an output: itself, escaped in JSON, encoded in a URL, and inside base64 at any offset. */
export function formsOf(value: string): string[] {
  const forms = [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value.toWellFormed())];
  forms.push(forms[2]?.replaceAll('%20', '+') ?? '');
  for (const offset of [0, 1, 2]) {
    const base64 = innerBase64(value, offset);
    if (base64.length >= 12) forms.push(base64, base64.replaceAll('+', '-').replaceAll('/', '_'));
  }
  return forms.flatMap(inPieces).filter((form) => form.length >= shortest);
}

export function longestFirst(values: readonly string[]): string[] {
  return [...new Set(values)].toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1));
}

/** The characters of base64 that depend on the value alone when `offset` bytes (of every three) stand before it. */
function innerBase64(value: string, offset: number): string {
  const bytes = new TextEncoder().encode(value);
  let binary = '\0'.repeat(offset);
  for (const byte of bytes) binary += String.fromCharCode(byte);
  const all = btoa(binary);
  const first = Math.ceil((offset * 4) / 3);
  const last = Math.floor((binary.length * 4) / 3);
  return all.slice(first, last);
}

function inPieces(form: string): string[] {
  const count = Math.ceil(form.length / longest);
  const size = Math.ceil(form.length / count);
  return Array.from({ length: count }, (_, i) => form.slice(i * size, (i + 1) * size));
}
