/** A value with every string in it cleaned, including field names; `providerOptions` hold signatures that must not change. */
export function cleanAll(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) return value.map((each) => cleanAll(each, clean));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [clean(key), key === 'providerOptions' ? each : cleanAll(each, clean)]),
  );
}

/** Cleans JSON text by its parsed values: a secret may be escaped inside a JSON string. */
export function cleanJson(json: string, clean: (text: string) => string): string {
  try {
    return JSON.stringify(cleanAll(JSON.parse(json), clean));
  } catch {
    return clean(json);
  }
}
