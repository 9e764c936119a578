import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { version } from '../../version.ts';
import type { AppParts } from '../app.ts';
import { jsonIn, readBody } from '../body.ts';
import type { ServerEnv } from '../env.ts';
import { everything, refuseToken } from '../guard.ts';
import { Problem } from '../problem.ts';
import type { Handlers } from '../route.ts';
import type { Caller } from '../tokens.ts';
import { cached, prometheusText, totalsOf } from '../prometheus.ts';

/** Where the ledger does not keep totals, adding up a million runs takes a moment; scrapes within this time get the same figures. */
const totalsMs = 5000;

const mostSignIn = 4096;
const formerCookie = 'runwire';

/** Routes about the server itself. */
export function serviceRoutes({ ledger, tokens, wrong, names, live, metrics, viewers, queue, now }: AppParts) {
  const totals = cached(() => totalsOf(ledger), totalsMs, now);

  /** Undefined: no such token. */
  function keep(context: Context<ServerEnv>, token: string): Caller | undefined {
    // All servers of a host had this one in common; it opens nothing any more.
    if (getCookie(context, formerCookie) !== undefined) deleteCookie(context, formerCookie, { path: '/' });
    const cookie = tokens?.cookieFor(token);
    if (cookie !== undefined)
      setCookie(context, names.cookieName, cookie, {
        httpOnly: true,
        sameSite: 'Strict',
        path: '/',
        secure: names.isSecure,
        maxAge: 30 * 86_400,
      });
    return tokens === undefined ? everything : tokens.byToken(token);
  }

  const session = ({ rights }: Caller) => ({ rights: [...rights], ledger: ledger.store.name, version });

  return {
    'get /healthz': (context) =>
      live.trouble === undefined ? context.text('ok\n') : context.text('the ledger does not answer\n', 503),

    'get /openapi.json': async (context) => context.json((await import('../openapi.ts')).openApi()),

    async 'get /metrics'(context) {
      context.header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8');
      const queued = await queue?.figures().catch(() => 'away' as const);
      return context.body(prometheusText(await totals(), queued, metrics, viewers));
    },

    async 'get /api/queue'(context) {
      const state = await queue?.overview();
      if (state === undefined)
        throw new Problem('not_found', 'this ledger has no queue: "runwire enqueue" makes one, in PostgreSQL');
      return context.json(state);
    },

    'get /api/budgets': async (context) => context.json({ budgets: await ledger.store.budgets.list() }),

    'get /login'(context, query) {
      const token = query.word('token');
      if (token !== undefined && keep(context, token) === undefined) return refuseToken(context, wrong);
      // The token must not stay in the address bar or the history. Without one, the page asks for it.
      return context.redirect('/', 303);
    },

    async 'post /login'(context) {
      const origin = context.req.header('origin');
      // A page that may use the API with a token of its own must not sign people in as somebody else.
      if (origin !== undefined && !names.isOwnOrigin(origin)) throw new Problem('forbidden', 'sign in on our own page');
      const { token } = (jsonIn(await readBody(context, mostSignIn)) ?? {}) as { token?: unknown };
      if (typeof token !== 'string') throw new Problem('input', 'expected JSON such as {"token":"…"}');
      const caller = keep(context, token.trim());
      return caller === undefined ? refuseToken(context, wrong) : context.json(session(caller));
    },

    'get /api/session'(context) {
      return context.json(session(context.get('who')));
    },
  } satisfies Partial<Handlers>;
}
