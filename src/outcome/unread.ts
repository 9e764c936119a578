/** In every dialect, a call or its result has one of these among its first words. */
const aboutCall = /tool|function|command|patch|observation/i;

/** A line that is not JSON, by its beginning. */
export function seemsAboutCall(text: string): boolean {
  return aboutCall.test(text.slice(0, 1000));
}

const failed: ReadonlySet<unknown> = new Set(['error', 'failed', 'denied', 'rejected']);
/** How many values of a line are looked at. */
const mostValues = 500;

/** A line of no known type that nevertheless says that something failed, as the result of a call whose type is damaged does. */
export function tellsFailure(wire: unknown): boolean {
  const waiting: unknown[] = [wire];
  for (let seen = 0; waiting.length > 0 && seen < mostValues; seen += 1) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) continue;
    for (const name in value) {
      const inner = (value as Readonly<Record<string, unknown>>)[name];
      if (name === 'status' && failed.has(inner)) return true;
      if ((name === 'is_error' || name === 'isError') && inner === true) return true;
      if (waiting.length < mostValues) waiting.push(inner);
    }
  }
  return false;
}
