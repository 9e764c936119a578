import { looksRandom } from './randomness.ts';

/** An address as it may be told: whatever stands before its host may be a password, also in one that is no URL. */
export function withoutPassword(address: string): string {
  const at = address.lastIndexOf('@');
  if (at === -1) return address;
  const scheme = address.indexOf('://');
  return `${scheme === -1 || scheme > at ? '' : address.slice(0, scheme + 3)}***${address.slice(at)}`;
}

/** The password of an address, or a token in the place of its user, as it is written and as it is meant. */
export function passwordsIn(address: string | undefined): string[] {
  if (address === undefined || !address.includes('://')) return [];
  const { username = '', password = '' } = URL.parse(address) ?? {};
  const written = password !== '' ? password : looksRandom(username) ? username : '';
  if (written === '') return [];
  try {
    return [written, decodeURIComponent(written)];
  } catch {
    return [written];
  }
}
