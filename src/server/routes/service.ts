import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { version } from '../../version.ts';
import type { AppParts } from '../app.ts';
import { refuseToken } from '../guard.ts';
import { Problem } from '../problem.ts';
import type { Handlers } from '../route.ts';
import { cached, prometheusText, totalsOf } from '../prometheus.ts';

/** Where the ledger does not keep totals, adding up a million runs takes a moment; scrapes within this time get the same figures. */
const totalsMs = 5000;

const formerCookie = 'runwire';

/** Routes about the server itself. */
export function serviceRoutes({ ledger, tokens, wrong, names, live, metrics, viewers, queue, now }: AppParts) {
  const totals = cached(() => totalsOf(ledger), totalsMs, now);

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

    'get /login'(context, query) {
      const cookie = tokens?.cookieFor(query.word('token') ?? '');
      if (tokens !== undefined && cookie === undefined) return refuseToken(context, wrong);
      // All servers of a host had this one in common; it opens nothing any more.
      if (getCookie(context, formerCookie) !== undefined) deleteCookie(context, formerCookie, { path: '/' });
      if (cookie !== undefined)
        setCookie(context, names.cookieName, cookie, {
          httpOnly: true,
          sameSite: 'Strict',
          path: '/',
          secure: names.isSecure,
          maxAge: 30 * 86_400,
        });
      // The token must not stay in the address bar or the history.
      return context.redirect('/', 303);
    },

    'get /api/session'(context) {
      return context.json({ rights: [...context.get('who').rights], ledger: ledger.store.name, version });
    },
  } satisfies Partial<Handlers>;
}
