import { Buffer } from 'node:buffer';
import type { Context, MiddlewareHandler } from 'hono';
import { getCookie } from 'hono/cookie';
import type { ServerEnv } from './env.ts';
import { Problem } from './problem.ts';
import type { Caller, Right, Tokens, WrongTokens } from './tokens.ts';

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const headers: readonly (readonly [string, string])[] = [
  ['Content-Security-Policy', policy],
  // What is about runs stays in no cache, of a browser or a proxy; the files of the page say otherwise themselves.
  ['Cache-Control', 'no-store'],
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Frame-Options', 'DENY'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Permissions-Policy', 'camera=(), microphone=(), geolocation=(), interest-cohort=()'],
];

/** The names that this server answers to; any other name leads here only by DNS rebinding. */
export interface Names {
  /** A `Host` header: name and port. */
  isHost(host: string): boolean;
  /** An `Origin` header of our own page. */
  isOwnOrigin(origin: string): boolean;
  /** Other origins whose pages may read with their own token, never with the cookie. */
  allowedOrigins: ReadonlySet<string>;
  /** Whether the cookie may only be sent over HTTPS. */
  isSecure: boolean;
  /** Browsers keep cookies by host, not by port: two servers of one host have two cookies. */
  readonly cookieName: string;
}

export interface GuardOptions {
  names: Names;
  /** Undefined: anyone who can reach the server may do everything. */
  tokens: Tokens | undefined;
  wrong: WrongTokens;
}

/** Whoever reaches a server without tokens. */
export const everything: Caller = {
  name: 'anybody on this machine',
  id: 'anybody',
  rights: new Set(['read', 'stop', 'report']),
};

/** Checks every request first: its Host, its origin, and its caller. */
export function guard({ names, tokens, wrong }: GuardOptions): MiddlewareHandler<ServerEnv> {
  return async (context, next) => {
    for (const [name, value] of headers) context.header(name, value);
    const { req } = context;
    const host = req.header('host') ?? '';
    if (!names.isHost(host))
      throw new Problem(
        'forbidden',
        'this server does not answer to that Host; use the address that "runwire serve" printed',
      );
    const origin = req.header('origin');
    const isElsewhere = origin !== undefined && !names.isOwnOrigin(origin);
    if (isElsewhere) {
      if (!names.allowedOrigins.has(origin))
        throw new Problem(
          'forbidden',
          'pages from another origin may not use this server; "runwire serve --allow-origin ORIGIN" lets one read with a token',
        );
      context.header('Access-Control-Allow-Origin', origin);
      context.header('Cross-Origin-Resource-Policy', 'cross-origin');
      context.header('Vary', 'Origin');
      if (req.method === 'OPTIONS') {
        context.header('Access-Control-Allow-Headers', 'authorization, accept, content-type, last-event-id, x-runwire');
        context.header('Access-Control-Allow-Methods', 'GET, POST');
        context.header('Access-Control-Max-Age', '600');
        return context.body(null, 204);
      }
    } else if (req.header('sec-fetch-site') === 'cross-site' && req.header('sec-fetch-mode') !== 'navigate')
      throw new Problem('forbidden', 'pages from another site may not use this server');
    context.set('caller', () =>
      callerOf(context, { tokens, wrong, cookieName: isElsewhere ? undefined : names.cookieName }),
    );
    await next();
  };
}

/** Requires a caller with this right; only routes that need it ask, so the page itself needs no token. */
export function allow(right: Right): MiddlewareHandler<ServerEnv> {
  return async (context, next) => {
    const caller = context.get('caller')();
    if (!caller.rights.has(right))
      throw new Problem(
        'forbidden',
        `this token may not ${right}; it may: ${[...caller.rights].join(', ') || 'nothing'}`,
      );
    context.set('who', caller);
    await next();
  };
}

/** Forms and images on other pages can send a request, but not with a custom header. */
export const notSimple: MiddlewareHandler<ServerEnv> = async ({ req }, next) => {
  if (req.header('x-runwire') === undefined && req.header('authorization') === undefined)
    throw new Problem('forbidden', 'send the header "X-Runwire: 1" with this request');
  await next();
};

function callerOf(
  context: Context<ServerEnv>,
  { tokens, wrong, cookieName }: { tokens: Tokens | undefined; wrong: WrongTokens; cookieName: string | undefined },
): Caller {
  if (tokens === undefined) return everything;
  const sent = bearer(context.req.header('authorization'));
  const cookie = cookieName === undefined ? undefined : getCookie(context, cookieName);
  const caller =
    sent === undefined ? (cookie === undefined ? undefined : tokens.byCookie(cookie)) : tokens.byToken(sent);
  if (caller !== undefined) return caller;
  if (sent === undefined && cookie === undefined)
    throw new Problem(
      'auth',
      'no token: open the link that "runwire serve" printed, or send "Authorization: Bearer TOKEN"',
    );
  refuseToken(context, wrong);
}

export function refuseToken(context: Context<ServerEnv>, wrong: WrongTokens): never {
  const seconds = wrong.add(context.get('address'));
  if (seconds !== undefined)
    throw new Problem('too_many', `too many wrong tokens; try again in ${seconds} s`, {}, seconds);
  throw new Problem('auth', 'wrong token: open the link that "runwire serve" printed, or ask for a new token');
}

/** `Bearer …`, or the password of `Basic …`, which is all that some tools can send. */
function bearer(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const [scheme = '', value = ''] = header.split(' ', 2);
  if (scheme.toLowerCase() === 'basic') return Buffer.from(value, 'base64').toString().split(':').slice(1).join(':');
  return scheme.toLowerCase() === 'bearer' ? value : '';
}
