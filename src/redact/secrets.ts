import type { Environment } from '../words/vocabulary.ts';
import { isNameAndPassword, looksRandom } from './randomness.ts';
import { secrecyOf } from './secret-names.ts';
import { isSecretName } from './secret-field-names.ts';
import { spellingsOf } from './spellings.ts';
import { passwordsIn, percentDecoded } from './url-password.ts';

/** Shorter values are words and numbers as often as secrets. */
const shortest = 8;
/** The text that may be held back is bounded, so a longer value is searched for in pieces. */
const longest = 4096;

const harmlessValue =
  /^(?:true|false|enabled|disabled|required|optional|undefined|[\d.,:_-]{1,15}|[A-Za-z]:\\.*|[^\s@:/]+@[^\s@]+\.[a-z]+|\$\{\w+\}|<.*>|\*+|x+)$/i;
/** A reference to another variable, as opposed to a password that begins with a dollar sign. */
const reference = /^\$[A-Z_]+$/;
const path = /^(?:~|\.{1,2})?\//;
const url = /^[a-z][a-z0-9+.-]*:\/\//i;

/** The values of environment variables that look like secrets by their names, and the passwords in addresses, longest first. */
export function secretValues(env: Environment): string[] {
  const inAddresses = Object.entries(env)
    .flatMap(([name, value = '']) => [...passwordsIn(value), ...passwordsBeside(name, value)])
    .filter((password) => password.length >= shortest);
  return longestFirst([...secretVariables(env).map(([, value]) => value), ...inAddresses]);
}

const inConnectionString = /(?:^|;) *(?:password|pwd) *= *("[^"]*"|'[^']*'|[^;]*)/gi;
/** Bundler's variables for a host: `BUNDLE_GEMS__EXAMPLE__COM=user:password`. */
const bundlerLogin = /^[^\s/:]+:([^\s/]{3,})$/;

/** `key=value,key=value`, percent-encoded: the credentials for an OpenTelemetry collector. */
const headersOfCollector = /^OTEL_EXPORTER_OTLP_(?:[A-Z]+_)?HEADERS$/;

function headerValues(value: string): string[] {
  const raw = value.split(',').map((pair) => pair.slice(pair.indexOf('=') + 1).trim());
  // The word before a credential is the authentication scheme.
  return [...raw, ...raw.map(percentDecoded)]
    .map((each) => each.replace(/^[A-Za-z]{3,20}(?: +|%20)/, ''))
    .filter((each) => each.length >= shortest);
}

/** Passwords that are part of a longer value: in a connection string, after a user name, or in headers. */
export function passwordsBeside(name: string, value: string): string[] {
  const login = name.startsWith('BUNDLE_') ? bundlerLogin.exec(value)?.[1] : undefined;
  const quoted = value.includes(';') ? Array.from(value.matchAll(inConnectionString), ([, found = '']) => found) : [];
  if (headersOfCollector.test(name)) return headerValues(value);
  return [login ?? '', ...quoted.map((each) => each.replaceAll(/^["']|["']$/g, '').trim())].filter(
    (each) => each !== '',
  );
}

/** The environment variables whose names and values both look like secrets. */
export function secretVariables(env: Environment): [name: string, value: string][] {
  const known = new Set([env.USER, env.LOGNAME, env.USERNAME, env.HOME, env.HOSTNAME, env.SHELL, env.PWD]);
  return Object.entries(env).flatMap(([name, value]): [string, string][] => {
    const secrecy = secrecyOf(name);
    if (value === undefined || secrecy === undefined) return [];
    const trimmed = value.trim();
    return trimmed.length < shortest || known.has(trimmed) || isHarmless(trimmed, secrecy === 'strong')
      ? []
      : [[name, trimmed]];
  });
}

function isHarmless(value: string, strong: boolean): boolean {
  if (harmlessValue.test(value) || reference.test(value)) return true;
  // A base64 secret may begin with a slash as well.
  if (path.test(value)) return !looksRandom(value.replace(path, '')) || /^[\w./-]+\.\w{2,4}$/.test(value);
  if (url.test(value))
    return !/^[^/]*\/\/[^/\s]+@/.test(value) && !looksRandom(value.replace(url, '').replaceAll(/\W+/g, ''), 24);
  return !strong && /^[a-z]+(?:[-_ ][a-z]+)*$/i.test(value);
}

/**
 * A value in every form in which it may appear in output: as it is, as other programs write it, and inside base64 at any offset.
 * For a value of several lines, also each line by itself; for a JSON document, the secrets in it.
 */
export function formsOf(value: string): string[] {
  const parts = partsOf(value).flatMap((part) => [part, JSON.stringify(part).slice(1, -1)]);
  return [...wholeForms(value), ...parts].flatMap(inPieces).filter((form) => form.length >= shortest);
}

function wholeForms(value: string): string[] {
  const forms = [value, ...spellingsOf(value)];
  for (const offset of [0, 1, 2]) {
    const base64 = innerBase64(value, offset);
    if (base64.length >= 12) forms.push(base64, base64.replaceAll('+', '-').replaceAll('/', '_'));
  }
  return forms;
}

const isHeader = /^(?:-----|[A-Za-z-]{1,20}: )/;

function partsOf(value: string): string[] {
  const leaves = /^\s*[[{]/.test(value) ? secretsIn(value) : undefined;
  if (leaves !== undefined) return leaves.flatMap((leaf) => [leaf, ...partsOf(leaf)]);
  if (!value.includes('\n')) return [];
  const lines = value.split('\n').map((line) => line.trim());
  return lines.filter((line) => line.length >= shortest && !isHeader.test(line) && !isHarmless(line, true));
}

/** The secret texts of a JSON document; undefined: it is not JSON. */
function secretsIn(json: string): string[] | undefined {
  const found: string[] = [];
  const collect = (field: string, value: unknown): unknown => {
    if (typeof value !== 'string' || value.length < shortest) return value;
    if (field === 'auth' && isNameAndPassword(value)) found.push(value, atob(value).replace(/^[^:]*:/, ''));
    else if (isSecretName(field) || value.includes('PRIVATE KEY') || looksRandom(value)) found.push(value);
    return value;
  };
  try {
    JSON.parse(json, collect);
    return found;
  } catch {
    return undefined;
  }
}

export function longestFirst(values: readonly string[]): string[] {
  return [...new Set(values)].toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1));
}

/** The base64 characters that depend on the value alone when it is preceded by `offset` bytes (of every three). */
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
