/** Deeper than any argument that means something, and far from the depth at which whoever goes through it ends with the stack. */
const deepest = 200;

/** Whether a value is nested more deeply than anybody can go through it. */
export function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth >= deepest || Object.values(value).some((each) => isTooDeep(each, depth + 1));
}
