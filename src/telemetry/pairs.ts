/** `key=value,key=value`, percent-encoded where necessary: headers and resource attributes. Undefined: it has another form. */
export function readPairs(text: string): Record<string, string> | undefined {
  const pairs: Record<string, string> = {};
  for (const part of text.split(',')) {
    if (part.trim() === '') continue;
    const at = part.indexOf('=');
    const key = decoded(part.slice(0, Math.max(0, at)).trim());
    const value = decoded(part.slice(at + 1).trim());
    if (key === undefined || key === '' || value === undefined) return undefined;
    Object.defineProperty(pairs, key, { value, enumerable: true, configurable: true });
  }
  return pairs;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
