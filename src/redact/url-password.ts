/** An address as it may be told: whatever stands before its host may be a password, also in one that is no URL. */
export function withoutPassword(address: string): string {
  const at = address.lastIndexOf('@');
  if (at === -1) return address;
  const scheme = address.indexOf('://');
  return `${scheme === -1 || scheme > at ? '' : address.slice(0, scheme + 3)}***${address.slice(at)}`;
}

/** The password of an address, as it is written and as it is meant. */
export function passwordsIn(address: string | undefined): string[] {
  const written = address === undefined ? '' : (URL.parse(address)?.password ?? '');
  if (written === '') return [];
  try {
    return [written, decodeURIComponent(written)];
  } catch {
    return [written];
  }
}
