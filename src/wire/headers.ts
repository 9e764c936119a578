import type { Route } from './route.ts';

/** Names and values in turn, as they stand on the wire. */
export type RawHeaders = readonly string[];

/** What belongs to one connection and not to the message. */
const ofConnection: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Where agents put their key, whichever provider they ask. */
const ofKey: ReadonlySet<string> = new Set(['authorization', 'x-api-key', 'x-goog-api-key', 'api-key']);

function pairs(raw: RawHeaders): [name: string, value: string][] {
  return Array.from({ length: Math.floor(raw.length / 2) }, (_, index) => [
    raw[2 * index] ?? '',
    raw[2 * index + 1] ?? '',
  ]);
}

/** The headers that are about the message itself, in their order and spelling. */
function passedOn(raw: RawHeaders): [name: string, value: string][] {
  const all = pairs(raw);
  const named = all
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.toLowerCase().split(','));
  const dropped = new Set([...ofConnection, ...named.map((name) => name.trim())]);
  return all.filter(([name]) => !dropped.has(name.toLowerCase()));
}

/** Made by us, for the connection to the provider. */
const ours: ReadonlySet<string> = new Set(['host', 'content-length', 'accept-encoding', 'expect']);

/** By these some servers take a request for another one than was looked at here. No client of a model sends them. */
const disguises: ReadonlySet<string> = new Set([
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  'x-original-url',
  'x-rewrite-url',
]);

/** What the provider is sent: the agent's own headers, with the real key where its token was. */
export function requestHeaders(raw: RawHeaders, { host, length, token, key }: Outgoing): string[] {
  const own = passedOn(raw).filter(([name]) => !ours.has(name.toLowerCase()) && !disguises.has(name.toLowerCase()));
  const keyed = own.map(([name, value]) => [name, ofKey.has(name.toLowerCase()) ? withKey(value, token, key) : value]);
  // An answer that is not compressed can be read as it passes.
  return [
    ...keyed.flat(),
    'host',
    host,
    'accept-encoding',
    'identity',
    ...(length === undefined ? [] : ['content-length', String(length)]),
  ];
}

export interface Outgoing extends Pick<Route, 'key'> {
  host: string;
  /** Of the body; unset: there is none. */
  length?: number | undefined;
  token: string;
}

/** `Bearer TOKEN` keeps its first word; the token may have been made to look like a key. */
function withKey(value: string, token: string, key: string | undefined): string {
  if (key === undefined || !value.includes(token)) return value;
  const [, scheme = ''] = /^(\w+ +)?/.exec(value) ?? [];
  return scheme + key;
}

/** The query of a request, with the real key where its token was. */
export function queryWithKey(query: string, token: string, key: string | undefined): string {
  if (key === undefined || !query.includes(token)) return query;
  return query
    .split('&')
    .map((part) => (part.startsWith('key=') && part.includes(token) ? `key=${encodeURIComponent(key)}` : part))
    .join('&');
}

type Keys = Pick<Outgoing, 'token' | 'key'>;

/** What the agent is sent: the provider's own headers but for `less`, and without the real key. */
export function answerHeaders(raw: RawHeaders, keys: Keys, less: readonly string[] = []): string[] {
  const kept = passedOn(raw).filter(([name]) => !less.includes(name.toLowerCase()));
  return kept.flatMap((pair) => pair.map((text) => withoutKey(text, keys)));
}

/** A text of a provider with the agent's token wherever the real key stands, as it is or as JSON and addresses have it. */
export function withoutKey(text: string, { token, key }: Keys): string {
  if (key === undefined) return text;
  const forms = [key, JSON.stringify(key).slice(1, -1), key.replaceAll('/', '\\/'), encodeURIComponent(key)];
  return forms.reduce((rest, form) => rest.replaceAll(form, token), text);
}
