const hex = /^[0-9a-fA-F-]+$/;

/** Words, versions, dates, paths, placeholders and code are not random; keys and generated passwords are. */
export function looksRandom(value: string, shortest = 16): boolean {
  if (value.length < shortest || /^(?:[./~]|https?:|[A-Za-z]:\\)|\*\*|\.\.|xxxx|\$\{|process\./.test(value)) return false;
  if (!/[A-Za-z]/.test(value) || (value.match(/\d+/g)?.length ?? 0) < 2) return false;
  return new Set(value).size >= (hex.test(value) ? 8 : Math.min(10, shortest - 3));
}

export function isHex(value: string): boolean {
  return hex.test(value);
}

export function hasDigit(value: string): boolean {
  return /\d/.test(value);
}

/** Base64 of `name:password`, the credentials of HTTP's basic authentication. */
export function isNameAndPassword(base64: string): boolean {
  try {
    const text = atob(base64.slice(0, base64.length - (base64.length % 4 === 1 ? 1 : 0)));
    // eslint-disable-next-line no-control-regex -- what a name and a password never hold
    return text.indexOf(':', 0) > 0 && !/[\u0000-\u001f]/.test(text);
  } catch {
    return false;
  }
}
