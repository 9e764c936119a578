import type { Context, Hono } from 'hono';
import type { Room } from '../app.ts';
import type { Asset } from '../assets.ts';
import type { ServerEnv } from '../env.ts';
import { Problem } from '../problem.ts';

/** The page and its files. They contain no run data, so they need no token. */
export function pageRoutes(app: Hono<ServerEnv>, { assets }: Room): void {
  const index = assets.get('/index.html');

  for (const path of ['/', '/runs/:id', '/runs/:id/tree', '/compare/:a/:b', '/queue'])
    app.get(path, (context) => {
      if (index === undefined)
        throw new Problem('not_found', 'this package was built without the page; the API works all the same: see /openapi.json');
      return send(context, index);
    });

  app.get('*', async (context, next) => {
    const asset = assets.get(context.req.path);
    if (asset === undefined || asset === index) return next();
    return send(context, asset);
  });
}

function send(context: Context<ServerEnv>, { bytes, type, etag, isFixed }: Asset): Response {
  const headers = { 'Cache-Control': isFixed ? 'public, max-age=31536000, immutable' : 'no-cache', ETag: etag };
  if (context.req.header('if-none-match') === etag) return context.body(null, 304, headers);
  return context.body(bytes, 200, { ...headers, 'Content-Type': type });
}
