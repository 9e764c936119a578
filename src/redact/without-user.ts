/** An address in three parts: scheme, user, and host with path. */
export interface AddressParts {
  /** With `://`; empty for `user@host:path`, and for a folder. */
  scheme: string;
  /** Also the password, if there is one. */
  user: string;
  place: string;
}

/**
 * The user is everything up to the last `@` before the path. Where that leaves no host, a password has a `/`, `?` or `#` in it, and
 * everything up to the last `@` of all is the user.
 */
export function partsOfAddress(address: string): AddressParts {
  const from = address.indexOf('://') + 3;
  if (from === 2) return splitAt(address, '', mayBeSsh(address) ? lastUser(address) : -1);
  const rest = address.slice(from);
  const host = /^[^/?#]*/.exec(rest)?.[0] ?? '';
  const at = host.lastIndexOf('@');
  return splitAt(rest, address.slice(0, from), isHost(host.slice(at + 1)) ? at : rest.lastIndexOf('@'));
}

/** An address that is safe to show: the user may be a token. */
export function withoutUser(address: string): string {
  const { scheme, user, place } = partsOfAddress(address);
  return user === '' ? scheme + place : scheme.toLowerCase() + place;
}

/** Shown instead of git's own message, which may contain any part of the address. */
const misread = 'git takes a "/", "?" or "#" in a password for the end of the host; write %2F, %3F or %23';

/** Git's output with the user removed from every address in it; `given` are git's arguments, which need not be addresses. */
export function withoutUsers(text: string, given: readonly string[] = []): string {
  const addresses = given.filter((each) => each.includes('://') && partsOfAddress(each).user !== '');
  if (addresses.some((each) => /[/?#]/.test(partsOfAddress(each).user))) return misread;
  return addresses
    .reduce((rest, each) => rest.replaceAll(each, () => withoutUser(each)), text)
    .replaceAll(/:\/\/[^\s'"]*/g, withoutUsersInRow)
    .replaceAll(/:\/\/[^\s/?#]*@/g, '://');
}

/** Addresses with nothing between them, first treated as one: a password may contain a `://`. */
function withoutUsersInRow(text: string): string {
  return withoutUser(text)
    .split('://')
    .map((each) => withoutUser(`://${each}`).slice(3))
    .join('://');
}

function splitAt(text: string, scheme: string, at: number): AddressParts {
  return { scheme, user: text.slice(0, Math.max(0, at)), place: text.slice(at + 1) };
}

/** Git uses SSH where a colon comes before any slash; `C:\` is a folder. */
function mayBeSsh(address: string): boolean {
  return /^[^/:]*:/.test(address) && !/^(?:[.~]|[a-z]:[\\/])/i.test(address);
}

/** The host ends at the first colon, and its path may have an `@`; without a user before that colon, `me:secret@host:path` may be meant. */
function lastUser(address: string): number {
  const at = address.lastIndexOf('@', address.indexOf(':'));
  return at === -1 ? (/^(.*@)[^/@]*:/s.exec(address)?.[1]?.length ?? 0) - 1 : at;
}

function isHost(text: string): boolean {
  return /^(?:\[[^\]]*\]|[^:[\]]*)(?::\d*)?$/.test(text);
}
