import { endOfString } from '../json/scan.ts';

/** An object in a JSON string, or in a value of logfmt. */
const inside = /(?<=^|[\s=:,;[(])"\{\\"/;

/** The text of the JSON string on this line that holds an object, and what stands before it; undefined: there is none. */
export function quotedIn(line: string): { before: string; text: string } | undefined {
  const at = /^"\s*(?:\\[nrt]\s*)*[{[]/.test(line) || line.startsWith('"\\"') ? 0 : line.search(inside);
  if (at === -1) return undefined;
  const end = endOfString(line, at + 1);
  try {
    const text = JSON.parse(line.slice(at, end + 1)) as unknown;
    return typeof text === 'string' ? { before: line.slice(0, at), text } : undefined;
  } catch {
    return undefined;
  }
}
