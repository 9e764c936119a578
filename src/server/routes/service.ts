import type { Hono } from 'hono';
import { setCookie } from 'hono/cookie';
import { version } from '../../version.ts';
import type { Room } from '../app.ts';
import type { ServerEnv } from '../env.ts';
import { allow, cookieName, refuseToken } from '../guard.ts';

/** What is about the server itself. */
export function serviceRoutes(app: Hono<ServerEnv>, { ledger, tokens, wrong, names }: Room): void {
  app.get('/healthz', (context) => context.text('ok\n'));

  app.get('/login', (context) => {
    context.header('Cache-Control', 'no-store');
    const cookie = tokens?.cookieFor(context.req.query('token') ?? '');
    if (tokens !== undefined && cookie === undefined) return refuseToken(context, wrong);
    if (cookie !== undefined)
      setCookie(context, cookieName, cookie, {
        httpOnly: true,
        sameSite: 'Strict',
        path: '/',
        secure: names.isSecure,
        maxAge: 30 * 86_400,
      });
    // The token must not stay in the address bar, nor in the history.
    return context.redirect('/', 303);
  });

  app.get('/api/session', allow('read'), (context) => {
    context.header('Cache-Control', 'no-store');
    return context.json({ rights: [...context.get('who').rights], ledger: ledger.store.name, version });
  });
}
