/** Deeper than any meaningful argument, and far from the depth at which traversing it would overflow the stack. */
const deepest = 200;

/** Whether a value is nested too deeply to be traversed safely. */
export function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth >= deepest || Object.values(value).some((each) => isTooDeep(each, depth + 1));
}
