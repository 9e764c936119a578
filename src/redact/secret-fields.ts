import { isChosenPassword, isCookie, isNameAndPassword, isPasswordOfVariable, looksRandom } from './randomness.ts';
import { isPasswordName } from './secret-field-names.ts';

/** The kind of secret in the value of a field with a secret name; undefined: it is not a secret. */
export function secretFieldKind(field: string, value: string): string | undefined {
  if (/cookie$/i.test(field)) return holdsCookie(value) ? 'cookie' : undefined;
  if (/auth$/i.test(field)) return isNameAndPassword(value) ? 'basic-auth' : undefined;
  if (isPasswordName(field) && isPasswordIn(field, value)) return 'assigned-secret';
  // `token abc…`, as in the Authorization header.
  const [, secret = value] = /^[A-Za-z]{3,20} +(\S+)$/.exec(value) ?? [];
  return !/\s/.test(secret) && looksRandom(secret, 12) ? 'assigned-secret' : undefined;
}

/** In `db_password`, the name says more than in `password`, which may be a form's. */
function isPasswordIn(field: string, value: string): boolean {
  if (value.length < 6 || value.length > 256 || /\s/.test(value)) return false;
  return field.includes('_') ? isPasswordOfVariable(value) : value.length >= 8 && isChosenPassword(value);
}

/** Whether a list of cookies contains one that identifies someone. */
export function holdsCookie(header: string): boolean {
  return header.split(';').some((pair) => pair.includes('=') && isCookie(pair.slice(pair.indexOf('=') + 1)));
}
