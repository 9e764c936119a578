import { queryWithKey } from './headers.ts';

/** One provider that an agent is set up for: where its requests really go. */
export interface Route {
  /** The provider's name in the agent's own settings; part of the address that the agent is given. */
  name: string;
  /** The base address that the agent would use itself. */
  upstream: string;
  /**
   * The real key. It takes the place of the token that the agent sends (`authorization`, `x-api-key`, `x-goog-api-key`, `api-key` or
   * `?key=`). Unset: what the agent sends passes as it is.
   */
  key?: string;
}

/** What an agent put after the address that it was given. */
export interface Rest {
  path: string;
  /** Without its question mark. */
  query: string;
}

/** Where a request really goes: the route's own base address, and what the agent put after the one that it was given. */
export function upstreamOf({ upstream, key }: Route, { path, query }: Rest, token: string): URL {
  const url = new URL(upstream);
  url.pathname = `${url.pathname.replace(/\/$/, '')}${path}`;
  url.search = [url.search.slice(1), queryWithKey(query, token, key)].filter((each) => each !== '').join('&');
  return url;
}
