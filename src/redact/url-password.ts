import { looksRandom } from './randomness.ts';
import { isSecretName } from './secret-field-names.ts';

/** An address that is safe to show: whatever precedes its host, or is in its query, may be a secret, even if the address is not a URL. */
export function withoutPassword(address: string): string {
  const query = address.search(/[?#]/);
  const place = query === -1 ? address : address.slice(0, query);
  const rest =
    query === -1
      ? ''
      : address
          .slice(query)
          .split(/([?&#])/)
          .map(withoutValue)
          .join('');
  const at = place.lastIndexOf('@');
  if (at === -1) return place + rest;
  const scheme = place.indexOf('://');
  return `${scheme === -1 || scheme > at ? '' : place.slice(0, scheme + 3)}***${place.slice(at)}${rest}`;
}

function withoutValue(part: string): string {
  return /^[?&#]?$/.test(part) ? part : `${part.slice(0, part.indexOf('=') + 1)}***`;
}

/** The password of an address, a token in place of its user, and keys in its query, both percent-encoded as written and decoded. */
export function passwordsIn(address: string | undefined): string[] {
  if (address === undefined || !address.includes('://')) return [];
  const { username = '', password = '', search = '' } = URL.parse(address) ?? {};
  const user = password !== '' ? password : looksRandom(username) ? username : '';
  return [user, ...keysIn(search)].flatMap((written) => (written === '' ? [] : [written, percentDecoded(written)]));
}

function keysIn(query: string): string[] {
  return query
    .slice(1)
    .split('&')
    .map((part) => part.split(/=(.*)/s, 2))
    .flatMap(([name = '', value = '']) =>
      isSecretName(name) || /^(?:key|sig|signature|pass)$/i.test(name) ? [value] : [],
    );
}

/** If the text is not valid percent-encoding, it is returned unchanged. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
