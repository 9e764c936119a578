const hex = /^[0-9a-fA-F-]+$/;

/** Words, versions, dates, paths, placeholders and code are not random; keys and generated passwords are. */
export function looksRandom(value: string, shortest = 16): boolean {
  if (value.length < shortest || /^(?:[./~]|https?:|[A-Za-z]:\\)|\*\*|\.\.|xxxx|\$\{|process\.|^this\b/.test(value))
    return false;
  if (isMember(value) || !/[A-Za-z]/.test(value) || (value.match(/\d+/g)?.length ?? 0) < 2) return false;
  return new Set(value).size >= (hex.test(value) ? 8 : Math.min(10, shortest - 3));
}

/** `ed25519.PrivateKey.generate`: names with at most one number in each. */
function isMember(value: string): boolean {
  return (
    value.includes('.') &&
    value.split('.').every((part) => /^[A-Za-z_$]/.test(part) && (part.match(/\d+/g)?.length ?? 0) < 2)
  );
}

export function isHex(value: string): boolean {
  return hex.test(value);
}

export function hasDigit(value: string): boolean {
  return /\d/.test(value);
}

/** Base64 of `name:password`, the credentials of HTTP Basic authentication; a token needs no name. */
export function isNameAndPassword(base64: string): boolean {
  try {
    const text = atob(base64.slice(0, base64.length - (base64.length % 4 === 1 ? 1 : 0)));
    // eslint-disable-next-line no-control-regex -- what a name and a password never hold
    return (text.indexOf(':') > 0 || /^:.{8}/.test(text)) && !/[\u0000-\u001f]/.test(text);
  } catch {
    return false;
  }
}

/** Base64 of text that can be read. */
export function isPrintableBase64(base64: string): boolean {
  if (base64.length < 8 || base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return false;
  return /^[\t\n\r -~]+$/.test(atob(base64));
}

/** As in keys: lower-case and upper-case letters, and digits in at least two places. */
export function isMixed(value: string): boolean {
  return /[a-z]/.test(value) && /[A-Z]/.test(value) && (value.match(/\d+/g)?.length ?? 0) >= 2;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** In a key, letters and digits alternate far more often than in names, dates and versions. */
export function isKeyOfQuery(value: string): boolean {
  const plain = value.replaceAll(/%[0-9A-Fa-f]{2}/g, '-');
  const letters = plain.replaceAll(/[^A-Za-z0-9]/g, '');
  if (
    letters.length < 10 ||
    uuid.test(plain) ||
    isPlaceholder(value) ||
    !/\d/.test(letters) ||
    !/[A-Za-z]/.test(letters)
  )
    return false;
  const kinds = letters.replaceAll(/[a-z]/g, 'a').replaceAll(/[A-Z]/g, 'A').replaceAll(/\d/g, '0');
  let changes = 0;
  for (let at = 1; at < kinds.length; at += 1) if (kinds[at] !== kinds[at - 1]) changes += 1;
  return changes / letters.length >= 0.28;
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

/** The value of a variable that is named after its password; a path, a YAML tag or the name of another variable is none. */
export function isAssignedPassword(value: string): boolean {
  const isName = /^[a-z]+[A-Z][A-Za-z]*$/.test(value) && otherName.test(value);
  return isGivenPassword(value) && !isName && !/^(?:\.{0,2}|~)\/|^https?:|^![A-Za-z]+$/.test(value);
}

const otherName = /passw|_pass|pwd|secret|user|config|field|input|token|param|value/i;

/** Likewise where the variable may be one of a program, and the value the name of another. */
export function isPasswordOfVariable(value: string): boolean {
  return (
    isAssignedPassword(value) &&
    /\d/.test(value) &&
    /[A-Za-z]/.test(value) &&
    !(/^\w+$/.test(value) && otherName.test(value))
  );
}

const padded = /^[A-Za-z0-9+/]{6,}={1,2}$/;

/** What people choose when a form asks for more than letters: both cases, or a sign, besides digits; or anything in base64. */
export function isChosenPassword(value: string): boolean {
  if (padded.test(value)) return isAssignedPassword(value);
  return isPasswordOfVariable(value) && ((/[a-z]/.test(value) && /[A-Z]/.test(value)) || /[!@#$%^&*+=~?]/.test(value));
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
