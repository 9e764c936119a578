/** A value with every text in it cleaned, names of fields too; `providerOptions` are signatures that must stay as they are. */
export function cleanAll(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) return value.map((each) => cleanAll(each, clean));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [clean(key), key === 'providerOptions' ? each : cleanAll(each, clean)]),
  );
}

/** JSON text, cleaned as what it says: a secret is spelt differently inside of a JSON string. */
export function cleanJson(json: string, clean: (text: string) => string): string {
  try {
    return JSON.stringify(cleanAll(JSON.parse(json), clean));
  } catch {
    return clean(json);
  }
}
