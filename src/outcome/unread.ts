/** In every dialect, a call or its result has one of these among its first words. */
const aboutCall = /tool|function|command|patch|observation/i;

/** A line that is not JSON, by its beginning. */
export function seemsAboutCall(text: string): boolean {
  return aboutCall.test(text.slice(0, 1000));
}

/** What dialects say of a failure in one word. */
const aboutFailure =
  /"(?:is_?error|prevent_continuation)"\s{0,9}:\s{0,9}true|"(?:status|outcome|subtype|decision|stop_?reason)"\s{0,9}:\s{0,9}"(?:error|fail|den[iy]|reject|refus)/i;
/** Results come late in the line of a call. */
const mostLooked = 4000;

/** A line that is not JSON, and says that something failed. */
export function seemsAboutFailure(text: string): boolean {
  return aboutFailure.test(text.slice(0, mostLooked));
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
