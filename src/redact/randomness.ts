const hex = /^[0-9a-fA-F-]+$/;

/** Words, versions, dates, paths, placeholders and code are not random; keys and generated passwords are. */
export function looksRandom(value: string, shortest = 16): boolean {
  if (value.length < shortest || /^(?:[./~]|https?:|[A-Za-z]:\\)|\*\*|\.\.|xxxx|\$\{|process\.|^this\b/.test(value)) return false;
  if (isMember(value) || !/[A-Za-z]/.test(value) || (value.match(/\d+/g)?.length ?? 0) < 2) return false;
  return new Set(value).size >= (hex.test(value) ? 8 : Math.min(10, shortest - 3));
}

/** `ed25519.PrivateKey.generate`: names with at most one number in each. */
function isMember(value: string): boolean {
  return value.includes('.') && value.split('.').every((part) => /^[A-Za-z_$]/.test(part) && (part.match(/\d+/g)?.length ?? 0) < 2);
}

export function isHex(value: string): boolean {
  return hex.test(value);
}

export function hasDigit(value: string): boolean {
  return /\d/.test(value);
}

/** Base64 of `name:password`, the credentials of HTTP Basic authentication. */
export function isNameAndPassword(base64: string): boolean {
  try {
    const text = atob(base64.slice(0, base64.length - (base64.length % 4 === 1 ? 1 : 0)));
    // eslint-disable-next-line no-control-regex -- what a name and a password never hold
    return text.indexOf(':', 0) > 0 && !/[\u0000-\u001f]/.test(text);
  } catch {
    return false;
  }
}

/** As in keys: lower-case and upper-case letters, and digits in at least two places. */
export function isMixed(value: string): boolean {
  return /[a-z]/.test(value) && /[A-Z]/.test(value) && (value.match(/\d+/g)?.length ?? 0) >= 2;
}

const placeholder =
  /^(?:\$|<|\{|\[|%|\*+$|x+$|\.+$|…|your[-_ ]|my[-_ ]|redacted)|^(?:password|passwd|secret|string|value|stdin|none|null|true|false|changeme)$/i;

/** A placeholder where a password would be. */
export function isPlaceholder(value: string): boolean {
  return (placeholder.test(value) && !isMixed(value)) || value.startsWith('${') || value.startsWith('$(');
}

/** A word after a flag is a password if it is not a plain word, a number or another flag. */
export function isGivenPassword(value: string): boolean {
  if (isPlaceholder(value) || value.startsWith('-') || /^[\d.:]+$/.test(value) || looksLikeCode(value)) return false;
  return /\d/.test(value) || /[!@#$%^&*+=~?]/.test(value) || /[a-z][A-Z]/.test(value);
}

const looksLikeCode = (value: string): boolean => /[(){}[\]]|process\.|\.\.\.|^\w+(?:\.[A-Za-z]\w*)+$/.test(value);

/** A quoted password may be any words, but not code. */
export function isQuotedPassword(value: string): boolean {
  return !isPlaceholder(value) && !looksLikeCode(value);
}

/** The value of a cookie that identifies someone, rather than storing a preference. */
export function isCookie(value: string): boolean {
  return (value.length >= 24 || looksRandom(value, 8)) && hasDigit(value) && !isPlaceholder(value);
}

/** Base64 of the first line of a private key. */
export function holdsPrivateKey(base64: string): boolean {
  return atob(base64.slice(0, base64.length - (base64.length % 4))).includes('PRIVATE KEY');
}
