import { isCookie, isNameAndPassword, looksRandom } from './randomness.ts';

/** The kind of secret in the value of a field with a secret name; undefined: it is not a secret. */
export function secretFieldKind(field: string, value: string): string | undefined {
  if (/cookie$/i.test(field)) return holdsCookie(value) ? 'cookie' : undefined;
  if (/auth$/i.test(field)) return isNameAndPassword(value) ? 'basic-auth' : undefined;
  // `token abc…`, as in the Authorization header.
  const [, secret = value] = /^[A-Za-z]{3,20} +(\S+)$/.exec(value) ?? [];
  return !/\s/.test(secret) && looksRandom(secret, 12) ? 'assigned-secret' : undefined;
}

/** Whether a list of cookies contains one that identifies someone. */
export function holdsCookie(header: string): boolean {
  return header.split(';').some((pair) => pair.includes('=') && isCookie(pair.slice(pair.indexOf('=') + 1)));
}
