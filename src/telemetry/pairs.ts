/** `key=value,key=value`, each percent-encoded where it must be: headers and resource attributes. Undefined: it is not that. */
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
