import { boundedResponse } from './bounded-response.ts';
import { FaultError } from './fault.ts';

const mostRedirects = 5;

/**
 * `fetch` for requests that carry a key. On a redirect to another origin, `fetch` itself removes `Authorization`, but not the
 * headers that Anthropic, Google and Azure read their keys from, nor the conversation. So only same-origin redirects are followed.
 */
export const fetchSameOrigin: typeof fetch = async (input, init) => {
  let url = new URL(input instanceof Request ? input.url : input);
  for (let redirects = 0; ; redirects += 1) {
    const response = await fetch(url, { ...init, redirect: 'manual' });
    const location = response.status >= 300 && response.status <= 399 ? response.headers.get('location') : null;
    if (location === null) return boundedResponse(response);
    await response.body?.cancel();
    const next = URL.parse(location, url);
    if (next?.origin !== url.origin)
      throw refused(
        `${url.origin} redirects to ${next?.origin ?? 'no address'}, and a key is not sent to another server; if that is the right one, give it as --base-url`,
      );
    if (redirects === mostRedirects) throw refused(`${url.origin} redirects again and again`);
    url = next;
  }
};

function refused(message: string): FaultError {
  return new FaultError({ code: 'refused', message, retryable: false, name: 'RedirectRefused' });
}
