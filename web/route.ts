import { signal } from '@preact/signals';

export type Route =
  | { page: 'list' }
  | { page: 'run'; id: string }
  | { page: 'tree'; id: string }
  | { page: 'compare'; a: string; b: string }
  | { page: 'queue' }
  | { page: 'unknown' };

/** The current address; in a report, which has no addresses of its own, only the part after `#`. */
export const address = signal(new URL(location.href));

export function routeOf({ pathname }: URL): Route {
  const parts = pathname.split('/').filter(Boolean).map(decode);
  const [room, first = '', second] = parts;
  if (parts.length === 0) return { page: 'list' };
  if (room === 'runs' && parts.length === 2) return { page: 'run', id: first };
  if (room === 'runs' && parts.length === 3 && second === 'tree') return { page: 'tree', id: first };
  if (room === 'compare' && parts.length === 3) return { page: 'compare', a: first, b: second ?? '' };
  if (room === 'queue' && parts.length === 1) return { page: 'queue' };
  return { page: 'unknown' };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function go(to: string, replace = false): void {
  const url = new URL(to, location.href);
  if (location.protocol === 'file:') history.replaceState(null, '', url.hash || location.href);
  else if (replace) history.replaceState(null, '', url);
  else history.pushState(null, '', url);
  const isOtherPage = url.pathname !== address.value.pathname;
  address.value = url;
  if (isOtherPage) scrollTo(0, 0);
}

/** The same page with other query parameters; an empty value removes one. */
export function withQuery(changes: Record<string, string | undefined>): string {
  const url = new URL(address.value);
  for (const [name, value] of Object.entries(changes))
    if (value === undefined || value === '') url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  return url.pathname + url.search + url.hash;
}

/** The same without the part after `#`. */
export function pathWith(changes: Record<string, string | undefined>): string {
  return withQuery(changes).split('#', 1)[0] ?? '';
}

export function listenToAddress(): void {
  addEventListener('popstate', () => void (address.value = new URL(location.href)));
  addEventListener('hashchange', () => void (address.value = new URL(location.href)));
  // Links within the page need no page load; clicks with a modifier key are left to the browser.
  document.addEventListener('click', (event) => {
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || link.target !== '' || link.origin !== location.origin || link.hasAttribute('download')) return;
    if (link.pathname.startsWith('/api/') || location.protocol === 'file:') return;
    event.preventDefault();
    go(link.href);
  });
}
