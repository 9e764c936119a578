import type { JsonObject } from '../json/json.ts';
import { isObject } from '../json/read.ts';

const SPACE = 32;
const CLOSE_BRACKET = 93;
const CLOSE_BRACE = 125;

interface Scanned {
  readonly depth: number;
  readonly inString: boolean;
  /** The next character is escaped by the backslash before it. */
  readonly isEscaped: boolean;
  /** How many brackets were opened. */
  readonly opened: number;
}

export const fresh: Scanned = { depth: 0, inString: false, isEscaped: false, opened: 0 };

/** Agents output only objects and lists of objects: `[INFO]` is neither. */
export function startsLikeJson(text: string): boolean {
  return text.startsWith('{') || (text.startsWith('[') && /^\[\s*(?:\{|$)/.test(text));
}

/** Follows brackets and strings to the end of the text, to the point where the outermost bracket closes, or to the point where there are too many. */
export function scan(
  text: string,
  from: Scanned,
  until: 'end' | 'closed' | 'too much' = 'end',
): Scanned & { end: number } {
  let { depth, inString, isEscaped, opened } = from;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (isEscaped) isEscaped = false;
    else if (inString) {
      if (char === 92) isEscaped = true;
      else if (char === 34) inString = false;
    } else if (char === 34) inString = true;
    else if (char === 123 || char === 91) {
      depth += 1;
      opened += 1;
      if (until === 'too much' && (depth > deepest || opened > mostContainers)) break;
    } else if (char === 125 || char === 93) {
      depth -= 1;
      if (until === 'closed' && depth === 0) return { depth, inString, isEscaped, opened, end: at + 1 };
    }
  }
  return { depth, inString, isEscaped, opened, end: text.length };
}

/** Shorter lines cannot hold enough brackets to do harm. */
export const longLine = 1024 * 1024;
/** No agent nests its output this deeply; each level takes far more memory than its bracket. */
const deepest = 20_000;
/** An empty object takes some thirty times its two characters. */
export const mostContainers = 2_000_000;

function isTooMuch(text: string): boolean {
  const { depth, opened } = scan(text, fresh, 'too much');
  return depth > deepest || opened > mostContainers;
}

/** Calls back for each element of a list on one line, in order; false: it is not a complete and valid list of objects. */
export function eachObject(line: string, found: (wire: JsonObject) => void): boolean {
  let rest = line.slice(1).trimStart();
  while (rest.startsWith('{')) {
    const { end, depth } = scan(rest, fresh, 'closed');
    const wire = depth === 0 ? parse(rest.slice(0, end)) : undefined;
    if (!isObject(wire)) return false;
    found(wire);
    rest = rest.slice(end).trimStart();
    if (rest.startsWith(']')) return rest.slice(1).trim() === '';
    if (!rest.startsWith(',')) return false;
    rest = rest.slice(1).trimStart();
  }
  return false;
}

/** An object or a list; undefined: it is neither, or too large. */
export function parse(text: string): unknown {
  // Throwing an error takes far longer than looking at the last character.
  const last = text.charCodeAt(text.length - 1);
  if (last > SPACE && last !== CLOSE_BRACE && last !== CLOSE_BRACKET) return undefined;
  try {
    if (text.length > longLine && isTooMuch(text)) return undefined;
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
