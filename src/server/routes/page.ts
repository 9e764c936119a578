import type { Context } from 'hono';
import type { AppParts } from '../app.ts';
import type { Asset } from '../assets.ts';
import type { ServerEnv } from '../env.ts';
import { Problem } from '../problem.ts';
import type { Handlers } from '../route.ts';

/** The page and its files. They contain no run data, so they need no token. */
export function pageRoutes({ assets }: AppParts) {
  const index = assets.get('/index.html');

  function page(context: Context<ServerEnv>): Response {
    if (index === undefined)
      throw new Problem(
        'not_found',
        'this package was built without the page; the API works all the same: see /openapi.json',
      );
    return send(context, index);
  }

  return {
    'get /': page,
    'get /runs/{id}': page,
    'get /runs/{id}/tree': page,
    'get /compare/{id}/{other}': page,
    'get /queue': page,
    'get /*'(context) {
      const asset = assets.get(context.req.path);
      return asset === undefined || asset === index ? undefined : send(context, asset);
    },
  } satisfies Partial<Handlers>;
}

function send(context: Context<ServerEnv>, { bytes, type, etag, isFixed }: Asset): Response {
  const headers = { 'Cache-Control': isFixed ? 'public, max-age=31536000, immutable' : 'no-cache', ETag: etag };
  if (context.req.header('if-none-match') === etag) return context.body(null, 304, headers);
  return context.body(bytes, 200, { ...headers, 'Content-Type': type });
}
