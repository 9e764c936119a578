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
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Frame-Options', 'DENY'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Permissions-Policy', 'camera=(), microphone=(), geolocation=(), interest-cohort=()'],
];

/** Which names this server answers to; other names lead here only by a trick with DNS. */
export interface Names {
  /** A `Host` header: name and port. */
  isHost(host: string): boolean;
  /** An `Origin` header of our own page. */
  isOwnOrigin(origin: string): boolean;
  /** Pages elsewhere that may read with a token of their own, never with the cookie. */
  allowedOrigins: ReadonlySet<string>;
  /** Whether the cookie may only travel encrypted. */
  isSecure: boolean;
}

export interface GuardOptions {
  names: Names;
  /** Undefined: whoever reaches it may do everything. */
  tokens: Tokens | undefined;
  wrong: WrongTokens;
}

const everything: Caller = { name: 'anybody on this machine', rights: new Set(['read', 'stop', 'report']) };

/** Every request passes here first: whom it is for, where it comes from, who sends it. */
export function guard({ names, tokens, wrong }: GuardOptions): MiddlewareHandler<ServerEnv> {
  return async (context, next) => {
    for (const [name, value] of headers) context.header(name, value);
    const { req } = context;
    const host = req.header('host') ?? '';
    if (!names.isHost(host))
      throw new Problem('forbidden', 'this server does not answer to that Host; use the address that "runwire serve" printed');
    const origin = req.header('origin');
    const isElsewhere = origin !== undefined && !names.isOwnOrigin(origin);
    if (isElsewhere) {
      if (!names.allowedOrigins.has(origin))
        throw new Problem(
          'forbidden',
          'pages of another origin may not ask here; "runwire serve --allow-origin ORIGIN" lets one read with a token',
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
      throw new Problem('forbidden', 'pages of another site may not ask here');
    context.set('caller', () => callerOf(context, { tokens, wrong, cookies: !isElsewhere }));
    await next();
  };
}

/** The caller, who must have this right; asked where it matters, so that the page itself needs none. */
export function allow(right: Right): MiddlewareHandler<ServerEnv> {
  return async (context, next) => {
    const caller = context.get('caller')();
    if (!caller.rights.has(right))
      throw new Problem('forbidden', `this token may not ${right}; it may: ${[...caller.rights].join(', ') || 'nothing'}`);
    context.set('who', caller);
    await next();
  };
}

/** Forms and images of other pages can send a request, but no header of our own. */
export const notSimple: MiddlewareHandler<ServerEnv> = async ({ req }, next) => {
  if (req.header('x-runwire') === undefined && req.header('authorization') === undefined)
    throw new Problem('forbidden', 'send the header "X-Runwire: 1" with this request');
  await next();
};

export const cookieName = 'runwire';

function callerOf(
  context: Context<ServerEnv>,
  { tokens, wrong, cookies }: { tokens: Tokens | undefined; wrong: WrongTokens; cookies: boolean },
): Caller {
  if (tokens === undefined) return everything;
  const sent = bearer(context.req.header('authorization'));
  const cookie = cookies ? getCookie(context, cookieName) : undefined;
  const caller = sent === undefined ? (cookie === undefined ? undefined : tokens.byCookie(cookie)) : tokens.byToken(sent);
  if (caller !== undefined) return caller;
  if (sent === undefined && cookie === undefined)
    throw new Problem('auth', 'no token: open the link that "runwire serve" printed, or send "Authorization: Bearer TOKEN"');
  refuseToken(context, wrong);
}

export function refuseToken(context: Context<ServerEnv>, wrong: WrongTokens): never {
  const seconds = wrong.add(context.get('address'));
  if (seconds !== undefined) {
    context.header('Retry-After', String(seconds));
    throw new Problem('too_many', `too many wrong tokens; try again in ${seconds} s`);
  }
  throw new Problem('auth', 'wrong token: open the link that "runwire serve" printed, or ask for a new token');
}

/** `Bearer …`, or the password of `Basic …`: what some tools can send. */
function bearer(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const [scheme = '', value = ''] = header.split(' ', 2);
  if (scheme.toLowerCase() === 'basic') return Buffer.from(value, 'base64').toString().split(':').slice(1).join(':');
  return scheme.toLowerCase() === 'bearer' ? value : '';
}
