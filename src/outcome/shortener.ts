import { cutText, textLimit } from './bounded.ts';

/** Deeper inputs than this are hostile or useless; recursion must not follow them. */
const maxDepth = 100;

/** Shortens long texts, for a compact document. */
export class Shortener {
  readonly #clean: (text: string) => string;

  /** `clean` takes secrets out of a text before a part of it is cut away: half a secret cannot be recognised. */
  constructor(clean: (text: string) => string) {
    this.#clean = clean;
  }

  text(text: string, limit: number = textLimit): string {
    return text.length <= limit ? text : cutText(this.#clean(text), limit);
  }

  /** Shortens every text inside a value. Small values, which nearly all are, are returned as the same object. */
  json(value: unknown, depth = 0): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null || !holdsLongText(value, 0)) return value;
    if (depth > maxDepth) return '[…]';
    if (Array.isArray(value)) return value.map((each) => this.json(each, depth + 1));
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.json(each, depth + 1)]));
  }
}

/** Shows everything. */
export const unshortened: Pick<Shortener, 'text' | 'json'> = { text: (text) => text, json: (value) => value };

function holdsLongText(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.length > textLimit;
  if (typeof value !== 'object' || value === null) return false;
  if (depth > maxDepth) return true;
  // This runs for every call of a long stream: building a list of the values and calling a function for each would cost more than the check itself.
  if (Array.isArray(value)) {
    for (const each of value) if (holdsLongText(each, depth + 1)) return true;
    return false;
  }
  for (const name in value) if (holdsLongText((value as Record<string, unknown>)[name], depth + 1)) return true;
  return false;
}
